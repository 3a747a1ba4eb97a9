#!/usr/bin/env python3
"""Tests of bench/trifac-study that measure nothing: plans, order, store, statistics, conclusions."""

import io
import math
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile
import unittest
import unittest.mock

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent.parent / "bench"))
sys.path.insert(0, str(HERE.parent / "docs"))
import markdown  # noqa: E402
from comparison import peers  # noqa: E402
from study import (conclusion, conditions, drift, estimate, plan, processes, recommend, run, significance,  # noqa: E402
                   store, summary)

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


def recorded(made, times, replications=4, others=lambda s, r: 0.0, reference=lambda s, r: 1.0, cores=2,
             answer=lambda s: {}):
    """Runs as the store has them, of given times(setting, replication), load of others and clock."""
    return [{"setting": s, "replication": r, "at": r, "right": True,
             "process": {"cores": [0], "peak_double": "1e11"},
             "others": others(s, r), "idle": max(0, cores - s["threads"]),
             "answer": {"seconds": times(s, r), "ratio": 0.1, "status": "success",
                        "threads": s["threads"], "reference": reference(s, r),
                        **answer(s)}}
            for r in range(replications) for s in made.settings()]


def rows_of(made, times, **more):
    return summary.rows_of(made, recorded(made, times, **more))


