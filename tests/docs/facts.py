#!/usr/bin/env python3
"""Holds what pages say about the code to the code: facts.py ROOT.

Numbers, plans, factors, settings and words of the kernel dialect (names of variants: names.py). Prints what differs; the
exit status is 1 then.
"""

import fnmatch
import pathlib
import re
import sys

# (page, what it says with the number in brackets, file, what the code says): the numbers must be equal, and
# neither may be gone. The name of a file may have wildcards; one of the files has the number.
NUMBERS = [
    ("docs/backends.md", r"below some (\d+) million operations", "include/trifac/backend/openmp.hpp",
     r"shared_work_threshold = ([\d.]+)e7;", lambda code: str(round(10 * float(code)))),
    ("docs/backends.md", r"\(order (\d+) for Cholesky", "include/trifac/backend/openmp.hpp",
     r"shared_work_threshold = ([\d.]+)e7;", lambda code: str(10 * round((3e7 * float(code)) ** (1 / 3) / 10))),
    ("docs/benchmarks.md", r"which Cholesky\s+reaches at order (\d+)", "include/trifac/backend/openmp.hpp",
     r"shared_work_threshold = ([\d.]+)e7;", lambda code: str(round((3e7 * float(code)) ** (1 / 3)))),
    ("docs/backends.md", r"LU up to order (\d+)", "include/trifac/lu/plan.hpp", r"n <= (\d+) && m <="),
    ("docs/benchmarks.md", r"LU up to order (\d+)", "include/trifac/lu/plan.hpp", r"n <= (\d+) && m <="),
    ("docs/benchmarks.md", r"elements up to n = (\d+)", "include/trifac/cholesky/plan.hpp",
     r"return n <= (\d+) \?"),
    *((page, *said) for page in ("docs/backends.md", "docs/benchmarks.md", "docs/design.md") for said in (
        (r"Calls of more than\s+(\d+) ms on one\s+thread", "include/trifac/backend/team/*.hpp",
         r"duration large = std::chrono::milliseconds\((\d+)\);"),
        (r"at most (\d+) ms", "include/trifac/backend/team/*.hpp",
         r"duration longest_pause = std::chrono::milliseconds\((\d+)\);"),
        (r"for (\d+) times as long as was lost", "include/trifac/backend/team/*.hpp",
         r"\b(\d+) \* (?:lost|\(all)"))),
    ("docs/backends.md", r"no more than one for each (\d+) million operations",
     "include/trifac/backend/openmp.hpp", r"work_of_a_thread = (\d+)e6;"),
    ("docs/backends.md", r"threads for each processor \((\d+) on small machines\)",
     "include/trifac/backend/openmp.hpp", r"std::max\((\d+), 4 \* omp_get_num_procs"),
    ("docs/numerics.md", r"`max_l` \((\d+)\)", "include/trifac/lu/options.hpp", r"double max_l =\s+(\d+);"),
    ("docs/numerics.md", r"test programs draw the line at (\d+)", "tests/support/residual.hpp",
     r"lapack_threshold = (\d+);"),
    ("docs/study.md", r"one that is not below (\d+) does not count", "bench/study/run.py",
     r"RATIO_LIMIT = (\d+) "),
    ("docs/study.md", r"the fastest is at least (\d) % ahead", "bench/study/*.py",
     r"(?:SAME|MOST_MOVE) = 1\.0(\d) "),
    ("docs/design.md", r"the thread keeps up to (\d+) MiB", "include/trifac/workspace_cache.hpp",
     r"most_cached_workspace = std::size_t\{(\d+)\} << 20"),
    ("docs/benchmarks.md", r"at most (\d+) MiB", "include/trifac/workspace_cache.hpp",
     r"most_cached_workspace = std::size_t\{(\d+)\} << 20"),
    ("README.md", r"CMake ≥ (\d+\.\d+)", "CMakeLists.txt", r"cmake_minimum_required\(VERSION ([\d.]+)"),
    ("docs/cuda.md", r"CUDA (\d+\.\d+) or later", "cmake/components/cuda.cmake", r"VERSION_LESS ([\d.]+)\)"),
]
SIX = ("docs/numerics.md", "docs/benchmarks.md", "docs/design.md", "docs/write-a-backend.md")
WORDS = {7: "six"}


def read(root, name):
    return (root / name).read_text()


def number_errors(root):
    for page, says, file, code, *convert in NUMBERS:
        said = re.search(says, read(root, page))
        found = [m for m in (re.search(code, p.read_text()) for p in root.glob(file)) if m]
        if not said:
            yield f"{page} no longer says \"{says}\""
        if len(found) != 1:
            yield f"{file} has \"{code}\" in {len(found)} files, not in one"
        if not said or len(found) != 1:
            continue
        wanted = convert[0](found[0][1]) if convert else found[0][1]
        if said[1] != wanted:
            yield f"{page} says \"{said[0]}\", {file} {wanted}"


def few_errors(root):
    few = int(re.search(r"few_right_hand_sides = (\d+);",
                        read(root, "include/trifac/simd/core/few_right_hand_sides.hpp"))[1])
    for page in SIX:
        for word in re.findall(r"[Uu]p to (\w+) right-hand sides", read(root, page)):
            if word != WORDS.get(few):
                yield f"{page}: \"up to {word} right-hand sides\", but few_right_hand_sides is {few}"


