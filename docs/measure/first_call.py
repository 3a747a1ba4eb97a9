#!/usr/bin/env python3
"""Times the first OpenCL call of a process: first_call.py PROGRAM FOLDER N RUNS.

Whole processes of `trifac factor` on a random matrix of order N, *cold* with empty folders for compiled programs
(ours and PoCL's), *warm* with those that the process before has filled. Writes FOLDER/first-call.json.
"""

import json
import os
import pathlib
import resource
import shutil
import subprocess
import sys
import time

CASES = {f"{name}, {type_}": ["--algorithm", algorithm, "--type", type_]
         for algorithm, name in (("cholesky", "Cholesky"), ("lu", "LU")) for type_ in ("double", "float")}


def processor_seconds():
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def call(program, folder, n, options):
    words = [program, "factor", "--random", "spd", n, "--backend", "opencl", "--repeat", "1", *options]
    caches = {"TRIFAC_CACHE_DIR": str(folder / "cache"), "POCL_CACHE_DIR": str(folder / "pocl")}
    began, used = time.monotonic(), processor_seconds()
    subprocess.run(words, env={**os.environ, **caches}, stdout=subprocess.DEVNULL, check=True)
    return {"wall": time.monotonic() - began, "processor": processor_seconds() - used}


def main(program, folder, n, runs):
    folder = pathlib.Path(folder)
    told = {}
    for name, options in CASES.items():
        told[name] = {"cold": [], "warm": []}
        for _ in range(int(runs)):
            for cache in ("cache", "pocl"):
                shutil.rmtree(folder / cache, ignore_errors=True)
                (folder / cache).mkdir(mode=0o700)
            for state in ("cold", "warm"):
                told[name][state].append(call(program, folder, n, options))
    (folder / "first-call.json").write_text(json.dumps(told, indent=1) + "\n")


if __name__ == "__main__":
    main(*sys.argv[1:])
