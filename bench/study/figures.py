"""The figures of a plan: what its [[figure]] tables ask for, from the rows of the summary."""

import math
import pathlib

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt  # noqa: E402
from matplotlib.ticker import FixedLocator, FuncFormatter, LogLocator, NullFormatter  # noqa: E402

from .plan import OF_DEVICES, listed  # noqa: E402
from .summary import STEPS, WITH_VARIANTS, chosen, where_it_runs  # noqa: E402

# Okabe and Ito's colours, which the colour-blind tell apart, with markers and dashes besides.
COLOURS = ["#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000", "#7A7A00"]
MARKERS = ["o", "s", "^", "D", "v", "P", "X", "*"]
DASHES = ["-", "--", "-.", ":"]

LABELS = {
    "time": "time of one factorization", "n": "order n", "threads": "threads",
    "cutoff": "cutoff: last columns that run on one thread", "group": "work-items in a group",
    "cutoff_loop": "loop of the last columns", "leaves": "groups of rows", "arity": "groups that meet",
    "block": "block size", "gflops": "GFLOP/s", "speed-up": "speed-up",
    "efficiency": "efficiency: speed-up by threads", "peak share": "share of the multiply-add peak, %",
    "deviation": "largest deviation of L·Lᵀ from A", "error percent": "error against LAPACK, %",
    "variant": "variant", "columns": "kernels", "ratio": "residual ratio",
    "step pivoting": "time of pivoting", "step lu": "time of the panel's LU",
    "step triangular solve": "time of the triangular solve",
    "step product and subtraction": "time of product and subtraction",
    "step pivoting per call": "time of one panel's pivoting", "step lu per call": "time of one panel's LU",
    "share": "share of the time, %",
    "tile": "tile: rows and columns in registers", "looking": "order of looking", "batch": "matrices",
    "shape": "matrices x order", "where": "where",
    "panel": "columns of a panel", "systems": "systems of a group", "block_height": "items along rows",
    "block_width": "items along columns", "over others": "times as fast as the fastest other library",
    "chunk": "matrices of a chunk", "outer": "loops over tiles", "place": "layout",
}
SIZES = {"wide": (7.2, 4.6), "narrow": (4.0, 4.6)}


def reach(x):
    """Of an error bar; none where there is one run only."""
    return x if math.isfinite(x) else 0


def ends(point):
    """Of a point's interval. A lower end at or below zero has no place on a logarithmic axis."""
    _, y, below, above = point
    return y - min(reach(below), 0.95 * y), y + reach(above)


class Figure:
    """One figure: its data and its words. `lines`: label -> [(x, y, below, above)],
    the last two being how far the interval of y reaches. `levels`: all y of the figures beside it with the
    ends of their intervals, for the axis that they share."""

    def __init__(self, spec, title, lines, file):
        self.spec, self.title, self.lines, self.file = spec, title, lines, file
        self.levels = [y for points in lines.values() for p in points for y in ends(p)]


def value_of(row, name):
    """(y, how far its interval reaches below, and above) of a row, or None."""
    if name == "time":
        return (row["typical"], row["below"], row["above"]) if "typical" in row else None
    if name == "peak share":
        return (100 * row[name], 0, 0) if name in row else None
    return (row[name], 0, 0) if row.get(name) is not None else None


def label_of(row, keys, titles):
    words = []
    for key in keys:
        if key == "experiment":
            words.append(titles[row["experiment"]])
        elif key == "where":
            words.append(where_it_runs(row))
        elif key == "threads":
            words.append(f"{row[key]} thread" + ("s" if row[key] > 1 else ""))
        elif key in ("cutoff", "block", "group", "n", "leaves", "arity"):
            name = {"group": "group of", "n": "n ="}.get(key, key)
            words.append(f"{name} {row[key]}")
        elif key == "batch":
            words.append(f"batch of {row[key]}" if row[key] else "one matrix")
        elif key in ("tile", "looking", "chunk", "outer", "panel", "systems") and row[key] in (0, "automatic"):
            if key != "chunk" or row["place"] == "chunked":
                words.append(f"{key} of the library's choice")
        elif key in ("tile", "chunk", "panel", "systems"):
            words.append(f"{key} {row[key]}")
        elif key == "looking":
            words.append(f"{row[key]}-looking")
        elif key == "operation":
            words.append({"factor": "factorization", "solve": "substitutions", "both": "both"}[row[key]])
        elif key == "variant" and row["backend"] not in WITH_VARIANTS:
            continue
        elif key in OF_DEVICES and row["backend"] not in ("opencl", "cuda"):
            continue
        elif key == "blocks":
            words.append({"packed": "packed", "rows": "item for a row", "columns": "item for a column"}.get(
                row[key], row[key].replace("_", " ")))
        elif key == "columns":
            words.append({"single": "single kernel", "first_rounds": "rounds, first version"}.get(
                row[key], f"{row[key]} kernels"))
        elif key == "vectors":
            if row["backend"] != "cuda" and row["device"] != "gpu":  # those have no vectors, whatever the level
                words.append("wide vectors" if row[key] == "wide" else "no vectors")
        elif key == "arithmetic":
            words.append({"ieee": "IEEE arithmetic", "fast": "fast-math"}[row[key]])
        elif not (key == "device" and row[key] == "any"):
            words.append(str(row[key]).replace("_", " ") if key == "type" else str(row[key]))
    return ", ".join(words)