class Plans(unittest.TestCase):
    def test_shipped_plans_can_be_read(self):
        for name in ("quick", "thesis", "table-4.1", "sycl-note", "martins", "batched", "ece496", "peers",
                     "contest", "recommend"):
            made = plan.load(name)
            self.assertGreater(len(made.settings()), 0, name)
            self.assertGreater(len(made.figures), 0, name)
            names = {e.name for e in made.experiments}
            for figure in made.figures:
                for where in plan.listed(figure["where"]):
                    asked = where.get("experiment", [])
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

    def test_a_version_has_a_panel_as_in_the_thesis(self):
        by_id = {f["id"]: f for f in plan.load("thesis").figures}
        for name in ("5.1", "5.2", "5.3"):
            self.assertEqual(by_id[name]["each"], "variant")
        for name in ("5.4", "5.8", "5.11"):
            self.assertEqual(by_id[name]["each"], ["variant", "columns"])
        self.assertEqual(by_id["5.10"]["each"], ["variant", "columns", "group"])
        self.assertEqual((by_id["5.13"]["x"], by_id["5.13"]["y"]), ("n", "time"))

    def test_variants_by_elements_stand_apart(self):
        """Beside variants by blocks they would all lie on a linear axis's zero."""
        for name in plan.shipped():
            made = plan.load(name)
            for figure in made.figures:
                if (figure["y"] not in ("gflops", "speed-up", "peak share") or figure.get("yscale") == "log"
                        or not {"variant", "experiment"} & set(plan.listed(figure["line"]))):
                    continue
                shown = {s["variant"] for s in made.settings() for where in plan.listed(figure["where"])
                         if all(s[k] in plan.listed(v) for k, v in where.items() if v != "largest")}
                elements = {v for v in shown if v.startswith(("banachiewicz", "crout", "unblocked"))}
                self.assertFalse(elements and shown - elements, f"{name}: {figure['id']}")

    def test_martins_tournaments(self):
        """p is the number of cores; candidates of neighbours are compared."""
        for e in plan.load("martins").experiments:
            if e.name.startswith("steps"):
                self.assertEqual((e.levels["leaves"], e.levels["arity"]), (["cores"], [2]))

    def test_mistakes_are_named(self):
        for text, words in (
                ("", "no [[experiment]]"), ("seed = \"x\"\n[[experiment]]\n", "seed cannot be"),
                ("[[experiment]]\nn = 3", "no name"), ("[[experiment]]\nname = \"a\"", "no n"),
                ("[[experiment]]\nname = \"a\"\nn = 0", "n cannot be 0"),
                ("[[experiment]]\nname = \"a\"\nn = 3\nspeed = 1", "speed is not a factor"),
                ("[[experiment]]\nname = \"a\"\nn = 3\nthreads = 2", "no threads to choose"),
                ("[[experiment]]\nname = \"a\"\nn = 3\ntype = \"int\"", "type is one of float"),
                ("[[experiment]]\nname = \"a\"\nn = 3\narithmetic = \"fast\"", "serial has no arithmetic"),
                ("[[experiment]]\nname = \"a\"\nn = 3\nplace = \"strided\"", "place is of batches"),
                ("[[experiment]]\nname = \"a\"\nn = 3\nbatch = 9\ntile = 2", "serial has no tile"),
                ("[[experiment]]\nname = \"a\"\nn = 3\n[[figure]]\nid = \"f\"\ntitle = \"f\"\nx = \"n\"\ny = \"time\"\n"
                 "where = [{ speed = 1 }]", "figure f: where cannot be"),
                ("[[experiment]]\nname = \"a\"\nshape = \"16\"", "a shape is COUNTxORDER"),
                ("[[experiment]]\nname = \"a\"\nshape = 16", "shape cannot be 16"),
                ("[[experiment]]\nname = \"a\"\nshape = \"16x8\"\nn = 8", "shapes have a batch and an n"),
                ("order = \"odd\"\n[[experiment]]\nname = \"a\"\nn = 3", "order is"),
                ("[[experiment]\n", "small.toml:")):
            with self.assertRaises(plan.PlanError) as caught:
                plan.parse(text, "small.toml")
            self.assertIn(words, str(caught.exception))

    def test_contest_has_its_shapes(self):
        made = plan.load("contest")
        shapes = {e.name: e.levels["shape"] for e in made.experiments}
        self.assertEqual(len(shapes["serial"]), 15)
        self.assertEqual(shapes["serial"], shapes["threads"])
        script = " ".join((HERE.parent / "gpu.sh").read_text().split())
        self.assertIn(f'shapes="{" ".join(shapes["serial"])}"', script)
        self.assertEqual({(s["batch"], s["n"]) for s in made.settings() if s["experiment"] == "devices"},
                         {(4096, 32), (1024, 64), (256, 128), (64, 256)})
        self.assertNotIn("shape", made.settings()[0])

    def test_shapes_are_limited_by_their_order(self):
        few = plan.limited(plan.load("contest"), most_n=512).settings()
        self.assertEqual({s["n"] for s in few}, {32, 64, 128, 256, 512})
        quick = plan.limited(plan.load("contest"), quick=True)
        self.assertEqual(quick.experiments[0].levels["shape"], ["4096x32", "256x128", "16x512", "640x512"])

    def test_batched_has_every_level_of_the_source(self):
        made = plan.load("batched")
        settings = made.settings()
        self.assertEqual({s["batch"] for s in settings}, {10000, 16384})
        self.assertEqual((min(s["n"] for s in settings), max(s["n"] for s in settings)), (5, 100))
        sweep = [s for s in settings if s["experiment"] == "sweep"]
        for factor, levels in (("looking", {"right", "left", "top"}), ("outer", {"rolled", "unrolled"})):
            self.assertEqual({s[factor] for s in sweep}, levels)
        self.assertEqual({(s["backend"], s["device"]) for s in sweep},
                         {("opencl", "cpu"), ("opencl", "gpu"), ("cuda", "any")})
        self.assertEqual({s["tile"] for s in sweep}, set(range(1, 9)))
        self.assertEqual({s["chunk"] for s in sweep}, {32, 64, 128, 256, 512})
        self.assertTrue({s["place"] for s in settings} >= {"strided", "chunked", "interleaved"})
        self.assertEqual({s["arithmetic"] for s in settings}, {"ieee", "fast"})
        self.assertTrue(all(s["n"] <= 32 for s in settings if s["outer"] == "unrolled"))
        self.assertEqual({f["id"] for f in made.figures}, {
            "shares", "gflops", "arithmetic", "tile", "looking", "chunked", "chunk", "unrolling", "canonical", "warps",
            "speed-up", "over-all"})
        self.assertEqual({s["operation"] for s in settings if s["experiment"] == "peers"},
                         {"factor", "solve", "both"})

    def test_all_shapes_of_a_group(self):
        """Panels ⌈n/k⌉, heights and widths powers of two, n and the panel; whole warps."""
        made = plan.parse("""[[experiment]]
name = "e"
backend = ["opencl (gpu)", "cuda"]
n = [5, 12]
batch = 100
kernel = "groups"
panel = "all"
block_height = "all"
block_width = "all"
""", "small.toml")
        shapes = {n: [tuple(s[k] for k in plan.OF_GROUPS[:3]) for s in made.settings()
                      if s["n"] == n and s["device"] == "gpu"] for n in (5, 12)}
        self.assertEqual(shapes[5], [(3, 8, 4), (5, 4, 8), (5, 8, 4), (5, 8, 8)])
        self.assertEqual({panel for panel, _, _ in shapes[12]}, {12, 6, 4, 3, 2})  # 16 x 1 items are no warp
        self.assertIn((12, 8, 12), shapes[12])
        self.assertIn((3, 16, 4), shapes[12])
        self.assertTrue(all(h * w % 32 == 0 and h * w <= 1024 for some in shapes.values() for _, h, w in some))
        self.assertEqual(len(made.settings()), 2 * sum(map(len, shapes.values())))
        head = "[[experiment]]\nname = 'e'\nbackend = 'cuda'\nbatch = 9\nn = 8\n"
        named = plan.parse(head + "panel = 8\nblock_height = 8\nblock_width = [2, 4]", "small.toml").settings()
        self.assertEqual([s["block_width"] for s in named], [2, 4])  # none is left out
        with self.assertRaisesRegex(plan.PlanError, "experiment e: block_width = .all. needs panels"):
            plan.parse(head + "block_width = 'all'", "small.toml")
        for key, level in (("panel", "some"), ("systems", "all")):
            with self.assertRaisesRegex(plan.PlanError, f"{key} cannot be '{level}'"):
                plan.parse(f"[[experiment]]\nname = 'e'\nbackend = 'cuda'\nbatch = 9\nn = 3\n{key} = '{level}'",
                           "small.toml")

    def test_a_library_that_is_not_installed_is_named(self):
        with tempfile.TemporaryDirectory() as folder, unittest.mock.patch.object(peers, "VIENNACL", "no/such.hpp"):
            pool = processes.Pool("none", pathlib.Path(folder), "g++", True)
            setting = next(s for s in plan.load("martins").settings() if s["backend"] == "viennacl")
            self.assertEqual(pool.ask(setting, 1), {"error": "its backend is absent"})
            self.assertEqual(pool.absent, {"viennacl": "no no/such.hpp (Debian: libviennacl-dev)"})

    def test_limits(self):
        made = plan.limited(plan.parse(SMALL, "small.toml"), most_n=100, threads=[2])
        self.assertEqual({s["n"] for s in made.settings()}, {100})
        self.assertEqual({s["threads"] for s in made.settings() if s["backend"] == "openmp"}, {2})
        with self.assertRaises(plan.PlanError):
            plan.limited(made, most_n=10)

    def test_quick_keeps_every_experiment_and_few_of_its_numbers(self):
        whole, made = plan.load("batched"), plan.limited(plan.load("batched"), quick=True)
        settings = made.settings()
        self.assertEqual({s["experiment"] for s in settings}, {e.name for e in whole.experiments})
        self.assertLess(sum(s["device"] != "gpu" and s["backend"] != "cuda" for s in settings), 200)
        self.assertEqual(made.replications, 1)
        self.assertEqual({s["tile"] for s in settings if s["experiment"] == "sweep"}, {1, 8})
        self.assertEqual({s["n"] for s in settings if s["experiment"] == "both"}, {5, 14, 32})
        self.assertEqual(plan.limited(plan.load("thesis"), replications=3, quick=True).replications, 3)