def plan_errors(root):
    page = read(root, "docs/study.md")
    shipped = {p.stem for p in (root / "bench/study/plans").glob("*.toml")}
    table = re.search(r"^## Plans$(.*?)^A plan is", page, re.M | re.S)[1]
    for name in sorted(shipped ^ set(re.findall(r"^\| `([\w.-]+)` \|", table, re.M))):
        yield f"docs/study.md, Plans: {name} is " + ("missing" if name in shipped else "not a plan")
    factors = re.search(r"^FACTORS = \{(.*?)^\}", read(root, "bench/study/plan.py"), re.M | re.S)[1]
    example = re.search(r"^```toml\n(.*?)^```", page, re.M | re.S)[1]
    for factor in re.findall(r"\"(\w+)\":", factors):
        if not re.search(rf"\b{factor}\b", example):
            yield f"docs/study.md: the plan does not name the factor {factor}"


def setting_errors(root):
    struct = re.search(r"struct device_settings \{(.*?)^\};",
                       read(root, "include/trifac/backend/device/settings.hpp"), re.M | re.S)[1]
    table = "\n".join(re.findall(r"^\| `.*", read(root, "docs/opencl.md"), re.M))
    for name in re.findall(r"^  \w[\w:]* (\w+) = ", struct, re.M):
        if f"`{name}`" not in table:
            yield f"docs/opencl.md: the setting {name} is missing"


def dialect_errors(root):
    page = read(root, "docs/kernel-dialect.md")
    words = {w for cell in re.findall(r"^\| (`[A-Zi].*?) \|", page, re.M)
             for w in re.findall(r"`(\w+)", cell)}
    common = "".join(read(root, f"include/trifac/kernel/{name}.hpp") for name in
                     ("arguments", "arithmetic"))
    for prelude in ("prelude_opencl.hpp", "prelude_cuda.hpp"):
        text = read(root, f"include/trifac/kernel/{prelude}") + common
        for word in sorted(words):
            if not re.search(rf"\b{word}\b", text):
                yield f"docs/kernel-dialect.md: {prelude} has no {word}"


def room_errors(root):
    """docs/design.md: no `#if`, OpenMP or device words in the rooms of the operations."""
    for file in [f for room in ("cholesky", "lu", "solve") for f in root.glob(f"include/trifac/{room}/*.hpp")]:
        for line in re.findall(r"^\s*#\s*(?:if|pragma omp).*|.*\b(?:omp_\w+|GLOBAL|KERNEL)\b.*",
                               file.read_text(), re.M):
            yield f"docs/design.md: {file.name} has \"{line.strip()}\""


def header_errors(root):
    """docs/api.md names every public header, docs/design.md says where each file of simd/ belongs."""
    named = set(re.findall(r"`(?:trifac/)?(\w+\.hpp)`", read(root, "docs/api.md")))
    for file in sorted(root.glob("include/trifac/*.hpp")):
        if file.name not in named:
            yield f"docs/api.md: {file.name} is missing"
    table = read(root, "docs/design.md").partition("| files | what they are |\n")[2].partition("\n\n")[0]
    patterns = [p for row in table.splitlines() for p in re.findall(r"`([\w.*]+)`", row.split("|")[1])]
    for file in sorted((root / "include/trifac/simd").rglob("*.*")):
        if not any(fnmatch.fnmatch(file.name, p if "." in p else p.rstrip("*") + "*") for p in patterns):
            yield f"docs/design.md: no line of the table of simd/ has {file.name}"


def label_errors(root):
    """Tables of trifac-bench have variants and block operations that there still are."""
    table = re.search(r"<!-- names -->(.*?)<!-- end -->", read(root, "docs/variants.md"), re.S)
    names = set(re.findall(r"`(\w+)`", table[1])) | {"best_upper"}
    timed = re.search(r"timed_operation_names = \{(.*?)\};",
                      read(root, "include/trifac/backend/timed/operation_times.hpp"), re.S)
    verbs = set(re.findall(r"\"(\w+)\"", timed[1]))
    for page in ("docs/benchmarks.md", "docs/opencl.md", "docs/study.md"):
        for name in re.findall(r"^\| (?:cholesky|lu)(?:_verbs)?/\w+/(\w+)/", read(root, page), re.M):
            if name not in names:
                yield f"{page}: there is no variant {name}"
        for shares in re.findall(r"^\| \w+_verbs/.*\| (.*) \|$", read(root, page), re.M):
            for verb in re.findall(r"(\w+) \d+ %", shares):
                if verb not in verbs:
                    yield f"{page}: there is no block operation {verb}"


def errors(root):
    for check in (number_errors, few_errors, plan_errors, setting_errors, dialect_errors,
                  room_errors, header_errors, label_errors):
        yield from check(root)


def main():
    found = list(errors(pathlib.Path(sys.argv[1])))
    print("\n".join(found) if found else f"{len(NUMBERS)} numbers, plans, settings, words: nothing wrong")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
