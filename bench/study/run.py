"""Runs a plan: says how long it takes, shuffles, measures, stores each run at once, goes on after an
interruption."""

import random
import sys
import time

from . import conditions, estimate, store
from .estimate import in_words
from .plan import TYPES

RATIO_LIMIT = 30  # LAPACK's test programs accept residual ratios below this


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


class Progress:
    """One line that is written over on a terminal, and now and then a line elsewhere."""

    def __init__(self, total, seconds):
        self.total, self.predicted = total, seconds
        self.begin = self.shown = time.monotonic()
        self.spent_prediction = 0.0

    def left(self):
        """Seconds left: what was predicted, corrected by how the prediction has held so far."""
        elapsed = time.monotonic() - self.begin
        rest = max(0.0, self.predicted - self.spent_prediction)
        if self.spent_prediction > 0 and elapsed > 2:
            rest *= elapsed / self.spent_prediction
        return rest

    def show(self, done, setting, predicted):
        self.spent_prediction += predicted
        now, terminal = time.monotonic(), sys.stderr.isatty()
        if not terminal and now - self.shown < 10 and done < self.total:
            return
        self.shown = now
        words = (f"{done}/{self.total} runs, {in_words(self.left())} left: {setting['algorithm']} "
                 f"{setting['backend']} {setting['variant']} n={setting['n']}")
        print(f"\r\033[K{words}" if terminal else words, file=sys.stderr,
              end="" if terminal else "\n", flush=True)

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
        for sort, reason in self.estimate.impossible.items():
            words = dict(sort)
            self.left_out[f"{words['algorithm']} {words['variant']} on {words['backend']}"] = reason
        done = self.store.done()
        self.todo = [run for run in self.schedule
                     if run[0] not in done and self.estimate.seconds(run[1]) > 0]
        self.seconds = sum(self.estimate.seconds(s) for _, s, _ in self.todo)
        self.seconds += sum(self.estimate.build(s) for _, s, replication in self.todo if replication == 0)
        if self.plan.seconds:
            self.seconds = min(self.seconds, self.plan.seconds)
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
        progress = Progress(len(self.todo), sum(self.estimate.seconds(s) for _, s, _ in self.todo))
        begin, fewest = time.monotonic(), min(2, self.plan.replications - 1)
        in_time = True
        for done, (number, setting, replication) in enumerate(self.todo, 1):
            over = self.plan.seconds and time.monotonic() - begin > self.plan.seconds
            if over and replication > fewest:
                in_time = False
                break
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
            progress.show(done, setting, self.estimate.seconds(setting))
        progress.end()
        return in_time
