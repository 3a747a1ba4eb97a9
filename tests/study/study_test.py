#!/usr/bin/env python3
"""Tests of bench/trifac-study that measure nothing: plans, order, store, statistics, conclusions."""

import json
import math
import os
import pathlib
import sys
import tempfile
import unittest

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent.parent / "bench"))
sys.path.insert(0, str(HERE.parent / "docs"))
import markdown  # noqa: E402
from study import conclusion, estimate, plan, processes, recommend, run, store, summary  # noqa: E402

SMALL = """
seed = 3
replications = 4
[[experiment]]
name = "e"
backend = "serial"
variant = ["best", "crout"]
n = [100, 200]
[[experiment]]
name = "t"
backend = "openmp"
threads = [1, 2, 4096]
n = [100, 200]
[[experiment]]
name = "c"
backend = "cuda"
n = 100
"""


def study_of(text, folder, name="small.toml"):
    pool = processes.Pool(HERE / "fake_worker.py", pathlib.Path(folder), "g++", True)
    return run.Study(plan.parse(text, name), folder, pool, {"processor": {}, "compiler": []})


class Plans(unittest.TestCase):
    def test_shipped_plans_can_be_read(self):
        for name in ("quick", "thesis", "table-4.1", "sycl-note", "martins", "ece496", "peers", "recommend"):
            made = plan.load(name)
            self.assertGreater(len(made.settings()), 0, name)
            self.assertGreater(len(made.figures), 0, name)
            names = {e.name for e in made.experiments}
            for figure in made.figures:
                asked = figure["where"].get("experiment", [])
                self.assertLessEqual(set(plan.listed(asked)), names, figure["id"])

    def test_plans_in_the_documentation(self):
        count = 0
        for page in sorted((HERE.parent.parent / "docs").glob("*.md")):
            for block in markdown.blocks(page.name, page.read_text()):
                if block.language == "toml":
                    plan.parse(block.code, f"{page.name}:{block.line}")
                    count += 1
        self.assertGreater(count, 0)

    def test_factorial(self):
        settings = plan.parse(SMALL, "small.toml").settings()
        self.assertEqual(len(settings), 2 * 2 + 3 * 2 + 1)
        self.assertEqual(settings[0]["type"], "double")

    def test_thesis_is_the_sources_design(self):
        thesis = plan.load("thesis")
        self.assertEqual(thesis.replications, 15)
        self.assertEqual(thesis.order, "full")
        for e in thesis.experiments:
            self.assertEqual(e.levels["n"], [250, 500, 1000, 2500, 5000, 7500])

    def test_mistakes_are_named(self):
        for text, words in (
                ("", "no [[experiment]]"), ("seed = \"x\"\n[[experiment]]\n", "seed cannot be"),
                ("[[experiment]]\nn = 3", "no name"), ("[[experiment]]\nname = \"a\"", "no n"),
                ("[[experiment]]\nname = \"a\"\nn = 0", "n cannot be 0"),
                ("[[experiment]]\nname = \"a\"\nn = 3\nspeed = 1", "speed is not a factor"),
                ("[[experiment]]\nname = \"a\"\nn = 3\nthreads = 2", "no threads to choose"),
                ("[[experiment]]\nname = \"a\"\nn = 3\ntype = \"int\"", "type is one of float"),
                ("[[experiment]]\nname = \"a\"\nn = 3\narithmetic = \"fast\"", "serial has no arithmetic"),
                ("order = \"odd\"\n[[experiment]]\nname = \"a\"\nn = 3", "order is"),
                ("[[experiment]\n", "small.toml:")):
            with self.assertRaises(plan.PlanError) as caught:
                plan.parse(text, "small.toml")
            self.assertIn(words, str(caught.exception))

    def test_limits(self):
        made = plan.limited(plan.parse(SMALL, "small.toml"), most_n=100, threads=[2])
        self.assertEqual({s["n"] for s in made.settings()}, {100})
        self.assertEqual({s["threads"] for s in made.settings() if s["backend"] == "openmp"}, {2})
        with self.assertRaises(plan.PlanError):
            plan.limited(made, most_n=10)


