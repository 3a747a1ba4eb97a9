"""Tables in Markdown from a result file."""

import math
import re
import statistics

TYPES = {"s": "float", "d": "double", "c": "complex float", "z": "complex double"}


def rate(result, name):
    """GFLOP/s of a peer, or None where it has no right result."""
    entry = result["peers"].get(name)
    return entry["gflops"] if entry and entry.get("right") else None


def best_of(result, properties, families):
    """(rate, name) of the fastest peer in these families, or None."""
    found = [(rate(result, name), name) for name in result["peers"]
             if properties[name]["family"] in families and rate(result, name)]
    return max(found) if found else None


def ratio_cell(result, properties, families):
    ours, theirs = rate(result, "trifac"), best_of(result, properties, families)
    if not ours or not theirs:
        return "–"
    return f"**{ours / theirs[0]:.2f}** ({theirs[1]})"


def cell(entry):
    if entry is None or "error" in entry:
        return "–"
    if not entry["right"]:
        return "wrong"
    half = (entry["most"] - entry["least"]) / 2 / entry["gflops"] * 100
    return f"{entry['gflops']:.1f} ± {half:.0f} %"


def peak_share(result, properties):
    ours = rate(result, "trifac")
    key = "peak_float" if result["type"] in "sc" else "peak_double"
    peak = float(properties["trifac"].get(key, 0)) * result["threads"] * 1e-9
    return f"{ours / peak * 100:.0f} %" if ours and peak else "–"


def groups(results):
    """Results that share a table, in order."""
    table = {}
    for result in results:
        key = (result["threads"], result["algorithm"], result["part"], result["type"])
        key += ("batched",) if "batch" in result else ()
        table.setdefault(key, []).append(result)
    return table


def title(key):
    threads, algorithm, part, type_, *batched = key
    name = f"Cholesky, {part} triangle" if algorithm == "cholesky" else "LU, partial pivoting"
    return f"{name}{', batches' if batched else ''}, {TYPES[type_]}, {threads} thread{'s' if threads > 1 else ''}"


def table(results, properties):
    names = [name for name in properties if any(name in r["peers"] for r in results)]
    lines = ["| n | " + " | ".join(names) + " | trifac: share of peak | to the best peer | "
             "to OpenBLAS and MKL |",
             "|" + "---|" * (len(names) + 4)]
    everyone = {p["family"] for p in properties.values()} - {"trifac", "before"}
    for r in results:
        cells = [str(r["n"])] + [cell(r["peers"].get(name)) for name in names]
        cells += [peak_share(r, properties), ratio_cell(r, properties, everyone),
                  ratio_cell(r, properties, {"openblas", "mkl"})]
        lines.append("| " + " | ".join(cells) + " |")
    return "\n".join(lines)


def revision(properties):
    """The peer that is another revision of trifac, or None."""
    return next((name for name, p in properties.items() if p["family"] == "before"), None)


def paired_ratio(result, name):
    """Speed against that peer: the median over the rounds, in which both took turns."""
    both = zip(result["peers"]["trifac"].get("rounds", ()), result["peers"][name].get("rounds", ()))
    return statistics.median([b[result["clock"]] / a[result["clock"]] for a, b in both] or [math.nan])


def against(document):
    """Ratios to another revision over n, with the lowest one and the geometric mean."""
    tables = groups(document["results"])
    name = next(filter(None, map(revision, document["properties"].values())), None)
    if name is None:
        return []
    sizes = sorted({r["n"] for r in document["results"]})
    lines = ["| | " + " | ".join(str(n) for n in sizes) + " |", "|" + "---|" * (len(sizes) + 1)]
    every = []
    for key, results in tables.items():
        ratios = {r["n"]: paired_ratio(r, name) for r in results if name in r["peers"]}
        every += [x for x in ratios.values() if x == x]
        cells = [f"{ratios[n]:.2f}" if n in ratios else "–" for n in sizes]
        lines.append(f"| {title(key)} | " + " | ".join(cells) + " |")
    if not every:
        return []
    mean = math.exp(statistics.fmean(map(math.log, every)))
    return [f"### Speed against {name}", "Median over the rounds of trifac's GFLOP/s by those of "
            f"{name}.", "\n".join(lines),
            f"Lowest {min(every):.2f}, geometric mean {mean:.3f}, {len(every)} cells."]


def machine(document):
    m = document["machine"]
    facts = [f"- {key}: {value}" for key, value in m["processor"].items()]
    facts += [f"- compiler: {line}" for line in m["compiler"]]
    system = re.match(r"[^.]*(\.\d+)?", m["kernel"])[0]  # "Linux 6.18": who built it tells nothing
    facts += [f"- system: {system}", f"- date: {m['date']}",
              f"- load average before: {m['load_before']:.1f}, after: {m['load_after']:.1f}"]
    return "\n".join(facts)


def libraries(document):
    lines = ["| library | core it chose | in its own words |", "|---|---|---|"]
    for name, p in next(iter(document["properties"].values())).items():
        environment = " ".join(f"{k}={v}" for k, v in p["environment"].items())
        said = p.get("config", p.get("error", ""))
        lines.append(f"| {name} | {p.get('core', '–')} | {said} {environment} |")
    lines += [f"| {name} | missing | {why} |" for name, why in document["missing"].items()]
    return "\n".join(lines)


def batches(results):
    """How many matrices there are, in words."""
    if "batch" not in results[0]:
        return ""
    of = ", ".join(f"{r['batch']} of order {r['n']}" for r in results)
    return f" Matrices of a batch: {of}. Without an ending: interleaved; all others are canonical but MKL's compact."


def markdown(document):
    parts = ["### Machine", machine(document), "### Libraries", libraries(document)]
    for key, results in groups(document["results"]).items():
        properties = document["properties"][str(key[0])]
        clock = "processor time of the median batch" if results[0]["clock"] == "cpu" else \
            "wall time of the fastest batch"
        if results[0]["clock"] == "wall_median":
            clock = "wall time of the median batch"
        parts += [f"### {title(key)}",
                  f"GFLOP/s, median of {len(results[0]['peers']['trifac']['rounds'])} rounds ± half "
                  f"of their range; {clock}.{batches(results)}", table(results, properties)]
    parts += against(document)
    return "\n\n".join(parts) + "\n"
