"""The conclusion: for each order what is the fastest, how far it is ahead, and how sure that is."""

import math

from .conditions import MOST_MOVE
from .plan import OF_DEVICE_BATCHES
from .summary import WITH_VARIANTS, best_by_size, crossovers, surely_faster, where_it_runs

NAMES = {"cholesky": "Cholesky", "lu": "LU"}
OPERATIONS = {"factor": "factorization", "solve": "substitutions", "both": "factorization and substitutions"}
HEAD = ("n", "choose", "how sure", "margin", "GFLOP/s", "of peak")


def choice(row):
    """What a user would write: variant and where it runs."""
    if row["backend"] not in WITH_VARIANTS:
        return where_it_runs(row)
    words = f"{row['variant']} on {where_it_runs(row)}"
    if row.get("batch"):
        words = ", ".join([where_it_runs(row), row["place"], *(f"{k} {row[k]}" for k in (
            "chunk", *OF_DEVICE_BATCHES) if row[k] not in (0, "automatic"))])
    if row["backend"] in ("opencl", "cuda"):
        how = [f"{row['columns']} kernels"] if row["columns"] != "multiple" else []
        how += ["fast-math"] if row["arithmetic"] == "fast" else []
        words += f" ({', '.join(how)})" if how else ""
    return words


def simplicity(row):
    """Among equals the simplest is named: our own best on one thread, then fewer threads."""
    return (row["backend"] not in ("serial", "openmp"), row["variant"] != "best", row["threads"],
            row["backend"] != "serial", row["typical"])


class Verdict:
    """One order. `named`: the simplest of `same`, the rows that are less than 3 % slower than the fastest.
    `next`: the fastest of the others, or None. `sure`: in words."""

    def __init__(self, candidates):
        candidates = sorted(candidates, key=lambda r: r["typical"])
        fastest = candidates[0]
        same = [r for r in candidates if r["typical"] < MOST_MOVE * fastest["typical"]]
        self.named = min(same, key=simplicity)
        others = [r for r in candidates if r is not self.named]
        self.next = others[0] if others else None
        reasons = sorted({r["unsettled"] for r in candidates} - {""})
        rivals = [r for r in candidates if r not in same and not surely_faster(fastest, r)]
        if not others:
            self.sure = "nothing to compare with"
        elif reasons and (rivals or len(same) > 1):
            self.sure = f"not sure: {', '.join(reasons)}"
        elif rivals:
            self.sure = f"not sure: times overlap with {listed(rivals)}"
        elif len(same) > 1:
            self.sure = f"tie with {listed([r for r in same if r is not self.named])}"
        else:
            self.sure = "sure"

    def line(self, n):
        """Cells of a table, as HEAD names them."""
        row, margin = self.named, ""
        if self.next:
            ratio = self.next["typical"] / row["typical"]
            margin = (f"{ratio:.1f} ×" if ratio >= 2 else f"{100 * (ratio - 1):.0f} %" if ratio >= MOST_MOVE
                      else "under 3 %") + f" to {choice(self.next)}"
        peak = f"{100 * row['peak share']:.0f} %" if "peak share" in row else ""
        return [str(n), choice(row), self.sure, margin, f"{row['gflops']:.3g}", peak]


def listed(rows):
    """"a and 2 more"."""
    return choice(rows[0]) + (f" and {len(rows) - 1} more" if len(rows) > 1 else "")


def candidates(rows):
    """A team of one is the serial backend under another name: it is no answer of its own."""
    return [r for r in rows if (r["backend"], r["threads"]) != ("openmp", 1)]


def verdicts(rows, algorithm, type_):
    """order -> Verdict."""
    table = best_by_size(candidates(rows), algorithm, type_, choice)
    return {n: Verdict(list(here.values())) for n, here in table.items()}


def crossover_sentence(rows, algorithm, type_):
    """"Faster than one thread from n = 512 on: openmp with 2 threads; at no order: lapack."""
    groups = {}
    found = crossovers(candidates(rows), algorithm, type_).items()
    for name, n in sorted(found, key=lambda f: f[1] if isinstance(f[1], int) else math.inf):
        when = f"from n = {n} on" if isinstance(n, int) else n or "at no order"
        groups.setdefault(when, []).append(name.replace(", ", " with "))
    words = [f"{when}: {', '.join(names)}" for when, names in groups.items()]
    return f"Faster than one thread {'; '.join(words)}." if words else ""


def in_words(rows):
    """The tables as lines for a terminal."""
    for title, lines, sentence in tables(rows):
        widths = [max(map(len, column)) for column in zip(HEAD, *lines)]
        yield ""
        yield title
        for line in (HEAD, *lines):
            yield "  ".join(map(str.ljust, line, widths)).rstrip()
        if sentence:
            yield sentence


def tables(rows):
    """(title, lines, sentence) for each algorithm and type, for batches each size and operation, where there is
    something to choose."""
    kinds = {}
    for row in rows:
        if "typical" in row:
            key = (row["algorithm"], row["type"], row.get("batch", 0), row.get("operation", "factor"))
            kinds.setdefault(key, []).append(row)
    in_order = sorted(kinds, key=lambda k: (*k[:3], list(OPERATIONS).index(k[3])))
    for algorithm, type_, batch, operation in in_order:
        some = kinds[algorithm, type_, batch, operation]
        found = verdicts(some, algorithm, type_)
        if any(verdict.next for verdict in found.values()):
            title = f"{NAMES[algorithm]}, {type_.replace('_', ' ')}"
            if batch:
                title += f", batches of {batch}: {OPERATIONS[operation]}"
            yield (title, [verdict.line(n) for n, verdict in found.items()],
                   "" if batch else crossover_sentence(some, algorithm, type_))