class Order(unittest.TestCase):
    def test_shuffled_by_the_seed(self):
        made = plan.parse(SMALL, "small.toml")
        first, again = (run.schedule(made, made.settings()) for _ in range(2))
        self.assertEqual(first, again)
        numbers = [r[0] for r in first]
        self.assertEqual(sorted(numbers), list(range(44)))
        self.assertNotEqual(numbers, sorted(numbers))

    def test_blocks_finish_a_replication_first(self):
        made = plan.parse('order = "blocks"\n' + SMALL, "small.toml")
        replications = [r[2] for r in run.schedule(made, made.settings())]
        self.assertEqual(replications, sorted(replications))


class Runs(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()

    def tearDown(self):
        self.folder.cleanup()

    def test_absent_and_too_many_threads_are_named(self):
        study = study_of(SMALL, self.folder.name)
        study.prepare()
        study.measure()
        study.pool.close()
        self.assertIn("backend cuda", study.left_out)
        self.assertIn("4096 threads", study.left_out)
        self.assertEqual(len(study.store.done()), 4 * (4 + 4))
        stored = study.store.read_head()
        self.assertEqual(stored["left_out"], study.left_out)

    def test_interrupted_study_goes_on(self):
        study = study_of(SMALL, self.folder.name)
        study.prepare()
        study.todo = study.todo[:10]
        study.measure()
        study.pool.close()
        kept = {p.name: p.read_bytes() for p in study.store.runs.glob("*.json")}
        again = study_of(SMALL, self.folder.name)
        self.assertEqual(again.prepare(), 10)
        self.assertEqual(len(again.todo), 22)
        again.measure()
        again.pool.close()
        self.assertEqual(len(again.store.done()), 32)
        for name, content in kept.items():
            self.assertEqual((again.store.runs / name).read_bytes(), content)

    def other_plan(self):
        return study_of(SMALL.replace("seed = 3", "seed = 4"), self.folder.name)

    def test_another_plan_is_refused(self):
        study = study_of(SMALL, self.folder.name)
        study.prepare()
        study.todo = study.todo[:1]
        study.measure()
        study.pool.close()
        with self.assertRaises(store.ForeignResults):
            self.other_plan().prepare()

    def test_an_estimate_keeps_no_folder(self):
        study = study_of(SMALL, self.folder.name)
        study.prepare()
        study.pool.close()
        other = self.other_plan()
        other.prepare()
        other.pool.close()
        self.assertEqual(other.store.read_head()["seed"], 4)

    def test_wrong_results_do_not_count(self):
        text = SMALL.replace('"crout"', '"recursive"')
        study = study_of(text, self.folder.name)
        study.prepare()
        study.measure()
        study.pool.close()
        rows = summary.rows_of(study.plan, study.store.all_runs())
        bad = [r for r in rows if r["variant"] == "recursive"]
        self.assertTrue(bad and all("mean" not in r and r["wrong"] == 4 for r in bad))

    def test_refused_setting_and_dead_process(self):
        for variant in ("unknown", "dies"):
            with tempfile.TemporaryDirectory() as folder:
                study = study_of(SMALL.replace('"crout"', f'"{variant}"'), folder)
                study.prepare()
                study.measure()
                study.pool.close()
                self.assertIn(f"cholesky {variant} on serial", study.left_out)
                self.assertGreater(len(study.store.done()), 0)

    def test_right(self):
        good = {"status": "success", "ratio": 0.1, "seconds": 1}
        self.assertTrue(run.right(good))
        for change in ({"ratio": None}, {"ratio": 30}, {"ratio": math.nan}, {"seconds": 0},
                       {"status": "singular at index 3"}):
            self.assertFalse(run.right({**good, **change}), change)
        self.assertFalse(run.right({"error": "x"}))

    def test_run_file_tells_everything(self):
        study = study_of(SMALL, self.folder.name)
        study.prepare()
        study.todo = study.todo[:1]
        study.measure()
        study.pool.close()
        one, = study.store.all_runs()
        self.assertLessEqual({"setting", "replication", "answer", "right", "machine", "process",
                              "load"}, set(one))
        self.assertLessEqual({"cores", "compiler", "isa"}, set(one["process"]))


class Statistics(unittest.TestCase):
    def test_rank_test(self):
        low, high = {"times": [1, 2, 3, 4, 5]}, {"times": [6, 7, 8, 9, 10]}
        self.assertTrue(summary.surely_faster(low, high))
        self.assertFalse(summary.surely_faster(high, low))
        self.assertFalse(summary.surely_faster(low, low))
        self.assertAlmostEqual(summary.rank_distance([1, 4], [2, 3]), 0)

    def test_students_quantiles(self):  # from a table of the distribution
        for freedom, value in ((1, 12.706), (2, 4.303), (4, 2.776), (14, 2.145), (100, 1.984)):
            self.assertAlmostEqual(summary.t_quantile(0.975, freedom), value, delta=0.002)

    def rows(self, times, text=SMALL, name="small.toml"):
        """Rows from given times: times(setting, replication)."""
        made = plan.parse(text, name)
        runs = [{"setting": s, "right": True, "process": {"cores": [0], "peak_double": "1e11"},
                 "answer": {"seconds": times(s, r), "ratio": 0.1, "status": "success"}}
                for s in made.settings() for r in range(3)]
        return summary.rows_of(made, runs)

    def test_mean_and_error(self):
        row = self.rows(lambda s, r: (1, 2, 6)[r])[0]
        self.assertAlmostEqual(row["mean"], 3)
        self.assertAlmostEqual(row["median"], 2)
        self.assertAlmostEqual(row["error"], math.sqrt(7 / 3))
        self.assertAlmostEqual(row["half"], 4.3027 * math.sqrt(7 / 3), delta=1e-3)
        self.assertEqual(row["typical"], row["median"])
        self.assertEqual((row["below"], row["above"]), (0.5, 2))
        self.assertAlmostEqual(row["gflops"], 100 ** 3 / 3 / 2 * 1e-9)
        self.assertAlmostEqual(row["peak share"], row["gflops"] / 100)

    def times(self, s, r):
        """crout takes twice as long; a second thread pays at n = 200 only."""
        base = s["n"] * 1e-3 + r * 1e-6
        if s["variant"] == "crout":
            return 2 * base
        if s["backend"] == "cuda":
            return 3 * base
        return base * (0.5 if s["threads"] == 2 and s["n"] == 200 else 1.5) \
            if s["backend"] == "openmp" else base

    def test_speed_up_against_the_best_serial_one(self):
        rows = {(r["variant"], r["backend"], r["threads"], r["n"]): r
                for r in self.rows(self.times)}
        self.assertAlmostEqual(rows["best", "openmp", 2, 200]["speed-up"], 2, delta=1e-3)
        self.assertAlmostEqual(rows["best", "openmp", 2, 200]["efficiency"], 1, delta=1e-3)
        self.assertAlmostEqual(rows["crout", "serial", 1, 100]["speed-up"], 0.5, delta=1e-3)

    def test_speed_up_against_the_plans_base(self):
        text = 'base = { backend = "serial", variant = "crout" }\n' + SMALL
        row = next(r for r in self.rows(self.times, text) if r["variant"] == "best")
        self.assertAlmostEqual(row["speed-up"], 2, delta=1e-3)

    def test_crossovers(self):
        found = summary.crossovers(self.rows(self.times), "cholesky", "double")
        self.assertEqual(found["openmp, 2 threads"], 200)
        self.assertIsNone(found["openmp"])

    def test_steps(self):
        answers = [{"verb_play": 1, "verb_swap_rows": 2, "verb_update": 4}]
        self.assertEqual(summary.steps_of(answers),
                         {"step pivoting": 3, "step product and subtraction": 4})

    def test_complex_operations_count_four_times(self):
        real, = self.rows(lambda s, r: 1.0, '[[experiment]]\nname = "e"\nn = 100\n')
        other, = self.rows(lambda s, r: 1.0, '[[experiment]]\nname = "e"\nn = 100\ntype = "complex_double"\n')
        self.assertAlmostEqual(other["gflops"], 4 * real["gflops"])
        self.assertAlmostEqual(other["peak share"], 4 * real["peak share"])

    def test_csv(self):
        lines = summary.as_csv(self.rows(self.times)).splitlines()
        self.assertEqual(len(lines), 12)
        self.assertTrue(all(line.count(",") == lines[0].count(",") for line in lines))

    def test_conclusion_names_winners_and_how_sure(self):
        (title, sentences), = conclusion.paragraphs(self.rows(self.times))
        words = " ".join(sentences)
        self.assertEqual(title, "Cholesky, double")
        self.assertIn("Up to n = 100: best on serial", words)
        self.assertIn("From n = 200 on: best on openmp, 2 threads", words)
        self.assertIn("openmp, 2 threads beats one thread from n = 200 on", words)
        self.assertIn("Sure at 2 of 2 orders", words)

    def test_conclusion_admits_what_is_too_close(self):
        noisy = self.rows(lambda s, r: s["n"] * (1 + 0.3 * ((r + len(s["variant"])) % 3)))
        (_, sentences), = conclusion.paragraphs(noisy)
        self.assertIn("Too close to call, less than 3 % apart", sentences[-1])

    def test_conclusion_admits_doubt(self):
        """The median of crout is twice that of best, but one run in three is the other way round."""
        def times(s, r):
            slow = s["variant"] == "crout" if r < 2 else s["variant"] != "crout"
            return s["n"] * (2 if slow else 1) * (1 + 1e-3 * r)
        (_, sentences), = conclusion.paragraphs(
            self.rows(times, '[[experiment]]\nname = "e"\nvariant = ["best", "crout"]\nn = 64\n'))
        self.assertIn("best on serial", sentences[0])
        self.assertIn("Not sure", sentences[-1])
        self.assertIn("crout on serial", sentences[-1])


class Recommendations(unittest.TestCase):
    PLAN = """
[[experiment]]
name = "s"
backend = "serial"
n = [64, 128, 256]
[[experiment]]
name = "t"
backend = "openmp"
threads = [2, 4]
n = [64, 128, 256]
[[experiment]]
name = "block"
block = [0, 32, 64]
n = [128, 256]
[[experiment]]
name = "g"
backend = "cuda"
n = [64, 256]
"""

    def rows(self, times):
        made = plan.parse(self.PLAN, "p.toml")
        runs = [{"setting": s, "right": True, "process": {"cores": [0]},
                 "answer": {"seconds": times(s) * (1 + 1e-3 * r), "ratio": 0.1,
                            "status": "success"}}
                for s in made.settings() for r in range(5)]
        return summary.rows_of(made, runs)

    def test_crossovers_block_and_device(self):
        def times(s):
            if s["backend"] == "openmp":
                return {64: 2, 128: 0.9, 256: 0.5}[s["n"]] * (1 if s["threads"] == 4 else 1.1)
            if s["backend"] == "cuda":
                return {64: 3, 256: 0.4}[s["n"]]
            return {0: 1, 32: 1.2, 64: 0.8 if s["n"] == 256 else 1.1}[s["block"]]
        self.assertEqual(recommend.findings(self.rows(times), "cholesky", "double"),
                         {"threads_from": 128, "threads": 4, "device_from": 256, "block": 64,
                          "block_from": 256})

    def test_nothing_where_nothing_is_sure(self):
        rows = self.rows(lambda s: 1.0)
        self.assertEqual(recommend.findings(rows, "cholesky", "double"), {})
        self.assertIn("one thread", next(line for line in recommend.in_words(rows)
                                         if line.startswith("cholesky double")))

    def test_a_small_gain_is_no_recommendation(self):
        rows = self.rows(lambda s: 0.98 if s["block"] == 64 else 1.0)
        self.assertEqual(recommend.findings(rows, "cholesky", "double"), {})

    def test_many_candidates_need_better_evidence(self):
        a, b = {"times": [1, 2, 3, 5]}, {"times": [4, 6, 7, 8]}
        self.assertTrue(summary.surely_faster(a, b))
        self.assertFalse(summary.surely_faster(a, b, 10))

    def test_a_later_loss_moves_the_crossover(self):
        rows = self.rows(lambda s: 2.0 if s["backend"] != "openmp" else
                         {64: 1, 128: 3, 256: 1}[s["n"]])
        self.assertEqual(recommend.findings(rows, "cholesky", "double")["threads_from"], 256)

    def test_hash(self):  # FNV-1a's published values
        self.assertEqual(recommend.fnv1a(""), "cbf29ce484222325")
        self.assertEqual(recommend.fnv1a("foobar"), "85944171f73967e8")


class Estimates(unittest.TestCase):
    def test_power_law(self):
        made = estimate.Estimate()
        setting = {**plan.FACTORS, "experiment": "e", "detail": "none", "n": 3840}
        made.laws[estimate.sort_of(setting)] = (1.0, 3.0, 0.0)
        self.assertAlmostEqual(made.seconds(setting), 1000, delta=1)

    def test_words(self):
        self.assertEqual([estimate.in_words(s) for s in (0.2, 95, 600, 7800, 400000)],
                         ["1 s", "95 s", "10 min", "2 h 10 min", "4.6 days"])


if __name__ == "__main__":
    os.environ.pop("TRIFAC_STUDY_ENVIRONMENT", None)
    unittest.main()
