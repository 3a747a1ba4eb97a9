#!/usr/bin/env python3
"""Runs a tiny study with the real worker, interrupts it, goes on, and opens its report in a headless
browser: report_test.py TRIFAC-STUDY WORKER WORK BROWSER

The browser shows the report as wide as a desk's window and as a phone, and tells whether it scrolls
sideways, whether every picture was drawn, and what the page says.
"""

import json
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import time
import unittest

HERE = pathlib.Path(__file__).resolve().parent
STUDY, WORKER, WORK, BROWSER = sys.argv[1:5]
OUT = pathlib.Path(WORK) / "out"
COMMAND = [sys.executable, STUDY, str(HERE / "tiny.toml"), "--out", str(OUT), "--work", WORK,
           "--worker", WORKER, "--offline"]

# Shows the report in frames of two widths and writes what it finds into the page.
PROBE = """<!doctype html><html><body><pre id="found">nothing</pre><script>
const text = REPORT, widths = [1200, 375], found = [];
widths.forEach(width => {
  const frame = document.createElement("iframe");
  frame.style.width = width + "px"; frame.style.height = "800px";
  frame.onload = () => {
    const d = frame.contentDocument, e = d.documentElement;
    if (!d.title) return;  // the empty page before
    const images = [...d.images];
    Promise.all(images.map(i => i.decode().catch(() => 0))).then(() => {
      found.push({ width, scroll: e.scrollWidth, inner: e.clientWidth, images: images.length,
        drawn: images.filter(i => i.complete && i.naturalWidth > 50).length,
        narrow: images.filter(i => i.naturalWidth < 450).length,
        smallest: Math.min(...[...d.querySelectorAll("p, li, td, th, figcaption")].map(
          t => parseFloat(frame.contentWindow.getComputedStyle(t).fontSize))),
        outside: [...d.querySelectorAll("[src], [href]")].filter(
          t => /^(https?:)?\\/\\//.test(t.getAttribute("src") || t.getAttribute("href"))).length });
      if (found.length == widths.length)
        document.getElementById("found").textContent = JSON.stringify(found);
    });
  };
  frame.srcdoc = text;
  document.body.append(frame);
});
</script></body></html>"""


def run(*more):
    return subprocess.run([*COMMAND, *more], capture_output=True, text=True)


class Report(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        shutil.rmtree(OUT, ignore_errors=True)
        first = subprocess.Popen(COMMAND, stderr=subprocess.PIPE, text=True)
        runs = OUT / "runs"
        while first.poll() is None and not (runs.exists() and len(list(runs.glob("*.json"))) > 3):
            time.sleep(0.005)
        first.send_signal(signal.SIGINT)
        cls.interrupted = first.communicate()[1]
        cls.kept = {p.name: p.read_bytes() for p in runs.glob("*.json")}
        cls.done = run()
        cls.page = (OUT / "report.html").read_text()

    def test_interrupted_and_resumed(self):
        self.assertEqual(self.done.returncode, 0, self.done.stderr)
        for name, content in self.kept.items():
            self.assertEqual((OUT / "runs" / name).read_bytes(), content)

    def test_says_how_long_and_what_is_missing(self):
        self.assertRegex(self.done.stderr, r"\d+ runs.*about \d+ s")
        self.assertIn("abacus", self.done.stderr)
        self.assertIn("abacus", self.page)

    def test_every_result_is_right(self):
        runs = [json.loads(p.read_text()) for p in (OUT / "runs").glob("*.json")]
        self.assertGreater(len(runs), 40)
        self.assertTrue(all(r["right"] for r in runs))

    def test_figures_in_both_formats(self):
        names = {p.name for p in (OUT / "figures").iterdir()}
        for name in ("time", "speed-up", "cutoff-32", "cutoff-64", "versions-crout-0", "versions-crout-8", "bars",
                     "shares", "deviation"):
            self.assertLessEqual({f"{name}.svg", f"{name}.png", f"{name}-narrow.svg"}, names)

    def test_tables_of_two_factors(self):
        for name in ("pivoting", "pivoting-call"):
            self.assertRegex(
                self.page, rf'id="table-{name}">.*?<td>64</td><td>[\d.]+ .?s</td><td>[\d.]+ .?s</td></tr>')

    def test_shapes_go_by_their_order(self):
        table = self.page[self.page.index('id="table-shapes"'):]
        table = table[:table.index("</table>")]
        self.assertEqual(re.findall(r"<tr><td>(\w+)</td>", table), ["40x8", "5x16", "12x16"])
        self.assertEqual(re.findall(r"<th>([^<]+)</th>", table)[1:], ["serial", "openmp"])

    def test_one_group_of_rows_is_no_tournament(self):
        self.assertIn("one group of rows: no tournament", self.page)

    def test_load_clock_and_drift_stand_before_the_conclusion(self):
        top = self.page[:self.page.index('id="conclusion"')]
        for words in ("cores before the study", "Clock: half of the runs", "trend test"):
            self.assertIn(words, top)

    def test_every_run_has_its_load_its_clock_and_its_threads(self):
        for file in (OUT / "runs").glob("*.json"):
            run = json.loads(file.read_text())
            self.assertGreaterEqual(run["others"], 0)
            self.assertGreater(run["answer"]["reference"], 0)
            self.assertGreaterEqual(run["answer"]["threads"], 1)
            self.assertLessEqual(run["answer"]["threads"], run["setting"]["threads"] + 1e-9)

    def test_complex_elements(self):
        self.assertTrue('<td class=word>complex_double</td>' in self.page)

    def test_another_plan_does_not_touch_the_folder(self):
        other = run("--replications", "2")
        self.assertEqual(other.returncode, 2)
        self.assertIn("another plan", other.stderr)

    def probed(self, probe):
        """What the probe found. A browser on a busy machine may print the page before the probe has
        finished, so it gets more than one chance to finish."""
        for _ in range(5):
            dom = subprocess.run(
                [BROWSER, "--headless", "--no-sandbox", "--disable-gpu",
                 "--virtual-time-budget=60000", "--dump-dom", probe.as_uri()],
                capture_output=True, text=True, timeout=300).stdout
            said = re.search(r'id="found">(.*?)</pre>', dom, re.S)
            if said and said[1] != "nothing":
                return json.loads(said[1])
        self.fail("the browser never finished")

    @unittest.skipIf(BROWSER.endswith("NOTFOUND"), "no browser")
    def test_in_a_browser(self):
        probe = pathlib.Path(WORK) / "probe.html"
        probe.write_text(PROBE.replace("REPORT", json.dumps(self.page).replace("</", "<\\/")))
        found = self.probed(probe)
        for one in found:
            self.assertEqual(one["images"], 9)
            self.assertEqual(one["drawn"], one["images"])
            self.assertEqual(one["outside"], 0)
            self.assertLessEqual(one["scroll"], one["inner"], "the page scrolls sideways")
            self.assertGreaterEqual(one["smallest"], 12)
        phone = next(one for one in found if one["width"] == 375)
        self.assertEqual(phone["narrow"], phone["images"], "a phone gets the narrow pictures")


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
