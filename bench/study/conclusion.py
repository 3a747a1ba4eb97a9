"""The conclusion in plain words: which variant on which backend for which order, and how sure that is."""

from .summary import WITH_VARIANTS, best_by_size, crossovers, surely_faster, where_it_runs

SAME = 1.03  # times this close are the same to a user, however sure their order is

NAMES = {"cholesky": "Cholesky", "lu": "LU"}


def choice(row):
    """What a user would write: variant and where it runs."""
    if row["backend"] not in WITH_VARIANTS:
        return where_it_runs(row)
    words = f"{row['variant']} on {where_it_runs(row)}"
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
    """One order. `same`: the rows that are less than 3 % slower than the fastest, the simplest first; it is the
    one that is named. `rivals`: slower rows whose times vary so much that the rank test does not set them
    apart."""

    def __init__(self, candidates):
        fastest = min(candidates, key=lambda r: r["typical"])
        self.same = sorted((r for r in candidates if r["typical"] < SAME * fastest["typical"]),
                           key=simplicity)
        self.rivals = sorted((r for r in candidates if r["typical"] >= SAME * fastest["typical"]
                              and not surely_faster(fastest, r)), key=lambda r: r["typical"])
        self.named = self.same[0]
        self.alone = len(candidates) == 1


def candidates(rows):
    """A team of one is the serial backend under another name: it is no answer of its own."""
    return [r for r in rows if (r["backend"], r["threads"]) != ("openmp", 1)]


def verdicts(rows, algorithm, type_):
    """order -> Verdict."""
    table = best_by_size(rows, algorithm, type_, choice)
    return {n: Verdict(list(here.values())) for n, here in table.items()}


def stretches(table):
    """Neighbouring orders for which the same is named: [first n, last n, rows]."""
    found = []
    for n, verdict in table.items():
        if found and choice(found[-1][2][-1]) == choice(verdict.named):
            found[-1][1] = n
            found[-1][2].append(verdict.named)
        else:
            found.append([n, n, [verdict.named]])
    return found


def span(first, last, is_first, is_last):
    if is_first and is_last:
        return "At every order measured"
    if is_first:
        return f"Up to n = {last}"
    if is_last:
        return f"From n = {first} on"
    return f"At n = {first}" if first == last else f"From n = {first} to {last}"


def speed(rows):
    row = max(rows, key=lambda r: r["gflops"])
    words = f"{row['gflops']:.3g} GFLOP/s at n = {row['n']}"
    if "peak share" in row:
        words += f", {100 * row['peak share']:.0f} % of the multiply-add peak"
    return words


def listed(table, others):
    """"n = 64 (a, b and 2 more); …" of the orders that have such rows."""
    words = []
    for n, verdict in table.items():
        names = [choice(r) for r in others(verdict)]
        if names:
            more = f" and {len(names) - 2} more" if len(names) > 2 else ""
            words.append(f"n = {n} ({', '.join(names[:2])}{more})")
    return "; ".join(words)


def sureness(table):
    """Sentences about how sure the choices are."""
    if all(v.alone for v in table.values()):
        return ["Nothing else ran to compare with."]
    ties, doubts = listed(table, lambda v: v.same[1:]), listed(table, lambda v: v.rivals)
    clear = sum(not v.same[1:] and not v.rivals for v in table.values())
    said = [f"Sure at {clear} of {len(table)} orders: there the fastest is 3 % ahead of all others or more, "
            "and the rank test (level 5 %) agrees."]
    if ties:
        said.append(f"Too close to call, less than 3 % apart, so that the simplest is named, at {ties}.")
    if doubts:
        said.append(f"Not sure, since the times vary too much for the rank test, at {doubts}.")
    return said


def crossover_sentences(rows, algorithm, type_):
    found = crossovers(rows, algorithm, type_)
    for name, n in found.items():
        if n:
            yield f"{name} beats one thread from n = {n} on (of the orders measured)."
    never = [name for name, n in found.items() if not n]
    if never:
        yield f"Not faster than our one thread at the largest orders measured: {'; '.join(never)}."


def paragraphs(rows):
    """(title, sentences) for each algorithm and type that was measured."""
    rows = candidates(rows)
    kinds = sorted({(r["algorithm"], r["type"]) for r in rows if "typical" in r})
    for algorithm, type_ in kinds:
        table = verdicts(rows, algorithm, type_)
        parts = stretches(table)
        sentences = [f"{span(first, last, k == 0, k == len(parts) - 1)}: {choice(winners[-1])} "
                     f"(up to {speed(winners)})." for k, (first, last, winners) in enumerate(parts)]
        sentences += crossover_sentences(rows, algorithm, type_)
        sentences += sureness(table)
        yield f"{NAMES[algorithm]}, {type_.replace('_', ' ')}", sentences
