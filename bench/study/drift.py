"""Whether the times drifted while the study ran."""

import collections
import statistics

from .conditions import MOST_MOVE
from .significance import LEVEL, chance_of_trend


class Drift:
    """Mann and Kendall's trend test of the times, each against its setting's median: the study is cut in as
    many parts as there are replications, five at least. `probability` of as much trend by chance;
    `change` from the first half to the second. Both None where there are too few runs."""

    def __init__(self, runs, replications):
        self.probability = self.change = None
        good = sorted((r for r in runs if r["right"]), key=lambda r: r.get("at", 0))
        parts = max(5, replications)
        settings = collections.defaultdict(list)
        for run in good:
            settings[tuple(run["setting"].items())].append(run["answer"]["seconds"])
        if len(good) < max(4 * parts, 3 * len(settings)):
            return
        typical = {key: statistics.median(times) for key, times in settings.items()}
        relative = [r["answer"]["seconds"] / typical[tuple(r["setting"].items())] for r in good]
        cuts = [k * len(relative) // parts for k in range(parts + 1)]
        levels = [statistics.median(relative[a:b]) for a, b in zip(cuts, cuts[1:])]
        self.probability = chance_of_trend(levels)
        middle = len(relative) // 2
        self.change = statistics.median(relative[middle:]) / statistics.median(relative[:middle])

    def found(self):
        return (self.probability is not None and self.probability < LEVEL
                and max(self.change, 1 / self.change) > MOST_MOVE)

    def sentence(self):
        if self.probability is None:
            return "Drift was not tested: too few runs."
        how = f"Mann and Kendall's trend test over the replications, p = {self.probability:.2g}"
        change = f"{100 * (self.change - 1):+.1f} % from the first half to the second"
        return f"{'The times drifted' if self.found() else 'No drift that matters'}: {change} ({how})."
