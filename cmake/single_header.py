#!/usr/bin/env python3
"""All of trifac in one header.

Inlines the headers, trifac/trifac.hpp and trifac/backend/openmp.hpp where none is named, with all that
they include of trifac, each file once, the definitions of calls in any case. The texts of simd/ (.inl) are
written out as often as they are included, once for each instruction set.
"""
import argparse
import pathlib
import re

INCLUDE = re.compile(r'\s*#\s*include\s+(?:["<]trifac/([^">]+)[">]|(TRIFAC_SIMD_TEXT))\s*(//.*)?$')
DEFINITIONS = re.compile(r'\s*#\s*include\s+TRIFAC_DEFINITIONS\(([\w/]+), (\w+)\)')
TEXT = re.compile(r'\s*#\s*define\s+TRIFAC_SIMD_TEXT\s+"trifac/([^"]+)"')
SECTION = re.compile(r'\s*#\s*ifndef\s+(TRIFAC_ISA_\w+)')  # of a text: only the first time


class Writer:
    def __init__(self, root):
        self.root = root
        self.lines = []
        self.whole = set()  # headers that were written outside of every #if
        self.depth = 0      # of #if, the guards of headers left out
        self.text = None
        self.texts = set()     # .inl files and sections of them that were written

    def file(self, name):
        header = name.endswith(".hpp")
        if name in self.whole:
            return
        guard = "TRIFAC_SINGLE_" + re.sub(r"\W", "_", name).upper()
        if header:
            if self.depth == 0:
                self.whole.add(name)
            self.lines += [f"#ifndef {guard}", f"#define {guard}"]
        self.lines.append(f"// ---- trifac/{name}")
        for line in self.kept_lines(name):
            if name not in self.texts or not re.match(r"\s*(//|$)", line):  # comments: once
                self.line(line)
        if not header:
            self.texts.add(name)
        if header:
            self.lines.append(f"#endif  // {guard}")

    def kept_lines(self, name):
        """The lines of a file without sections of a text that were written before."""
        # For each open #if None where it is kept, else whether we are in its #else.
        kept, stack = [], []
        for line in (self.root / "trifac" / name).read_text().splitlines():
            word = re.match(r"\s*#\s*(if|ifdef|ifndef|elif|else|endif)\b", line)
            word = word and word.group(1)
            ours = bool(stack) and stack[-1] is not None
            if word in ("if", "ifdef", "ifndef"):
                section = SECTION.match(line)
                dropped = section and section.group(1) in self.texts
                if section:
                    self.texts.add(section.group(1))
                stack.append(False if dropped else None)
                if dropped:
                    continue
            elif word == "else" and ours:
                stack[-1] = True
                continue
            elif word == "endif":
                if stack.pop() is not None:
                    continue
            if False not in stack:
                kept.append(line)
        return kept

    def line(self, line):
        if re.match(r"\s*#\s*pragma\s+once\b|\s*#\s*undef\s+TRIFAC_SIMD_TEXT\b", line):
            return
        if match := TEXT.match(line):
            self.text = match.group(1)
            return
        if match := DEFINITIONS.match(line):
            self.file("engine/{}/{}.hpp".format(*match.groups()))
            return
        if match := INCLUDE.match(line):
            self.file(match.group(1) or self.text)
            return
        if re.match(r"\s*#\s*if", line):
            self.depth += 1
        elif re.match(r"\s*#\s*endif", line):
            self.depth -= 1
        self.lines.append(line)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("root", type=pathlib.Path, metavar="include", help="the folder that contains trifac/")
    parser.add_argument("output", type=pathlib.Path, help="the file to write")
    parser.add_argument("headers", nargs="*", metavar="header", default=["trifac.hpp", "backend/openmp.hpp"])
    arguments = parser.parse_args()
    root, output = arguments.root, arguments.output
    headers = [name.removeprefix("trifac/") for name in arguments.headers]
    for name in headers:
        if not (root / "trifac" / name).is_file():
            parser.error(f"there is no header {root / 'trifac' / name}")
    writer = Writer(root)
    version = re.search(r'VERSION_STRING "(.*)"', (root / "trifac/version.hpp").read_text()).group(1)
    writer.lines = [f"// trifac {version} in one header, made by cmake/single_header.py: change the files of",
                    "// include/ instead. License: BSD-3-Clause.", "#pragma once"]
    for name in headers:
        writer.file(name)
    output.parent.mkdir(parents=True, exist_ok=True)
    output.write_text("\n".join(writer.lines) + "\n")


if __name__ == "__main__":
    main()
