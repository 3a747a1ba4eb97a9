"""On what a part is measured, and how much of the machine other programs took."""

import os
import pathlib
import subprocess
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT / "bench"))
from comparison import machine as hardware  # noqa: E402
from study import conditions  # noqa: E402

class Others:
    """Cores that other programs take, from here to the call."""

    def __init__(self):
        self.begin = self.now()

    def now(self):
        return time.monotonic(), conditions.busy_seconds(range(os.cpu_count())), conditions.own_seconds([])

    def cores(self):
        (began, busy, ours), (ended, busy_now, ours_now) = self.begin, self.now()
        if busy is None:
            return None
        return max(0.0, (busy_now - busy - (ours_now - ours)) / (ended - began))


def others_now(seconds=3):
    """Cores that other programs take while this one sleeps."""
    others = Others()
    time.sleep(seconds)
    return others.cores()


def is_idle(cores):
    return cores is None or cores <= conditions.MOST_LOAD


def revision():
    """The commit, with a + where files differ from it."""
    def git(*words):
        done = subprocess.run(["git", "-C", str(ROOT), *words], capture_output=True, text=True)
        return done.stdout.strip() if done.returncode == 0 else ""
    changed = git("status", "--porcelain", "--untracked-files=no", "--", "include", "bench", "examples")
    return (git("rev-parse", "--short=9", "HEAD") or "unknown") + ("+" if changed else "")


def describe(compiler):
    return {**hardware.describe(compiler), "revision": revision(), "cores": os.cpu_count(),
            "openblas": hardware.openblas_kernels().get("OPENBLAS_CORETYPE", "")}


def taken(cores, of):
    return "the load of other programs is not known" if cores is None else \
        f"other programs took {cores:.2f} of {of} cores"


def said_of(record):
    """One line: machine, compiler, date, revision, load; marked where the machine was not idle."""
    m = record["machine"]
    kernels = [f"the machine's OpenBLAS with its kernels of {m['openblas']}"] if m.get("openblas") else []
    words = [m["processor"].get("Model name", "unknown processor"), *m["compiler"], *kernels, m["date"][:10],
             f"revision {m['revision']}",
             f"{taken(record['others'], m['cores'])} (load average before: {m['load_before']:.1f})"]
    mark = "" if is_idle(record["others"]) and is_idle(record["others_before"]) else \
        "**Not on an idle machine.** "
    command = " ".join(["docs/measure.sh", record["part"], *record.get("options", ())])
    return f"{mark}`{command}`: {', '.join(words)}."
