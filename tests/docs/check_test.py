#!/usr/bin/env python3
"""Tests of check.py and extract.py on pages with known mistakes."""

import pathlib
import subprocess
import sys
import tempfile
import unittest
from unittest import mock

import check
import extract
import facts
import figures
import markdown

HERE = pathlib.Path(__file__).resolve().parent


class Pages(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.root = pathlib.Path(self.folder.name)
        (self.root / "bin").mkdir()
        (self.root / "bin" / "tool").write_text("#!/bin/sh\n# knows --fast\n")
        (self.root / "bin" / "tool").chmod(0o755)
        (self.root / "bin" / "text").write_text("no program\n")
        (self.root / "other.md").write_text("# The `first` thing, and more\n## Same\n## Same\n")

    def tearDown(self):
        self.folder.cleanup()

    def errors(self, text):
        (self.root / "page.md").write_text(text)
        return list(check.errors(self.root, "page.md"))

    def test_good_page(self):
        self.assertEqual(self.errors(
            "[a](other.md#the-first-thing-and-more) [b](other.md#same-1) [c](https://example.org)\n"
            "`[no](link)`\n```sh\nX=1 bin/tool --fast  # words\nls --all\n```\n"), [])

    def test_broken_link(self):
        self.assertIn("leads nowhere", self.errors("see [this](missing.md)")[0])

    def test_broken_anchor(self):
        self.assertIn("names a heading", self.errors("see [this](other.md#same-2)")[0])

    def test_block_without_language(self):
        self.assertIn("language", self.errors("```\nx\n```\n")[0])

    def test_missing_program(self):
        self.assertIn("there is no", self.errors("```sh\nbin/none\n```\n")[0])

    def test_not_executable(self):
        self.assertIn("not executable", self.errors("```sh\nbin/text\n```\n")[0])

    def test_unknown_option(self):
        self.assertIn("no option --slow", self.errors("```sh\nbin/tool --slow\n```\n")[0])

    def test_missing_file(self):
        subprocess.run(["git", "-C", self.root, "init", "--quiet"], check=True)
        self.assertEqual(self.errors("`bin/tool`, `tool.md`, `main.cpp of yours`, `other.md`\n"), [])
        self.assertIn("there is no gone.hpp", self.errors("see `gone.hpp`\n")[0])

    TABLE = "| n | this | that |\n|---|---|---|\n| 16 | 1.5 | 2.5 ± 1 % |\n| 32 | 3.1 | – |\n"

    def test_table_without_a_command(self):
        self.assertIn("not in a measured part", self.errors(self.TABLE)[0])
        self.assertEqual(self.errors("| a | b |\n|---|---|\n| 1 | words |\n"), [])

    def test_table_of_a_model(self):
        self.assertEqual(self.errors(f"<!-- estimate -->\n{self.TABLE}takes 3 ms\n<!-- end -->\n"), [])
        self.assertNotEqual(self.errors(f"<!-- estimate -->\nwords\n<!-- end -->\n{self.TABLE}"), [])

    def test_table_of_another_machine(self):
        def block(script, words):
            return f"<!-- elsewhere: {script} -->\n{words}\n{self.TABLE}takes 3 ms\n<!-- end -->\n"
        self.assertEqual(self.errors(block("tests/gpu.sh", "2026-11-27, revision 0123abc")), [])
        self.assertIn("is no file", self.errors(block("tests/none.sh", "2026-11-27, revision 0123abc"))[0])
        self.assertIn("have no day", self.errors(block("tests/gpu.sh", "revision 0123abc"))[0])
        self.assertIn("have no revision", self.errors(block("tests/gpu.sh", "2026-11-27"))[0])

    def test_figure_without_a_command(self):
        self.assertIn("not in a measured part", self.errors("![speed](a.svg)\n<!-- a.svg -->")[-1])

    def test_number_without_a_command(self):
        for text in ("takes 1.5 ms", "at 50 GFLOP/s", "| x | 2.3 times the time |",
                     "10 to 30 times faster"):
            self.assertIn("not in a measured part", self.errors(text)[0], text)
        for text in ("order 20000, 32 columns, 3 % ahead", "version 4.3 sounds", "8 times 3"):
            self.assertEqual(self.errors(text), [], text)

    def test_part_that_no_command_makes(self):
        text = f"<!-- measured: guess -->\n{self.TABLE}5 ms\n<!-- end -->\n"
        found = self.errors(text)
        self.assertEqual(len(found), 1, found)
        self.assertIn("no part guess", found[0])

    def test_part_without_a_place(self):
        found = list(figures.errors("docs/opencl.md", "# OpenCL\n"))
        self.assertTrue(any("opencl-speed of docs/measure.sh has 0 places" in e for e in found), found)

    def test_facts(self):
        root = HERE.parent.parent
        page, says, file, code, *convert = facts.NUMBERS[0]
        with mock.patch.object(facts, "NUMBERS", [(page, says, file, code, lambda _: "26"),
                                                  (page, "no such words", file, code),
                                                  (page, says, file, "no such code"),
                                                  (page, "no such words", file, "no such code")]):
            found = list(facts.number_errors(root))
        self.assertEqual(len(found), 5, found)  # of the last both are gone
        self.assertIn("26", found[0])

    def test_open_block(self):
        with self.assertRaises(markdown.PageError):
            self.errors("```sh\nls\n")

    def test_declared(self):
        self.assertEqual(list(facts.declared(
            "namespace detail {\nint hidden(int);\n}  // namespace detail\n"
            "/// f(x)\ntemplate <class T>\n[[nodiscard]] auto seen(T x) {\n  other(x);\n}\n"
            "struct options {\n  int block = 0;\n  void run(int n);\n};\n"
            "class run {\n  int own = 1;\n\n public:\n  int value() const;\n\n private:\n  int secret();\n};\n"
            "using R = int;\ninline constexpr int most = 1;\n")),
            ["seen", "options", "block", "run", "run", "value", "most"])

    def programs(self, text):
        return list(extract.programs("page.md", markdown.blocks("page.md", text), self.root))

    def test_main_is_a_program_of_its_own(self):
        made = self.programs("```cpp\nint main() {}\n```\n```cpp\nf();\n```\n```cpp\ng();\n```\n")
        self.assertEqual([m[2] for m in made], [1, 2])

    def test_needs_and_run(self):
        (name, source, count, needs, shown), = self.programs(
            "<!-- snippet: needs openmp;\n run f(); -->\n```cpp\n#include <set>\nvoid f();\n```\n")
        self.assertEqual((name, count, needs, shown), ("page_fragments_openmp", 1, ("openmp",), None))
        self.assertLess(source.index("#include <set>"), source.index("namespace block_0"))
        self.assertLess(source.index("void f();"), source.index("int run() {\nf();"))

    def test_program_with_its_output(self):
        text = "<!-- snippet: prints -->\n```cpp\nint main() {}\n```\n"
        with self.assertRaises(markdown.PageError):
            self.programs(text)
        (name, *_, shown), = self.programs(text + "\n```text\n1\n```\n")
        self.assertEqual((name, shown), ("page_3", "1\n"))

    def test_program_in_c_with_its_output(self):
        text = "```c\nint main(void) { return 0; }\n```\n```c\nREAL x;\n```\n"
        with self.assertRaises(markdown.PageError):
            list(extract.c_programs("page.md", markdown.blocks("page.md", text), self.root))
        text = text.replace("```\n", "```\n```text\n1\n```\n", 1)
        (name, source, shown), = extract.c_programs(
            "page.md", markdown.blocks("page.md", text), self.root)
        self.assertEqual((name, shown), ("page_2", "1\n"))
        self.assertIn("main(void)", source)

    def test_unreadable_wish(self):
        with self.assertRaises(markdown.PageError):
            self.programs("<!-- snippet: fly -->\n```cpp\nf();\n```\n")

    def test_status_of_the_command(self):
        (self.root / "page.md").write_text("see [this](missing.md)")
        done = subprocess.run([sys.executable, "-B", HERE / "check.py", self.root, "page.md"],
                              capture_output=True, text=True)
        self.assertEqual(done.returncode, 1)


if __name__ == "__main__":
    unittest.main()