BATCHES = """
replications = 3
base = { backend = "serial", place = "strided" }
[[experiment]]
name = "b"
backend = "serial"
batch = [100, 200]
place = ["strided", "chunked"]
operation = ["factor", "both"]
n = [10, 20]
[[experiment]]
name = "t"
backend = "opencl"
batch = 100
tile = [0, 4]
chunk = 32
looking = "left"
n = [10, 20]
"""


class Rows(unittest.TestCase):
    def test_choices_as_lines_of_a_terminal(self):
        rows = rows_of(plan.parse(SMALL, "small.toml"),
                       lambda s, r: 1e-9 * s["n"] ** 3 * (2 if s["variant"] == "crout" else 1))
        lines = list(conclusion.in_words(rows))
        self.assertEqual(lines[:2], ["", "Cholesky, double"])
        head, first = lines[2:4]
        self.assertRegex(head, r"^n +choose +how sure +margin +GFLOP/s +of peak$")
        self.assertRegex(first, r"^100 +best on ")
        self.assertEqual(head.index("choose"), first.index("best on "))

    def test_rows_that_a_figure_asks_for(self):
        made = plan.parse(SMALL, "small.toml")
        rows = rows_of(made, lambda s, r: 1.0)
        del rows[-1]["typical"]  # CUDA at n = 100

        def found(where):
            return [(r["experiment"], r["n"], r["threads"]) for r in summary.chosen(rows, where)]

        self.assertEqual(len(found({})), len(rows))
        self.assertEqual(found({"experiment": "t", "n": [100, 300], "threads": 2}), [("t", 100, 2)])
        # The largest of its own alternative, and 4096 threads have a result here.
        self.assertEqual(found([{"experiment": "t", "n": "largest", "threads": "largest"},
                                {"experiment": "e", "variant": "crout", "n": 100}]), [("t", 200, 4096), ("e", 100, 1)])
        self.assertEqual(found({"experiment": "c", "n": "largest"}), [])


GROUPS = """
[[experiment]]
name = "g"
backend = "opencl (cpu)"
batch = 100
kernel = "groups"
panel = "all"
block_height = [16, 32]
block_width = [2, 4]
n = [4, 40]
"""


