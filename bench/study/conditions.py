"""Whether the machine let the study measure: what other programs used, and the clock."""

import collections
import os
import resource
import statistics
import time

WINDOW = 1.0     # seconds over which the load is averaged: the kernel counts it in hundredths
MOST_LOAD = 0.1  # cores that others may use beyond the idle ones
MOST_MOVE = 1.03 # of the clock or of all times; choices less than 3 % apart are the same, too
CLOCK_MOVED = "the clock moved"
LEAST_RUNS = 4   # three are smaller than three others by chance with a probability of 5 %
TOO_FEW = "too few runs"


def busy_seconds(cores):
    """Seconds that these cores have worked, for anyone, or that a hypervisor took; None where it is not told."""
    total, tick = 0, os.sysconf("SC_CLK_TCK")
    try:
        with open("/proc/stat", encoding="ascii") as file:
            for line in file:
                name, *counts = line.split()
                if name.startswith("cpu") and name[3:].isdigit() and int(name[3:]) in cores:
                    user, nice, system, _, _, irq, soft, stolen = map(int, counts[:8])
                    total += user + nice + system + irq + soft + stolen
    except (OSError, ValueError):
        return None
    return total / tick if total else None


def own_seconds(processes):
    """Processor time of this process and of its children, of which `processes` are alive."""
    total = sum(sum(resource.getrusage(who)[:2]) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    for process in processes:
        try:
            with open(f"/proc/{process}/stat", encoding="utf-8", errors="replace") as file:
                words = file.read().rpartition(")")[2].split()
        except OSError:
            continue
        total += (int(words[11]) + int(words[12])) / os.sysconf("SC_CLK_TCK")
    return total


class Load:
    """How many cores other programs use; own() names our processes."""

    def __init__(self, own):
        self.own, self.cores = own, os.sched_getaffinity(0)
        self.samples = collections.deque([self.sample()])

    def sample(self):
        return time.monotonic(), busy_seconds(self.cores), own_seconds(self.own())

    def others(self, since):
        """The mean since then, or of the last second where that is longer."""
        now = self.sample()
        self.samples.append(now)
        while len(self.samples) > 2 and self.samples[1][0] <= min(since, now[0] - WINDOW):
            self.samples.popleft()
        begin = self.samples[0]
        if now[1] is None or now[0] <= begin[0]:
            return None
        return max(0.0, ((now[1] - begin[1]) - (now[2] - begin[2])) / (now[0] - begin[0]))

    def before(self):
        """What they use while we do nothing."""
        since = time.monotonic()
        time.sleep(WINDOW / 2)
        return self.others(since)


def needed(setting, cores):
    """Cores that a run keeps busy: its threads, every core where the processor serves as a device."""
    on_cpu = (setting["backend"], setting["device"]) in (
        ("opencl", "cpu"), ("opencl", "any"), ("viennacl", "any"), ("starpu", "cpu+opencl"), ("starpu", "cpu+2opencl"),
        ("starpu", "opencl"))
    return cores if on_cpu else setting["threads"]


def quartiles(values):
    """The first and the third, as the medians between which half of the runs lie."""
    if len(values) < 2:
        return values[0], values[0]
    first, _, third = statistics.quantiles(values, n=4, method="inclusive")
    return first, third


def too_busy(run):
    return run["others"] > run["idle"] + MOST_LOAD


def unsettled(runs):
    """Why the times of these runs of one setting cannot be sure, or "". A quarter of them is enough."""
    if any(r.get("others") is None for r in runs):
        return "load not recorded"
    if quartiles([r["others"] - r["idle"] for r in runs])[1] > MOST_LOAD:
        return "busy machine"
    if len(runs) < LEAST_RUNS:
        return TOO_FEW
    clocks = clocks_of(runs)
    if clocks and quartiles(clocks)[1] > MOST_MOVE * quartiles(clocks)[0]:
        return CLOCK_MOVED
    return ""


def how_to_repeat(reasons):
    """"on an idle machine, with four replications or more"."""
    words = ["on an idle machine"] if set(reasons) - {TOO_FEW} else []
    words += ["with four replications or more"] if TOO_FEW in reasons else []
    return ", ".join(words)


def clocks_of(runs):
    """Times of the loop that depends on the clock alone."""
    return [r["answer"]["reference"] for r in runs if "reference" in r["answer"]]


def sentences(head, runs, drift):
    """What stands on top of the report."""
    told = [r for r in runs if r.get("others") is not None]
    if not told:
        return ["The load during the runs was not recorded."]
    used = [r["others"] for r in told]
    cores = head.get("cores", "?")
    before = head.get("others_before")
    busy = sum(map(too_busy, told))
    words = f"Other programs used {before:.2f} of {cores} cores before the study and " if before is not None \
        else f"Of {cores} cores other programs used "
    words += f"{statistics.median(used):.2f} (median; at most {max(used):.2f}) during the runs; "
    words += f"in {busy} of {len(told)} runs more than the idle cores." if busy else "never more than the idle cores."
    found = [words]
    clocks = [r["answer"]["reference"] for r in told if "reference" in r["answer"]]
    if clocks:
        first, third = quartiles(clocks)
        found.append(f"Clock: half of the runs lie within {100 * (third / first - 1):.1f} %, all within "
                     f"{100 * (max(clocks) / min(clocks) - 1):.1f} % (a loop of dependent operations).")
    return [*found, drift.sentence()]