def lines_of(spec, rows, titles):
    """label -> points. Where several settings fall on one point the fastest is taken."""
    keys = spec["line"] if isinstance(spec["line"], list) else [spec["line"]]
    table = {}
    for row in rows:
        found = value_of(row, spec["y"])
        if found is None or "typical" not in row or row[spec["x"]] == "":
            continue
        here = table.setdefault(label_of(row, keys, titles), {})
        x = row[spec["x"]]
        if x not in here or row["typical"] < here[x][0]:
            here[x] = (row["typical"], *found)
    return {label: [(x, *points[x][1:]) for x in in_order(points)] for label, points in table.items()}


def shares_of(spec, rows):
    """step -> [(x, percent, 0, 0)]: how the time divides into the steps of `parts`."""
    parts = spec.get("parts") or [f"step {name}" for name in STEPS]
    lines = {part.removeprefix("step "): [] for part in parts}
    for row in sorted((r for r in rows if "typical" in r), key=lambda r: r[spec["x"]]):
        whole = sum(row.get(part, 0) for part in parts)
        if whole > 0:
            for part in parts:
                lines[part.removeprefix("step ")].append(
                    (row[spec["x"]], 100 * row.get(part, 0) / whole, 0, 0))
    return {step: points for step, points in lines.items() if any(y for _, y, _, _ in points)}


def collect(plan, rows):
    """All figures of a plan for which there are results."""
    titles = {e.name: e.title for e in plan.experiments}
    made = []
    for spec in plan.figures:
        largest = any(one.get("n") == "largest" for one in listed(spec["where"]))
        each = listed(spec.get("each", []))
        groups = {}
        for row in chosen(rows, spec["where"]):
            level = tuple(where_it_runs(row) if key == "where" else row[key] for key in each)
            groups.setdefault(level, []).append(row)
        beside = []
        for level, some in groups.items():
            if spec["kind"] == "shares":
                lines = shares_of(spec, some)
            else:
                lines = lines_of(spec, some, titles)
            if not any(lines.values()):
                continue
            title = spec["title"]
            if each:
                title += f", {label_of(some[0], each, titles)}"
            if largest:
                title += f", n = {some[0]['n']}"
            name = "-".join(map(str, (spec["id"], *level)))
            beside.append(Figure(spec, title, lines, "".join(
                c if c.isalnum() or c in "-." else "-" for c in name.lower())))
        for figure in beside:
            figure.levels = [y for f in beside for points in f.lines.values() for p in points for y in ends(p)]
        made += beside
    return made


def in_order(levels):
    """Numbers sorted; names in the plan's order."""
    levels = list(dict.fromkeys(levels))
    return sorted(levels) if all(isinstance(level, (int, float)) for level in levels) else levels


class Table:
    """A table of two factors: {row: {column: the row of the summary}}, the fastest where there are several."""

    def __init__(self, spec, cells):
        self.spec = spec
        self.cells = {level: cells[level] for level in in_order(cells)}
        self.columns = in_order(c for line in cells.values() for c in line)


