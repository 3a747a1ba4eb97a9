#!/usr/bin/env python3
"""Tests of check.py and extract.py on pages with known mistakes."""

import pathlib
import subprocess
import sys
import tempfile
import unittest

import check
import extract
import markdown

HERE = pathlib.Path(__file__).resolve().parent


class Pages(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.root = pathlib.Path(self.folder.name)
        (self.root / "bin").mkdir()
        (self.root / "bin" / "tool").write_text("#!/bin/sh\n# knows --fast\n")
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

    def test_unknown_option(self):
        self.assertIn("no option --slow", self.errors("```sh\nbin/tool --slow\n```\n")[0])

    def test_open_block(self):
        with self.assertRaises(markdown.PageError):
            self.errors("```sh\nls\n")

    def programs(self, text):
        return list(extract.programs("page.md", markdown.blocks("page.md", text), self.root))

    def test_main_is_a_program_of_its_own(self):
        made = self.programs("```cpp\nint main() {}\n```\n```cpp\nf();\n```\n```cpp\ng();\n```\n")
        self.assertEqual([m[2] for m in made], [1, 2])

    def test_needs_and_run(self):
        (name, source, count, needs), = self.programs(
            "<!-- snippet: needs openmp;\n run f(); -->\n```cpp\n#include <set>\nvoid f();\n```\n")
        self.assertEqual((name, count, needs), ("page_fragments_openmp", 1, ("openmp",)))
        self.assertLess(source.index("#include <set>"), source.index("namespace block_0"))
        self.assertLess(source.index("void f();"), source.index("int run() {\nf();"))

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
