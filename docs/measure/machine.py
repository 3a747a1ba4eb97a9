"""On what a part is measured, and how much of the machine other programs took."""

import os
import pathlib
import resource
import subprocess
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT / "bench"))
from comparison import machine as hardware  # noqa: E402

# Of all cores together: what other programs may take of an idle machine.
IDLE_CORES = 0.1


def busy_seconds():
    """Seconds that the cores have worked since the machine started, or None where it does not say."""
    try:
        line = pathlib.Path("/proc/stat").read_text().splitlines()[0].split()
    except OSError:
        return None
    user, nice, system, _, _, irq, softirq, steal = map(int, line[1:9])
    return (user + nice + system + irq + softirq + steal) / os.sysconf("SC_CLK_TCK")


def our_seconds():
    """Processor seconds of this process and of its children that have ended."""
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(u.ru_utime + u.ru_stime for u in used)


class Others:
    """Cores that other programs take, from here to the call."""

    def __init__(self):
        self.begin = (time.monotonic(), busy_seconds(), our_seconds())

    def cores(self):
        began, busy, ours = self.begin
        if busy is None:
            return None
        taken = busy_seconds() - busy - (our_seconds() - ours)
        return max(0.0, taken / (time.monotonic() - began))


def others_now(seconds=3):
    """Cores that other programs take while this one sleeps."""
    others = Others()
    time.sleep(seconds)
    return others.cores()


def is_idle(cores):
    return cores is None or cores <= IDLE_CORES


def revision():
    """The commit, with a + where files differ from it."""
    def git(*words):
        done = subprocess.run(["git", "-C", str(ROOT), *words], capture_output=True, text=True)
        return done.stdout.strip() if done.returncode == 0 else ""
    changed = git("status", "--porcelain", "--untracked-files=no", "--", "include", "bench", "examples")
    return (git("rev-parse", "--short=9", "HEAD") or "unknown") + ("+" if changed else "")


def describe(compiler):
    return {**hardware.describe(compiler), "revision": revision(), "cores": os.cpu_count()}


def taken(cores, of):
    return "the load of other programs is not known" if cores is None else \
        f"other programs took {cores:.2f} of {of} cores"


def conditions(record):
    """One line: machine, compiler, date, revision, load; marked where the machine was not idle."""
    m = record["machine"]
    words = [m["processor"].get("Model name", "unknown processor"), *m["compiler"], m["date"][:10],
             f"revision {m['revision']}",
             f"{taken(record['others'], m['cores'])} (load average before: {m['load_before']:.1f})"]
    mark = "" if is_idle(record["others"]) and is_idle(record["others_before"]) else \
        "**Not on an idle machine.** "
    return f"{mark}`docs/measure.sh {record['part']}`: {', '.join(words)}."
