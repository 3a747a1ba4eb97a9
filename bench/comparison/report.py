"""Tables in Markdown from a result file."""

import math
import re
import statistics

from . import measure

OPERATIONS = {"factor": "factorization by", "solve": "solves after", "both": "factorization and solve by"}
OURS = {"trifac", "before"}  # families
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
        key += ("batched", result["operation"], result["place"]) if "batch" in result else ()
        key += ("solves", result["sides"]) if "sides" in result else ()
        table.setdefault(key, []).append(result)
    return table


def title(key):
    threads, algorithm, part, type_, *more = key
    name = f"Cholesky, {part} triangle" if algorithm == "cholesky" else "LU, partial pivoting"
    if more[:1] == ["batched"]:
        name = f"Batches, {OPERATIONS[more[1]]} {'Cholesky' if algorithm == 'cholesky' else 'LU'}, from {more[2]}"
    if more[:1] == ["solves"]:
        name = f"{name}: {more[1]} right-hand side{'s' if more[1] > 1 else ''}"
    return f"{name}, {TYPES[type_]}, {threads} thread{'s' if threads > 1 else ''}"


def title_on_one_thread(key):
    """The title without what all tables of one thread have in common."""
    return title(key).replace(", lower triangle", "").replace(", partial pivoting", "").removesuffix(", 1 thread")


def allowed_by_memory(result, properties):
    """GFLOP/s of a chunked batch whose elements in use pass once at the bandwidths of this run: what
    changes is read and written back, a factor that is solved with is read. (A copy to elsewhere would
    not do: its destination is read, too, so that it moves three bytes for two.)"""
    n, lu = result["n"], result["algorithm"] == "lu"
    matrix, sides = n * n if lu else n * (n + 1) / 2, n
    changed, read = {"factor": (matrix, 0), "solve": (sides, matrix), "both": (matrix + sides, 0)}[result["operation"]]
    ours, size = properties["trifac"], 4 if result["type"] == "s" else 8
    seconds = size * (2 * changed / float(ours["update_bandwidth"]) + read / float(ours["read_bandwidth"]))
    return measure.flops(result) / seconds * 1e-9


def ratio_to(result, ours, theirs):
    mine, other = rate(result, ours), rate(result, theirs)
    return f"{mine / other:.2f}" if mine and other else "–"


def batch_table(results, properties):
    """Both layouts beside the peers; ratios of the chunked one to the best peer, of the canonical one to
    the best loop over canonical matrices and to MKL's."""
    names = [name for name in properties if any(name in r["peers"] for r in results)]
    memory = results[0]["place"] == "memory"
    opencl = "trifac-opencl" in names
    heads = ["n", *names, "to the best peer", "canonical to the best loop", "canonical to MKL's loop"]
    heads += ["OpenCL to trifac"] if opencl else []
    heads += ["memory allows", "share"] if memory else []
    lines = ["| " + " | ".join(heads) + " |", "|" + "---|" * len(heads)]
    for r in results:
        loops = [(rate(r, name), name) for name in names
                 if properties[name]["family"] not in OURS and not name.endswith("-compact") and rate(r, name)]
        others = [(rate(r, name), name) for name in names
                  if properties[name]["family"] not in OURS and rate(r, name)]
        cells = [str(r["n"])] + [cell(r["peers"].get(name)) for name in names]
        cells.append(f"**{ratio_to(r, 'trifac', max(others)[1])}** ({max(others)[1]})" if others else "–")
        cells.append(f"**{ratio_to(r, 'trifac-canonical', max(loops)[1])}** ({max(loops)[1]})" if loops else "–")
        cells.append(ratio_to(r, "trifac-canonical", "mkl-loop"))
        if opencl:
            cells.append(ratio_to(r, "trifac-opencl", "trifac"))
        if memory:
            cells += share_of_memory(r, properties)
        lines.append("| " + " | ".join(cells) + " |")
    return "\n".join(lines)


def share_of_memory(result, properties):
    """Two cells: what memory allows, and how much of that the chunked batch has."""
    allowed, ours = allowed_by_memory(result, properties), rate(result, "trifac")
    return [f"{allowed:.1f}", f"{ours / allowed * 100:.0f} %" if ours else "–"]


