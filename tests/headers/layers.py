#!/usr/bin/env python3
"""Includes of include/trifac point one way: from a layer to itself or to one below, never up.

layers.py <include/trifac>        fails on each include that points up, naming both files
layers.py --test                  the test's own test
"""
import pathlib
import re
import sys

# From the bottom up. A file belongs to the line that names it, or else to that of its folder.
LAYERS = [
    ("base",
     "version.hpp variant.hpp modification.hpp scalar.hpp float_model.hpp batch_tuning.hpp "
     "batch_findings.hpp profile.hpp status.hpp workspace_cache.hpp detail/config.hpp detail/as_size.hpp "
     "detail/min_max.hpp detail/square_root.hpp"),
    ("views",
     "progress.hpp matrix_view.hpp matrix.hpp fixed_size.hpp matrix_like.hpp "
     "triangular_view.hpp batch_view.hpp detail/elements.hpp"),
    ("device texts", "kernel/"),
    ("contracts", "backend.hpp detail/"),
    ("block operations", "blas/ pivots.hpp"),
    ("instruction sets", "simd/isa/"),
    ("packets, tiles, products, solves", "simd/core/"),
    ("kernels of panels", "simd/cholesky/ simd/lu/ simd/batch/ simd/"),
    ("panels", "panel/"),
    ("options and factors",
     "cholesky/options.hpp cholesky/pivoted_options.hpp cholesky/modified_options.hpp "
     "cholesky/factor.hpp cholesky/pivoted_factor.hpp cholesky/modified_factor.hpp "
     "lu/options.hpp lu/factor.hpp"),
    ("operations", "cholesky/ lu/ solve/ inverse/ modify/ condition/ refine/"),
    ("compiled calls", "linked/ simd/linked_kernels.hpp simd/kernel_instances.inl"),
    ("backends", "backend/ nests.hpp"),
    ("public",
     "cholesky.hpp lu.hpp solve.hpp factor_solve.hpp triangular_solve.hpp solved.hpp "
     "factored.hpp submit.hpp inverse.hpp update.hpp append.hpp remove.hpp "
     "pivoted_cholesky.hpp modified_cholesky.hpp low_rank_cholesky.hpp norm.hpp "
     "determinant.hpp condition.hpp refine.hpp equilibration.hpp solve_mixed.hpp mixed/ "
     "trifac.hpp any_variant.hpp"),
    ("backends of devices",
     "backend/device/policy.hpp backend/opencl.hpp backend/cuda.hpp backend/cuda_graph.hpp "
     "backend/cusolver.hpp backend/starpu_opencl.hpp backend/starpu_cuda.hpp "
     "backend/starpu/opencl_workers.hpp backend/starpu/cuda_workers.hpp "
     "backend/starpu/device_workers.hpp device_matrix.hpp device_matrix_lu.hpp"),
    ("more than one process", "distributed.hpp distributed/"),
    ("batches", "batch.hpp batch/ device_batch.hpp"),
    ("other formats", "io/ eigen.hpp"),
]

# Rooms beside each other in one layer: neither includes the other.
BESIDE = [("simd/cholesky/", "simd/lu/", "simd/batch/"),
          ("cholesky/", "lu/", "solve/", "inverse/", "modify/", "condition/", "refine/"),
          ("backend/cuda/", "backend/opencl/")]

# A kernel text (.inl) is included by the file that names it for simd/isa/each.inl.
INCLUDE = re.compile(r'^\s*#\s*(?:include|define\s+TRIFAC_SIMD_TEXT)\s+["<]trifac/([^">]+)[">]', re.M)


def place(path):
    """(number, name) of the layer of a file, or None."""
    best = None
    for number, (name, members) in enumerate(LAYERS):
        for member in members.split():
            named = path == member or (member.endswith("/") and path.startswith(member))
            if named and (best is None or len(member) > best[0]):
                best = (len(member), number, name)
    return best and best[1:]


def beside(source, target):
    """The two rooms, where the files are in rooms beside each other."""
    for rooms in BESIDE:
        here = [r for r in rooms if source.startswith(r)]
        there = [r for r in rooms if target.startswith(r)]
        if here and there and here != there:
            return here[0], there[0]
    return None


def faults(includes):
    """Lines about `includes`, a list of (file, included file)."""
    found = []
    for source, target in includes:
        wrong = None
        if place(source) is None or place(target) is None:
            wrong = f"is in no layer of {pathlib.Path(__file__).name}"
            wrong = f"{source if place(source) is None else target} {wrong}"
        elif place(target)[0] > place(source)[0]:
            wrong = (f"{source} ({place(source)[1]}) includes {target} ({place(target)[1]}), "
                     "a layer above")
        elif place(target)[0] == place(source)[0] and beside(source, target):
            wrong = f"{source} includes {target}: a room beside it"
        if wrong:
            found.append(wrong)
    return sorted(set(found))


def includes_of(root):
    result = []
    for file in sorted(root.rglob("*")):
        if file.suffix in (".hpp", ".inl"):
            source = file.relative_to(root).as_posix()
            result += [(source, target) for target in INCLUDE.findall(file.read_text())]
    return result


def self_test():
    assert faults([("blas/update.hpp", "matrix_view.hpp")]) == []
    assert faults([("lu/run.hpp", "lu/plan.hpp")]) == []
    for source, target in [("blas/update.hpp", "lu.hpp"), ("lu/run.hpp", "cholesky/run.hpp"),
                           ("nowhere/at_all.hpp", "matrix.hpp")]:
        (line,) = faults([(source, target)])
        assert source in line, line
    text = '// #include "trifac/no.hpp"\n#include "trifac/lu.hpp"\n  #define TRIFAC_SIMD_TEXT "trifac/simd/lu/panel.inl"\n'
    assert INCLUDE.findall(text) == ["lu.hpp", "simd/lu/panel.inl"]


def main():
    if sys.argv[1:] == ["--test"]:
        return self_test()
    found = includes_of(pathlib.Path(sys.argv[1]))
    lines = faults(found)
    print("\n".join(lines + [f"{len(found)} includes, {len(lines)} of them wrong"]))
    return 1 if lines or not found else 0


if __name__ == "__main__":
    sys.exit(main())
