"""Statistics of the runs: means and their errors, speed-ups, efficiencies, crossovers."""

import csv
import io
import math
import statistics

from . import conditions
from .conditions import quartiles
from .drift import Drift
from .plan import SHAPE, listed
from .significance import LEVEL, chance_of_smaller, half_width

# A step of LU by the block operations that do it (backend::timed), for the tables of Martins, Tomás
# and Chaves.
STEPS = {
    "pivoting": ("local_lu", "interchanges_from_candidates", "check_growth", "local_lu_packed", "start_packed",
                 "swap_rows", "swap_rows_back", "interchange_left_packed", "copy"),
    "lu": ("factor_block_lu", "factor_panel", "factor_packed", "solve_right_upper",
           "solve_left_packed", "finish_packed"),
    "triangular solve": ("solve_lower", "solve_upper"),
    "product and subtraction": ("update", "eliminate_packed"),
}


def flops(setting):
    """Operations on real numbers, as bench/flops.hpp counts them: a complex multiplication and addition are
    four times a real one."""
    kind, n = 4 if setting["type"].startswith("complex") else 1, setting["n"]
    factor = n ** 3 / 3 * (2 if setting["algorithm"] == "lu" else 1)
    if not setting.get("batch"):
        return kind * factor
    return kind * {"factor": factor, "solve": 2 * n ** 2, "both": factor + 2 * n ** 2}[setting["operation"]]


def steps_of(answers, average="mean", panels=0):
    """Seconds of each step, "mean" or "median", where the runs told their operations: of the whole factorization and,
    as Martins, Tomás and Chaves print them, of each call, which is the mean over the panels."""
    found = {}
    for part in (key for key in answers[0] if key.startswith("part_")):
        found[f"step {part.removeprefix('part_')}"] = getattr(statistics, average)([a[part] for a in answers])
    for name, operations in STEPS.items():
        times = [sum(a.get(f"operation_{v}", 0) for v in operations) for a in answers]
        if any(times):
            found[f"step {name}"] = getattr(statistics, average)(times)
            if panels:
                found[f"step {name} per call"] = found[f"step {name}"] / panels
    return found


def cores_used(answers):
    """Cores that a call used: its working threads, rounded up unless one worked little."""
    threads = [a["threads"] for a in answers if "threads" in a]
    return max(1, math.ceil(statistics.median(threads) - 0.25)) if threads else None


def surely_faster(a, b, among=1):
    """Whether row a is faster than row b: by the exact rank test, one-sided, at the level of 5 %, divided by the
    number of candidates that a was chosen among (Bonferroni). Of three runs against three it never is. Never where
    the machine disturbed one of them, since the test sees chance and no bias. A clock that moved biases by no more
    than it moved: there a must be ahead by more than that."""
    reasons = {a.get("unsettled"), b.get("unsettled")} - {"", None}
    if reasons - {conditions.CLOCK_MOVED}:
        return False
    handicap = 1
    if reasons:
        clocks = a["clocks"] + b["clocks"]
        handicap = max(clocks) / min(clocks)
    return chance_of_smaller([handicap * t for t in a["times"]], b["times"]) < LEVEL / among


def peaks_of(runs):
    """The multiply-add peak of a core by type: the largest that any process measured, since each measures once and
    what disturbs it then makes it smaller."""
    found = {}
    for type_ in ("float", "double"):
        told = [float(r["process"].get(f"peak_{type_}") or 0) for r in runs]
        found[type_] = found[f"complex_{type_}"] = max(told, default=0)
    return found


def row_of(setting, runs, average, peaks):
    """One row of the summary; without times where no result was right. `typical` is the plan's average,
    `below` and `above` reach to the ends of its interval: 95 % of the mean's error, or the quartiles."""
    good = [r for r in runs if r["right"]]
    answers = [r["answer"] for r in good]
    row = {**setting, "runs": len(runs), "wrong": len(runs) - len(good)}
    row[SHAPE] = f"{setting['batch']}x{setting['n']}" if setting.get("batch") else ""
    if good and "groups" in answers[0]:
        row["groups"] = int(answers[0]["groups"])
        if row["groups"] == 1:
            row["problem"] = "one group of rows: no tournament"
            return row
    if good and "tasks" in answers[0]:
        row["tasks"] = round(answers[0]["tasks"])
        if row["tasks"] == 0:
            row["problem"] = "one panel: no tasks"
            return row
    if not good:
        last = runs[-1]["answer"]
        row["problem"] = last.get("error") or (
            last["status"] if last["status"] != "success" else f"residual ratio {last['ratio']}")
        return row
    times = [a["seconds"] for a in answers]
    row.update(
        mean=statistics.mean(times), median=statistics.median(times), least=min(times),
        most=max(times), half=half_width(times),
        error=statistics.stdev(times) / math.sqrt(len(times)) if len(times) > 1 else math.inf,
        ratio=max(a["ratio"] for a in answers))
    row["times"] = times
    row["typical"] = row[average]
    first, third = quartiles(times)
    row["below"], row["above"] = (row["half"], row["half"]) if average == "mean" else \
        (row["median"] - first, third - row["median"])
    row["gflops"] = flops(setting) / row["typical"] * 1e-9
    row["unsettled"] = conditions.unsettled(good)
    row["clocks"] = conditions.clocks_of(good)
    if used := cores_used(answers):
        row["cores"] = used
        peak = peaks[setting["type"]]
        if peak > 0 and setting["backend"] != "cuda" and setting["device"] != "gpu":
            row["peak share"] = row["gflops"] / (peak * 1e-9 * used)
    if "deviation" in answers[0]:
        row["deviation"] = max(a["deviation"] for a in answers)
    if "relative_error" in answers[0]:
        row["error percent"] = 100 * max(a["relative_error"] for a in answers)
    row.update(steps_of(answers, average, math.ceil(setting["n"] / setting["block"]) if setting["block"] else 0))
    return row


