#!/usr/bin/env python3
"""Builds and runs the `cmake` blocks: build_projects.py CMAKE BUILD WORK COMPILER ROOT PAGE...

The package is installed from the build folder into the work folder; each block is a CMakeLists.txt whose
main.cpp or main.c is the program before it on the page. What it builds is run.
"""

import pathlib
import re
import shutil
import subprocess
import sys

import markdown


def run(*command):
    done = subprocess.run([str(word) for word in command], text=True, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT)
    if done.returncode != 0:
        sys.exit(f"{' '.join(map(str, command))}\n{done.stdout}")
    return done.stdout


def main():
    cmake, build, work, compiler, root, *pages = sys.argv[1:]
    root, work = pathlib.Path(root), pathlib.Path(work)
    shutil.rmtree(work, ignore_errors=True)
    run(cmake, "--install", build, "--prefix", work / "prefix")
    count = 0
    for page in pages:
        program = None
        for block in markdown.blocks(page, (root / page).read_text()):
            if block.is_program():
                program = block
            if block.language != "cmake":
                continue
            place = work / f"project_{count}"
            place.mkdir()
            (place / "CMakeLists.txt").write_text(block.code)
            (place / f"main.{program.language}").write_text(program.code)
            run(cmake, "-S", place, "-B", place / "build", f"-DCMAKE_CXX_COMPILER={compiler}",
                f"-DCMAKE_PREFIX_PATH={work / 'prefix'}")
            run(cmake, "--build", place / "build")
            for name in re.findall(r"add_executable\((\w+)", block.code):
                print(run(place / "build" / name), end="")
            count += 1
    print(f"{count} projects built and run")
    return 0 if count else 1


if __name__ == "__main__":
    sys.exit(main())
