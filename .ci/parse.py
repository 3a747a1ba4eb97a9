#!/usr/bin/env python3
"""Compiles the files below a folder without writing anything, with the flags of a build; those that it has
compiled since the newest file of the repository was written are left out: parse.py BUILD FOLDER."""
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
files = subprocess.run(["git", "ls-files", "-z"], capture_output=True, text=True, check=True).stdout.split("\0")
newest = max(os.path.getmtime(file) for file in files if file)
waiting = [command for command in commands
           if not (build / command["output"]).exists() or (build / command["output"]).stat().st_mtime < newest]
# Precompiled headers: Clang does not do without, g++ takes an old one as it is.
words = {word for command in waiting for word in command["words"]}
headers = {word for word in words if word.endswith(".pch")}
headers |= {word + ".gch" for word in words if word.endswith(".hxx") and os.path.exists(word + ".gch")}
if headers:
    subprocess.run(["ninja", "-C", build, *(os.path.relpath(header, build) for header in headers)], check=True)


def parse(command):
    return subprocess.run([*command["words"], "-fsyntax-only"], cwd=command["directory"]).returncode


with ThreadPoolExecutor(os.cpu_count()) as pool:
    failed = sum(code != 0 for code in pool.map(parse, waiting))
print(f"{len(commands)} files, {len(commands) - len(waiting)} of them compiled before, {failed} failed")
sys.exit(failed > 0 or not commands)