def memory_table(results, properties):
    """The same of batches from memory in few columns."""
    lines = ["| n | chunked | canonical | the best other library | memory allows | chunked: share of that |",
             "|" + "---|" * 6]
    for r in results:
        best = best_of(r, properties, {p["family"] for p in properties.values()} - OURS)
        ours = [f"{rate(r, name):.1f}" if rate(r, name) else "–" for name in ("trifac", "trifac-canonical")]
        cells = [str(r["n"]), *ours, f"{best[0]:.1f} ({best[1]})" if best else "–", *share_of_memory(r, properties)]
        lines.append("| " + " | ".join(cells) + " |")
    return "\n".join(lines)


def row_titles(keys):
    """key -> its title in a table of many batches: without the type and the threads that all have."""
    keys = list(keys)
    same = len({(key[0], key[3]) for key in keys}) == 1
    end = f", {TYPES[keys[0][3]]}, {keys[0][0]} thread{'s' if keys[0][0] > 1 else ''}" if same else ""
    return {key: title(key).removeprefix("Batches, ").removesuffix(end) for key in keys}


MEET = 0.95  # of the chunked layout's speed: from there on a copy to it gains nothing


def conversion_table(document):
    """What packing and unpacking cost: the share of a canonical call's time that a chunked one does not
    take, and the order from which on that is small."""
    tables = [(key, results) for key, results in groups(document["results"]).items() if "batch" in results[0]]
    sizes = sorted({r["n"] for _, results in tables for r in results})
    names = row_titles(key for key, _ in tables)
    lines = ["| | " + " | ".join(f"n = {n}" for n in sizes) + " | the layouts meet |",
             "|" + "---|" * (len(sizes) + 2)]
    for key, results in tables:
        shares = {}
        for r in results:
            ours, canonical = rate(r, "trifac"), rate(r, "trifac-canonical")
            if ours and canonical:
                shares[r["n"]] = 1 - canonical / ours
        met = None
        for n in sorted(shares, reverse=True):
            if shares[n] > 1 - MEET:
                break
            met = n
        cells = [f"{max(0, shares[n]) * 100:.0f} %" if n in shares else "–" for n in sizes]
        where = f"from {met} on" if met else "at none of these"
        lines.append(f"| {names[key]} | " + " | ".join(cells) + f" | {where} |")
    return "\n".join(lines)


def batch_summary(document):
    """Last: for each table the GFLOP/s of both layouts, and their ratios to the best peer or loop."""
    tables = [(key, results) for key, results in groups(document["results"]).items() if "batch" in results[0]]
    if not tables:
        return []
    sizes = sorted({r["n"] for _, results in tables for r in results})
    names = row_titles(key for key, _ in tables)
    lines = ["| | " + " | ".join(f"n = {n}" for n in sizes) + " |", "|" + "---|" * (len(sizes) + 1)]
    for key, results in tables:
        properties = document["properties"][str(key[0])]
        theirs = [name for name in properties if properties[name]["family"] not in OURS]
        for ours, peers in (("trifac", theirs),
                            ("trifac-canonical", [p for p in theirs if not p.endswith("-compact")])):
            cells = []
            for n in sizes:
                r = next((r for r in results if r["n"] == n), None)
                mine = r and rate(r, ours)
                best = max([rate(r, p) for p in peers if rate(r, p)], default=None) if r else None
                cells.append("–" if not mine else f"{mine:.1f} ({mine / best:.1f} ×)" if best else f"{mine:.1f}")
            layout = "chunked, to the best peer" if ours == "trifac" else "canonical, to the best loop"
            lines.append(f"| {names[key]}: {layout} | " + " | ".join(cells) + " |")
    ours = next(iter(document["properties"].values()))["trifac"]
    said = "" if "update_bandwidth" not in ours else (
        f" A pass over 128 MiB in place moves {float(ours['update_bandwidth']) * 1e-9:.0f} GB/s, read and written, a "
        f"pass that only reads {float(ours['read_bandwidth']) * 1e-9:.0f} GB/s.")
    return ["### Batches: GFLOP/s, and speed against the best other library",
            "\n".join(lines), f"Solves have one right-hand side for each matrix.{said}",
            "### Share of a canonical call's time that chunks save", conversion_table(document)]


