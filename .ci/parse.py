#!/usr/bin/env python3
"""Compiles the files below a folder without writing anything, with the flags of a build; those that it has
compiled already are left out: parse.py BUILD FOLDER."""
import json
import os
import pathlib
import shlex
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

build, folder = (pathlib.Path(word).resolve() for word in sys.argv[1:])
commands = [command for command in json.loads((build / "compile_commands.json").read_text())
            if folder in pathlib.Path(command["file"]).parents]
for command in commands:
    command["words"] = shlex.split(command["command"])
    command["output"] = command["words"][command["words"].index("-o") + 1]
dry_run = subprocess.run(["ninja", "-C", build, "-n", *{command["output"] for command in commands}],
                         capture_output=True, text=True, check=True)
steps = {line.split()[-1] for line in dry_run.stdout.splitlines()}
waiting = [command for command in commands if command["output"] in steps]


def parse(command):
    return subprocess.run([*command["words"], "-fsyntax-only"], cwd=command["directory"]).returncode


with ThreadPoolExecutor(os.cpu_count()) as pool:
    failed = sum(code != 0 for code in pool.map(parse, waiting))
print(f"{len(commands)} files, {len(commands) - len(waiting)} of them compiled before, {failed} failed")
sys.exit(failed > 0 or not commands)
