#!/usr/bin/env python3
"""Measures what the pages publish and writes it into them.

docs/measure.sh [page or part…]: default all. Each part is measured once; its results stay in
build/measure, so that an interrupted call continues (of the same revision; else the part starts anew) and a
finished part is only written into its page again.
Refuses a machine on which other programs run; --busy measures all the same, and the page says so. How long
it will take is said first. docs/benchmarks.md, "To repeat it", has the reasons.
"""

import argparse
import importlib.util
import json
import os
import pathlib
import shutil
import sys
import time

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import machine  # noqa: E402
import pages  # noqa: E402
import parts  # noqa: E402
import tools  # noqa: E402

ROOT = machine.ROOT
NOT_IDLE = 3  # exit status


def options(words):
    parser = argparse.ArgumentParser(prog="docs/measure.sh", description=__doc__.split("\n\n")[0],
                                     epilog=__doc__.split("\n\n")[1])
    parser.add_argument("what", nargs="*", metavar="page or part", help="as --list names them; default all")
    parser.add_argument("--list", action="store_true", help="the parts, their pages, how long each takes")
    parser.add_argument("--dry-run", action="store_true", help="only print the commands")
    parser.add_argument("--again", action="store_true", help="also what is finished")
    parser.add_argument("--busy", action="store_true", help="also on a machine with other work, and say so")
    parser.add_argument("--quick", action="store_true",
                        help="the smallest sizes, into a copy of the pages: shows that the commands run")
    parser.add_argument("--peer", dest="peers", action="append", default=[], metavar="NAME=FILE[:PREFIX]",
                        help="one more library for bench/compare")
    parser.add_argument("--eigen", action="append", default=[], metavar="NAME=DIR",
                        help="another Eigen for bench/compare: the folder that has Eigen/Dense")
    parser.add_argument("--offline", action="store_true", help="install no libraries to compare with")
    parser.add_argument("--build", type=pathlib.Path, help="a build folder that has the programs; default: "
                        "they are built in build/measure/build")
    parser.add_argument("--compiler", default=os.environ.get("CXX", "g++"))
    parser.add_argument("--work", type=pathlib.Path, help="default build/measure, with --quick build/measure-quick")
    return parser.parse_args(words)


def chosen(words):
    """The parts that these words name, in the order of parts.PARTS."""
    known = {}
    for part in parts.PARTS:
        for name in (part.name, part.page, pathlib.Path(part.page).name, pathlib.Path(part.page).stem):
            known.setdefault(name, []).append(part.name)
    unknown = [word for word in words if word not in known]
    if unknown:
        raise tools.Failed(f"{', '.join(unknown)}: neither a page nor a part; --list names them")
    parts_alone = {part.name: {part.name} for part in parts.PARTS}  # batched: the part, not batched.md
    wanted = {name for word in words for name in parts_alone.get(word, known[word])}
    return [part for part in parts.PARTS if not words or part.name in wanted]


def in_words(minutes):
    return f"{max(1, round(60 * minutes))} s" if minutes < 1.5 else f"{round(minutes)} min"


