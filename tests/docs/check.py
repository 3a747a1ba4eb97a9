#!/usr/bin/env python3
"""Checks Markdown pages: check.py ROOT PAGE...

Every link leads to a file and a heading that exist, every block has a known language, every
command in an `sh` block names files that are there and options that its program knows, every file
that the text names exists, and every measured table or figure is made by docs/measure.sh
(figures.py). Addresses on the network are not visited. Prints what is wrong; the exit status is 1
then.
"""

import os
import pathlib
import re
import shlex
import subprocess
import sys

import figures
import markdown


def link_errors(root, page, text):
    for target in markdown.links(text):
        if re.match(r"(https?|mailto):", target):
            continue
        file, _, anchor = target.partition("#")
        place = (root / page).parent / file if file else root / page
        if not place.exists():
            yield f"{page}: the link {target} leads nowhere"
        elif anchor and place.suffix == ".md" and anchor not in markdown.anchors(place.read_text()):
            yield f"{page}: {target} names a heading that is not there"


def language_errors(page, blocks):
    for block in blocks:
        if block.language not in markdown.LANGUAGES:
            yield (f"{page}:{block.line}: the block's language is \"{block.language}\", not one of "
                   + ", ".join(markdown.LANGUAGES))
        elif block.language == "python":
            try:
                compile(block.code, page, "exec")
            except SyntaxError as error:
                yield f"{page}:{block.line + error.lineno - 1}: {error.msg}"


def commands(code):
    """The simple commands of a block, as lists of words."""
    for line in code.replace("\\\n", " ").splitlines():
        lexer = shlex.shlex(line, posix=True, punctuation_chars=True)
        lexer.whitespace_split = True
        words = []
        for word in [*lexer, ";"]:
            if not re.fullmatch(r"[;&|]+", word):
                words.append(word)
                continue
            while words and re.fullmatch(r"\w+=.*", words[0]):
                words.pop(0)
            if words:
                yield words
            words = []


def file_errors(root, page, text):
    """Names of our files in the text: `bench/compare`, `cholesky.hpp`, `tests/`."""
    files = ["/" + f for f in tracked(root)]
    for name in re.findall(r"`([\w./-]+)`", re.sub(r"^(`{3,}).*?^\1`*$", "", text, flags=re.M | re.S)):
        ours = re.search(r"\.(hpp|cpp|inl|sh|py)$", name) or \
            re.match(r"(bench|cmake|docs|examples|include|tests)/", name)
        place = "/" + name.rstrip("/")
        if files and ours and not any(f.endswith(place) or place + "/" in f for f in files):
            yield f"{page}: there is no {name}"


def tracked(root):
    """The files that git knows and those it would add, or nothing outside a repository."""
    listed = subprocess.run(["git", "-C", root, "ls-files", "--cached", "--others", "--exclude-standard"],
                            capture_output=True, text=True)
    return listed.stdout.split()


def program_text(path):
    """The source of a script with all modules of the folder that it may import from."""
    text = path.read_text()
    for script in re.findall(r"^exec python3 .*\)/([\w/]+\.py)\"", text, flags=re.M):
        text += (path.parent / script).read_text()
    for folder in re.findall(r"^from (\w+) import", text, flags=re.M):
        text += "".join(p.read_text() for p in sorted(path.parent.glob(f"{folder}/*.py")))
    return text


def command_errors(root, block):
    files = tracked(root)
    for words in commands(block.code):
        where, program = f"{block.page}:{block.line}", words[0].removeprefix("./")
        if "/" not in program or program.startswith("build"):
            continue
        path = root / program
        if not path.is_file() or (files and program not in files):
            yield f"{where}: there is no {program}"
            continue
        if not os.access(path, os.X_OK):
            yield f"{where}: {program} is not executable"
            continue
        source = program_text(path)
        for word in words[1:]:
            option = re.match(r"--[a-z][a-z-]*", word)
            if option and option[0] not in source:
                yield f"{where}: {program} has no option {option[0]}"


def errors(root, page):
    text = (root / page).read_text()
    blocks = markdown.blocks(page, text)
    yield from link_errors(root, page, text)
    yield from language_errors(page, blocks)
    yield from file_errors(root, page, text)
    yield from figures.errors(page, text)
    for block in blocks:
        if block.language == "sh":
            yield from command_errors(root, block)


def main():
    root = pathlib.Path(sys.argv[1])
    found = [error for page in sys.argv[2:] for error in errors(root, page)]
    print("\n".join(found) if found else f"{len(sys.argv) - 2} pages, nothing wrong")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
