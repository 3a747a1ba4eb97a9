#!/usr/bin/env python3
"""Holds what pages say about the code to the code: facts.py ROOT.

Numbers, plans, factors, settings and words of the kernel dialect (names of variants: names.py). Prints what
differs; the exit status is 1 then.
"""

import math
import pathlib
import re
import sys

# (page, what it says with the number in brackets, file, what the code says): the numbers must be
# equal, and neither may be gone. The name of a file may have wildcards; one of the files has the
# number.
NUMBERS = [
    # The threshold counts n³/3 operations for Cholesky and n³ for LU (`flops` of cholesky/plan.hpp and lu/plan.hpp).
    ("docs/backends.md", r"below some (\d+) million operations", "include/trifac/engine/cpu/team_size.hpp",
     r"shared_work_threshold = ([\d.]+)e7;", lambda code: str(round(10 * float(code)))),
    ("docs/backends.md", r"\(order (\d+) for Cholesky", "include/trifac/engine/cpu/team_size.hpp",
     r"shared_work_threshold = ([\d.]+)e7;", lambda code: str(round((3e7 * float(code)) ** (1 / 3)))),
    ("docs/benchmarks.md", r"which Cholesky\s+reaches at order (\d+)", "include/trifac/engine/cpu/team_size.hpp",
     r"shared_work_threshold = ([\d.]+)e7;", lambda code: str(round((3e7 * float(code)) ** (1 / 3)))),
    ("docs/backends.md", r"for Cholesky, (\d+) for LU", "include/trifac/engine/cpu/team_size.hpp",
     r"shared_work_threshold = ([\d.]+)e7;", lambda code: str(math.ceil((1e7 * float(code)) ** (1 / 3)))),
    ("docs/benchmarks.md", r"and LU at (\d+)", "include/trifac/engine/cpu/team_size.hpp",
     r"shared_work_threshold = ([\d.]+)e7;", lambda code: str(math.ceil((1e7 * float(code)) ** (1 / 3)))),
    ("docs/benchmarks.md", r"elements up to n = (\d+)", "include/trifac/engine/cholesky/plan.hpp",
     r"one_panel_order = (\d+)"),
    *((page, *said) for page in ("docs/backends.md", "docs/design.md") for said in (
        (r"Calls of more than\s+(\d+) ms on one\s+thread", "include/trifac/engine/cpu/*.hpp",
         r"duration large = std::chrono::milliseconds\((\d+)\);"),
        (r"at most (\d+) ms", "include/trifac/engine/cpu/*.hpp",
         r"duration longest_pause = std::chrono::milliseconds\((\d+)\);"),
        (r"for (\d+) times as long as was lost", "include/trifac/engine/cpu/*.hpp",
         r"\b(\d+) \* (?:lost|\(all)"))),
    *(("docs/design.md", says, "include/trifac/engine/simd/core/small_kernels.hpp", code) for says, code in (
        (r"\(order (\d+) for Cholesky in double", r"cholesky_in_one_panel = \{\d+, (\d+)"),
        (r"(\d+) for LU\) goes from the call", r"lu_in_one_panel = (\d+);"),
        (r"of order up to (\d+) \(Cholesky\)", r"cholesky_by_scalars = \{(\d+)"),
        (r"or (\d+) \(LU\) one of scalars", r"lu_by_scalars = \{(\d+)"),
        (r"order (\d+) in double, \d+ in float", r"largest_order\{\d+, (\d+)"),
        (r"in double, (\d+) in float", r"largest_order\{(\d+),"),
        (r"Solves of order up to (\d+)", r"small_solve_rows = (\d+),"),
        (r"with (\d+) or fewer right-hand sides", r"small_solve_columns = (\d+),"))),
    ("docs/backends.md", r"no more than one for each (\d+) million operations",
     "include/trifac/engine/cpu/team_size.hpp", r"work_of_a_thread = (\d+)e6;"),
    ("docs/backends.md", r"threads for each processor \((\d+) on small machines\)",
     "include/trifac/backend/openmp.hpp", r"std::max\((\d+), 4 \* omp_get_num_procs"),
    ("docs/numerics.md", r"`max_l` \((\d+)\)", "include/trifac/engine/lu/options.hpp", r"double max_l =\s+(\d+);"),
    ("docs/numerics.md", r"test programs draw the line at (\d+)", "tests/support/residual.hpp",
     r"lapack_threshold = (\d+);"),
    ("docs/study.md", r"one that is not below (\d+) does not count", "bench/study/run.py",
     r"RATIO_LIMIT = (\d+) "),
    ("docs/study.md", r"the fastest is at least (\d) % ahead", "bench/study/*.py",
     r"(?:SAME|MOST_MOVE) = 1\.0(\d) "),
    ("docs/design.md", r"the thread keeps up to (\d+) MiB", "include/trifac/engine/call/workspace_cache.hpp",
     r"most_cached_workspace = std::size_t\{(\d+)\} << 20"),
    ("docs/benchmarks.md", r"at most (\d+) MiB", "include/trifac/engine/call/workspace_cache.hpp",
     r"most_cached_workspace = std::size_t\{(\d+)\} << 20"),
    ("README.md", r"CMake ≥ (\d+\.\d+)", "CMakeLists.txt", r"cmake_minimum_required\(VERSION ([\d.]+)"),
    ("docs/cuda.md", r"CUDA (\d+\.\d+) or later", "cmake/components/cuda.cmake", r"VERSION_LESS ([\d.]+)\)"),
]
SIX = ("docs/numerics.md", "docs/benchmarks.md", "docs/design.md", "docs/write-a-backend.md")
WORDS = {6: "six"}


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
    few = int(re.search(r"most_few_right_hand_sides = (\d+);",
                        read(root, "include/trifac/engine/simd/core/small_kernels.hpp"))[1])
    for page in SIX:
        for word in re.findall(r"[Uu]p to (\w+) right-hand sides", read(root, page)):
            if word != WORDS.get(few):
                yield f"{page}: \"up to {word} right-hand sides\", but most_few_right_hand_sides is {few}"


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
                       read(root, "include/trifac/engine/device/settings.hpp"), re.M | re.S)[1]
    table = "\n".join(re.findall(r"^\| `.*", read(root, "docs/opencl.md"), re.M))
    for name in re.findall(r"^  \w[\w:]* (\w+) = ", struct, re.M):
        if f"`{name}`" not in table:
            yield f"docs/opencl.md: the setting {name} is missing"


