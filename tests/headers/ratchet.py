#!/usr/bin/env python3
"""Sizes of the core that a change may lower, and raise only where it edits figures.txt and says why.

ratchet.py <root> <compiler>            measures and compares with figures.txt beside this file
ratchet.py --record <root> <compiler>   writes figures.txt
ratchet.py --test                       the test's own test
"""
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

FIGURES = pathlib.Path(__file__).with_name("figures.txt")

# Parts beside the core, whose sizes are their own affair. Batches are held, too: they run on its kernels.
BESIDE = re.compile(r"backend/(cuda|cusolver|opencl|starpu|lapack)|io/|eigen|distributed|blacs|scalapack|"
                    r"device_|engine/(device|cuda|opencl|starpu|distributed|kernel|io|variants)/")

PROGRAM = r"""
#include <cstring>
#include <trifac/trifac.hpp>
#include <trifac/backend/openmp.hpp>
using namespace trifac;
int main(int, char** words) {
  const index_t n = 1000;
  matrix<double> A(n, n);
  for (index_t j = 0; j < n; ++j)
    for (index_t i = 0; i < n; ++i) A(i, j) = i == j ? n : 1. / double(1 + i + 2 * j);
  if (!std::strcmp(words[1], "lu")) return !lu(A).ok();
  if (!std::strcmp(words[1], "lu on openmp")) return !lu(backend::openmp{.threads = 1}, A).ok();
  return !cholesky(A).ok();
}
"""


def texts(root):
    files = [f for f in sorted(root.rglob("*")) if f.suffix in (".hpp", ".inl", ".h")]
    return {f.relative_to(root).as_posix(): f.read_text() for f in files}


def counted(root):
    """What the files themselves tell."""
    core = {name: text for name, text in texts(root).items() if not BESIDE.match(name)}
    lines = {name: text.count("\n") for name, text in core.items()}
    switch = re.compile(r"^\s*#\s*(?:el)?if.*\bTRIFAC_(?:USE_KERNELS|DECLARED?|IMPLEMENTATION)\b", re.M)
    return {
        "files of the core": len(core),
        "files of the core below 50 lines": sum(n < 50 for n in lines.values()),
        "lines of the core": sum(lines.values()),
        "files that switch on the way of linking": sum(bool(switch.search(t)) for t in core.values()),
    }


def closures(root, compiler):
    """Lines of include/trifac that a public header brings along, compiled alone and linked to trifac::kernels."""
    found = {}
    for way, flags in (("", []), (", linked", ["-DTRIFAC_USE_KERNELS=1"])):
        for header in ("cholesky", "lu", "solve", "trifac", "batch"):
            made = subprocess.run([compiler, "-std=c++20", "-M", "-I", root.parent, *flags, "-x", "c++", "-"],
                                  input=f"#include <trifac/{header}.hpp>\n", capture_output=True, text=True, check=True)
            names = {pathlib.Path(word).resolve() for word in made.stdout.replace("\\\n", " ").split()[1:]}
            own = [name for name in names if root.resolve() in name.parents]
            found[f"lines that {header}.hpp brings along{way}"] = sum(name.read_text().count("\n") for name in own)
    return found


def nest_of(root, name):
    """file:line of the first statement of a loop nest."""
    start = re.compile(rf"^[^/\n]*\b{name}\([^;]*?\)\s*\{{$", re.M)
    for file, text in texts(root / "engine").items():
        if found := start.search(text):
            return f"{file}:{text.count(chr(10), 0, found.end()) + 2}"
    raise SystemExit(f"{name}: no definition is found")


def frames(root, compiler):
    """Frames between main() and the loop nest, without optimization: every function on the way counts."""
    if not shutil.which("gdb"):
        print("frames: not counted, there is no gdb")
        return {}
    found = {}
    with tempfile.TemporaryDirectory() as folder:
        source, program = pathlib.Path(folder, "calls.cpp"), pathlib.Path(folder, "calls")
        source.write_text(PROGRAM)
        subprocess.run([compiler, "-std=c++20", "-O0", "-g", "-fopenmp", "-I", root.parent, source, "-o", program],
                       check=True)
        for call, nest in (("cholesky", "cholesky_blocked"), ("lu", "lu_blocked"), ("lu on openmp", "lu_blocked")):
            told = subprocess.run(["gdb", "-nx", "-batch", "-ex", "set pagination off", "-ex",
                                   f"tbreak {nest_of(root, nest)}", "-ex", "run", "-ex", "bt", "--args", program, call],
                                  capture_output=True, text=True).stdout
            count = len(re.findall(r"^#\d+", told, re.M))
            if count == 0:  # a machine that forbids tracing
                print("frames: not counted, gdb runs no program here")
                return {}
            found[f"frames from main() to the nest: {call}"] = count - 1
    return found


def known():
    figures = {}
    for line in FIGURES.read_text().splitlines():
        if line and not line.startswith("#"):
            name, _, value = line.rpartition(" ")
            figures[name.strip()] = int(value)
    return figures


def faults(measured, figures):
    for name, value in measured.items():
        if name not in figures:
            yield f"{name}: {value}, not in {FIGURES.name}"
        elif value > figures[name]:
            yield (f"{name}: {value}, more than {figures[name]}: lower it, or edit {FIGURES.name} and say why in "
                   "the commit")


def self_test():
    assert list(faults({"files": 3}, {"files": 3, "frames": 8})) == []
    (line,) = faults({"files": 4}, {"files": 3})
    assert line.startswith("files: 4, more than 3"), line
    (line,) = faults({"files": 4}, {})
    assert "not in figures.txt" in line, line


def main():
    if sys.argv[1:] == ["--test"]:
        return self_test()
    root, compiler = pathlib.Path(sys.argv[-2]) / "include/trifac", sys.argv[-1]
    measured = {**counted(root), **closures(root, compiler), **frames(root, compiler)}
    width = max(map(len, measured))
    lines = [f"{name:<{width}} {value}" for name, value in measured.items()]
    print("\n".join(lines))
    if sys.argv[1] == "--record":
        FIGURES.write_text("# Written by ratchet.py --record. A change that raises a figure says why in its commit.\n" +
                           "\n".join(lines) + "\n")
        return 0
    wrong = list(faults(measured, known()))
    print("\n".join(wrong))
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
