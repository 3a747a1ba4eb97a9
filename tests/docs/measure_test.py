#!/usr/bin/env python3
"""Tests of docs/measure.sh: its parts with programs that answer at once and measure nothing.

    measure_test.py            all but what follows
    measure_test.py --slow     studies (matplotlib comes from PyPI) and what compiles
"""

import contextlib
import importlib.util
import io
import json
import math
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest
from unittest import mock

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
sys.path[:0] = [str(ROOT / "docs" / "measure"), str(HERE)]
import figures  # noqa: E402
import machine  # noqa: E402
import measure  # noqa: E402
import pages  # noqa: E402
import parts  # noqa: E402
import studies  # noqa: E402
import tools  # noqa: E402

BUILT = ["factor", "busy-core", "large", "solves", "variants", "small", "varied", "after-factor", "applications",
         "eigen", "opencl-speed", "opencl-first-call"]
NO_STUDIES = ("plans need tomllib" if sys.version_info < (3, 11) else
              "studies need SciPy" if not importlib.util.find_spec("scipy") else "")
SLOW = ["compare", "figure", "batches", "compare-threads", "compile-time", "opencl-systems", "quick",
        "table-4.1", "thesis", "sycl-note", "martins", "batched", "ece496", "contest", "lapack-calls", "stacks",
        "eigen-compile-time", "start", "special-paths", "choices-by-order"]


def published():
    """The pages, byte by byte."""
    return {page: page.read_bytes() for page in (ROOT / "README.md", *(ROOT / "docs").glob("*.md"))}