def table(results, properties):
    if "batch" in results[0]:
        return batch_table(results, properties)
    names = [name for name in properties if any(name in r["peers"] for r in results)]
    lines = ["| n | " + " | ".join(names) + " | trifac: share of peak | to the best peer | "
             "to OpenBLAS and MKL |",
             "|" + "---|" * (len(names) + 4)]
    everyone = {p["family"] for p in properties.values()} - OURS
    for r in results:
        cells = [str(r["n"])] + [cell(r["peers"].get(name)) for name in names]
        cells += [peak_share(r, properties), ratio_cell(r, properties, everyone),
                  ratio_cell(r, properties, {"openblas", "mkl"})]
        lines.append("| " + " | ".join(cells) + " |")
    return "\n".join(lines)


def pairs(properties):
    """(ours, another revision of it or the same without a special path): one, of batches one per layout."""
    return [(p["paired"], name) for name, p in properties.items() if p["family"] == "before"]


def paired_ratio(result, ours, other):
    """Speed against that peer: the median over the rounds that neither failed, in which both took turns."""
    both = zip(result["peers"][ours].get("rounds", ()), result["peers"][other].get("rounds", ()))
    good = [(a, b) for a, b in both if "error" not in a and "error" not in b]
    return statistics.median([b[result["clock"]] / a[result["clock"]] for a, b in good] or [math.nan])


def paired_rows(document):
    """(key of the table, ours, {n: ratio}) of each pair."""
    for key, results in groups(document["results"]).items():
        for ours, other in pairs(document["properties"][str(key[0])]):
            yield key, ours, {r["n"]: paired_ratio(r, ours, other) for r in results if other in r["peers"]}


def against(document):
    """Ratios to that peer over n, with the lowest one and the geometric mean."""
    name = next((pair[1] for properties in document["properties"].values() for pair in pairs(properties)), None)
    if name is None:
        return []
    sizes = sorted({r["n"] for r in document["results"]})
    lines = ["| | " + " | ".join(str(n) for n in sizes) + " |", "|" + "---|" * (len(sizes) + 1)]
    every = []
    for key, ours, ratios in paired_rows(document):
        every += [x for x in ratios.values() if x == x]
        cells = [f"{ratios[n]:.2f}" if n in ratios else "–" for n in sizes]
        layout = ", canonical" if ours == "trifac-canonical" else ""
        lines.append(f"| {title(key)}{layout} | " + " | ".join(cells) + " |")
    if not every:
        return []
    mean = math.exp(statistics.fmean(map(math.log, every)))
    return [f"### Speed, {name} = 1", "Median over the rounds of trifac's GFLOP/s by those of "
            f"{name}.", "\n".join(lines),
            f"Lowest {min(every):.2f}, geometric mean {mean:.3f}, {len(every)} cells."]


def machine(document):
    m = document["machine"]
    facts = [f"- {key}: {value}" for key, value in m["processor"].items()]
    facts += [f"- compiler: {line}" for line in m["compiler"]]
    system = re.match(r"[^.]*(\.\d+)?", m["kernel"])[0]  # "Linux 6.18": who built it tells nothing
    ours = next(iter(document.get("properties", {}).values()), {}).get("trifac", {})
    if "peak_double" in ours:
        facts += [f"- multiply-add peak of a core: {float(ours['peak_double']) * 1e-9:.0f} GFLOP/s in double, "
                  f"{float(ours['peak_float']) * 1e-9:.0f} in float"]
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
    return f" Matrices of a batch: {of}. Without an ending: in chunks; all others are canonical but MKL's compact."


CLOCKS = {"cpu": "processor time of the median batch", "wall": "wall time of the fastest batch",
          "wall_median": "wall time of the median batch"}


def said_of(results):
    """What the numbers of a table or a figure are."""
    rounds = len(results[0]["peers"]["trifac"]["rounds"])
    return (f"GFLOP/s, median of {rounds} round{'s' if rounds > 1 else ''} ± half of their range; "
            f"{CLOCKS[results[0]['clock']]}.")


def markdown(document):
    parts = ["### Machine", machine(document), "### Libraries", libraries(document)]
    for key, results in groups(document["results"]).items():
        properties = document["properties"][str(key[0])]
        parts += [f"### {title(key)}", said_of(results) + batches(results), table(results, properties)]
    parts += against(document)
    parts += batch_summary(document)
    return "\n\n".join(parts) + "\n"
