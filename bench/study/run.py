"""Runs a plan: says how long it takes, shuffles, measures, stores each run at once, goes on after an
interruption."""

import math
import os
import random
import shutil
import sys
import time

from . import conditions, estimate, processes, store
from .estimate import in_words
from .plan import TYPES

RATIO_LIMIT = 30  # LAPACK's test programs accept residual ratios below this
FIRST = conditions.LEAST_RUNS  # replications that run in any case: with fewer nothing is sure


def right(answer):
    """Whether a run's result may count: a success whose residual ratio is a number below the limit."""
    ratio = answer.get("ratio")
    return (answer.get("status") == "success" and ratio is not None and 0 <= ratio < RATIO_LIMIT
            and answer.get("seconds", 0) > 0)


def seed_of(plan, setting):
    """The matrix depends on plan, order and type only: all versions get the same ones."""
    return plan.seed * 1000003 + setting["n"] * 7 + {"d": 0, "s": 1, "z": 2, "c": 3}[TYPES[setting["type"]]]


def schedule(plan, settings):
    """(number, setting, replication) in the order of the measurements, a function of the seed."""
    rng = random.Random(plan.seed)
    rounds = [[(r * len(settings) + i, s, r) for i, s in enumerate(settings)]
              for r in range(plan.replications)]
    if plan.order == "full":
        runs = [run for one in rounds for run in one]
        rng.shuffle(runs)
        return runs
    for one in rounds:
        rng.shuffle(one)
    return [run for one in rounds for run in one]


def time_of(rest, of_first, limit):
    """Seconds that the runs left take, of `rest` predicted seconds: the first replications, of `of_first` seconds, run
    in any case, the others as long as `limit` seconds are not over (None: no limit)."""
    return rest if limit is None else max(of_first, min(rest, max(0.0, limit)))


class Left:
    """How long the runs that are left take. Those of a setting that has run: its mean so far. Of another: what was
    predicted, times the ratio of measured to predicted seconds of its sort, and of all runs where the sort has few.
    A ratio counts as much as its seconds do against those of the run: orders differ in cost by n³, and what small ones
    take besides says nothing of large ones."""

    def __init__(self, runs, estimated):
        """`runs`: (number, setting, replication) that are left."""
        self.settings, self.sums = {}, {}  # by sort, and None for all: [measured, predicted]
        for _, setting, replication in runs:
            one = self.settings.setdefault(self.key(setting), {
                "sort": estimate.sort_of(setting), "each": estimated.seconds(setting),
                "build": estimated.build(setting), "left": 0, "first": 0, "ran": 0, "took": 0.0})
            one["left"] += 1
            one["first"] += replication < FIRST

    @staticmethod
    def key(setting):
        return tuple(setting.items())

    def took(self, setting, replication, seconds):
        """A run has ended."""
        one = self.settings[self.key(setting)]
        if one["ran"] == 0:
            seconds = max(0.0, seconds - one["build"])
        one["left"] -= 1
        one["first"] -= replication < FIRST
        one["ran"] += 1
        one["took"] += seconds
        for which in (one["sort"], None):
            measured, predicted = self.sums.get(which, (0.0, 0.0))
            self.sums[which] = measured + seconds, predicted + one["each"]

    def of_one(self, one):
        if one["ran"]:
            return one["took"] / one["ran"]
        each = expected = one["each"]
        for which in (None, one["sort"]):
            measured, predicted = self.sums.get(which, (0.0, 0.0))
            expected = each * (measured + expected) / (predicted + each)
        return expected

    def seconds(self, which="left"):
        """Of all runs, or of the `first` replications."""
        return sum(one[which] * self.of_one(one) + (0 if one["ran"] else one["build"])
                   for one in self.settings.values() if one[which])


def bar(share, width=20):
    """"[#####...............]  25 %"."""
    return f"[{'#' * int(share * width):.<{width}}] {100 * share:3.0f} %"


class Progress:
    """One line with a bar that is written over on a terminal, and now and then a line elsewhere. `limit`: the plan's
    seconds, or 0."""

    def __init__(self, left, total, limit):
        self.left, self.total, self.limit = left, total, limit
        self.begin = self.shown = time.monotonic()

    def seconds(self):
        """Seconds left."""
        rest = self.limit - (time.monotonic() - self.begin) if self.limit else None
        return time_of(self.left.seconds(), self.left.seconds("first"), rest)

    def show(self, done, setting):
        now, terminal = time.monotonic(), sys.stderr.isatty()
        if now - self.shown < (0.2 if terminal else 10) and done < self.total:
            return
        self.shown = now
        words, rest = f"{done}/{self.total} runs", 0.0
        if done < self.total:
            rest = self.seconds()
            words += (f", {in_words(rest)} left: {setting['algorithm']} {setting['backend']} "
                      f"{setting['variant']} n={setting['n']}")
        if terminal:
            passed = now - self.begin
            words = f"{bar(passed / (passed + rest) if rest else 1)} {words}"
            words = "\r\033[K" + words[:shutil.get_terminal_size().columns - 1]
        print(words, file=sys.stderr, end="" if terminal else "\n", flush=True)

    def end(self):
        if sys.stderr.isatty():
            print(file=sys.stderr)


