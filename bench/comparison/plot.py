"""A plot of GFLOP/s over n as an SVG, written by hand: no library needed."""

import math

from . import report

WIDTH, HEIGHT, LEFT, TOP, RIGHT, BOTTOM = 790, 440, 60, 40, 200, 46
COLOURS = ["#c1121f", "#1d5fa8", "#2a9d5c", "#8a4fbf", "#d98200", "#4aa3c7", "#7a6a58", "#c75a93",
           "#555555", "#9bae1f"]


def nice_step(top):
    """A step of 1, 2 or 5 times a power of ten that gives at most eight lines."""
    power = 10 ** math.floor(math.log10(top / 8))
    return next(k * power for k in (1, 2, 5, 10) if top / (k * power) <= 8)


class Chart:
    def __init__(self, sizes, top):
        self.low, self.high = math.log2(min(sizes)), math.log2(max(sizes))
        self.top = top

    def x(self, n):
        share = (math.log2(n) - self.low) / max(1e-9, self.high - self.low)
        return LEFT + share * (WIDTH - LEFT - RIGHT)

    def y(self, rate):
        return HEIGHT - BOTTOM - rate / self.top * (HEIGHT - TOP - BOTTOM)


def text(x, y, words, anchor="middle", extra=""):
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" {extra}>{words}</text>'


def frame(chart, sizes):
    right = WIDTH - RIGHT
    parts = []
    for n in sizes:
        parts.append(text(chart.x(n), HEIGHT - BOTTOM + 18, n))
    step = nice_step(chart.top)
    for k in range(int(chart.top / step) + 1):
        y = chart.y(k * step)
        parts.append(f'<line x1="{LEFT}" x2="{right}" y1="{y:.1f}" y2="{y:.1f}" stroke="#ddd"/>')
        parts.append(text(LEFT - 8, y + 4, f"{k * step:g}", "end"))
    parts.append(text((LEFT + right) / 2, HEIGHT - 8, "order n"))
    parts.append(text(16, TOP - 12, "GFLOP/s", "start"))
    return parts


def curve(chart, index, name, results):
    """The median as a line, the range of the rounds as bars, the name at the right."""
    colour = COLOURS[index % len(COLOURS)]
    dash = ' stroke-dasharray="6 3"' if index >= len(COLOURS) else ""
    points = [(r["n"], r["peers"][name]) for r in results if report.rate(r, name)]
    if not points:
        return []
    line = " ".join(f"{chart.x(n):.1f},{chart.y(p['gflops']):.1f}" for n, p in points)
    width = 3 if name == "trifac" else 1.5
    parts = [f'<polyline points="{line}" fill="none" stroke="{colour}" stroke-width="{width}"{dash}/>']
    for n, p in points:
        parts.append(f'<line x1="{chart.x(n):.1f}" x2="{chart.x(n):.1f}" '
                     f'y1="{chart.y(p["least"]):.1f}" y2="{chart.y(p["most"]):.1f}" '
                     f'stroke="{colour}"/>')
    y = TOP + 18 * index
    parts.append(f'<line x1="{WIDTH - RIGHT + 14}" x2="{WIDTH - RIGHT + 34}" y1="{y}" y2="{y}" '
                 f'stroke="{colour}" stroke-width="{width}"{dash}/>')
    parts.append(text(WIDTH - RIGHT + 40, y + 4, name, "start"))
    return parts


def peak_line(chart, peak):
    y = chart.y(peak)
    return [f'<line x1="{LEFT}" x2="{WIDTH - RIGHT}" y1="{y:.1f}" y2="{y:.1f}" stroke="#333" '
            f'stroke-dasharray="5 4"/>',
            text(WIDTH - RIGHT - 4, y - 5, "multiply-add peak", "end")]


def svg(key, results, properties):
    sizes = [r["n"] for r in results]
    which = "peak_float" if key[3] in "sc" else "peak_double"
    peak = float(properties["trifac"].get(which, 0)) * key[0] * 1e-9
    most = [p["most"] for r in results for p in r["peers"].values() if p.get("right")]
    chart = Chart(sizes, 1.05 * max([peak if peak == peak else 0, *most]))
    parts = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" '
             f'font-family="sans-serif" font-size="12">',
             f'<rect width="{WIDTH}" height="{HEIGHT}" fill="white"/>',
             text((LEFT + WIDTH - RIGHT) / 2, 20, report.title(key), extra='font-size="15"')]
    parts += frame(chart, sizes)
    if peak > 0:
        parts += peak_line(chart, peak)
    for index, name in enumerate(properties):
        parts += curve(chart, index, name, results)
    return "\n".join([*parts, "</svg>"]) + "\n"


def file_name(key):
    threads, algorithm, part, type_, *more = key
    name = f"cholesky-{part}" if algorithm == "cholesky" else "lu"
    name = "-".join([*more[:1], name, *map(str, more[1:])])
    return f"{name}-{report.TYPES[type_].replace(' ', '-')}-{threads}.svg"