def dialect_errors(root):
    page = read(root, "docs/kernel-dialect.md")
    words = {w for cell in re.findall(r"^\| (`[A-Zi].*?) \|", page, re.M)
             for w in re.findall(r"`(\w+)", cell)}
    common = "".join(read(root, f"include/trifac/engine/kernel/{name}.hpp") for name in
                     ("arguments", "arithmetic"))
    for prelude in ("prelude_opencl.hpp", "prelude_cuda.hpp"):
        text = read(root, f"include/trifac/engine/kernel/{prelude}") + common
        for word in sorted(words):
            if not re.search(rf"\b{word}\b", text):
                yield f"docs/kernel-dialect.md: {prelude} has no {word}"


def room_errors(root):
    """docs/design.md: no `#if`, OpenMP or device words in the loop nests."""
    rooms = [root / "include/trifac/engine" / room for room in ("cholesky", "lu", "solve", "variants")]
    for file in [f for room in rooms for f in room.glob("*.hpp") if "class On" in f.read_text()]:
        for line in re.findall(r"^\s*#\s*(?:if|pragma omp).*|.*\b(?:omp_\w+|GLOBAL|KERNEL)\b.*",
                               file.read_text(), re.M):
            yield f"docs/design.md: {file.name} has \"{line.strip()}\""


def header_errors(root):
    """docs/api.md names every public header, docs/design.md every room."""
    named = set(re.findall(r"`(?:trifac/)?(\w+\.hpp)`", read(root, "docs/api.md")))
    for file in sorted(root.glob("include/trifac/*.hpp")):
        if file.name not in named:
            yield f"docs/api.md: {file.name} is missing"
    rooms = set(re.findall(r"`([\w/]+)/`", read(root, "docs/design.md")))
    for base in (root / "include/trifac", root / "include/trifac/engine"):
        folders = {p.relative_to(base).as_posix() for p in base.rglob("*") if p.is_dir()}
        for folder in sorted(f for f in folders - rooms if not f.startswith("engine/")):
            yield f"docs/design.md: nothing says what lives in {folder}/"


# docs/design.md, Size: a figure of the ratchet and its goal.
SIZE = r"(?m)^\| ((?:files|frames|lines) .*?) \| (\d+) \| \d+ \|$"


def size_errors(root):
    """The figures of docs/design.md are the ratchet's."""
    figures = dict(re.findall(r"^([^#\n].*?)\s+(\d+)$", read(root, "tests/headers/figures.txt"), re.M))
    rows = re.findall(SIZE, read(root, "docs/design.md"))
    if not rows:
        yield "docs/design.md: no table of sizes is found"
    for name, value in rows:
        if figures.get(name) != value:
            yield f"docs/design.md: {name}: {value}, measured {figures.get(name, 'is nothing of that name')}"