class Study:
    """A plan with its folder and its processes."""

    def __init__(self, plan, folder, pool, machine):
        self.plan, self.pool, self.machine = plan, pool, machine
        self.store = store.Store(folder)
        self.estimate = estimate.Estimate()
        self.left_out = {}  # what does not run -> why
        self.settings = plan.settings()
        self.schedule = schedule(plan, self.settings)
        self.load = conditions.Load(pool.living)

    def predicted(self, replications=math.inf):
        """Seconds of the runs that are left in so many replications."""
        return sum(self.estimate.seconds(s) for _, s, r in self.todo if r < replications)

    def too_many_threads(self, setting):
        cores = len(self.load.cores)
        if setting["threads"] <= cores:
            return False
        self.left_out[f"{setting['threads']} threads"] = f"the machine has {cores} cores"
        return True

    def prepare(self):
        """Finds out what can run and how long it takes; the numbers of the runs that are left."""
        before = self.load.before()
        self.head = self.store.open({
            "plan": self.plan.name, "title": self.plan.title,
            "fingerprint": self.plan.fingerprint(), "seed": self.plan.seed,
            "replications": self.plan.replications, "machine": self.machine,
            "cores": len(self.load.cores), "others_before": before})
        if before is not None:  # the larger one of a study that was interrupted
            self.head["others_before"] = max(before, self.head.get("others_before") or 0)
        for setting in self.settings:
            if not self.too_many_threads(setting) and self.pool.get(setting) is not None:
                self.estimate.learn(self.pool, setting, seed_of(self.plan, setting),
                                    time.monotonic)
        for name, reason in self.pool.absent.items():
            self.left_out[f"backend {name}"] = reason
        self.left_out.update(self.estimate.refusals())
        done = self.store.done()
        self.todo = [run for run in self.schedule
                     if run[0] not in done and self.estimate.seconds(run[1]) > 0]
        builds = sum(self.estimate.build(s) for _, s, replication in self.todo if replication == 0)
        self.seconds = time_of(self.predicted() + builds, self.predicted(FIRST) + builds,
                               self.plan.seconds or None)
        self.head.update(possible=sum(self.estimate.seconds(run[1]) > 0 for run in self.schedule))
        self.head.update(left_out=self.left_out, properties=self.properties())
        self.store.save_head(self.head)
        return len(done)

    def properties(self):
        """What each process says about itself."""
        return {" ".join(str(word) for word in key): {**p.properties, "cores": p.cores}
                for key, p in self.pool.processes.items() if p is not None}

    def measure(self):
        """Runs what is left. Returns False where the time of the plan was over first."""
        self.store.save_head({**self.head, "running": os.getpid()})  # for a report meanwhile
        try:
            return self.measure_all()
        finally:
            self.store.save_head(self.head)

    def measure_all(self):
        left = Left(self.todo, self.estimate)
        progress = Progress(left, len(self.todo), self.plan.seconds)
        begin, in_time = time.monotonic(), True
        for done, (number, setting, replication) in enumerate(self.todo, 1):
            if self.plan.seconds and time.monotonic() - begin > self.plan.seconds and replication >= FIRST:
                in_time = False
                continue
            at, begin_of_run = time.time(), time.monotonic()
            answer = self.pool.ask(setting, seed_of(self.plan, setting))
            process = self.pool.processes.get(
                (setting["backend"], setting["threads"], setting["device"]))
            self.store.save(number, {
                "setting": setting, "replication": replication, "at": at,
                "others": self.load.others(begin_of_run),
                "idle": len(self.load.cores) - conditions.needed(setting, len(self.load.cores)),
                "answer": answer, "right": right(answer), "machine": self.machine,
                "process": {**process.properties, "cores": process.cores} if process else {}})
            time.sleep(processes.pause_after(setting))
            left.took(setting, replication, time.monotonic() - begin_of_run)
            progress.show(done, setting)
        progress.end()
        return in_time