class Batches(unittest.TestCase):
    def test_shapes_of_groups_are_tried_at_their_own_order(self):
        """One that is refused at n = 4 may run at 40, and each reason is told with its number."""
        with tempfile.TemporaryDirectory() as folder:
            study = study_of(GROUPS, folder)
            study.prepare()
            ran = {(s["n"], s["panel"]) for _, s, _ in study.todo}
            study.pool.close()
        self.assertEqual({panel for n, panel in ran if n == 4}, {1, 2, 4})
        self.assertEqual({panel for n, panel in ran if n == 40}, {1, 2, 3, 4, 5, 6, 7, 8})
        self.assertEqual(study.left_out["cholesky best on opencl"], "panel has no room (16 kinds of runs)")

    def rows(self):
        made = plan.parse(BATCHES, "b.toml")
        return made, rows_of(made, lambda s, r: s["n"] ** 3 * 1e-9 * (2 if s["place"] == "strided" else 1),
                             answer=lambda s: {"part_factorization": 3e-6, "part_forward": 1e-6}
                             if s["operation"] == "both" else {})

    def test_operations_and_parts(self):
        made, rows = self.rows()
        factor, both = (next(r for r in rows if (r["operation"], r["n"], r["place"]) == (o, 10, "chunked"))
                        for o in ("factor", "both"))
        self.assertAlmostEqual(factor["gflops"], 1 / 3)
        self.assertAlmostEqual(both["gflops"], (1000 / 3 + 200) / 1000)
        self.assertAlmostEqual(both["step factorization"], 3e-6)
        self.assertEqual(factor["speed-up"], 2)  # over the same batch, order and operation

    def test_speed_over_the_fastest_other_library(self):
        def row(backend, typical, operation="factor"):
            return {**dict.fromkeys(summary.SAME, 1), "operation": operation, "backend": backend, "typical": typical}
        rows = [row("serial", 2), row("mkl-loop", 6), row("eigen-loop", 5), row("opencl", 1, "solve")]
        summary.add_speed_over_others(rows)
        self.assertEqual([r.get("over others") for r in rows], [2.5, None, None, None])

    def test_a_loop_over_a_library_is_asked_for_its_operation(self):
        asked = []
        peer = processes.Peer.__new__(processes.Peer)
        peer.process = unittest.mock.Mock(ask=lambda case, _: asked.append(case) or {"error": "none"})
        for batch, operation in ((100, "solve"), (0, "factor")):
            peer.ask({**plan.FACTORS, "backend": "mkl-loop" if batch else "mkl", "n": 4, "batch": batch,
                      "operation": operation}, 1)
        self.assertEqual([case.get("operation") for case in asked], ["solve", None])

    def test_conclusion_compares_equal_batches_only(self):
        _, rows = self.rows()
        titles = [title for title, _, _ in conclusion.tables(rows)]
        self.assertEqual(titles, ["Cholesky, double, batches of 100: factorization",
                                  "Cholesky, double, batches of 100: factorization and substitutions",
                                  "Cholesky, double, batches of 200: factorization",
                                  "Cholesky, double, batches of 200: factorization and substitutions"])
        words = [line[1] for _, lines, _ in conclusion.tables(rows) for line in lines]
        self.assertIn("serial, chunked", words)

    def test_libraries_of_batches_have_names_of_their_own(self):
        for name, batched in (("mkl", False), ("mkl-loop", True), ("mkl-compact", True), ("eigen-fixed", True)):
            self.assertEqual(processes.is_batched(name), batched)


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

    def test_when_the_time_is_over_the_first_replications_go_on(self):
        for order in ("blocks", "full"):
            with tempfile.TemporaryDirectory() as folder:
                text = f'order = "{order}"\nseconds = 1e-9\n' + SMALL.replace("replications = 4", "replications = 6")
                study = study_of(text, folder)
                study.prepare()
                self.assertAlmostEqual(study.seconds, study.predicted(4))
                self.assertFalse(study.measure())
                study.pool.close()
                self.assertEqual(sorted({r["replication"] for r in study.store.all_runs()}), [0, 1, 2, 3])
                self.assertEqual(len(study.store.done()), 4 * (4 + 4))

    def test_the_time_left_ends_with_the_plans(self):
        for limit, of_first, seconds in ((0, 50, 1000), (100, 50, 100), (100, 150, 150), (2000, 50, 1000)):
            left = unittest.mock.Mock(seconds=lambda which="left": 1000 if which == "left" else of_first)
            self.assertAlmostEqual(run.Progress(left, 10, limit).seconds(), seconds, delta=1)
        self.assertEqual(run.time_of(1000, 50, -1), 50)

    def test_the_bar_is_the_share_of_the_time(self):
        """Of 10 s that have passed and 30 s left a quarter."""
        self.assertEqual([run.bar(0, 4), run.bar(1, 4)], ["[....]   0 %", "[####] 100 %"])
        left = unittest.mock.Mock(seconds=lambda which="left": 30)
        with unittest.mock.patch.object(run.time, "monotonic", side_effect=[0, 10, 10]), \
                unittest.mock.patch.object(run.sys, "stderr", io.StringIO()) as said, \
                unittest.mock.patch.object(said, "isatty", lambda: True), \
                unittest.mock.patch.object(run.shutil, "get_terminal_size", lambda: os.terminal_size((80, 24))):
            run.Progress(left, 8, 0).show(2, {"algorithm": "lu", "backend": "serial", "variant": "best", "n": 9})
        self.assertEqual(said.getvalue(),
                         "\r\033[K[#####...............]  25 % 2/8 runs, 30 s left: lu serial best n=9")

    def left_of(self, made, predicted, build=0.0):
        runs = run.schedule(made, made.settings())
        estimated = unittest.mock.Mock(seconds=predicted, build=lambda s: build)
        return runs, run.Left(runs, estimated)

    def test_the_time_left_is_of_the_runs_that_are_left(self):
        """Orders 100 and 3000, at 1 and 27000 ms predicted. Small runs that take ten times as long say nothing of the
        large ones; a large one says all of the others, and of another sort half."""
        made = plan.parse("""replications = 4
order = "blocks"
[[experiment]]
name = "e"
n = [100, 3000]
variant = ["best", "crout"]
""", "small.toml")
        runs, left = self.left_of(made, lambda s: 1e-9 * s["n"] ** 3)
        self.assertAlmostEqual(left.seconds(), 8 * (27 + 1e-3))
        self.assertAlmostEqual(left.seconds("first"), left.seconds())
        for _, s, r in runs:
            if s["n"] == 100:
                left.took(s, r, 1e-2)
        self.assertAlmostEqual(left.seconds(), 8 * 27, delta=1)
        large = [(s, r) for _, s, r in runs if s["n"] == 3000]
        s, r = next(one for one in large if one[0]["variant"] == "best")
        left.took(s, r, 54)
        self.assertAlmostEqual(left.seconds(), 3 * 54 + 4 * 27 * 1.5, delta=1)  # as much as predicted, and twice that
        for other in (one for one in large if one != (s, r)):
            left.took(*other, 54)
        self.assertEqual(left.seconds(), 0)

    def test_the_first_run_of_a_setting_builds(self):
        made = plan.parse(SMALL, "small.toml")
        runs, left = self.left_of(made, lambda s: 1.0, build=5.0)
        settings = len(made.settings())
        self.assertAlmostEqual(left.seconds(), settings * (4 + 5))
        _, s, r = runs[0]
        left.took(s, r, 6)
        self.assertAlmostEqual(left.seconds(), (settings - 1) * (4 + 5) + 3)

    def test_results_that_are_to_come(self):
        """A report says (yet) while a process measures."""
        study = study_of(SMALL, self.folder.name)
        study.prepare()
        seen = []
        def show(*_):
            seen.append(study.store.read_head().get("running"))

        with unittest.mock.patch.object(run.Progress, "show", show):
            study.measure()
        study.pool.close()
        self.assertEqual(set(seen), {os.getpid()})
        self.assertNotIn("running", study.store.read_head())

    def test_a_file_that_a_link_names_is_replaced(self):
        folder = pathlib.Path(self.folder.name)
        (folder / "real").write_text("old")
        (folder / "link").symlink_to("real")
        store.write_whole(folder / "link", "new")
        self.assertTrue((folder / "link").is_symlink())
        self.assertEqual((folder / "real").read_text(), "new")
        (folder / "taken").mkdir()
        with self.assertRaises(OSError):
            store.write_whole(folder / "taken", "new")
        self.assertEqual(list(folder.glob("*.part")), [])

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
                              "others", "idle"}, set(one))
        self.assertEqual(one["idle"], len(os.sched_getaffinity(0)) - one["setting"]["threads"])
        self.assertLessEqual({"cores", "compiler", "isa"}, set(one["process"]))


