"""The report: one HTML file that needs nothing else, with conclusion, figures and tables."""

import base64
import html
import json
import math
import os
import pathlib

from . import conclusion, conditions, figures, plan as plans, store, summary
from .drift import Drift

STYLE = """
:root { color-scheme: light; }
body { font: 16px/1.5 system-ui, sans-serif; max-width: 54rem; margin: 0 auto; padding: 0 1rem 4rem;
  color: #1a1a1a; background: #fff; }
h1 { font-size: 1.7rem; } h2 { margin-top: 2.5rem; border-bottom: 1px solid #ccc; }
h3 { margin-bottom: .2rem; } p { margin: .4rem 0; }
.words { background: #eef5fb; border-left: 4px solid #0072B2; padding: .2rem 1rem; }
.absent { background: #fdf3e6; border-left: 4px solid #E69F00; padding: .2rem 1rem; }
figure { margin: 1.5rem 0; } figure img { width: 100%; max-width: 46rem; display: block; }
figcaption { font-size: .85rem; color: #444; }
.table { overflow-x: auto; } table { border-collapse: collapse; font-size: .82rem; }
th, td { padding: .2rem .5rem; border-bottom: 1px solid #ddd; text-align: right; white-space: nowrap; }
th:first-child, td:first-child, .word { text-align: left; }
.choices .word { white-space: normal; } .words ul, .absent ul { margin: .4rem 0; padding-left: 1.2rem; }
thead th { border-bottom: 2px solid #888; } dt { font-weight: 600; } dd { margin: 0 0 .4rem 1rem; }
dd { overflow-wrap: anywhere; } summary { cursor: pointer; }
"""


def seconds(x):
    return figures.seconds(x) if math.isfinite(x) else "–"


def data_address(path):
    return "data:image/svg+xml;base64," + base64.b64encode(path.read_bytes()).decode()


def figure_html(figure, folder, average):
    """The wide picture, and the narrow one for phones; in words for those who see neither."""
    wide, narrow = (folder / f"{figure.file}{end}.svg" for end in ("", "-narrow"))
    labels = ", ".join(figure.lines) if len(figure.lines) < 9 else f"{len(figure.lines)} lines"
    note = figure.spec.get("note", "")
    interval = {"mean": "Mean; bars: its 95 % confidence interval. ",
                "median": "Median; bars: the quartiles. "}[average]
    bars = interval if figure.spec["y"] == "time" and figure.spec["kind"] != "shares" else ""
    alt = html.escape(f"{figure.title}: {labels}", quote=True)
    return (f'<figure id="{figure.file}"><picture><source media="(max-width: 600px)" '
            f'srcset="{data_address(narrow)}"><img src="{data_address(wide)}" alt="{alt}"></picture>'
            f"<figcaption>{bars}{html.escape(note)}</figcaption></figure>")


def varied(rows):
    """The factors that take more than one level."""
    return [f for f in ("experiment", *plans.FACTORS) if len({r[f] for r in rows}) > 1] or ["variant"]


COLUMNS = (
    ("mean", "mean", seconds), ("error", "standard error", seconds),
    ("median", "median", seconds), ("half", "± (95 %)", seconds),
    ("speed-up", "speed-up", "{:.2f}".format), ("efficiency", "efficiency", "{:.2f}".format),
    ("gflops", "GFLOP/s", "{:.3g}".format), ("cores", "cores used", str),
    ("peak share", "of peak", "{:.0%}".format), ("groups", "groups of rows", str), ("tasks", "tasks", str),
    ("step pivoting", "pivoting", seconds), ("step lu", "panel LU", seconds),
    ("step triangular solve", "triangular solve", seconds),
    ("step product and subtraction", "product, subtraction", seconds),
    ("deviation", "max deviation", "{:.2g}".format),
    ("error percent", "error, %", "{:.2g}".format), ("ratio", "residual ratio", "{:.2g}".format),
    ("runs", "runs", str), ("unsettled", "disturbed by", str), ("problem", "problem", str))


def table_of(head, lines, words=()):
    """A table of cells; `words`: the columns that hold words, besides the first."""
    def cells(line):
        return "".join(f'<td{" class=word" if k in words else ""}>{html.escape(str(c))}</td>'
                       for k, c in enumerate(line))
    top = "".join(f'<th{" class=word" if k in words else ""}>{html.escape(str(h))}</th>' for k, h in enumerate(head))
    body = "".join(f"<tr>{cells(line)}</tr>" for line in lines)
    return f'<div class="table"><table><thead><tr>{top}</tr></thead><tbody>{body}</tbody></table></div>'


def settings_html(rows):
    keys = varied(rows)
    columns = [c for c in COLUMNS if any(c[0] in r for r in rows)]
    lines = [[*(row[k] for k in keys), *(c[2](row[c[0]]) if c[0] in row else "" for c in columns)]
             for row in rows]
    return table_of([*keys, *(c[1] for c in columns)], lines, range(len(keys)))


def cross_table_html(table):
    """A table of two factors, as the sources print them."""
    spec = table.spec
    words = [figures.LABELS.get(spec[k], spec[k]) for k in ("row", "column")]
    lines = [[level, *(figures.value_text(figures.value_of(line[c], spec["value"])[0], spec["value"])
                       if c in line else "–" for c in table.columns)]
             for level, line in table.cells.items()]
    head = [f"{words[0]} \\ {words[1]}", *table.columns]
    return (f'<h3 id="table-{spec["id"]}">{html.escape(spec["title"])}</h3>{table_of(head, lines)}'
            f'<p>{html.escape(spec.get("note", ""))}</p>')


