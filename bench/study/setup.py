"""What the command makes for itself: a Python environment with matplotlib and SciPy, and the worker."""

import os
import pathlib
import shutil
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
WORK = ROOT / "build" / "study"
REQUIREMENTS = ROOT / "bench" / "study" / "requirements.txt"


class SetupError(Exception):
    """Something that is needed cannot be had; the text says what."""


def run(*command):
    """Runs it and, on a terminal, shows in one line how far it is."""
    terminal, said = sys.stderr.isatty(), []
    width = shutil.get_terminal_size().columns - 1
    with subprocess.Popen([str(word) for word in command], text=True, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT) as process:
        for line in process.stdout:
            said.append(line)
            if terminal:
                print(f"\r\033[K{line.strip()[:width]}", end="", file=sys.stderr, flush=True)
    if terminal:
        print("\r\033[K", end="", file=sys.stderr, flush=True)
    if process.returncode != 0:
        raise SetupError(f"{' '.join(map(str, command[:4]))} … failed:\n{''.join(said)[-2000:]}")


def enter_environment(work):
    """Goes on in the environment, which is made at the first call (the process is replaced)."""
    place = work.resolve() / "python"
    record = place / "requirements.txt"
    if os.environ.get("TRIFAC_STUDY_ENVIRONMENT"):
        return
    if not record.exists() or record.read_text() != REQUIREMENTS.read_text():
        print(f"installing matplotlib and SciPy into {place}", file=sys.stderr)
        place.parent.mkdir(parents=True, exist_ok=True)
        run(sys.executable, "-m", "venv", "--clear", place)
        run(place / "bin" / "pip", "install", "--quiet", "--disable-pip-version-check", "-r",
            REQUIREMENTS)
        record.write_text(REQUIREMENTS.read_text())
    os.environ["TRIFAC_STUDY_ENVIRONMENT"] = str(place)
    python = str(place / "bin" / "python")
    os.execv(python, [python, "-B", *sys.argv])


def build_worker(work, compiler):
    """Path of trifac-study-worker, built where it is not current."""
    return build(work / "build", compiler, "STUDY", "trifac_study_worker") / "bench/study/trifac-study-worker"


def build_program(work, compiler):
    """Path of the program trifac, which has the tuner."""
    return build(work / "program", compiler, "EXAMPLES", "trifac") / "examples/trifac"


def build(folder, compiler, part, target):
    """The folder, in which a target of a part of the project (TRIFAC_BUILD_…) is current."""
    missing = [name for name in ("cmake", compiler or "c++") if not shutil.which(name)]
    if missing:
        raise SetupError(f"{' and '.join(missing)}: not found. On Debian and Ubuntu: apt-get install cmake g++")
    name = target.removeprefix("trifac_study_")
    print(f"building {name} (some minutes at the first time)" if not folder.exists() else
          f"checking {name}", file=sys.stderr)
    parts = ("TESTS", "BENCHMARKS", "EXAMPLES", "STUDY")
    options = ["-DCMAKE_BUILD_TYPE=Release"]
    options += [f"-DTRIFAC_BUILD_{p}={'ON' if p == part else 'OFF'}" for p in parts]
    if compiler:
        options.append(f"-DCMAKE_CXX_COMPILER={compiler}")
    run("cmake", "-S", ROOT, "-B", folder, *options)
    run("cmake", "--build", folder, "--target", target, "--parallel", len(os.sched_getaffinity(0)))
    return folder
