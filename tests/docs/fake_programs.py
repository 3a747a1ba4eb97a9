#!/usr/bin/env python3
"""Stands for the programs that docs/measure.sh runs, so that the command can be tested without building or
measuring: fake_programs.py FOLDER puts them where a build has them. Called by one of their names it
answers as that program does."""

import json
import pathlib
import re
import sys

HERE = pathlib.Path(__file__).resolve().parent
APPLICATIONS = [path.stem + also for path in (HERE.parent.parent / "examples/applications").glob("*.cpp")
                for also in ("", "_in_eigen")]
TARGETS = ("bench/trifac-bench", "bench/trifac-busy-core", "bench/trifac-after-factor",
           "bench/trifac-one-small", "bench/trifac-varied", "bench/trifac-eigen", "examples/trifac",
           *(f"examples/{name}" for name in APPLICATIONS))
NAMES = [f"{what}/{backend}/{how}/{type_}"
         for what, hows in (("cholesky", ("best", "crout", "right_looking")),
                            ("lu", ("best", "tournament")),
                            ("cholesky_solve", ("1",)), ("lu_solve", ("1",)))
         for backend in ("serial", "openmp", "lapack", "opencl") for how in hows
         for type_ in ("double", "float")]


def bench(words):
    flags = dict(word.removeprefix("--").split("=", 1) for word in words)
    found = []
    for n in flags["sizes"].split(","):
        for name in NAMES:
            if re.search(flags["benchmark_filter"], f"{name}/{n}") and \
                    name.rsplit("/", 1)[1] in flags["types"].split(","):
                run = {"name": f"{name}/{n}/manual_time", "run_type": "iteration", "iterations": 7,
                       "real_time": 1.0, "cpu_time": 1.0, "GFLOP/s": 2.0, "best": 2.5, "peak": 0.5,
                       "ratio": 0.01}
                found += [{**run, "repetition_index": k}
                          for k in range(int(flags.get("benchmark_repetitions", 1)))]
    pathlib.Path(flags["benchmark_out"]).write_text(json.dumps({"benchmarks": found}))


def main():
    name, words = pathlib.Path(sys.argv[0]).name, sys.argv[1:]
    if name == "trifac-bench":
        bench(words)
    elif name == "trifac-busy-core":
        print("| | n | one thread, ms | two, ms | ratio | slowest of two |\n|---|---|---|---|---|---|\n"
              "| LU | 64 | 2 | 1 | 2.00 | 0.75 |")
    elif name == "trifac-after-factor":
        print("| call | n | µs | beside | µs | ratio |\n|---|---|---|---|---|---|")
        print("| `inverse` | 50 | 1 | `dpotri` | 2 | 2.00 |")
    elif name == "trifac-one-small":
        print("| ns of a call | | n = 4 |\n|---|---|---|\n| LU and 1 right-hand side | trifac, order fixed | 7 |")
    elif name == "trifac-varied":
        print("| call | LAPACK, µs | one call, µs |\n|---|---|---|\n| LU | 2 | 1 |")
    elif name == "trifac-eigen":
        print("| µs | n | Eigen | plug-in |\n|---|---|---|---|\n| `LLT` | 4 | 2 | 1 |")
    elif name in APPLICATIONS:
        print("error 0.1, 0.500 s")
    elif name == "trifac":
        print("backends\n  opencl  a device of cardboard" if words == ["info"] else
              f"{words[1]}: 2 x 2\nserial  best  good")
    else:
        folder = pathlib.Path(words[0])
        stands = {name: pathlib.Path(__file__).resolve() for name in TARGETS}
        stands["bench/study/trifac-study-worker"] = HERE.parent / "study" / "fake_worker.py"
        for target, source in stands.items():
            (folder / target).parent.mkdir(parents=True, exist_ok=True)
            (folder / target).unlink(missing_ok=True)
            (folder / target).symlink_to(source)


if __name__ == "__main__":
    main()
