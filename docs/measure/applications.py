#!/usr/bin/env python3
"""Times the programs of examples/applications: applications.py FOLDER RUNS PROGRAM….

Each PROGRAM and the same one with Eigen (PROGRAM_in_eigen), by turns; the time is the one that it prints
last. Writes FOLDER/applications.json.
"""

import json
import pathlib
import re
import subprocess
import sys


def seconds(program):
    said = subprocess.run([program], capture_output=True, text=True, check=True).stdout
    return float(re.findall(r"([\d.]+) s$", said, re.M)[-1])


def main(folder, runs, *programs):
    told = {pathlib.Path(program).name: {"trifac": [], "eigen": []} for program in programs}
    for _ in range(int(runs)):
        for program in programs:
            times = told[pathlib.Path(program).name]
            times["trifac"].append(seconds(program))
            times["eigen"].append(seconds(program + "_in_eigen"))
    (pathlib.Path(folder) / "applications.json").write_text(json.dumps(told, indent=1) + "\n")


if __name__ == "__main__":
    main(*sys.argv[1:])