# What two rows have in common of which one may be the other's base.
SAME = ("algorithm", "type", "n", "batch", "operation")


def add_speed_ups(rows, base):
    """Speed-up of the average against the base at the same algorithm, type and order: the plan's base, or the
    fastest serial one. Efficiency: speed-up by threads."""
    best = {}
    for row in rows:
        is_base = (all(row[k] == v for k, v in base.items()) if base
                   else row["backend"] == "serial")
        if "typical" in row and is_base:
            key = tuple(row[k] for k in SAME)
            if key not in best or row["typical"] < best[key]:
                best[key] = row["typical"]
    for row in rows:
        key = tuple(row[k] for k in SAME)
        if "typical" in row and key in best:
            row["speed-up"] = best[key] / row["typical"]
            row["efficiency"] = row["speed-up"] / row["threads"]
    add_speed_over_others(rows)


def add_speed_over_others(rows):
    """"over others": how many times as fast as the fastest other library at the same order."""
    best = {}
    for row in rows:
        if "typical" in row and row["backend"] not in WITH_VARIANTS:
            key = tuple(row[k] for k in SAME)
            best[key] = min(row["typical"], best.get(key, math.inf))
    for row in rows:
        key = tuple(row[k] for k in SAME)
        if "typical" in row and row["backend"] in WITH_VARIANTS and key in best:
            row["over others"] = best[key] / row["typical"]


def rows_of(plan, runs):
    """A row for each setting that ran, in the order of the plan. Where the times drifted none is settled."""
    groups = {}
    for run in runs:
        groups.setdefault(tuple(run["setting"].items()), []).append(run)
    peaks = peaks_of(runs)
    rows = [row_of(s, groups[tuple(s.items())], plan.average, peaks) for s in plan.settings()
            if tuple(s.items()) in groups]
    if Drift(runs, plan.replications).found():
        for row in rows:
            if row.get("unsettled", "") in ("", conditions.CLOCK_MOVED):
                row["unsettled"] = "drift"
    add_speed_ups(rows, plan.base)
    return rows


# Backends of ours; other libraries have one way of doing it.
WITH_VARIANTS = ("serial", "openmp", "opencl", "starpu", "cuda")


def where_it_runs(row):
    """"serial", "openmp, 2 threads", "opencl cpu"."""
    words = row["backend"]
    if row["device"] != "any":
        words += f" ({row['device']})"
    return words + (f", {row['threads']} threads" if row["threads"] > 1 else "")


def matches(row, where):
    for key, wanted in where.items():
        value = row.get(key)
        if isinstance(wanted, list):
            if value not in wanted:
                return False
        elif value != wanted:
            return False
    return True


def chosen(rows, where):
    """The rows of any of the alternatives of `where`. "largest" is the largest level that has a result."""
    found = []
    for one in listed(where):
        some = [r for r in rows if matches(r, {k: v for k, v in one.items() if v != "largest"})]
        for key in (k for k, v in one.items() if v == "largest"):
            largest = max((r[key] for r in some if "typical" in r), default=None)
            some = [r for r in some if r[key] == largest]
        found += some
    return found


def best_by_size(rows, algorithm, type_, group=where_it_runs):
    """order -> group -> its fastest row."""
    table = {}
    for row in rows:
        if "typical" in row and (row["algorithm"], row["type"]) == (algorithm, type_):
            here = table.setdefault(row["n"], {})
            name = group(row)
            if name not in here or row["typical"] < here[name]["typical"]:
                here[name] = row
    return dict(sorted(table.items()))


def faster_from(ours, theirs, among=1):
    """The smallest order from which on `ours` is not slower, and at which it is surely faster; None where
    there is none."""
    found = None
    for n in sorted(set(ours) & set(theirs), reverse=True):
        if ours[n]["typical"] >= theirs[n]["typical"]:
            break
        if surely_faster(ours[n], theirs[n], among):
            found = n
    return found


def crossovers(rows, algorithm, type_):
    """where it runs -> the order from which on it is faster than one thread (faster_from), or None, or in
    words why that is not sure."""
    table = best_by_size(rows, algorithm, type_)

    def of(name):
        return {n: here[name] for n, here in table.items() if name in here}

    found, serial = {}, of("serial")
    for name in sorted({name for here in table.values() for name in here} - {"serial"}):
        ours = of(name)
        common = set(ours) & set(serial)
        reasons = {ours[n]["unsettled"] or serial[n]["unsettled"] for n in common} - {""}
        found[name] = faster_from(ours, serial) or (f"not sure ({', '.join(sorted(reasons))})" if reasons else None)
    return found


def as_csv(rows):
    hidden = ("times", "clocks", "typical", "below", "above")
    columns = []
    for row in rows:
        columns += [key for key in row if key not in columns and key not in hidden]
    text = io.StringIO()
    writer = csv.DictWriter(text, columns, restval="", extrasaction="ignore", lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    return text.getvalue()
