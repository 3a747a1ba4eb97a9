"""Makes the measured parts of docs/study.md, and its figures, from finished studies: folders that
bench/trifac-study wrote."""

import pathlib

from machine import ROOT  # makes bench/ importable
from pages import table

# Figures of a study: their names there and under docs/study, and what they show.
FIGURES = {
    "quick": (("cholesky-speed-up", "quick-cholesky", "Cholesky: speed-up over one thread"),
              ("lu-speed-up", "quick-lu", "LU: speed-up over one thread")),
    "thesis": (("5.1-crout-in-place", "openmp-cutoff", "OpenMP: time against cutoff"),
               ("5.5", "opencl-versions", "OpenCL on the CPU: three versions"),
               ("5.7", "thesis-cpu", "CPU: time over n")),
    "table-4.1": (("4.1", "table-4.1", "Six sequential versions"),),
    "sycl-note": (("deviation", "sycl-deviation", "Largest deviation"),),
    "martins": (("shares", "martins-shares", "Where the time goes"),
                ("total", "martins-total", "Total time against B"),
                ("speed-up", "martins-speed-up", "Speed-up over the fastest MKL")),
    "batched": (("shares-serial-16384", "batched-shares", "Shares of the time, serial"),
                ("gflops-16384", "batched-speed", "Speed of the factorization, of the substitutions and of both"),
                ("looking-opencl--cpu-", "batched-looking", "Best speed over n by order of looking"),
                ("over-all-16384", "batched-speed-up", "Speed-up over the fastest other library")),
    "ece496": (("gflops", "ece496-speed", "Speed over n"), ("block", "ece496-block", "Block size")),
}


class Study:
    """What a folder holds."""

    def __init__(self, folder):
        from study import plan as plans, store, summary  # they need Python 3.11

        stored = store.Store(folder)
        self.folder, self.head = pathlib.Path(folder), stored.read_head()
        own = ROOT / "docs/measure" / f"{self.head['plan']}.toml"
        self.plan = plans.load(str(own) if own.exists() else self.head["plan"])
        if self.plan.name == "thesis":  # with 5 runs one outlier would decide a mean
            self.plan.average = "median"
        self.runs = stored.all_runs()
        self.rows = summary.rows_of(self.plan, self.runs)

    def row(self, **wanted):
        """The fastest of the rows with these levels, or None."""
        found = [r for r in self.rows if "typical" in r and all(r[k] == v for k, v in wanted.items())]
        return min(found, key=lambda r: r["typical"], default=None)

    def levels(self, factor, **wanted):
        return sorted({r[factor] for r in self.rows
                       if "typical" in r and all(r[k] == v for k, v in wanted.items())})

    def conditions(self):
        from study import conditions, drift

        found = drift.Drift(self.runs, self.plan.replications)
        said = " ".join(conditions.sentences(self.head, self.runs, found))
        return f"{len(self.runs)} runs, {self.head['replications']} of each setting at most. {said}"


def time(row):
    """"2.3 ms"."""
    if row is None:
        return "–"
    for factor, unit in ((1, "s"), (1e3, "ms"), (1e6, "µs")):
        if row["typical"] * factor >= 1 or unit == "µs":
            return f"{row['typical'] * factor:.3g} {unit}"


def with_error(row, digits=3):
    return f"{row['mean']:.{digits}f} ± {row['error']:.{digits}f}" if row else "–"


def against(row, base):
    """"2.2 times slower", or that no difference is sure."""
    if row is None or base is None:
        return "not measured"
    from study import summary

    ratio = row["typical"] / base["typical"]
    sure = summary.surely_faster(row, base) or summary.surely_faster(base, row)
    if not sure:
        return f"no sure difference ({100 * (ratio - 1):+.0f} %)"
    if ratio > 1:
        return f"{ratio:.2f} times slower" if ratio >= 1.2 else f"{100 * (ratio - 1):.1f} % slower"
    return f"{1 / ratio:.2f} times faster" if ratio <= 0.83 else f"{100 * (1 / ratio - 1):.1f} % faster"


def at_each(question, orders):
    """"… at n = 250, … at 500"."""
    return ", ".join(f"{question(n)} at {'n = ' if k == 0 else ''}{n}" for k, n in enumerate(orders))


BY_ELEMENTS = ("banachiewicz_in_place", "crout", "crout_in_place", "crout_distributed_sum_in_place",
               "crout_contiguous_in_place_transposed", "unblocked")


