#!/usr/bin/env python3
"""The tables of docs/cores.md from what tests/cores.sh has left: tables.py results.json."""

import json
import sys


def number(x):
    return f"{x:.3g}" if x < 1000 else f"{x:.0f}"


def table(head, rows):
    lines = ["| " + " | ".join(head) + " |", "|" + "---|" * len(head)]
    return "\n".join(lines + ["| " + " | ".join(row) + " |" for row in rows])


def rates(document):
    """(algorithm, sides, n, threads) -> peer -> GFLOP/s, of right results; without batches."""
    found = {}
    for item in document["items"]:
        for r in item.get("compare", {}).get("results", []):
            if "batch" not in r:
                key = r["algorithm"], r.get("sides", 0), r["n"], r["threads"]
                found[key] = {p: x["gflops"] for p, x in r["peers"].items() if x.get("right")}
    return found


def by_threads(found, algorithm, solves):
    """A row for each order: trifac's GFLOP/s and, in brackets, how many times the best peer's."""
    keys = [k for k in found if k[0] == algorithm and (k[1] > 0) == solves]
    threads = sorted({k[3] for k in keys})
    rows = []
    for sides, n in sorted({(k[1], k[2]) for k in keys}):
        cells = []
        for t in threads:
            peers = found.get((algorithm, sides, n, t), {})
            best = max((x for name, x in peers.items() if name != "trifac"), default=None)
            ours = peers.get("trifac")
            cells.append(f"{number(ours)} ({ours / best:.2f})" if ours and best else "–")
        rows.append([str(n), *cells])
    return table(["n", *(f"{t} thread{'s' if t > 1 else ''}" for t in threads)], rows)


def main():
    with open(sys.argv[1]) as f:
        document = json.load(f)
    lines = {i["item"]: i["lines"] for i in document["items"] if "lines" in i}
    facts = dict(l.split(":", 1) for l in lines["environment"] if ":" in l)
    print(f"{facts['Model name'].strip()}, {facts['CPU(s)'].strip()} processors, revision {document['commit']}.\n")
    print(table(["threads", "copy, GB/s read and written", "multiply-adds, GFLOP/s", "a step of a team, µs"],
                [[str(c["threads"]), number(c["copy_gbytes_s"]), number(c["peak_gflops"]),
                  number(c["step_us"]) if c["step_us"] else "–"] for c in lines["cores"]]) + "\n")
    found = rates(document)
    for algorithm, name in (("cholesky", "Cholesky"), ("lu", "LU")):
        print(f"{name}, GFLOP/s (times the best of OpenBLAS and MKL):\n")
        print(by_threads(found, algorithm, False) + "\n")
    for algorithm, name in (("cholesky", "Cholesky"), ("lu", "LU")):
        print(f"Solves with 1024 right-hand sides after {name}:\n")
        print(by_threads(found, algorithm, True) + "\n")


if __name__ == "__main__":
    main()