class Measuring(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.work = pathlib.Path(self.folder.name)
        subprocess.run([sys.executable, "-B", HERE / "fake_programs.py", self.work / "fake"], check=True)
        self.others = 0.0
        for target, value in (("others_now", lambda _: self.others),
                              ("Others", lambda: mock.Mock(cores=lambda: self.others))):
            patch = mock.patch.object(machine, target, value)
            patch.start()
            self.addCleanup(patch.stop)

    def tearDown(self):
        self.folder.cleanup()

    def run_it(self, *words, quick=True):
        """Exit status and everything that was said."""
        said = io.StringIO()
        with contextlib.redirect_stdout(said), contextlib.redirect_stderr(said):
            status = measure.main([*words, *(["--quick"] if quick else []), "--work", str(self.work / "work"),
                                   "--build", str(self.work / "fake")])
        return status, said.getvalue()

    def page(self, name):
        return (self.work / "work" / "pages" / name).read_text()

    def part(self, name):
        text = self.page(parts.by_name()[name].page)
        return next(m[2] for m in pages.PART.finditer(text) if m[1] == name)

    def check(self, names):
        before = published()
        status, said = self.run_it(*names)
        self.assertEqual(status, 0, said)
        for name in names:
            text = self.part(name)
            self.assertIn(f"`docs/measure.sh {parts.by_name()[name].of or name}`: ", text)
            self.assertRegex(text, r"revision \w+\+?, other programs took 0\.00 of \d+ cores \(load average")
            self.assertNotIn("Not on an idle machine", text)
            self.assertNotIn(str(ROOT), text)
            self.assertRegex(text, r"(?m)^(\|[-|]+\||```text|!\[.*)$")  # a table, what a program printed, a figure
            for link in figures.PICTURE.findall(text):
                page = self.work / "work/pages" / parts.by_name()[name].page
                self.assertTrue((page.parent / link).is_file(), link)
        for name in {parts.by_name()[name].page for name in names}:
            self.assertEqual(list(figures.errors(name, self.page(name))), [])
        self.assertEqual(before, published())  # --quick leaves the pages alone


@unittest.skipIf("--slow" in sys.argv, "the others")
class Parts(Measuring):
    def test_every_part_is_tested(self):
        left = set(parts.by_name()) - {*BUILT, *SLOW}
        self.assertEqual(left, {"compare-upper", "compare-float", "compare-avx2", "peers",
                                "messages", "processes", "nodes", "tasks"})  # the last need MPI or StarPU

    def test_programs(self):
        self.check(BUILT)
        self.assertIn("\nexamples/data/plate.mtx: ", self.part("factor"))
        self.assertIn("| lu/serial/tournament/double | 2.5 | 2.5 |", self.part("variants"))
        self.assertIn("| Cholesky, LAPACK | 2.5 | 2.5 |", self.part("solves"))

    def test_commands_of_all_parts(self):
        """Scripts are there, and their options are known."""
        import check
        for part in parts.PARTS:
            setup = tools.Setup(self.work, self.work, self.work, "g++", peers=("a=b.so",), offline=True)
            for command in part.commands(setup):
                program = pathlib.Path(command.words[3 if command.words[0] == "mpirun" else 0])  # mpirun -np 2
                if ROOT not in program.parents:
                    self.assertIn(program, map(setup.program, tools.PROGRAMS))
                    continue
                source = check.program_text(program)
                for word in map(str, command.words[1:]):
                    if word.startswith("--"):
                        self.assertIn(f'"{word.split("=")[0]}"', source, command.in_words())

    def test_special_paths(self):
        """Each is where bench/compare --without looks for it."""
        from comparison import special_paths
        for name, path in special_paths.PATHS.items():
            file = self.work / "trifac/engine" / path.file
            file.parent.mkdir(parents=True, exist_ok=True)
            before = (ROOT / "include/trifac/engine" / path.file).read_text()
            file.write_text(before)
            special_paths.switch_off(name, self.work)
            self.assertEqual(file.read_text(), before.replace(path.text, path.off), name)
            self.assertNotEqual(file.read_text(), before, name)
            self.assertRaises(ValueError, special_paths.switch_off, name, self.work)

    def test_list_and_dry_run(self):
        status, said = self.run_it("--list")
        self.assertEqual((status, len(said.splitlines())), (0, len(parts.PARTS)))
        status, said = self.run_it("--dry-run", "benchmarks.md", quick=False)
        self.assertIn("--benchmark_filter=^(cholesky|lu)/serial/", said)
        self.assertIn("bench/compile_time > table.md", said)
        self.assertFalse((self.work / "work").exists())

    @unittest.skipIf(NO_STUDIES, NO_STUDIES)
    def test_studies(self):
        """What is written of each study, from runs that the worker of cardboard has done."""
        from comparison import build
        from study import plan as plans, processes, run
        patch = mock.patch.object(build, "build", side_effect=build.BuildError("no compiler"))  # a minute of peers
        patch.start()
        self.addCleanup(patch.stop)
        for name in ("quick", "thesis", "table-4.1", "sycl-note", "martins", "batched", "ece496", "opencl-systems"):
            part = parts.by_name()[name]
            setup = tools.Setup(self.work / name, self.work, self.work / "fake", "g++", quick=True, offline=True)
            words = list(map(str, part.commands(setup)[0].words))
            limits = {key: words[words.index(f"--{key}") + 1] for key in ("most-n", "replications")}
            plan = plans.limited(plans.load(words[1]), int(limits["most-n"]), [1, 2], int(limits["replications"]))
            plan.experiments = [e for e in plan.experiments if "mkl" not in e.levels["backend"]]
            for e in plan.experiments:
                if math.prod(map(len, e.levels.values())) > 500:  # two levels of each factor show as much
                    e.levels = {factor: levels[:2] for factor, levels in e.levels.items()}
            pool = processes.Pool(setup.program("trifac_study_worker"), self.work, "g++", True)
            try:
                study = run.Study(plan, setup.folder / "study", pool, {"date": "2026-01-01 00:00 UTC"})
                study.prepare()
                with contextlib.redirect_stderr(io.StringIO()):
                    study.measure()
            finally:
                pool.close()
            text, drawn = part.text(setup.folder)
            self.assertIn("runs, 2 of each setting at most", text, name)
            rows = re.findall(r"^\|[-|]+\|\n\|", text, re.M)
            self.assertTrue(rows, f"{name}: {text}")
            self.assertEqual(drawn, {})

    def test_best_is_ours(self):
        """LAPACK's rows have the variant `best`, too, and may be faster."""
        def row(experiment, variant, threads, seconds):
            return {"experiment": experiment, "variant": variant, "threads": threads, "typical": seconds, "n": 250,
                    "cutoff": 0, "columns": "", "backend": "lapack" if experiment == "lapack" else "serial"}
        study = object.__new__(studies.Study)
        study.rows = [row("sequential", "crout_contiguous_in_place", 1, 9), row("openmp", "crout_in_place", 2, 8),
                      row("trifac", "best", 1, 3), row("lapack", "best", 1, 2), row("lapack", "best", 2, 1)]
        with mock.patch.object(studies, "against", lambda a, b: f"by {a['experiment']}" if a and b else "none"):
            lines = dict(re.findall(r"^\| (.*?) \|.*\| (.*?) \|$", "\n".join(studies.thesis(study)), re.M))
        self.assertIn("LAPACK by lapack, `best` by trifac", lines["LAPACK?"])
        self.assertIn("one thread: by trifac", lines["Blocks or elements?"])
        self.assertIn("on one thread by trifac", lines["Algorithm or backend?"])

    @unittest.skipIf(sys.version_info < (3, 11), "plans need tomllib")
    def test_figures_are_those_of_the_plans(self):
        from study import plan as plans
        for name, shown in studies.FIGURES.items():
            drawn = plans.load(name).figures
            for file, _, _ in shown:  # one with `each` has many files: ID-LEVEL
                self.assertTrue(any(file.startswith(f["id"] + "-") if "each" in f else file == f["id"]
                                    for f in drawn), f"{name}: {file}")

    def test_unknown_word(self):
        self.assertEqual(self.run_it("benchmark.md")[0], 2)

    def test_a_finished_part_is_not_measured_again(self):
        self.check(["variants"])
        record = self.work / "work/variants/record.json"
        first = record.read_bytes()
        status, said = self.run_it("variants")
        self.assertEqual((status, record.read_bytes()), (0, first))
        self.assertIn("0 parts to measure (1 finished)", said)
        self.run_it("variants", "--again")
        self.assertNotEqual(record.read_bytes(), first)
        self.assertTrue(json.loads(first)["machine"]["revision"])

    def test_an_interrupted_call_goes_on(self):
        gone = self.work / "fake/examples/trifac"
        target = gone.readlink()
        gone.unlink()
        status, said = self.run_it("factor", "variants")
        self.assertEqual(status, 2)
        self.assertIn("examples/trifac", said)
        self.assertFalse((self.work / "work/factor/record.json").exists())
        gone.symlink_to(target)
        self.check(["factor", "variants"])

    def test_only_a_status_that_is_an_answer(self):
        setup = tools.Setup(self.work, self.work, self.work, "g++")
        for status, answers, good in ((0, (0, 3), True), (3, (0, 3), True), (1, (0, 3), False), (3, (0,), False)):
            command = tools.Command(["sh", "-c", f"exit {status}"], answers=answers)
            with contextlib.nullcontext() if good else self.assertRaises(tools.Failed):
                tools.run(setup, command)

    def test_a_wrong_result_is_not_published(self):
        """trifac-bench ends with status 1 then."""
        program = self.work / "fake/bench/trifac-bench"
        program.unlink()
        program.write_text("#!/bin/sh\nexit 1\n")
        program.chmod(0o755)
        status, said = self.run_it("variants")
        self.assertEqual(status, 2)
        self.assertIn("status 1 of", said)
        self.assertFalse((self.work / "work/variants/record.json").exists())

    def test_a_finished_part_of_another_revision_is_named(self):
        with mock.patch.object(machine, "revision", lambda: "aaaa"):
            self.assertNotIn("--again", self.run_it("variants")[1])
        with mock.patch.object(machine, "revision", lambda: "bbbb"):
            self.assertIn("variants: measured at aaaa, the library is bbbb: --again measures it anew",
                          self.run_it("variants")[1])
            self.assertNotIn("--again", self.run_it("variants", "--again")[1])

    def test_an_interrupted_part_of_another_revision_starts_anew(self):
        (self.work / "fake/bench/trifac-bench").unlink()
        left = self.work / "work/variants/left.json"
        for revision, stays in (("aaaa", False), ("aaaa", True), ("bbbb", False)):
            with mock.patch.object(machine, "revision", lambda: revision):
                self.assertEqual(self.run_it("variants")[0], 2)
            self.assertEqual(left.exists(), stays)
            left.touch()

    def test_one_measurement_serves_two_pages(self):
        """README's figure is that of the part `compare`."""
        folder = self.work / "work/compare"
        folder.mkdir(parents=True)
        result = {"threads": 1, "algorithm": "cholesky", "part": "lower", "type": "d", "clock": "cpu", "peers": {
            "trifac": {"gflops": 2.5, "least": 2, "most": 3, "right": True, "rounds": [2, 2.5, 3]}}}
        (folder / "compare.json").write_text(json.dumps({
            "results": [{**result, "n": n} for n in (16, 32)], "properties": {"1": {"trifac": {"peak_double": 4e9}}}}))
        (folder / "record.json").write_text(json.dumps({
            "part": "compare", "machine": machine.describe("g++"), "others": 0.0, "others_before": 0.0,
            "seconds": 1}))
        status, said = self.run_it("figure")
        self.assertEqual(status, 0, said)
        self.assertIn("0 parts to measure (1 finished)", said)
        self.assertIn("`docs/measure.sh compare`: ", self.part("figure"))
        self.assertTrue((self.work / "work/pages/docs/benchmarks/cholesky-lower-double-1.svg").is_file())
        with mock.patch.object(measure.Session, "measure", return_value=1) as measured:
            self.run_it("figure", "compare", "--again")
        self.assertEqual([call.args[0].name for call in measured.mock_calls], ["compare"])

    def test_further_libraries_are_named_without_their_paths(self):
        self.assertEqual(self.run_it("variants", "--peer", "one=/x/lib.so:p_", "--eigen", "other=/y")[0], 0)
        self.assertIn("`docs/measure.sh variants --peer one=… --eigen other=…`: ", self.part("variants"))

    def test_a_busy_machine_is_refused(self):
        self.others = 1.25
        status, said = self.run_it("variants")
        self.assertEqual(status, measure.NOT_IDLE)
        self.assertIn("other programs took 1.25 of", said)
        self.assertEqual(self.run_it("variants", "--busy")[0], 0)
        self.assertTrue(self.part("variants").startswith("**Not on an idle machine.** "))

    def test_work_that_comes_meanwhile_is_marked(self):
        with mock.patch.object(machine, "Others", lambda: mock.Mock(cores=lambda: 0.5)):
            self.assertEqual(self.run_it("variants")[0], 0)
        self.assertTrue(self.part("variants").startswith("**Not on an idle machine.** "))

    def test_a_part_without_its_place(self):
        with self.assertRaises(pages.PageError):
            pages.written("<!-- measured: a -->\n<!-- end -->\n", "b", "text")
        self.assertEqual(pages.written("x\n<!-- measured: a -->\nold\n<!-- end -->\ny\n", "a", "new"),
                         "x\n<!-- measured: a -->\nnew\n<!-- end -->\ny\n")


@unittest.skipIf("--slow" in sys.argv, "the others")
class Load(unittest.TestCase):
    def test_the_kernel_without_who_built_it(self):
        from comparison import report
        document = {"machine": {"processor": {}, "compiler": [], "kernel": "Linux 6.1.0-29-amd64 x86_64", "date": "",
                                "load_before": 0, "load_after": 0}}
        self.assertIn("- system: Linux 6.1\n", report.machine(document))

    def test_our_own_work_is_not_that_of_others(self):
        """In 2 s the cores worked for 4 s, of which 3 s were ours."""
        with mock.patch.object(machine.time, "monotonic", side_effect=[100, 102]), \
                mock.patch.object(machine.conditions, "busy_seconds", side_effect=[50, 54]), \
                mock.patch.object(machine.conditions, "own_seconds", side_effect=[7, 10]):
            self.assertEqual(machine.Others().cores(), 0.5)
        with mock.patch.object(machine.conditions, "busy_seconds", return_value=None):
            self.assertIsNone(machine.Others().cores())
        self.assertTrue(machine.is_idle(0.05) and machine.is_idle(None) and not machine.is_idle(0.5))


@unittest.skipIf("--slow" in sys.argv, "the others")
class Comparison(unittest.TestCase):
    def test_ratios_pair_the_rounds_that_neither_failed(self):
        from comparison import measure as runs, report
        case = {"n": 100, "algorithm": "lu", "type": "d", "operation": "factor"}
        times = {"trifac": [1, 2, 4], "before": [None, 2, 4]}
        answers = {name: [{"error": "killed"} if t is None else {"cpu": t, "ratio": 1, "failures": 0} for t in all_of]
                   for name, all_of in times.items()}
        result = {"clock": "cpu", "peers": {name: runs.summarize(case, of, "cpu") for name, of in answers.items()}}
        self.assertEqual(report.paired_ratio(result, "trifac", "before"), 1)

    def test_a_library_is_right_where_every_round_is(self):
        from comparison import measure as runs, report
        case = {"n": 100, "algorithm": "lu", "type": "d", "operation": "factor"}
        good, failed = {"cpu": 1, "ratio": 1, "failures": 0}, {"error": "killed"}
        nan, wrong = {**good, "ratio": math.nan}, {**good, "failures": 1}
        self.assertTrue(runs.summarize(case, [good, good], "cpu")["right"])
        for answers in ([good, failed], [failed, good], [good, nan], [wrong, good]):
            entry = runs.summarize(case, answers, "cpu")
            self.assertFalse(entry["right"], answers)
            self.assertEqual(report.cell(entry), "wrong")
        entry = runs.summarize(case, [failed, failed], "cpu")
        self.assertEqual(report.cell(entry), "–")
        self.assertIn("median of 2 rounds", report.said_of([{"clock": "cpu", "peers": {"trifac": entry}}]))

    def test_no_two_curves_look_alike(self):
        from comparison import plot
        chart, names = plot.Chart([16, 32], 10), [f"library {k}" for k in range(2 * len(plot.COLOURS))]
        peer = {"gflops": 2.5, "least": 2, "most": 3, "right": True}
        results = [{"n": n, "peers": {name: peer for name in names}} for n in (16, 32)]
        looks = {re.search("stroke=.*", plot.curve(chart, k, name, results)[0])[0] for k, name in enumerate(names)}
        self.assertEqual(len(looks), len(names))


@unittest.skipUnless("--slow" in sys.argv, "compiles, and takes packages from PyPI")
class Slow(Measuring):
    def test_studies_and_tools(self):
        self.check(SLOW)


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0]])