def quick(study):
    places = {"one thread": {"backend": "serial", "variant": "best"},
              "two threads": {"backend": "openmp", "variant": "best", "threads": 2},
              "OpenCL on the CPU": {"backend": "opencl", "device": "cpu"},
              "LAPACK, one thread": {"backend": "lapack", "threads": 1},
              "LAPACK, two threads": {"backend": "lapack", "threads": 2}}
    for algorithm, name in (("cholesky", "Cholesky"), ("lu", "LU")):
        yield f"GFLOP/s of {name}, double, from medians:\n"
        lines = []
        for n in study.levels("n", algorithm=algorithm):
            cells = [study.row(algorithm=algorithm, n=n, **p) for p in places.values()]
            lines.append([n, *(f"{r['gflops']:.3g}" if r else "" for r in cells)])
        yield from table(["n", *places], lines)
        yield ""
    from study import conclusion

    for algorithm, name in (("cholesky", "Cholesky"), ("lu", "LU")):
        found = []
        for n in study.levels("n", algorithm=algorithm, backend="serial"):
            best = study.row(algorithm=algorithm, backend="serial", n=n, variant="best")
            others = [r for r in (study.row(algorithm=algorithm, backend="serial", n=n, variant=v)
                                  for v in BY_ELEMENTS) if r]
            if best and others:
                found.append(f"{min(r['typical'] for r in others) / best['typical']:.1f} at n = {n}")
        yield f"{name}, one thread, time of the fastest variant by elements divided by that of `best`: " \
              f"{', '.join(found)}.\n"
    for title, lines, sentence in conclusion.tables(study.rows):
        yield f"**{title}.** {sentence}\n"
        yield from table(conclusion.HEAD, lines)
        yield ""


SEQUENTIAL = (
    ("banachiewicz, row pointers", "banachiewicz_row_pointers", "2.663 ± 0.024", "1.01"),
    ("crout, row pointers", "crout_row_pointers", "2.696 ± 0.011", "1.02"),
    ("crout, contiguous", "crout_contiguous", "2.664 ± 0.020", "1.01"),
    ("crout, contiguous, transposed", "crout_contiguous_transposed", "4.390 ± 0.088", "1.66"),
    ("crout, contiguous, in place", "crout_contiguous_in_place", "2.646 ± 0.022", "1"),
    ("crout, contiguous, in place, transposed", "crout_contiguous_in_place_transposed",
     "4.368 ± 0.074", "1.65"))


def table_4_1(study):
    base = study.row(variant="crout_contiguous_in_place")
    lines = []
    for words, variant, theirs, ratio in SEQUENTIAL:
        row = study.row(variant=variant)
        lines.append([words, theirs, with_error(row), ratio,
                      f"{row['mean'] / base['mean']:.2f}" if row and base else "–"])
    runs = study.row(variant="crout_contiguous_in_place")["runs"]
    yield from table(["version", "thesis (15 runs)", f"here ({runs} runs)",
                      "against crout in place, there", "here"], lines)


