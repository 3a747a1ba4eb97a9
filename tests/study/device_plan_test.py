#!/usr/bin/env python3
"""Runs levels of every experiment that the plan batched has for a device, on 64 matrices, and checks the results:
device_plan_test.py WORKER BACKEND [DEVICE]

On a CPU of OpenCL or the double of CUDA this rehearses runs on GPUs; its times mean nothing."""

import pathlib
import sys
import unittest

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent.parent / "bench"))
from study import plan, processes, run  # noqa: E402

WORKER, BACKEND, DEVICE = [*sys.argv[1:], "any"][:3]
# Of the plan's, one that PoCL compiles fast.
SHAPES = """[[experiment]]
name = "shapes"
backend = "cuda"
type = "float"
n = 8
batch = 64
place = "strided"
kernel = "groups"
panel = 3
block_height = "all"
block_width = "all"
"""


class DevicePlan(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.worker = processes.Worker(WORKER, BACKEND, 1, DEVICE)

    @classmethod
    def tearDownClass(cls):
        cls.worker.close()

    def check(self, settings):
        self.assertNotIn("error", self.worker.properties)
        for s in settings:
            s = {**s, "batch": 64, "backend": BACKEND, "device": DEVICE}
            answer = self.worker.ask(s, 1)
            told = {k: s[k] for k in s if k in ("n", "operation") or s[k] != plan.FACTORS.get(k)}
            self.assertNotIn("error", answer, told)
            self.assertTrue(run.right(answer), (told, answer))

    def test_every_experiment(self):
        """The first and the last level of each, at the smallest order: PoCL's compiler takes seconds for a
        kernel of groups."""
        there = {}
        for s in plan.load("batched").settings():
            if s["backend"] == "cuda":
                there.setdefault(s["experiment"], []).append(s)
        for settings in there.values():
            n = min(s["n"] for s in settings)
            some = [s for s in settings if s["n"] == n]
            self.check([some[0], some[-1]])

    def test_shapes_of_groups(self):
        shapes = plan.parse(SHAPES, "shapes.toml").settings()
        self.assertGreater(len(shapes), 0)
        self.check(shapes)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
