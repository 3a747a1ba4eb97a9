#!/usr/bin/env python3
"""SciPy's own tests of batches, Cholesky and LU with trifac's functions in the place of SciPy's.

    scipy_suites.py [options of pytest]      needs an installed SciPy with its tests, and trifac

The suites run twice, with SciPy's functions and with trifac's; the counts of both are printed, and the
tests that pass with the first only.
"""

import sys

import pytest
import scipy.linalg

SUITES = ["test_batch", "test_decomp_cholesky", "test_decomp_lu"]
FUNCTIONS = ["cholesky", "cho_factor", "cho_solve", "lu_factor", "lu_solve", "solve", "inv", "det",
             "solve_triangular"]


class Outcomes:
    """The names of the tests, by outcome."""

    def __init__(self):
        self.of = {}

    def pytest_runtest_logreport(self, report):
        if report.when == "call" or report.outcome != "passed":
            self.of[report.nodeid] = report.outcome

    def named(self, outcome):
        return {name for name, how in self.of.items() if how == outcome}

    def __str__(self):
        return ", ".join(f"{len(self.named(how))} {how}" for how in ("passed", "failed", "skipped"))


def run(words):
    outcomes = Outcomes()
    pytest.main(["-q", "-p", "no:cacheprovider", "--tb=line", "--pyargs",
                 *(f"scipy.linalg.tests.{suite}" for suite in SUITES), *words], plugins=[outcomes])
    return outcomes


def main(words):
    theirs = run(words)
    for name in [n for n in sys.modules if n.startswith("scipy.linalg.tests")]:
        del sys.modules[name]  # they import functions by name
    import trifac.linalg
    for name in FUNCTIONS:
        setattr(scipy.linalg, name, getattr(trifac.linalg, name))
    ours = run(words)
    print(f"SciPy {scipy.__version__}: {theirs}\ntrifac: {ours}")
    differ = sorted(ours.named("failed") - theirs.named("failed"))
    print("\n".join(differ))
    return 1 if differ else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