def thesis(study):
    orders = study.levels("n", experiment="sequential")
    large = orders[-1]

    def sequential(n, variant):
        return study.row(experiment="sequential", n=n, variant=variant)

    def openmp(n, variant, threads=2, cutoff=0):
        return study.row(experiment="openmp", n=n, variant=variant, threads=threads, cutoff=cutoff)

    def blocks(n):  # LAPACK's rows are called "best", too
        return study.row(experiment="trifac", variant="best", threads=1, n=n)

    def opencl(n, columns="multiple", cutoff=0):
        return study.row(experiment="opencl-cpu", n=n, columns=columns, cutoff=cutoff)

    plain, in_place = "crout_contiguous", "crout_contiguous_in_place"
    cutoffs = study.levels("cutoff", experiment="openmp")
    reference, best = study.row(backend="lapack", n=large, threads=1), blocks(large)
    base = sequential(large, in_place)
    fast = study.row(experiment="openmp", n=large)
    lines = [
        ("Does transposed storage hurt?", "1.65 times slower",
         at_each(lambda n: against(sequential(n, plain + "_transposed"), sequential(n, plain)), orders)),
        ("Does in place help?", "slightly faster, within the errors",
         at_each(lambda n: against(sequential(n, in_place), sequential(n, plain)), orders)),
        ("Distributed sums?", "no significant difference",
         at_each(lambda n: against(openmp(n, "crout_distributed_sum"), openmp(n, "crout")), orders)),
        ("Does cutoff matter with OpenMP?", "no",
         f"n = {large}, two threads, cutoff {', '.join(map(str, cutoffs))}: "
         + ", ".join(time(openmp(large, "crout_in_place", 2, c)) for c in cutoffs)),
        ("Threads?", "nothing gained at n = 250; efficiency falls",
         "two against one: " + at_each(lambda n: against(
             openmp(n, "crout_in_place", 2), openmp(n, "crout_in_place", 1)), orders)),
        ("One kernel or several, OpenCL on the CPU?", "equal",
         "single: " + at_each(lambda n: against(opencl(n, "single"), opencl(n)), orders)),
        ("In place, OpenCL on the CPU?", "equal",
         at_each(lambda n: against(study.row(experiment="opencl-cpu-in-place", n=n, cutoff=0),
                                   opencl(n)), orders)),
        ("Cutoff, OpenCL on the CPU?", "helps small n, hurts large n",
         f"cutoff {', '.join(map(str, cutoffs))}: " + "; ".join(
             f"n = {n}: " + ", ".join(time(opencl(n, cutoff=c)) for c in cutoffs) for n in orders)),
        ("LAPACK?", "the reference",
         f"one thread, n = {large}, against crout in place: LAPACK {against(reference, base)}, "
         f"`best` {against(best, base)}"),
        ("Blocks or elements?", "",
         "`best` against crout in place, one thread: " + at_each(
             lambda n: against(blocks(n), sequential(n, in_place)), orders)),
        ("Algorithm or backend?", "",
         f"n = {large}: `best` on one thread {against(best, fast)} than the best version by elements on "
         f"{fast['threads']} threads"),
    ]
    yield from table(["question", "thesis", "here"], lines)


SYCL_NOTE = ("The note, on other machines, ms at n = 32, 64, 128, 256, 512, 1024: Xeon E5-2686 v4 5, 5, 10, 20, 67, "
             "370; Xeon Gold 6128 8, 6, 10, 21, 52, 172; Iris Xe MAX 2, 3, 8, 21, 78, 305; deviations from 7.6e-6 to "
             "6.1e-3.")


def sycl_note(study):
    orders = [n for n in (32, 64, 128, 256, 512, 1024) if n in study.levels("n")]
    columns = {"first version, fast-math": {"columns": "first_rounds", "arithmetic": "fast"},
               "rounds, IEEE": {"columns": "rounds", "arithmetic": "ieee"},
               "rounds, fast-math": {"columns": "rounds", "arithmetic": "fast"},
               "`best`, one thread": {"variant": "best"}}
    lines = []
    for n in orders:
        found = [study.row(n=n, **c) for c in columns.values()]
        lines.append([n, *(time(r) for r in found),
                      *(f"{r['deviation']:.2g}" if r else "–" for r in found)])
    yield from table(["n", *columns, *(f"deviation: {c}" for c in columns)], lines)
    yield f"\n{SYCL_NOTE}"


def steps_table(study, experiment, n, blocks, steps):
    """Each step's time at one order by B, of a call and of all n/B calls."""
    found = [study.row(experiment=experiment, n=n, block=b) for b in blocks]
    for step, name in steps.items():
        for words, key in (("a call", f"step {step} per call"), ("all", f"step {step}")):
            yield [f"{name}, {words}", *(time({"typical": r[key]}) if r and key in r else "–" for r in found)]
    yield ["total", *map(time, found)]


HOST_STEPS = {s: s for s in ("pivoting", "lu", "triangular solve", "product and subtraction")}
TASK_STEPS = {"factor": "pivoting and lu, on the core",
              "update": "interchanges, triangular solve, product, subtraction, on the device",
              "interchange": "later interchanges, on the core"}
DEVICE_STEPS = {"factor": "selection and lu", "solve": "interchanges and triangular solve", "product": "product",
                "subtract": "subtraction"}
PLACES = {"one thread": {"experiment": "steps"},
          "two threads": {"experiment": "steps-threads", "threads": 2},
          "tasks, two cores": {"experiment": "tasks", "threads": 2},
          "tasks, core and device": {"experiment": "tasks-device"},
          "tasks, core and two devices": {"experiment": "tasks-two-devices"},
          "device alone": {"experiment": "device-only"}}