def machine_html(head):
    machine = head["machine"]
    facts = dict(machine["processor"])
    facts["compiler of the report's machine"] = ", ".join(machine["compiler"])
    facts["system"] = machine["kernel"]
    facts["begun"] = machine["date"]
    for name, p in head.get("properties", {}).items():
        told = ", ".join(f"{k} {v}" for k, v in p.items())
        facts[f"process {name}"] = told
    list_ = "".join(f"<dt>{html.escape(k)}</dt><dd>{html.escape(str(v))}</dd>"
                    for k, v in facts.items())
    return f"<details><summary>Machine, compilers, libraries, pinning</summary><dl>{list_}</dl></details>"


def is_running(head):
    """Whether the process that measures is there."""
    if "running" not in head:
        return False
    try:
        os.kill(head["running"], 0)
    except PermissionError:  # another user's
        return True
    except OSError:
        return False
    return True


def absent_html(head, done):
    planned = head["possible"]
    lines = [f"{k}: {v}" for k, v in head["left_out"].items()]
    if done < planned:
        lines.append(f"{planned - done} of {planned} runs have no result{' (yet)' if is_running(head) else ''}")
    if not lines:
        return "<p>Everything the plan asks for ran.</p>"
    return f'<div class="absent"><p>Not measured:</p><ul>{items(lines)}</ul></div>'


def wrong_html(rows):
    bad = [r for r in rows if r["wrong"]]
    if not bad:
        return "<p>Every result was checked and is right: all residual ratios are below 30.</p>"
    lines = [f"{conclusion.choice(r)}, n = {r['n']}: {r['wrong']} of {r['runs']} runs: "
             f"{r.get('problem', 'wrong result')}" for r in bad]
    return f'<div class="absent"><p>Runs that do not count:</p><ul>{items(lines)}</ul></div>'


def items(lines):
    return "".join(f"<li>{html.escape(line)}</li>" for line in lines)


def conditions_html(head, runs, rows, drift):
    """What stands on top: a warning where some verdicts cannot be sure."""
    lines = conditions.sentences(head, runs, drift)
    told = [r["unsettled"] for r in rows if "typical" in r]
    reasons = set(told) - {""}
    if reasons:
        lines.insert(0, f"{'Nothing' if all(told) else 'Not everything'} below is sure: "
                        f"{', '.join(sorted(reasons))}. Repeat the study {conditions.how_to_repeat(reasons)}.")
    return f'<div class="{"absent" if reasons else "words"}"><ul>{items(lines)}</ul></div>'


def conclusion_html(rows):
    made = [f"<h3>{html.escape(title)}</h3>{table_of(conclusion.HEAD, lines, (1, 2, 3))}"
            f"<p>{html.escape(sentence)}</p>" for title, lines, sentence in conclusion.tables(rows)]
    return f"""<div class="choices">{''.join(made)}</div>
<p>Sure: 3 % ahead or more, and the rank test (exact, level 5 %, four runs of each or more) agrees. Tie: less
than 3 % apart; the simplest is named.</p>""" if made else "<p>There is nothing to choose between.</p>"


def page(plan, head, rows, runs, drawn, folder):
    drift = Drift(runs, plan.replications)
    pictures = "".join(figure_html(f, folder, plan.average) for f in drawn) or "<p>This plan has no figures.</p>"
    tables = "".join(map(cross_table_html, figures.collect_tables(plan, rows)))
    tables += "".join(
        f"<h3>{html.escape(e.title)}</h3>{settings_html(some)}" for e in plan.experiments
        if (some := [r for r in rows if r["experiment"] == e.name]))
    base = ", ".join(f"{k} {v}" for k, v in plan.base.items()) or \
        "the fastest variant on one thread at the same order"
    return f"""<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>{html.escape(plan.title)}</title><style>{STYLE}</style></head><body>
<h1>{html.escape(plan.title)}</h1>
<p>{html.escape(plan.about)}</p>
{conditions_html(head, runs, rows, drift)}
<h2 id="conclusion">What to choose</h2>{conclusion_html(rows)}
{absent_html(head, len(runs))}{wrong_html(rows)}
<h2 id="figures">Figures</h2>{pictures}
<h2 id="tables">Tables</h2>
<p>{plan.replications} replications of each setting were planned, in random order from seed {plan.seed}.
Speed-up is that of the {plan.average}, against {html.escape(base)}.</p>{tables}
<h2 id="machine">Machine</h2>{machine_html(head)}
</body></html>
"""


def write(plan, folder):
    """Summary, figures and report of what is stored; the rows of the summary."""
    folder = pathlib.Path(folder)
    stored = store.Store(folder)
    runs = stored.all_runs()
    rows = summary.rows_of(plan, runs)
    store.write_whole(folder / "summary.csv", summary.as_csv(rows))
    drawn = figures.collect(plan, rows)
    figures.write(drawn, folder / "figures")
    text = page(plan, stored.read_head(), rows, runs, drawn, folder / "figures")
    store.write_whole(folder / "report.html", text)
    store.write_whole(folder / "conclusion.json", json.dumps(list(conclusion.tables(rows)), indent=1))
    return rows
