"""Makes tables of what trifac-bench, bench/compare, the program `trifac` and others have said. Each function
takes the folder of a part's results and gives its text and figures (name -> SVG)."""

import json
import statistics

from machine import ROOT  # makes bench/ importable
from comparison import plot, report, special_paths as paths
from pages import table
from tools import bench_rows


def rate(rows, name, counter="GFLOP/s"):
    """Median of the repetitions, or None."""
    values = [run[counter] for run in rows.get(name, []) if counter in run]
    return statistics.median(values) * (1 if counter != "peak" else 100) if values else None


def number(value, digits=1):
    return "–" if value is None else f"{value:.{digits}f}"


def ratio(a, b):
    return "–" if not a or not b else f"{a / b:.2f}"


def orders(rows):
    return sorted({int(name.rsplit("/", 1)[1]) for name in rows})


def comparison(folder, name="compare", figures=False, machine=False):
    """The tables of bench/compare."""
    document = json.loads((folder / f"{name}.json").read_text())
    text, pictures = [], {}
    for key, results in report.groups(document["results"]).items():
        properties = document["properties"][str(key[0])]
        text.append(f"**{report.title(key)}.** {report.said_of(results)}")
        if figures:
            file = "benchmarks/" + plot.file_name(key)
            pictures[file] = plot.svg(key, results, properties)
            text.append(f"![GFLOP/s over n]({file})")
        text.append(report.table(results, properties))
    if machine:
        text += measured_with(document)
    return "\n\n".join(text), pictures


def special_paths(folder, part):
    """The rows of the paths of a part; of those that --quick leaves out, too."""
    lines = []
    for name, path in paths.PATHS.items():
        file = folder / f"{name}.json"
        if path.part != part:
            continue
        if not file.exists():
            lines.append([f"`{name}`", path.about, "–", "not measured"])
            continue
        for key, ours, ratios in report.paired_rows(json.loads(file.read_text())):
            if not path.layout or ours == path.layout:
                layout = ", canonical" if ours == "trifac-canonical" else ""
                lines.append([f"`{name}`", path.about, report.title_on_one_thread(key) + layout,
                              ", ".join(f"{n}: {x:.2f}" for n, x in ratios.items())])
    head = ["path", "what it is", "of", "order: speed with it, without it = 1"]
    return "\n".join(table(head, lines)), {}


def measured_with(document):
    return ["Libraries:", report.libraries(document), "Machine:", report.machine(document)]


def batches(folder):
    """The summary of bench/compare --batched, what chunks save, and a table of each batch that comes
    from memory."""
    document = json.loads((folder / "compare.json").read_text())
    title, summary, note, conversion, shares = report.batch_summary(document)
    text = [f"**{title.removeprefix('### ')}.** " + report.said_of(document["results"]), summary, note,
            f"**{conversion.removeprefix('### ')}.** They meet where that is {100 - report.MEET * 100:.0f} % or less "
            "from there on.", shares]
    for key, results in report.groups(document["results"]).items():
        if results[0]["place"] == "memory":
            text += [f"**{report.title(key)}**, GFLOP/s.",
                     report.memory_table(results, document["properties"][str(key[0])])]
    return "\n\n".join(text + measured_with(document)), {}


def figure(folder):
    """The picture of Cholesky in double, for README.md: the file is that of the part it is of."""
    document = json.loads((folder / "compare.json").read_text())
    key = (1, "cholesky", "lower", "d")
    file = "benchmarks/" + plot.file_name(key)
    results = report.groups(document["results"])[key]
    return f"![GFLOP/s over n](docs/{file})\n\n**{report.title(key)}.** {report.said_of(results)}", {
        file: plot.svg(key, results, document["properties"][str(key[0])])}


def variants(folder):
    rows = bench_rows(folder, "variants")
    sizes = orders(rows)
    names = list(dict.fromkeys(name.rsplit("/", 1)[0] for name in rows))
    lines = [[name, *(number(rate(rows, f"{name}/{n}", "best")) for n in sizes)] for name in names]
    return "\n".join(table(["benchmark", *(f"n = {n}" for n in sizes)], lines)), {}