def speed_up(row):
    return f"{row['speed-up']:.2f}" if row and "speed-up" in row else "–"


def martins(study):
    blocks, orders = (study.levels(key, experiment="steps") for key in ("block", "n"))
    cores, n = study.head.get("cores", "?"), orders[-1]
    yield (f"Scaled tournament of {cores} groups of rows, candidates compared in pairs, one thread, medians, "
           f"n = {n}, by B; a call is the mean of n/B panels, as in their tables:\n")
    yield from table(["step", *blocks], steps_table(study, "steps", n, blocks, HOST_STEPS))
    yield "\nTotal by n and B:\n"
    yield from table(["n", *blocks], [
        [k, *(time(study.row(experiment="steps", n=k, block=b)) for b in blocks)] for k in orders])
    for experiment, words, steps in (
            ("tasks-device", "Panels on a core, their updates on an OpenCL device", TASK_STEPS),
            ("device-only", "Scaled selection over the panel, all on an OpenCL device", DEVICE_STEPS)):
        if here := study.levels("n", experiment=experiment):
            levels = study.levels("block", experiment=experiment)
            yield f"\n{words}, n = {here[-1]}, by B:\n"
            yield from table(["step", *levels], steps_table(study, experiment, here[-1], levels, steps))
    yield f"\nTotal by B, n = {n}:\n"
    yield from table(["", *blocks], [[name, *(time(study.row(n=n, block=b, **where)) for b in blocks)]
                                     for name, where in PLACES.items()])
    yield "\nSpeed-up over the fastest MKL at that n, with the best B:\n"
    columns = {**PLACES, "plain tournament, two threads": {"experiment": "plain-threads", "threads": 2},
               "partial pivoting, one thread": {"experiment": "partial"},
               "ViennaCL, no pivoting, OpenCL": {"experiment": "viennacl"}}
    yield from table(["n", *columns], [[k, *(speed_up(study.row(n=k, **where)) for where in columns.values())]
                                       for k in orders])
    yield "\nFindings:\n"
    yield from table(["question", "there", "here"], findings_of_martins(study, n))


def findings_of_martins(study, n):
    def pivoting(block):
        return time({"typical": study.row(experiment="steps", n=n, block=block)["step pivoting"]})

    def best(place):
        row = study.row(n=n, **PLACES[place])
        return f"{place}: {speed_up(row)} with B = {row['block']}" if row else f"{place}: not measured"

    ends = [b for b in study.levels("block", experiment="steps") if study.row(experiment="steps", n=n, block=b)]
    yield ["Pivoting, all calls, as B grows?", "falls",
           f"B = {ends[0]}: {pivoting(ends[0])}, {ends[-1]}: {pivoting(ends[-1])}"]
    yield [f"Speed-up over MKL, several devices, n = {n}?", "3 with two GTX 680 and a large B",
           "; ".join(map(best, ("tasks, core and device", "tasks, core and two devices")))]
    yield [f"Speed-up over MKL, device alone, n = {n}?", "2 on a K40c with B = 64", best("device alone")]


def batched(study):
    """One batch size; the figures of the study have the other, too."""
    batch = study.levels("batch")[-1]
    orders = study.levels("n", experiment="parts")
    columns = {f"{operation}, {place}": {"experiment": f"{parts}{suffix}", "operation": operation, "arithmetic": "ieee",
                                         "device": device}
               for place, suffix, device in (("serial", "", "any"), ("OpenCL", "-device", "cpu"))
               for operation, parts in (("factor", "parts"), ("solve", "parts"), ("both", "both"))}
    columns["factor, OpenCL, fast-math"] = {"experiment": "parts-device", "operation": "factor", "arithmetic": "fast",
                                           "device": "cpu"}

    def gflops(row):
        return f"{row['gflops']:.3g}" if row else "–"

    yield f"GFLOP/s, float, {batch} matrices:\n"
    yield from table(["n", *columns, "factor: over the fastest library"], [
        [n, *(gflops(study.row(n=n, batch=batch, **where)) for where in columns.values()),
         over_others(study.row(n=n, batch=batch, experiment="parts", operation="factor"))] for n in orders])
    yield "\nFindings:\n"
    yield from table(["question", "there, on a P100", "here"], findings_of_batched(study, batch))


def over_others(row):
    return f"{row['over others']:.2f}" if row and "over others" in row else "–"