def collect_tables(plan, rows):
    """All [[table]]s of a plan for which there are results."""
    made = []
    for spec in plan.tables:
        cells = {}
        for row in chosen(rows, spec["where"]):
            if value_of(row, spec["value"]) is not None and all(row.get(spec[k]) != "" for k in ("row", "column")):
                level, here = (where_it_runs(row) if spec[k] == "where" else row[spec[k]] for k in ("row", "column"))
                line = cells.setdefault(level, {})
                if here not in line or row["typical"] < line[here]["typical"]:
                    line[here] = row
        if cells:
            made.append(Table(spec, cells))
    return made


def wrapped(title, width):
    lines, here = [], ""
    for word in title.replace(" = ", "\u00a0=\u00a0").split(" "):
        if here and len(here) + 1 + len(word) > width:
            lines.append(here)
            here = word
        else:
            here = f"{here} {word}".strip()
    return "\n".join([*lines, here])


def seconds(x, _=None):
    """"20 ms"."""
    if x == 0:
        return "0"
    for factor, unit in ((1, "s"), (1e3, "ms"), (1e6, "µs")):
        if abs(x) * factor >= 0.9999 or unit == "µs":
            return f"{x * factor:.3g} {unit}"


def value_text(x, name):
    return seconds(x) if is_time(name) else f"{x:.3g}"


def is_time(name):
    return name.startswith(("time", "step "))


def plain(x, _=None):
    if x == 0:
        return "0"
    if abs(x) >= 1e-3 and abs(x) < 1e6:
        return f"{x:.6g}"
    power = math.floor(math.log10(abs(x)))
    factor = x / 10 ** power
    times = "" if abs(factor - 1) < 1e-9 else f"{factor:.2g}·"
    return f"{times}10$^{{{power}}}$"


def few_of(xs):
    """At most eight levels to write at the axis: powers of two where there are enough."""
    if len(xs) <= 8:
        return xs
    powers = [x for x in xs if isinstance(x, int) and x > 0 and x & (x - 1) == 0]
    return powers if 4 <= len(powers) <= 8 else xs[::math.ceil(len(xs) / 8)]


def apart(levels, log):
    """Those whose labels do not touch: a twelfth of the axis from the one before."""
    place = math.log if log else float
    kept = levels[:1]
    for x in levels[1:]:
        if place(x) - place(kept[-1]) >= (place(levels[-1]) - place(levels[0])) / 12:
            kept.append(x)
    return kept


def scale_axes(axes, figure):
    spec, lines = figure.spec, figure.lines
    xs = sorted({p[0] for points in lines.values() for p in points})
    ys = [y for y in figure.levels if y > 0]
    numbers = all(isinstance(x, (int, float)) for x in xs)
    default = "log" if numbers and len(xs) > 2 and min(xs) > 0 and max(xs) / min(xs) > 6 else "linear"
    if numbers:
        if spec.get("xscale", default) == "log":
            axes.set_xscale("log", base=2)
        few = apart(few_of(xs), axes.get_xscale() == "log")
        axes.xaxis.set_major_locator(FixedLocator(few))
        axes.xaxis.set_major_formatter(FuncFormatter(plain))
        axes.xaxis.set_minor_formatter(NullFormatter())
        axes.xaxis.set_minor_locator(FixedLocator([]))
        if len(few) > 5 and max(len(plain(x)) for x in few) > 5:
            axes.tick_params(axis="x", rotation=35)
    elif len(xs) > 6:
        axes.tick_params(axis="x", rotation=60)
    log = spec.get("yscale", "log" if spec["y"] in ("time", "deviation") else "linear") == "log"
    if log and ys:
        axes.set_yscale("log")
        span = max(ys) / min(ys)
        margin = max(1.15, span ** 0.06)
        axes.set_ylim(min(ys) / margin, max(ys) * margin)
        if span < 30:
            axes.yaxis.set_major_locator(LogLocator(subs=(1, 2, 5) if span > 4 else range(1, 10)))
        axes.yaxis.set_minor_formatter(NullFormatter())
    else:
        axes.set_ylim(0, max(axes.get_ylim()[1], 1.05 * max(ys, default=1)))
    axes.yaxis.set_major_formatter(FuncFormatter(seconds if is_time(spec["y"]) else plain))


