"""Builds the runners: small programs, one for each kind of library."""

import os
import pathlib
import shutil
import subprocess

from . import special_paths

BENCH = pathlib.Path(__file__).resolve().parent.parent
HEADERS = BENCH.parent / "include"


def flags(headers):
    # Not bench/ itself: there `compare` would hide a standard header.
    return ["-std=c++20", "-O2", f"-I{headers}", f"-I{headers.parent}"]


class BuildError(Exception):
    """A runner that could not be built; the text is the compiler's."""


def is_current(program, command):
    """Whether the program was built by this command and is newer than all it was made of."""
    rule, record = program.with_suffix(".d"), program.with_suffix(".flags")
    if not program.exists() or not record.exists() or record.read_text() != repr(command):
        return False
    sources = rule.read_text().replace("\\\n", " ").partition(":")[2].split()
    built = program.stat().st_mtime
    return all(os.path.exists(s) and os.stat(s).st_mtime < built for s in sources)


def build(compiler, directory, name, source, extra, headers=HEADERS):
    """Compiles bench/runner/<source>, which lies beside the headers, to directory/name where needed and
    returns its path."""
    directory.mkdir(parents=True, exist_ok=True)
    program = directory / name
    command = [compiler, *flags(headers), str(headers.parent / "bench/runner" / source), *extra, "-o", str(program)]
    if is_current(program, command):
        return program
    rule = ["-MD", "-MF", str(program.with_suffix(".d"))]
    done = subprocess.run([*command, *rule], capture_output=True, text=True)
    if done.returncode != 0:
        errors = [line for line in done.stderr.splitlines() if "error" in line]
        raise BuildError(errors[0] if errors else f"{compiler} failed")
    program.with_suffix(".flags").write_text(repr(command))
    return program


def headers_without(name, directory):
    """The folder include/ of a copy in which a special path is switched off, with the runners."""
    place = directory / ("without-" + name)
    try:
        shutil.rmtree(place, ignore_errors=True)
        for folder in ("include", "bench"):
            shutil.copytree(BENCH.parent / folder, place / folder)
        special_paths.switch_off(name, place / "include")
    except (OSError, ValueError) as error:
        raise BuildError(str(error)) from None
    return place / "include"


def headers_of(revision, directory):
    """The folder include/ of another revision of this repository, taken from git once, with the runner
    that belongs to it."""
    def git(*words, **more):
        return subprocess.run(["git", "-C", str(BENCH.parent), *words], check=True, capture_output=True,
                              **more).stdout

    try:
        commit = git("rev-parse", "--verify", "--short=12", revision + "^{commit}").decode().strip()
        place = directory / ("headers-" + commit)
        if not (place / "include").exists():
            place.mkdir(parents=True, exist_ok=True)
            archive = git("archive", commit, "include", "bench")
            subprocess.run(["tar", "-x", "-C", str(place)], input=archive, check=True)
        return place / "include"
    except (OSError, subprocess.CalledProcessError) as error:
        said = getattr(error, "stderr", b"") or str(error).encode()
        raise BuildError(said.decode(errors="replace").strip().splitlines()[-1]) from None
