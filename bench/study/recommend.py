"""What a program can use of the measurements: a profile, as trifac/io/profile_file.hpp reads it."""

import math

from .conditions import how_to_repeat
from .plan import TYPES
from .summary import faster_from

LEAST_GAIN = 1.03  # a block or cutoff that brings less is not worth a setting

FIRST_LINE = "trifac profile 1"


def fnv1a(text):
    """The 64-bit hash of the file's last line, in hexadecimal."""
    value = 0xcbf29ce484222325
    for byte in text.encode():
        value = (value ^ byte) * 0x100000001b3 % 2 ** 64
    return f"{value:016x}"


def by_order(rows, **wanted):
    """order -> the fastest of the rows with these levels."""
    found = {}
    for row in rows:
        if "typical" in row and all(row[k] == v for k, v in wanted.items()):
            if row["n"] not in found or row["typical"] < found[row["n"]]["typical"]:
                found[row["n"]] = row
    return found


def fastest_team(rows):
    """The number of threads that is the fastest at the largest order, with its rows."""
    teams = {t: by_order(rows, backend="openmp", variant="best", threads=t)
             for t in {r["threads"] for r in rows if r["backend"] == "openmp"} if t > 1}
    teams = {t: some for t, some in teams.items() if some}
    if not teams:
        return 0, {}
    largest = max(n for some in teams.values() for n in some)
    threads = min((t for t in teams if largest in teams[t]),
                  key=lambda t: teams[t][largest]["typical"])
    return threads, teams[threads]


def best_level(rows, factor):
    """(level, smallest order) of the level that is surely faster than 0 at every order it is faster at all;
    0 where there is none."""
    levels = sorted({r[factor] for r in rows if "typical" in r})
    base = by_order(rows, **{factor: 0})
    gains = {}
    for level in levels:
        here = by_order(rows, **{factor: level})
        start = faster_from(here, base, len(levels) - 1) if level else None
        if start:
            orders = [n for n in here if n >= start and n in base]
            gain = math.prod(base[n]["typical"] / here[n]["typical"] for n in orders)
            if gain ** (1 / len(orders)) > LEAST_GAIN:
                gains[level] = (gain ** (1 / len(orders)), start)
    if not gains:
        return 0, 0
    level = max(gains, key=lambda k: gains[k][0])
    return level, gains[level][1]


def findings(rows, algorithm, type_):
    """The members of trifac::tuning that say something."""
    some = [r for r in rows if (r["algorithm"], r["type"]) == (algorithm, type_)]
    plain = [r for r in some if r["block"] == 0 and r["cutoff"] == 0 and r["variant"] == "best"]
    found = {}
    serial = by_order(plain, backend="serial")
    threads, team = fastest_team(plain)
    host = dict(serial)
    if start := faster_from(team, serial):
        found.update(threads_from=start, threads=threads)
        host.update({n: r for n, r in team.items() if n >= start})
    device = {}
    for backend in ("opencl", "cuda"):
        for n, row in by_order([r for r in plain if r["device"] != "cpu"], backend=backend).items():
            if n not in device or row["typical"] < device[n]["typical"]:
                device[n] = row
    if start := faster_from(device, host):
        found["device_from"] = start
    sweep = [r for r in some if r["experiment"].startswith("block")]
    if sweep:
        block, start = best_level(sweep, "block")
        if block:
            found.update(block=block, block_from=start)
    sweep = [r for r in some if r["experiment"].startswith("cutoff")]
    if sweep and best_level(sweep, "cutoff")[0]:
        found["cutoff"] = best_level(sweep, "cutoff")[0]
    return found


def batch_lines(text, machine):
    """What `trifac tune` found on this machine: the lines about batches of a profile's text, "" of any other."""
    head, mark, check = text.rpartition("\ncheck ")
    if not mark or check != fnv1a(head + "\n") + "\n" or not text.startswith(f"{FIRST_LINE}\nmachine {machine}\n"):
        return ""
    return "".join(f"{line}\n" for line in head.split("\n") if line.split(" ")[0] in ("batches", "device", "batch"))


def profile_text(rows, machine, batches=""):
    """The file's text; batches: from batch_lines."""
    lines = [FIRST_LINE, f"machine {machine}"]
    for algorithm in ("cholesky", "lu"):
        for type_ in TYPES:
            if found := findings(rows, algorithm, type_):
                words = " ".join(f"{k} {v}" for k, v in found.items())
                lines.append(f"{algorithm} {type_} {words}")
    text = "\n".join(lines) + "\n" + batches
    return f"{text}check {fnv1a(text)}\n"


def in_words(rows):
    """What the profile says, for people."""
    for algorithm in ("cholesky", "lu"):
        for type_ in TYPES:
            found = findings(rows, algorithm, type_)
            name = f"{algorithm} {type_}"
            reasons = sorted({r["unsettled"] for r in rows if r.get("unsettled")
                              and (r["algorithm"], r["type"]) == (algorithm, type_)})
            if reasons:
                yield f"{name}: not sure: {', '.join(reasons)}; measure again {how_to_repeat(reasons)}"
            elif not found:
                yield f"{name}: one thread and the library's own block sizes at every order measured"
            if "threads_from" in found:
                yield f"{name}: {found['threads']} threads from n = {found['threads_from']} on"
            if "device_from" in found:
                yield f"{name}: the device from n = {found['device_from']} on"
            if "block" in found:
                yield f"{name}: blocks of {found['block']} from n = {found['block_from']} on"
            if "cutoff" in found:
                yield f"{name}: the variants by columns with the last {found['cutoff']} on one thread"