def solves(folder):
    rows = bench_rows(folder, "solves")
    lines = []
    for algorithm, title in (("cholesky", "Cholesky"), ("lu", "LU")):
        for backend, who in (("serial", "trifac"), ("lapack", "LAPACK")):
            rates = [rate(rows, f"{algorithm}_solve/{backend}/1/double/{n}", "best") for n in orders(rows)]
            if any(rates):
                lines.append([f"{title}, {who}", *map(number, rates)])
    return "\n".join(table(["GFLOP/s", *(f"n = {n}" for n in orders(rows))], lines)), {}


def large(folder):
    rows = bench_rows(folder, "large")
    lines = [[name, number(rate(rows, name)), number(rate(rows, name, "peak"), 0) + " %",
              number(rate(rows, name, "ratio"), 4)] for name in rows]
    return "\n".join(table(["benchmark", "GFLOP/s", "share of peak", "residual ratio"], lines)), {}


def busy_core(folder):
    """The two tables of trifac-busy-core."""
    idle, busy = ((folder / f"{name}.md").read_text().strip() for name in ("idle", "busy"))
    return f"Both cores free:\n\n{idle}\n\nWith a busy core:\n\n{busy}", {}


def applications(folder):
    """Lines and times of each program, and of the same with Eigen."""
    lines = []
    for name, times in json.loads((folder / "applications.json").read_text()).items():
        ours, eigens = (statistics.median(times[library]) for library in ("trifac", "eigen"))
        where = ROOT / "examples/applications"
        lengths = [len((where / sub / f"{name}.cpp").read_text().splitlines()) for sub in ("", "eigen")]
        lines.append([f"`{name}`", *lengths, number(ours, 3), number(eigens, 3), ratio(eigens, ours)])
    head = ["", "lines, trifac", "Eigen", "seconds, trifac", "Eigen", "ratio"]
    return "\n".join(table(head, lines)), {}


def plain(folder):
    """What the program printed."""
    return (folder / "table.md").read_text(), {}


def stacks(folder):
    """The table of bench/stacks, and its figure of solves."""
    file = "python/stacks-solve.svg"
    table_ = (folder / "table.md").read_text().strip()
    return (f"![time of a matrix over n]({file})\n\nBars reach from the fastest round to the slowest.\n\n{table_}",
            {file: (folder / "solve.svg").read_text()})


def tasks(folder):
    """The tables of trifac-tasks."""
    on_cores, with_device = ((folder / f"{name}.md").read_text().strip() for name in ("cores", "device"))
    return f"Two workers:\n\n{on_cores}\n\nOne worker and an OpenCL device of PoCL's, a core each:\n\n{with_device}", {}


def scale(folder):
    """Rates of this machine, and what follows from them."""
    rates, table_ = ((folder / name).read_text().strip() for name in ("rates.md", "table.md"))
    return f"A core of this machine, and messages in its memory:\n\n{rates}\n\n{table_}", {}


def factor(folder):
    said = (folder / "said.txt").read_text().rstrip()
    return ("```text\n$ build/run/examples/trifac factor examples/data/plate.mtx\n" + said + "\n```", {})


def opencl_speed(folder):
    rows = bench_rows(folder, "speed")
    lines = []
    for algorithm, title in (("cholesky", "Cholesky"), ("lu", "LU")):
        for n in orders(rows):
            for type_ in ("double", "float"):
                ocl, omp = (rate(rows, f"{algorithm}/{b}/best/{type_}/{n}") for b in ("opencl", "openmp"))
                lines.append([f"{title}, {type_}", n, number(ocl), number(omp), ratio(ocl, omp)])
    return device(folder) + "\n".join(table(["", "n", "GFLOP/s, opencl", "openmp", "ratio"], lines)), {}


def device(folder):
    """What `trifac info` says of the OpenCL device."""
    said = [line.strip() for line in (folder / "info.txt").read_text().splitlines()
            if line.strip().startswith("opencl")]
    return f"The device: {said[0].partition(':')[2].strip().removeprefix('yes, ')}.\n\n" if said else ""


def first_call(folder):
    lines = []
    for what, calls in json.loads((folder / "first-call.json").read_text()).items():
        cells = [what]
        for state in ("cold", "warm"):
            for clock in ("processor", "wall"):
                values = [call[clock] for call in calls[state]]
                cells.append(f"{statistics.median(values):.2f} s, at most {max(values):.2f}")
        lines.append(cells)
    head = ["", "cold, processor time", "cold, by the clock", "warm, processor time", "warm, by the clock"]
    return "\n".join(table(head, lines)), {}
