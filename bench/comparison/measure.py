"""Runs the peers' processes: pinned, one after another, round after round."""

import json
import os
import statistics
import subprocess
import sys

ERROR_LIMIT = 30  # LAPACK's test programs accept ratios below this


class Process:
    """A peer's runner, waiting for requests."""

    def __init__(self, peer, threads, cores):
        self.name, self.family = peer.name, peer.family
        environment = {**os.environ, **peer.environment, "MKL_DYNAMIC": "FALSE"}
        for variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
            environment[variable] = str(threads)
        if threads > 1:  # each OpenMP thread on a core of its own, or two may start on one
            environment["OMP_PROC_BIND"] = "true"
        self.process = subprocess.Popen(
            [str(word) for word in peer.command], env=environment, text=True,
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
            preexec_fn=lambda: os.sched_setaffinity(0, cores))
        self.properties = self.read()

    def read(self):
        line = self.process.stdout.readline()
        return json.loads(line) if line else {"error": "its process has ended"}

    def ask(self, case, seconds):
        request = " ".join(str(word) for word in (
            case["algorithm"], case["part"], case["type"], case["n"], case["ld"], seconds,
            case.get("operation", ""), case.get("sides", "")))
        try:
            self.process.stdin.write(request + "\n")
            self.process.stdin.flush()
        except BrokenPipeError:
            return {"error": "its process has ended"}
        return self.read()

    def close(self):
        self.process.stdin.close()
        self.process.wait()


def cores_for(threads, wanted):
    """One thread: the last core we may use; more: as many from the first on."""
    allowed = sorted(os.sched_getaffinity(0))
    if wanted:
        return set(wanted)
    return {allowed[-1]} if threads == 1 else set(allowed[:threads])


def flops(case):
    operation = case.get("operation", "factor")
    if "sides" in case:
        return 2 * case["n"] ** 2 * case["sides"] * (4 if case["type"] in "cz" else 1)
    work = 0
    if operation != "solve":
        work += case["n"] ** 3 / 3 * (2 if case["algorithm"] == "lu" else 1)
    if operation != "factor":
        work += 2 * case["n"] ** 2
    return work * (4 if case["type"] in "cz" else 1)


def summarize(case, answers, clock):
    """GFLOP/s of the rounds without an error: median, smallest, largest; the worst ratio; right where every round
    is. All rounds in turn."""
    good = [a for a in answers if "error" not in a]
    if not good:
        return {"error": answers[0]["error"], "rounds": answers}
    rates = [flops(case) / a[clock] * 1e-9 for a in good]
    ratio = max(a["ratio"] if a["ratio"] == a["ratio"] else float("inf") for a in good)
    return {
        "gflops": statistics.median(rates), "least": min(rates), "most": max(rates),
        "ratio": ratio,
        "right": len(good) == len(answers) and ratio < ERROR_LIMIT and not any(a["failures"] for a in good),
        "rounds": answers,
    }


def run(peers, cases, options, threads):
    """All cases on all peers; returns (properties, results) for this number of threads."""
    cores = cores_for(threads, options.cores)
    clock = options.clock or ("cpu" if threads == 1 else "wall")
    processes, properties = [], {}
    for peer in peers:
        process = Process(peer, threads, cores)
        properties[peer.name] = {**process.properties, "family": peer.family,
                                 "environment": peer.environment, "paired": peer.paired}
        if "error" not in process.properties:
            processes.append(process)
        elif peer.name == "trifac":
            sys.exit(f"compare: trifac's runner does not start: {process.properties['error']}")
    results = []
    for case in cases:
        answers = {p.name: [] for p in processes}
        for _ in range(options.rounds):
            for process in processes:
                answers[process.name].append(process.ask(case, options.seconds))
        summary = {name: summarize(case, list_, clock) for name, list_ in answers.items()}
        results.append({**case, "threads": threads, "clock": clock, "cores": sorted(cores),
                        "peers": summary})
        print(one_line(results[-1]), file=sys.stderr, flush=True)
    for process in processes:
        process.close()
    return properties, results


def one_line(result):
    cells = [f"{name} {r['gflops']:.1f}{'' if r['right'] else ' WRONG'}"
             for name, r in result["peers"].items() if "error" not in r]
    batch = f"{result['operation']} from {result['place']} " if "batch" in result else ""
    sides = f" sides={result['sides']}" if "sides" in result else ""
    return (f"{result['algorithm']} {result['part']} {batch}{result['type']} n={result['n']}{sides} "
            f"threads={result['threads']}: " + ", ".join(cells))
