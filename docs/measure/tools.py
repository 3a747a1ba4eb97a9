"""The commands that a part runs, and the folders in which it does."""

import dataclasses
import json
import os
import pathlib
import shutil
import subprocess
import sys

from machine import ROOT, hardware

# Where CMake puts the programs, by target.
PROGRAMS = {"trifac_bench": "bench/trifac-bench", "trifac": "examples/trifac",
            "trifac_busy_core": "bench/trifac-busy-core", "trifac_after_factor": "bench/trifac-after-factor",
            "trifac_one_small": "bench/trifac-one-small", "trifac_varied": "bench/trifac-varied",
            "trifac_lapack": "libtrifac_lapack.so",
            "trifac_eigen": "bench/trifac-eigen",
            "trifac_processes": "bench/trifac-processes", "trifac_tasks": "bench/trifac-tasks",
            "trifac_study_worker": "bench/study/trifac-study-worker"}
APPLICATIONS = ("gaussian_process", "boundary_elements", "ridge_path", "kalman_filter",
                "schur_elimination")
PROGRAMS |= {name + also: f"examples/{name}{also}" for name in APPLICATIONS for also in ("", "_in_eigen")}


@dataclasses.dataclass
class Setup:
    """What the command line says, for one part."""

    folder: pathlib.Path   # of its results
    work: pathlib.Path     # shared by all parts: programs, environments of Python
    build: pathlib.Path    # the programs, built already; None: built in `work`
    compiler: str
    quick: bool = False    # the smallest sizes: shows that it runs, measures nothing
    peers: tuple = ()      # NAME=FILE[:PREFIX], for bench/compare
    offline: bool = False
    eigen: tuple = ()      # NAME=DIR of further Eigens, for bench/compare

    def program(self, target):
        return (self.build or self.work / "build") / PROGRAMS[target]

    def choose(self, full, quick):
        return quick if self.quick else full


@dataclasses.dataclass
class Command:
    words: list
    output: str = ""       # file for standard output, in the part's folder
    environment: dict = dataclasses.field(default_factory=dict)
    keep: dict = dataclasses.field(default_factory=dict)  # file -> its name in the part's folder
    answers: tuple = (0,)  # statuses with which what it printed is whole

    def in_words(self):
        shown = [f"{k}={v}" for k, v in self.environment.items()]
        shown += [str(w).replace(str(ROOT) + "/", "") for w in self.words]
        return " ".join(f"'{w}'" if " " in w or "(" in w else w for w in shown) + \
            (f" > {self.output}" if self.output else "")


def one_blas_thread():
    """Environment of programs that link the machine's OpenBLAS."""
    return {"OPENBLAS_NUM_THREADS": "1", **hardware.openblas_kernels()}


class Failed(Exception):
    """A command that ended badly; the text says which."""


def build(setup, targets):
    """Builds what a part needs, unless it is said where the programs are."""
    if setup.build or not targets:
        return
    place = setup.work / "build"
    print("building " + ", ".join(targets) + " (some minutes at the first time)", file=sys.stderr)
    log = setup.work / "build.log"
    with log.open("w") as out:
        for words in (["-S", ROOT, "-B", place, "-DCMAKE_BUILD_TYPE=Release",
                       "-DTRIFAC_BUILD_TESTS=OFF", "-DTRIFAC_BUILD_BENCHMARKS=ON",
                       "-DTRIFAC_BUILD_EXAMPLES=ON", f"-DCMAKE_CXX_COMPILER={setup.compiler}"],
                      ["--build", place, "--parallel", str(os.cpu_count()), "--target", *targets]):
            done = subprocess.run(["cmake", *map(str, words)], stdout=out, stderr=out)
            if done.returncode != 0:
                raise Failed(f"cmake failed; see {log}")


def run(setup, command):
    """Runs one command; what it prints goes to its file, or is thrown away."""
    try:
        with (setup.folder / (command.output or "said.txt")).open("w") as out:
            done = subprocess.run([str(w) for w in command.words], stdout=out, cwd=ROOT,
                                  env={**os.environ, **command.environment})
    except OSError as error:
        raise Failed(f"{command.in_words()}: {error}") from error
    if done.returncode not in command.answers:
        raise Failed(f"status {done.returncode} of {command.in_words()}")
    for file, name in command.keep.items():
        shutil.copyfile(file, setup.folder / name)


def bench(setup, name, *flags, environment=None):
    """trifac-bench, its results in NAME.json."""
    file = setup.folder / f"{name}.json"
    quick = ["--benchmark_min_time=0.001"] if setup.quick else []
    return Command([setup.program("trifac_bench"), *flags, *quick, f"--benchmark_out={file}",
                    "--benchmark_out_format=json"], environment=environment or {})


def bench_rows(folder, name):
    """"cholesky/serial/best/double/64" -> its runs (one for each repetition), each a dictionary."""
    rows = {}
    for run_ in json.loads((folder / f"{name}.json").read_text())["benchmarks"]:
        # With an error, though trifac-bench ended with 0: a variant that the backend does not have.
        if run_.get("run_type", "iteration") == "iteration" and not run_.get("error_occurred"):
            rows.setdefault(run_["name"].removesuffix("/manual_time").split("/repeats:")[0], []
                            ).append(run_)
    return rows


def compare(setup, name, *flags, only=""):
    """bench/compare, its result as NAME.json. `only`: libraries besides those of --peer."""
    output = setup.work / "libraries"
    words = [ROOT / "bench/compare", "--output", output, "--compiler", setup.compiler, *flags]
    if only:
        words += ["--only", ",".join([only, *(p.partition("=")[0] for p in setup.peers)])]
    for peer in setup.peers:
        words += ["--peer", peer]
    for folder in setup.eigen:
        words += ["--eigen", folder]
    if setup.offline or setup.quick:
        words.append("--offline")
    if setup.quick:
        words += ["--rounds", "1", "--seconds", "0.01"]
    return Command(words, keep={output / "result.json": f"{name}.json"})


def study(setup, plan, *flags):
    """A study in the folder `study` of the part."""
    words = [ROOT / "bench/trifac-study", plan, "--out", setup.folder / "study", *flags]
    if setup.build:
        words += ["--worker", setup.program("trifac_study_worker")]
    if setup.offline:
        words.append("--offline")
    return Command([*words, "--compiler", setup.compiler])