def draw_lines(axes, figure):
    for i, (label, points) in enumerate(figure.lines.items()):
        xs, ys = [p[0] for p in points], [p[1] for p in points]
        low, high = zip(*map(ends, points))
        reaches = [[y - a for y, a in zip(ys, low)], [b - y for y, b in zip(ys, high)]]
        axes.errorbar(xs, ys, yerr=reaches, label=label, color=COLOURS[i % 8],
                      marker=MARKERS[i % 8], linestyle=DASHES[i // 8 % 4], markersize=5, capsize=2,
                      linewidth=1.6, elinewidth=0.9)
    xs = sorted({p[0] for points in figure.lines.values() for p in points})
    if figure.spec.get("ideal") and xs:
        ideal = xs if figure.spec["y"] == "speed-up" else [1] * len(xs)
        axes.plot(xs, ideal, color="#888888", linestyle=":", label="ideal")


def draw_bars(axes, figure):
    """A bar for each x with its value written beside it."""
    points = [p for list_ in figure.lines.values() for p in list_]
    names = [str(p[0]).replace("_", " ") for p in points]
    above = [reach(p[3]) for p in points]
    places = range(len(points))
    axes.barh(list(places), [p[1] for p in points], xerr=[[reach(p[2]) for p in points], above],
              color=COLOURS[0], height=0.6, capsize=3)
    axes.set_yticks(list(places), [wrapped(name, 18) for name in names])
    axes.invert_yaxis()
    most = max(p[1] + h for p, h in zip(points, above))
    for k, (p, h) in enumerate(zip(points, above)):
        axes.text(p[1] + h + 0.02 * most, k, value_text(p[1], figure.spec["y"]), va="center", fontsize=9)
    axes.set_xlim(0, 1.2 * most)
    axes.set_xlabel(LABELS.get(figure.spec["y"], figure.spec["y"]))
    if is_time(figure.spec["y"]):
        axes.xaxis.set_major_formatter(FuncFormatter(seconds))


def draw_shares(axes, figure):
    bottom = {}
    for i, (label, points) in enumerate(figure.lines.items()):
        places = list(range(len(points)))
        low = [bottom.get(k, 0) for k in places]
        axes.bar(places, [p[1] for p in points], bottom=low, label=label, color=COLOURS[i % 8],
                 width=0.7, edgecolor="white", hatch=["", "//", "..", "xx"][i % 4])
        for k, p in enumerate(points):
            bottom[k] = low[k] + p[1]
    first = next(iter(figure.lines.values()))
    axes.set_xticks(range(len(first)), [str(p[0]) for p in first])
    axes.set_ylim(0, 100)


def draw(figure, size):
    """The figure as a matplotlib figure, "wide" or "narrow"."""
    spec = figure.spec
    drawn, axes = plt.subplots(figsize=SIZES[size], layout="constrained")
    axes.set_title(wrapped(figure.title, 62 if size == "wide" else 34), fontsize=11)
    if spec["kind"] == "bars":
        draw_bars(axes, figure)
    else:
        (draw_shares if spec["kind"] == "shares" else draw_lines)(axes, figure)
        axes.set_xlabel(LABELS.get(spec["x"], spec["x"]))
        y = "share" if spec["kind"] == "shares" else spec["y"]
        axes.set_ylabel(LABELS.get(y, y))
        if spec["kind"] == "lines":
            scale_axes(axes, figure)
        # Below the axes, so that it hides no point.
        entries = len(axes.get_legend_handles_labels()[1])
        longest = max(map(len, axes.get_legend_handles_labels()[1]), default=0)
        columns = 1 if size == "narrow" or longest > 34 else 2 if longest > 18 else 3
        if entries:
            drawn.legend(loc="outside lower center", ncols=columns, fontsize=8.5, frameon=False, handlelength=3.2)
            rows = math.ceil(entries / columns)
            width, height = SIZES[size]
            drawn.set_size_inches(width, height + 0.19 * max(0, rows - 2))
    axes.grid(True, which="major", color="#dddddd", linewidth=0.7)
    axes.set_axisbelow(True)
    for side in ("top", "right"):
        axes.spines[side].set_visible(False)
    return drawn


def write(figures, folder):
    """SVG and PNG of each figure; the narrow SVG is for phones."""
    folder = pathlib.Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    plt.rcParams.update({"svg.hashsalt": "trifac", "font.size": 10})
    for figure in figures:
        for size in SIZES:
            drawn = draw(figure, size)
            end = "" if size == "wide" else "-narrow"
            drawn.savefig(folder / f"{figure.file}{end}.svg", metadata={"Date": None})
            if size == "wide":
                drawn.savefig(folder / f"{figure.file}.png", dpi=150)
            plt.close(drawn)