class Requests(unittest.TestCase):
    def test_leaves_as_many_as_cores(self):
        class Recorder:
            stdin, asked = None, ""

            def write(self, text):
                self.asked = text

            def flush(self):
                pass
        worker = processes.Worker.__new__(processes.Worker)
        worker.process, worker.read = Recorder(), dict
        worker.process.stdin = worker.process
        setting = plan.parse('[[experiment]]\nname = "e"\nalgorithm = "lu"\nn = 9\nleaves = "cores"\narity = 2\n',
                             "p.toml").settings()[0]
        worker.ask(setting, 1)
        words = dict(word.split("=") for word in worker.process.asked.split())
        self.assertEqual((words["leaves"], words["arity"]), (str(len(os.sched_getaffinity(0))), "2"))


class Statistics(unittest.TestCase):
    def test_rank_test(self):
        low, high = {"times": [1, 2, 3, 4, 5]}, {"times": [6, 7, 8, 9, 10]}
        self.assertTrue(summary.surely_faster(low, high))
        self.assertFalse(summary.surely_faster(high, low))
        self.assertFalse(summary.surely_faster(low, low))

    def test_rank_test_is_exact(self):
        """All of m values are smaller than n others by chance once in the binomial coefficient of m + n over m."""
        for m, n in ((1, 1), (3, 3), (3, 4), (4, 4), (5, 5), (11, 11)):
            low, high = list(range(m)), list(range(m, m + n))
            self.assertAlmostEqual(significance.chance_of_smaller(low, high), 1 / math.comb(m + n, m))
            self.assertAlmostEqual(significance.chance_of_smaller(high, low), 1)

    def test_three_runs_against_three_are_never_sure(self):
        for count, sure in ((3, False), (4, True)):
            a, b = ({"times": [k + r for r in range(count)]} for k in (0, 100))
            self.assertEqual(summary.surely_faster(a, b), sure)

    def test_students_quantiles(self):  # from a table of the distribution
        for freedom, value in ((1, 12.706), (2, 4.303), (4, 2.776), (14, 2.145), (100, 1.984)):
            values = [0] * freedom + [1]
            error = statistics.stdev(values) / math.sqrt(freedom + 1)
            self.assertAlmostEqual(significance.half_width(values) / error, value, delta=0.002)
        self.assertEqual(significance.half_width([3]), math.inf)

    def test_trend_test(self):
        """n values rise, or fall, all the way by chance in 2 of n! orders."""
        for n in (5, 6, 7):
            for values in (range(n), range(n, 0, -1)):
                self.assertAlmostEqual(significance.chance_of_trend(list(values)), 2 / math.factorial(n))
        self.assertEqual(significance.chance_of_trend([1.0] * 5), 1)

    def rows(self, times, text=SMALL, name="small.toml", **more):
        return rows_of(plan.parse(text, name), times, **more)

    def test_mean_and_error(self):
        row = self.rows(lambda s, r: (1, 2, 6)[r], replications=3)[0]
        self.assertAlmostEqual(row["mean"], 3)
        self.assertAlmostEqual(row["median"], 2)
        self.assertAlmostEqual(row["error"], math.sqrt(7 / 3))
        self.assertAlmostEqual(row["half"], 4.3027 * math.sqrt(7 / 3), delta=1e-3)
        self.assertEqual(row["typical"], row["median"])
        self.assertEqual((row["below"], row["above"]), (0.5, 2))
        self.assertAlmostEqual(row["gflops"], 100 ** 3 / 3 / 2 * 1e-9)
        self.assertAlmostEqual(row["peak share"], row["gflops"] / 100)

    def test_share_of_peak_is_of_the_largest_peak(self):
        """Another program disturbed the first process while it measured its peak."""
        made = plan.parse('[[experiment]]\nname = "e"\nn = 100\ntype = ["double", "complex_double"]\n', "p.toml")
        runs = recorded(made, lambda s, r: 1e-6)
        for k, one in enumerate(runs):
            one["process"]["peak_double"] = "1e11" if k else "1e9"
        del runs[1]["process"]["peak_double"]  # a library tells none
        for row in summary.rows_of(made, runs):
            self.assertAlmostEqual(row["peak share"], row["gflops"] / 100)

    def test_share_of_peak_counts_the_cores_that_were_used(self):
        """Two threads were asked for; the smaller order was left to one."""
        text = '[[experiment]]\nname = "t"\nbackend = "openmp"\nthreads = 2\nn = [100, 200]\n'
        small, large = self.rows(
            lambda s, r: 1.0, text, answer=lambda s: {"threads": 1.01 if s["n"] == 100 else 1.9})
        self.assertEqual((small["cores"], large["cores"]), (1, 2))
        self.assertAlmostEqual(small["peak share"], small["gflops"] / 100)
        self.assertAlmostEqual(large["peak share"], large["gflops"] / 200)

    def test_a_tournament_of_one_group_is_left_out(self):
        text = ('[[experiment]]\nname = "t"\nalgorithm = "lu"\nvariant = ["tournament", "best"]\n'
                'n = [512, 2048]\n')
        rows = self.rows(lambda s, r: 1.0, text, answer=lambda s: {"groups": s["n"] // 512}
                         if s["variant"] == "tournament" else {})
        one, four, *_ = rows
        self.assertEqual((one["groups"], one["problem"]), (1, "one group of rows: no tournament"))
        self.assertNotIn("typical", one)
        self.assertEqual(four["groups"], 4)
        self.assertIn("typical", four)
        verdicts = conclusion.verdicts(rows, "lu", "double")
        self.assertEqual(verdicts[512].sure, "nothing to compare with")

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
        answers = [{"operation_local_lu": 1, "operation_swap_rows": 2, "operation_update": 4}]
        self.assertEqual(summary.steps_of(answers),
                         {"step pivoting": 3, "step product and subtraction": 4})

    def test_steps_of_each_call(self):
        """Martins' tables are per call: of n/B panels."""
        text = '[[experiment]]\nname = "t"\nalgorithm = "lu"\nn = 100\nblock = 32\n'
        row, = self.rows(lambda s, r: 1.0, text, answer=lambda s: {"operation_local_lu": 8})
        self.assertEqual((row["step pivoting"], row["step pivoting per call"]), (8, 2))

    def test_complex_operations_count_four_times(self):
        real, = self.rows(lambda s, r: 1.0, '[[experiment]]\nname = "e"\nn = 100\n')
        other, = self.rows(lambda s, r: 1.0, '[[experiment]]\nname = "e"\nn = 100\ntype = "complex_double"\n')
        self.assertAlmostEqual(other["gflops"], 4 * real["gflops"])
        self.assertAlmostEqual(other["peak share"], 4 * real["peak share"])

    def test_csv(self):
        lines = summary.as_csv(self.rows(self.times)).splitlines()
        self.assertEqual(len(lines), 12)
        self.assertTrue(all(line.count(",") == lines[0].count(",") for line in lines))

    def conclusion(self, rows):
        """The only table, its lines by order."""
        (title, lines, sentence), = conclusion.tables(rows)
        self.assertEqual(title, "Cholesky, double")
        return {int(line[0]): dict(zip(conclusion.HEAD, line)) for line in lines}, sentence

    def test_conclusion_names_the_fastest_and_how_sure(self):
        lines, sentence = self.conclusion(self.rows(self.times))
        self.assertEqual(lines[100]["choose"], "best on serial")
        self.assertEqual(lines[200]["choose"], "best on openmp, 2 threads")
        self.assertEqual([line["how sure"] for line in lines.values()], ["sure", "sure"])
        self.assertEqual(lines[200]["margin"], "2.0 × to best on serial")
        self.assertEqual(lines[100]["margin"], "50 % to best on openmp, 2 threads")
        self.assertEqual(sentence, "Faster than one thread from n = 200 on: openmp with 2 threads; "
                         "at no order: cuda, openmp with 4096 threads.")

    def test_conclusion_admits_what_is_too_close(self):
        noisy = self.rows(lambda s, r: s["n"] * (1 + 0.3 * ((r + len(s["variant"])) % 3)), replications=6)
        for line in self.conclusion(noisy)[0].values():
            self.assertIn("tie with", line["how sure"])

    def test_conclusion_admits_doubt(self):
        """The median of crout is twice that of best, but one run in three is the other way round."""
        def times(s, r):
            slow = s["variant"] == "crout" if r % 3 < 2 else s["variant"] != "crout"
            return s["n"] * (2 if slow else 1) * (1 + 1e-3 * r)
        line = self.conclusion(
            self.rows(times, '[[experiment]]\nname = "e"\nvariant = ["best", "crout"]\nn = 64\n',
                      replications=6))[0][64]
        self.assertEqual(line["choose"], "best on serial")
        self.assertEqual(line["how sure"], "not sure: times overlap with crout on serial")


class Conditions(unittest.TestCase):
    """A program that keeps one of two cores busy for the whole study makes two threads slower than one,
    every time: no test of the times can see that."""

    PLAN = """
[[experiment]]
name = "e"
backend = "serial"
n = [100, 200]
[[experiment]]
name = "t"
backend = "openmp"
threads = 2
n = [100, 200]
"""

    def setUp(self):
        self.made = plan.parse(self.PLAN, "p.toml")

    def times(self, s, r):
        return s["n"] * (3 if s["threads"] == 2 else 1) * (1 + 1e-3 * ((7 * r + s["n"]) % 5))

    def said(self, **more):
        """How sure the choices are, by order, and the sentence about crossovers."""
        rows = rows_of(self.made, self.times, replications=7, **more)
        (_, lines, sentence), = conclusion.tables(rows)
        self.assertEqual({line[1] for line in lines}, {"best on serial"})
        return [line[2] for line in lines], sentence

    def test_sure_on_an_idle_machine(self):
        self.assertEqual(self.said()[0], ["sure", "sure"])

    def test_nothing_is_sure_beside_a_busy_core(self):
        sure, sentence = self.said(others=lambda s, r: 1.0)
        self.assertEqual(sure, ["not sure: busy machine"] * 2)
        self.assertEqual(sentence, "Faster than one thread not sure (busy machine): openmp with 2 threads.")

    def test_one_busy_core_of_four_is_idle_for_two_threads(self):
        self.assertEqual(self.said(others=lambda s, r: 1.0, cores=4)[0], ["sure", "sure"])

    def test_a_disturbed_order_only(self):
        def others(s, r):
            return 2.0 if s["n"] == 200 and r % 2 else 0.0
        self.assertEqual(self.said(others=others)[0], ["sure", "not sure: busy machine"])

    def test_a_run_now_and_then_does_not_matter(self):
        self.assertEqual(self.said(others=lambda s, r: 2.0 if r == 3 else 0.0)[0], ["sure", "sure"])

    def test_a_difference_less_than_the_clock_moved_is_not_sure(self):
        sure, _ = self.said(reference=lambda s, r: 1.0 if r < 4 else 4.0)
        self.assertEqual(sure, ["not sure: the clock moved"] * 2)

    def test_a_difference_larger_than_the_clock_moved_is_sure(self):
        self.assertEqual(self.said(reference=lambda s, r: 1.0 if r < 4 else 1.2)[0], ["sure", "sure"])

    def test_a_clock_that_moved_does_not_excuse_a_busy_machine(self):
        sure, _ = self.said(reference=lambda s, r: 1.0 if r < 4 else 1.2, others=lambda s, r: 1.0)
        self.assertEqual(sure, ["not sure: busy machine, the clock moved"] * 2)

    def test_nothing_is_sure_of_three_runs(self):
        def found(**more):
            rows = rows_of(self.made, self.times, replications=3, **more)
            (_, lines, sentence), = conclusion.tables(rows)
            recommended = next(line for line in recommend.in_words(rows) if line.startswith("cholesky double"))
            return [line[2] for line in lines], sentence, recommended
        sure, sentence, recommended = found()
        self.assertEqual(sure, ["not sure: too few runs"] * 2)
        self.assertEqual(sentence, "Faster than one thread not sure (too few runs): openmp with 2 threads.")
        self.assertTrue(recommended.endswith("too few runs; measure again with four replications or more"))
        self.assertEqual(found(others=lambda s, r: 1.0)[0], ["not sure: busy machine, too few runs"] * 2)

    def test_how_to_repeat(self):
        for reasons, words in ((["drift"], "on an idle machine"),
                               ([conditions.TOO_FEW], "with four replications or more"),
                               (["busy machine", conditions.TOO_FEW],
                                "on an idle machine, with four replications or more")):
            self.assertEqual(conditions.how_to_repeat(reasons), words)

    def test_nothing_is_sure_without_the_load(self):
        self.assertEqual(self.said(others=lambda s, r: None)[0], ["not sure: load not recorded"] * 2)

    def test_no_recommendation_and_no_crossover_on_a_busy_machine(self):
        made = plan.parse(self.PLAN, "p.toml")

        def found(**more):
            return recommend.findings(rows_of(made, lambda s, r: (1 + 1e-3 * r) / s["threads"],
                                              replications=5, **more), "cholesky", "double")
        self.assertEqual(found(), {"threads_from": 100, "threads": 2})
        self.assertEqual(found(others=lambda s, r: 0.5), {})

    def test_recommendation_says_why_there_is_none(self):
        rows = rows_of(self.made, lambda s, r: (1 + 1e-3 * r) / s["threads"], replications=5,
                       others=lambda s, r: 0.5)
        line = next(line for line in recommend.in_words(rows) if line.startswith("cholesky double"))
        self.assertIn("not sure: busy machine", line)

    def drift(self, factor, replications=7):
        runs = recorded(self.made, lambda s, r: self.times(s, r) * factor(r), replications)
        return drift.Drift(runs, replications)

    def test_drift_is_found(self):
        drift = self.drift(lambda r: 1 + 0.05 * r)
        self.assertLess(drift.probability, 0.01)
        self.assertGreater(drift.change, 1.1)
        self.assertIn("The times drifted", drift.sentence())
        self.times_before, self.times = self.times, lambda s, r: self.times_before(s, r) * (1 + 0.05 * r)
        self.assertEqual(self.said()[0], ["not sure: drift"] * 2)

    def test_no_drift_where_there_is_none_or_too_little(self):
        for factor in (lambda r: 1, lambda r: 1 + 1e-4 * r, lambda r: (1, 1.3, 0.8)[r % 3]):
            drift = self.drift(factor)
            self.assertFalse(drift.found())
            self.assertIn("No drift that matters", drift.sentence())
        self.assertIn("too few runs", self.drift(lambda r: 1 + r, 2).sentence())

    def test_load_stands_in_words(self):
        head = {"cores": 2, "others_before": 0.75}
        runs = recorded(self.made, self.times, 7, others=lambda s, r: 1.0)
        words = " ".join(conditions.sentences(head, runs, drift.Drift(runs, 7)))
        self.assertIn("0.75 of 2 cores before the study", words)
        self.assertIn("in 14 of 28 runs more than the idle cores", words)

    def test_load_of_others_is_what_cores_did_without_us(self):
        samples = iter([(0, 10.0, 1.0), (0.5, 11.0, 1.5), (2, 13.5, 3.0), (2.5, 14.5, 3.0)])
        with unittest.mock.patch.object(conditions.Load, "sample", lambda self: next(samples)):
            load = conditions.Load(list)
            self.assertAlmostEqual(load.others(0.4), 1.0)       # 1 - 0.5 in half a second
            self.assertAlmostEqual(load.others(0), 0.75)        # a run of two seconds
            self.assertAlmostEqual(load.others(2.4), 1.0)       # of a short one: since 0.5, a second at least

    def test_own_work_is_that_of_children_too(self):
        burn = "import time\nwhile time.process_time() < 0.3: pass\nprint(1, flush=True); input()"
        before = conditions.own_seconds([])
        child = subprocess.Popen([sys.executable, "-c", burn], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        child.stdout.readline()
        self.assertGreater(conditions.own_seconds([child.pid]), before + 0.25)
        child.communicate(b"\n")
        self.assertGreater(conditions.own_seconds([]), before + 0.25)  # one that has ended

    def test_cores_that_a_run_needs(self):
        setting = {**plan.FACTORS, "threads": 2}
        self.assertEqual(conditions.needed({**setting, "backend": "openmp"}, 8), 2)
        self.assertEqual(conditions.needed({**setting, "backend": "opencl", "device": "cpu"}, 8), 8)
        self.assertEqual(
            conditions.needed({**setting, "threads": 1, "backend": "opencl", "device": "gpu"}, 8), 1)
        self.assertEqual(conditions.needed({**setting, "backend": "starpu"}, 8), 2)
        self.assertEqual(conditions.needed({**setting, "backend": "starpu", "device": "opencl"}, 8), 8)


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
        return rows_of(plan.parse(self.PLAN, "p.toml"), lambda s, r: times(s) * (1 + 1e-3 * r),
                       replications=5, cores=4)

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

    def test_a_profile_keeps_what_tune_found(self):
        lines = "batches 0.3.0 1\ndevice serial\nbatch cholesky double strided 8 chunk 8 gain 121 sure 98\n"
        text = recommend.profile_text([], "here", lines)
        self.assertEqual(text, recommend.profile_text([], "here", recommend.batch_lines(text, "here")))
        self.assertIn(lines, text)
        for other in ("", "\n", text.replace("8", "9"), recommend.profile_text([], "elsewhere", lines)):
            self.assertEqual(recommend.batch_lines(other, "here"), "")

    def test_hash(self):  # FNV-1a's published values
        self.assertEqual(recommend.fnv1a(""), "cbf29ce484222325")
        self.assertEqual(recommend.fnv1a("foobar"), "85944171f73967e8")


class Estimates(unittest.TestCase):
    def test_power_law(self):
        made = estimate.Estimate()
        setting = {**plan.FACTORS, "experiment": "e", "detail": "none", "n": 3840}
        made.laws[estimate.sort_of(setting)] = (384, 1.0, 3.0, 0.0)
        self.assertAlmostEqual(made.seconds(setting), 1000, delta=1)

    def test_a_devices_compiler_is_counted_once_for_an_order(self):
        made, now = estimate.Estimate(), [0.0]
        took = iter([2.5, 0.5, 3.5, 0.5])

        class Device:
            def ask(self, setting, seed):
                now[0] += next(took)
                return {"seconds": 1e-5 * setting["n"] ** 2, "batch": 100, "status": "success"}

        setting = {**plan.FACTORS, "experiment": "e", "detail": "none", "n": 24, "batch": 100}
        made.learn(Device(), setting, 1, lambda: now[0])
        self.assertAlmostEqual(made.build(setting), 3.0)
        self.assertAlmostEqual(made.seconds(setting), 0.576, delta=0.05)  # of 100 matrices

    def test_words(self):
        self.assertEqual([estimate.in_words(s) for s in (0.2, 95, 600, 7800, 400000)],
                         ["1 s", "95 s", "10 min", "2 h 10 min", "4.6 days"])


if __name__ == "__main__":
    os.environ.pop("TRIFAC_STUDY_ENVIRONMENT", None)
    unittest.main()
