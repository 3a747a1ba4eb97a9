#!/usr/bin/env python3
"""Includes of include/trifac point one way: folders are ranked, and a file includes its own folder or lower ones.

layers.py <include/trifac>        fails on each include that points up and on each circle, naming the files, and on
                                  definitions of the core's calls that nests.hpp does not bring
layers.py --test                  the test's own test
"""
import pathlib
import re
import sys

# From the bottom up; folders of one line are beside each other: neither includes the other. A folder
# and those inside it are one room.
RANKS = """
engine/base
engine/views
engine/kernel
engine/call
engine/calls
engine/blas
engine/simd/isa
engine/simd/core
engine/simd/cholesky engine/simd/lu engine/simd/batch
engine/panel
engine/cpu/timed
engine/cpu
engine/cholesky engine/lu
engine/solve engine/inverse engine/condition engine/refine engine/equilibration engine/variants
engine/modify
engine/simd
public
engine/mixed
engine/device
engine/variants/device
engine/cuda engine/opencl engine/starpu
engine/batch/layout engine/distributed
engine/batch/checks
engine/batch/pieces
engine/batch/calls
engine/batch/each
engine/batch/varied
engine/io
"""

# Public: what lies directly in include/trifac, in backend/ and in io/. A public header may include
# every folder, and only folders above `public` may include it; but for these, in which the engine is
# written. Each counts as a file of the folder.
VOCABULARY = dict.fromkeys("scalar.hpp status.hpp matrix_view.hpp matrix.hpp fixed_size.hpp "
                           "batch_view.hpp profile.hpp backend.hpp".split(), "engine/views")
VOCABULARY["pivots.hpp"] = "engine/blas"
VOCABULARY["version.hpp"] = "engine/base"

# A kernel text (.inl) is included by the file that names it for simd/isa/each.inl; the definitions of calls by
# way of a macro (engine/base/config.hpp), which names no file where they are only declared.
INCLUDE = re.compile(r'^\s*#\s*(?:include|define\s+TRIFAC_SIMD_TEXT)\s+["<]trifac/([^">]+)[">]', re.M)
DEFINITIONS = re.compile(r'^\s*#\s*include\s+TRIFAC_DEFINITIONS\(([\w/]+), (\w+)\)', re.M)

RANK = {folder: number for number, line in enumerate(RANKS.split("\n")) for folder in line.split()}


def folder_of(path):
    folder = VOCABULARY.get(path) or path.rpartition("/")[0]
    return "public" if folder in ("", "backend", "io") else folder


def fault(source, target):
    """What is wrong with an include, or None."""
    one, other = folder_of(source), folder_of(target)
    for path, folder in ((source, one), (target, other)):
        if folder not in RANK:
            return f"{path}: its folder has no rank in {pathlib.Path(__file__).name}"
    if one == "public" or RANK[other] < RANK[one] or other.startswith(one) or one.startswith(other):
        return None
    where = "beside it" if RANK[other] == RANK[one] else "above it"
    return f"{source} includes {target}: {other} is {where}"


def circle(includes):
    """The files of one circle of includes, or []."""
    targets = {}
    for source, target in includes:
        targets.setdefault(source, []).append(target)
    done = set()

    def walk(file, way):
        if file in way:
            return way[way.index(file):] + [file]
        if file not in done:
            for target in targets.get(file, []):
                if found := walk(target, way + [file]):
                    return found
            done.add(file)
        return []

    for file in targets:
        if found := walk(file, []):
            return found
    return []


def without_nests(includes, definitions):
    """Definitions of the core that a file with declarations only could not have."""
    brought, new = set(), {"nests.hpp"}
    while new:
        brought |= new
        new = {target for source, target in includes if source in new} - brought
    return sorted(f"nests.hpp does not bring {file}" for file in set(definitions) - brought
                  if RANK[folder_of(file)] < RANK["public"])


def faults(includes):
    lines = sorted({line for line in (fault(*pair) for pair in includes) if line})
    if found := circle(includes):
        lines.append("a circle: " + " -> ".join(found))
    return lines


def includes_of(root):
    """(file, what it includes) for all files, and the files with definitions of calls."""
    result, definitions = [], []
    for file in sorted(root.rglob("*")):
        if file.suffix in (".hpp", ".inl"):
            source = file.relative_to(root).as_posix()
            text = file.read_text()
            result += [(source, target) for target in INCLUDE.findall(text)]
            defined = [f"engine/{room}/{file}.hpp" for room, file in DEFINITIONS.findall(text)]
            result += [(source, file) for file in defined]
            definitions += defined
    return result, definitions


def self_test():
    assert faults([("engine/blas/update.hpp", "matrix_view.hpp"), ("engine/lu/run.hpp", "engine/lu/plan.hpp"),
                   ("lu.hpp", "engine/lu/run.hpp"), ("engine/batch/calls/lu.hpp", "lu.hpp")]) == []
    for source, target in [("engine/blas/update.hpp", "lu.hpp"), ("engine/lu/run.hpp", "engine/cholesky/run.hpp"),
                           ("nowhere/at_all.hpp", "matrix.hpp"), ("matrix.hpp", "engine/call/call.hpp")]:
        (line,) = faults([(source, target)])
        assert source in line, line
    (line,) = faults([("lu.hpp", "norm.hpp"), ("norm.hpp", "solve.hpp"), ("solve.hpp", "lu.hpp")])
    assert line.startswith("a circle: "), line
    brought = [("nests.hpp", "engine/lu/calls.hpp"), ("engine/lu/calls.hpp", "engine/cpu/run.hpp")]
    core = ["engine/lu/calls.hpp", "engine/cpu/run.hpp", "engine/solve/calls.hpp"]
    assert without_nests(brought, core + ["engine/batch/pieces/calls.hpp"]) == [
        "nests.hpp does not bring engine/solve/calls.hpp"]
    text = ('// #include "trifac/no.hpp"\n#include "trifac/lu.hpp"\n'
            '  #define TRIFAC_SIMD_TEXT "trifac/engine/simd/lu/panel.inl"\n')
    assert INCLUDE.findall(text) == ["lu.hpp", "engine/simd/lu/panel.inl"]


def main():
    if sys.argv[1:] == ["--test"]:
        return self_test()
    found, definitions = includes_of(pathlib.Path(sys.argv[1]))
    lines = faults(found) + without_nests(found, definitions)
    print("\n".join(lines + [f"{len(found)} includes, {len(lines)} faults"]))
    return 1 if lines or not found or not definitions else 0


if __name__ == "__main__":
    sys.exit(main())
