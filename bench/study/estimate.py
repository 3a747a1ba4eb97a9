"""How long a study will take: every sort of run is tried at two small orders, and a power law gives the
time at the others."""

import math
import time

from .plan import OF_GROUPS
from .processes import pause_after

SMALL, MEDIUM = 128, 384
OF_BATCHES = (8, 24)  # instead, where many matrices are factored at once
MANY = 64


def has_shape(setting):
    """Whether it names the shape of a group of work-items, which not every order has."""
    return any(setting[key] for key in OF_GROUPS)


def sort_of(setting):
    """What is tried once: everything but the order and the experiment."""
    but = ("experiment",) if has_shape(setting) else ("n", "experiment")
    return tuple((k, v) for k, v in setting.items() if k not in but)


class Estimate:
    """Seconds of a run by sort and order; `impossible` says which sorts the library refuses, and why."""

    def __init__(self):
        self.laws = {}  # sort -> (the larger order, seconds there, exponent, seconds around the run)
        self.builds = {}  # sort -> seconds that the first run of an order takes longer: a device's compiler
        self.impossible = {}

    def learn(self, pool, setting, seed, clock):
        sort = sort_of(setting)
        if sort in self.laws or sort in self.impossible:
            return
        low, high = OF_BATCHES if setting["batch"] >= MANY else (SMALL, MEDIUM)
        if has_shape(setting):
            low = high = setting["n"]
        if setting["backend"] == "starpu":  # a matrix of one panel has no tasks
            low, high = max(low, 2 * setting["block"]), max(high, 4 * setting["block"])
        factorings, arounds, whole = {low: [], high: []}, [], []
        for n in (order for order in factorings for _ in range(2)):  # the first one warms up
            trial = {**setting, "n": n, "cutoff": min(setting["cutoff"], n)}
            begin = clock()
            answer = pool.ask(trial, seed)
            if "error" in answer or "invalid argument" in answer["status"]:
                self.impossible[sort] = answer.get("error") or answer["status"]
                return
            factoring = answer["seconds"] * answer["batch"]
            factorings[n].append(answer["seconds"])
            if n == high:
                whole.append(clock() - begin)
                arounds.append(max(0.0, clock() - begin - factoring))
            time.sleep(pause_after(trial))
        if setting["batch"] and not has_shape(setting):
            self.builds[sort] = max(0.0, whole[0] - whole[1])
        # The faster of two: on a busy machine a single one may take a hundred times as long.
        small, medium, around = min(factorings[low]), min(factorings[high]), min(arounds)
        exponent = math.log(medium / small) / math.log(high / low) if high > low and small > 0 else 3
        self.laws[sort] = (high, medium, min(3.3, max(2.0, exponent)), around)

    def refusals(self):
        """What cannot run -> why, and how many kinds of runs where there are several."""
        reasons = {}
        for sort, reason in self.impossible.items():
            words = dict(sort)
            here = reasons.setdefault(f"{words['algorithm']} {words['variant']} on {words['backend']}", {})
            here[reason] = here.get(reason, 0) + 1
        return {what: "; ".join(f"{reason} ({count} kinds of runs)" if count > 1 else reason
                                for reason, count in why.items()) for what, why in reasons.items()}

    def build(self, setting):
        """Seconds that the first run of an order takes besides."""
        return self.builds.get(sort_of(setting), 0.0)

    def seconds(self, setting):
        """Of one run, with what lies around it; 0 where it cannot run."""
        if sort_of(setting) not in self.laws:
            return 0
        high, medium, exponent, around = self.laws[sort_of(setting)]
        scale = setting["n"] / high
        power = exponent if scale < 1 else max(exponent, 2.8)
        # The deviation of the whole product is n^3/3 plain operations besides.
        check = 2e-9 * setting["n"] ** 3 / 3 if setting["detail"] == "deviation" else 0
        call = medium * max(1, setting["batch"]) * scale ** power
        return pause_after(setting) + call + around * scale ** 2 + check + 1e-3


def in_words(seconds):
    """"40 s", "3 min", "2 h 10 min"."""
    if seconds < 100:
        return f"{max(1, round(seconds))} s"
    minutes = round(seconds / 60)
    if minutes < 100:
        return f"{minutes} min"
    hours, minutes = divmod(minutes, 60)
    return f"{hours} h {minutes} min" if hours < 48 else f"{hours / 24:.1f} days"