def findings_of_batched(study, batch):
    def share(n):
        row = study.row(n=n, batch=batch, experiment="both")
        steps = {key: row[key] for key in row if key.startswith("step ")}
        of_solve, total = (sum(t for key, t in steps.items() if key != skip) for skip in ("step factorization", ""))
        return f"{100 * of_solve / total:.0f} % at n = {n}" if total > 0 else f"not measured at n = {n}"

    def best_by(factor, levels, n, experiments):
        """The levels at one order, the fastest first, as "top (43), left (41)"; of OpenCL on the CPU, where
        that is meant."""
        where = {"device": "cpu"} if experiments[0] == "sweep" else {}
        found = {level: [r for e in experiments
                         if (r := study.row(n=n, batch=batch, experiment=e, **where, **{factor: level}))]
                 for level in levels}
        speeds = {level: max(r["gflops"] for r in rows) for level, rows in found.items() if rows}
        said = ", ".join(f"{level} ({speed:.3g})" for level, speed in sorted(speeds.items(), key=lambda e: -e[1]))
        return f"n = {n}: {said}"

    def at(factor, levels, *experiments):
        orders = [n for n in study.levels("n", experiment=experiments[0]) if n in (8, 16, 32, 64)]
        return "; ".join(best_by(factor, levels, n, experiments) for n in orders)

    orders = study.levels("n", experiment="both")
    sweeps = ("sweep", "sweep-large")
    yield ["Share of two separate substitutions?", "falls with n",
           ", ".join(map(share, (orders[0], orders[len(orders) // 2], orders[-1])))]
    for question, there, *how in (
            ("Tile, OpenCL (GFLOP/s)?", "larger as n grows", "tile", study.levels("tile", experiment="sweep"), *sweeps),
            ("Order of looking, OpenCL?", "top past n of about 20", "looking", ("right", "left", "top"), *sweeps),
            ("Loops over tiles, OpenCL?", "unrolled up to n of about 20", "outer", ("rolled", "unrolled"), "sweep"),
            ("Chunk, OpenCL?", "32, then 64", "chunk", study.levels("chunk", experiment="sweep"), *sweeps),
            ("Chunk, serial?", "", "chunk", study.levels("chunk", experiment="chunks"), "chunks"),
            ("Layout, serial?", "chunked", "place", ("strided", "chunked", "interleaved"), "layouts")):
        yield [question, there, at(*how)]


ECE496 = ("GFLOP/s in 2012: blocked C++ 3.0; OpenCL on the CPU 1.0, with wide vectors 5.0; on the GPU one group for "
          "each block 6.5, with local memory 7.5.")


def ece496(study):
    n = study.levels("n", experiment="serial")[-1]
    columns = {"unblocked, one thread": {"experiment": "serial", "variant": "unblocked"},
               "four_block, one thread": {"experiment": "serial", "variant": "four_block"},
               "four_block, two threads": {"experiment": "openmp", "threads": 2},
               "OpenCL on the CPU, packed": {"experiment": "opencl-cpu"},
               "OpenCL on the CPU, one item for each row": {"experiment": "opencl-cpu-rows", "vectors": "wide"},
               "OpenCL on the CPU, one item for each row, no vectors": {"experiment": "opencl-cpu-rows",
                                                                        "vectors": "none"}}
    lines = []
    for name, wanted in columns.items():
        found = [(order, study.row(n=order, **wanted)) for order in study.levels("n", experiment="serial")]
        lines.append([name, *(f"{r['gflops']:.3g}" if r else "–" for _, r in found),
                      f"{max(r['error percent'] for _, r in found if r):.1e} %"])
    yield from table(["version", *(f"GFLOP/s at n = {n}" for n in study.levels("n", experiment="serial")),
                      "largest error"], lines)
    sweeps = {"one thread": {"experiment": "sweep"},
              "OpenCL, packed": {"experiment": "sweep-opencl"},
              "OpenCL, one item for each row": {"experiment": "sweep-opencl-rows"}}
    yield f"\n{ECE496}"
    n = study.levels("n", experiment="sweep")[-1]
    blocks = study.levels("block", experiment="sweep")
    yield f"\nTime at n = {n} by block size:\n"
    yield from table(["", *blocks], [[name, *(time(study.row(n=n, block=b, **w)) for b in blocks)]
                                     for name, w in sweeps.items()])


def peers(study):
    ours = {"cholesky": "serial", "lu": "serial", "cholesky-threads": "openmp", "lu-threads": "openmp"}
    names = {"cholesky": "Cholesky, double", "lu": "LU, double",
             "cholesky-threads": "Cholesky, double, two threads", "lu-threads": "LU, double, two threads"}
    lines = []
    for experiment, backend in ours.items():
        for n in study.levels("n", experiment=experiment):
            lines.append([names[experiment], *against_peers(study, backend, experiment=experiment, n=n)])
    for algorithm, name in (("cholesky", "Cholesky"), ("lu", "LU")):
        for type_ in ("float", "complex_float", "complex_double"):
            for n in study.levels("n", experiment="types"):
                lines.append([f"{name}, {type_.replace('_', ' ')}", *against_peers(
                    study, "serial", experiment="types", algorithm=algorithm, type=type_, n=n)])
    yield from table(["", "n", "trifac", "best of the others", "which", "ratio"], lines)


def against_peers(study, ours, **wanted):
    """[n, our GFLOP/s, theirs, which library, ratio]."""
    mine = study.row(backend=ours, **wanted)
    others = [r for r in study.rows if "typical" in r and r["backend"] != ours
              and all(r[k] == v for k, v in wanted.items())]
    best = min(others, key=lambda r: r["typical"], default=None)
    if not mine or not best:
        return [wanted["n"], "–", "–", "–", "–"]
    return [wanted["n"], f"{mine['gflops']:.3g}", f"{best['gflops']:.3g}", best["backend"],
            f"{best['typical'] / mine['typical']:.2f}"]


def contest(study):
    """GFLOP/s by shape: one thread, two, the best of the others in a loop."""
    lines = []
    for shape in dict.fromkeys(r["shape"] for r in study.rows):
        mine, two = (study.row(experiment=e, shape=shape) for e in ("serial", "threads"))
        best = study.row(experiment="peers", shape=shape)
        lines.append([shape.replace("x", " × "), *(f"{r['gflops']:.3g}" if r else "–" for r in (mine, two, best)),
                      best["backend"].removesuffix("-loop") if best else "–",
                      f"{best['typical'] / mine['typical']:.2f}" if mine and best else "–"])
    yield from table(["matrices × order", "trifac, one thread", "two threads", "best of the others, one thread",
                      "which", "ratio of one thread"], lines)


def systems(study):
    """The sources' kernels, GFLOP/s by type; the order next to a power of two besides."""
    orders = study.levels("n")
    lines = []
    for e in study.plan.experiments:
        settings = [r for r in study.rows if r["experiment"] == e.name]
        for key in dict.fromkeys((r["variant"], r["columns"], r["blocks"], r["block"]) for r in settings):
            wanted = dict(zip(("variant", "columns", "blocks", "block"), key), experiment=e.name)
            cells = [study.row(type=type_, n=n, **wanted) for type_ in ("double", "float") for n in orders]
            if any(cells):
                variant, columns, blocks, block = key
                how = [columns] if len(e.levels.get("columns", [])) > 1 else []
                how += [blocks] if len(e.levels.get("blocks", [])) > 1 else []
                how += [f"block {block}"] if block else []
                lines.append([e.title, ", ".join([f"`{variant}`", *how]),
                              *(f"{r['gflops']:.3g}" if r else "–" for r in cells)])
    heads = [f"GFLOP/s, {type_}, n = {n}" for type_ in ("double", "float") for n in orders]
    yield from table(["source", "kernels", *heads], lines)


TEXTS = {"peers": peers, "contest": contest, "quick": quick, "table-4.1": table_4_1, "thesis": thesis,
         "sycl-note": sycl_note, "martins": martins, "batched": batched, "ece496": ece496, "opencl-systems": systems}


def text(folder):
    """(Markdown, {figure under docs/: SVG}) of a study."""
    study, figures = Study(folder), {}
    lines = [study.conditions(), "", *TEXTS[study.plan.name](study)]
    for theirs, ours, title in FIGURES.get(study.plan.name, ()):
        file = study.folder / "figures" / f"{theirs}.svg"
        if file.exists():  # a plan with limits may have nothing to draw
            figures[f"study/{ours}.svg"] = file.read_text()
            lines += ["", f"![{title}](study/{ours}.svg)"]
    return "\n".join(lines), figures