class Session:
    """The command line, with a folder for each part."""

    def __init__(self, o):
        self.o = o
        self.work = (o.work or ROOT / "build" / ("measure-quick" if o.quick else "measure")).resolve()

    def setup(self, part):
        o = self.o
        return tools.Setup(self.work / (part.of or part.name), self.work, o.build and o.build.resolve(), o.compiler,
                           o.quick, tuple(o.peers), o.offline, tuple(o.eigen))

    def record(self, part):
        """What is known of a finished part, or None."""
        file = self.setup(part).folder / "record.json"
        return json.loads(file.read_text()) if file.exists() else None

    def minutes(self, part):
        record = self.record(part)
        return record["seconds"] / 60 if record else part.minutes

    def page(self, part):
        """The file that is written: the page, or with --quick its copy."""
        if not self.o.quick:
            return ROOT / part.page
        copy = self.work / "pages" / part.page
        if not copy.exists():
            copy.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(ROOT / part.page, copy)
        return copy

    def measure(self, part):
        """Runs the commands of a part; the exit status."""
        setup = self.setup(part)
        began_at, revision = setup.folder / "revision", machine.revision()
        if self.o.again or not began_at.exists() or began_at.read_text() != revision:
            shutil.rmtree(setup.folder, ignore_errors=True)  # or a table would mix two revisions
            setup.folder.mkdir(parents=True)
            began_at.write_text(revision)
        tools.build(setup, part.programs)
        now = machine.others_now(0.2 if self.o.quick else 3)
        if not machine.is_idle(now):
            said = f"{part.name}: {machine.taken(now, os.cpu_count())}"
            if not self.o.busy:
                print(f"measure: {said}. Try again on an idle machine, or with --busy, which marks the results",
                      file=sys.stderr)
                return NOT_IDLE
            print(f"measure: {said}; the page will say so", file=sys.stderr)
        on = machine.describe(self.o.compiler)
        others, began = machine.Others(), time.monotonic()
        for command in part.commands(setup):
            tools.run(setup, command)
        record = {"part": part.of or part.name, "options": self.further_libraries(), "machine": on,
                  "others_before": now, "others": others.cores(), "seconds": time.monotonic() - began,
                  "quick": self.o.quick}
        (setup.folder / "record.json").write_text(json.dumps(record, indent=1) + "\n")
        return 0

    def further_libraries(self):
        """The options that added libraries, without the paths of this machine."""
        given = [("--peer", one) for one in self.o.peers] + [("--eigen", one) for one in self.o.eigen]
        return [f"{option} {one.split('=')[0]}=…" for option, one in given]

    def write(self, part):
        """Puts a finished part into its page, its figures beside it."""
        record, page = self.record(part), self.page(part)
        text, figures = part.text(self.setup(part).folder)
        said = machine.said_of(record)
        body = [text, said] if part.page == parts.README else [said, text]  # there the result comes first
        page.write_text(pages.written(page.read_text(), part.name, "\n\n".join(body)))
        docs = page.parent if page.parent.name == "docs" else page.parent / "docs"
        for name, picture in figures.items():
            (docs / name).parent.mkdir(parents=True, exist_ok=True)
            (docs / name).write_text(picture)
        print(f"{part.name}: in {part.page}; {machine.taken(record['others'], os.cpu_count())}")
        measured, now = record["machine"]["revision"], machine.revision()
        if measured != now:
            print(f"{part.name}: measured at {measured}, the library is {now}: --again measures it anew")


def list_parts(session, wanted):
    for part in wanted:
        record = session.record(part)
        done = f"; measured {record['machine']['date'][:10]} at {record['machine']['revision']}" if record else ""
        print(f"{part.name:18} {part.page:19} {in_words(session.minutes(part)):>7}  {part.about}{done}")


def dry_run(session, wanted):
    for part in wanted:
        print(f"{part.name}, {part.page}, {in_words(session.minutes(part))}:")
        for command in part.commands(session.setup(part)):
            print("  " + command.in_words())


def main(words=None):
    o = options(words)
    try:
        session, wanted = Session(o), chosen(o.what)
        if o.list or o.dry_run:
            (list_parts if o.list else dry_run)(session, wanted)
            return 0
        for part in wanted:  # before hours are spent
            if "trifac_study_worker" in part.programs and not importlib.util.find_spec("scipy"):
                raise tools.Failed(f"{part.name}: tables of a study need SciPy (Debian: python3-scipy)")
            if pages.parts(session.page(part).read_text()).count(part.name) != 1:
                raise tools.Failed(f"{part.page} has no place for {part.name}")
        todo = [part for part in wanted if o.again or not session.record(part)]
        also = {part.name for part in todo}
        todo = [part for part in todo if part.of not in also]  # one measurement serves both
        time_needed = "" if o.quick else f", about {in_words(sum(map(session.minutes, todo)))}"
        print(f"{len(todo)} parts to measure{time_needed} ({len(wanted) - len(todo)} finished)", file=sys.stderr)
        for part in wanted:
            if part in todo:
                needed = "" if o.quick else f", {in_words(session.minutes(part))}"
                print(f"{part.name}: {part.about}{needed}", file=sys.stderr)
                status = session.measure(part)
                if status:
                    return status
            session.write(part)
    except (tools.Failed, pages.PageError) as error:
        print(f"measure: {error}", file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except KeyboardInterrupt:
        sys.exit("\nmeasure: interrupted; the same command continues")