# A type or a function that a line declares, and a data member with its default.
DECLARED = re.compile(r"^(?:class|struct|enum class|concept) (\w+)|^(?!return|template|requires|static_assert|using|"
                      r"inline namespace|class|struct|enum|#)(?:\[\[nodiscard\]\] )?"
                      r"[\w:<>,&* ]*?\b(?:(\w+)\(|(\w+) =(?!=))")


def declared(text):
    """Public names of a header: types and functions outside `detail`, members of the classes but operators."""
    text = re.sub(r"^namespace detail \{\n[^{}]*\n\}$", "", text, flags=re.M)
    text = re.sub(r"^(namespace (?:detail|device|\w+_memory)) \{.*?^\}  // \1$", "", text, flags=re.M | re.S)
    text = re.sub(r'^extern "C" \{.*?^\}$', "", text, flags=re.M | re.S)
    text = re.sub(r"^ (?:private|protected):.*?(?=^ public:|^\};)", "", text, flags=re.M | re.S)
    text = re.sub(r"(^class .*\{\n)(?:(?!^\};).)*?(?=^ public:)", r"\1", text, flags=re.M | re.S)
    text = re.sub(r"^ *//.*|.*\boperator\b.*|^ *: .*", "", text, flags=re.M)
    in_class = False
    for line in text.splitlines():
        in_class = in_class and not line.startswith("}") or bool(re.match(r"(?:class|struct) .*\{$", line))
        member = in_class and re.match(r"  \S", line)
        match = DECLARED.match(line[2:] if member else line) if member or not line.startswith(" ") else None
        if match:
            yield match[1] or match[2] or match[3]


def signature_errors(root):
    """docs/api.md names every public type, function and member."""
    words = set(re.findall(r"\w+", read(root, "docs/api.md")))
    include = root / "include/trifac"
    rooms = [f"{room}/{name}.hpp" for room in ("cholesky", "lu") for name in ("options", "factor", "plan")]
    rooms += ["base/variant.hpp", "base/progress.hpp", "call/workspace_cache.hpp", "views/triangular_view.hpp"]
    rooms = [include / "engine" / name for name in rooms]
    for file in [*sorted(include.glob("*.hpp")), *rooms, *sorted(include.glob("io/*.hpp"))]:
        text = file.read_text()
        if file.name == "blacs.hpp":  # the BLACS' own functions
            text = re.sub(r'extern "C".*?^}', "", text, flags=re.M | re.S)
        if file.name == "backend.hpp":  # members are for who writes a backend
            text = re.sub(r"^  .*", "", text, flags=re.M)
        for name in sorted(set(declared(text)) - words):
            yield f"docs/api.md: {name} of {file.relative_to(include)} is missing"


def migration_errors(root):
    """docs/start.md, From Eigen and From LAPACK: every call of the column "trifac" stands in the section's code, which
    is compiled and run."""
    page = read(root, "docs/start.md")
    for title in ("From Eigen", "From LAPACK"):
        section = re.search(rf"^## {title}$(.*?)(?=^## )", page, re.M | re.S)[1]
        code = "\n".join(re.findall(r"^```cpp\n(.*?)^```", section, re.M | re.S))
        calls = [call for row in re.findall(r"^\|.*?\| (`.*?) \|", section, re.M)
                 for call in re.findall(r"`([^`]*\([^`]*)`", row)]
        if not calls:
            yield f"docs/start.md: {title} has no calls"
        for call in calls:
            if call.rstrip(";") not in code:
                yield f"docs/start.md, {title}: {call} is not in the code"


def label_errors(root):
    """Tables of trifac-bench have variants that there still are."""
    table = re.search(r"<!-- names -->(.*?)<!-- end -->", read(root, "docs/variants.md"), re.S)
    names = set(re.findall(r"`(\w+)`", table[1])) | {"best_upper"}
    for page in ("docs/benchmarks.md", "docs/opencl.md", "docs/study.md"):
        for name in re.findall(r"^\| (?:cholesky|lu)/\w+/(\w+)/", read(root, page), re.M):
            if name not in names:
                yield f"{page}: there is no variant {name}"


def errors(root):
    for check in (number_errors, few_errors, plan_errors, setting_errors, dialect_errors,
                  room_errors, header_errors, size_errors, signature_errors, migration_errors,
                  label_errors):
        yield from check(root)


def main():
    found = list(errors(pathlib.Path(sys.argv[1])))
    print("\n".join(found) if found else f"{len(NUMBERS)} numbers, plans, settings, words: nothing wrong")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
