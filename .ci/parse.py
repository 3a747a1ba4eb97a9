#!/usr/bin/env python3
"""Compiles the files below a folder without writing anything, with the flags of a build: parse.py BUILD FOLDER."""
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


def parse(command):
    words = shlex.split(command["command"])
    return subprocess.run([*words, "-fsyntax-only"], cwd=command["directory"]).returncode


with ThreadPoolExecutor(os.cpu_count()) as pool:
    failed = sum(code != 0 for code in pool.map(parse, commands))
print(f"{len(commands)} files, {failed} failed")
sys.exit(failed > 0 or not commands)
