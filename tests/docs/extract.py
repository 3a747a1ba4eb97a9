#!/usr/bin/env python3
"""Makes sources of the code blocks in Markdown pages: extract.py ROOT OUTPUT PAGE...

A block with a main() becomes a program of its own. The others of a page become one program, each in
a namespace and a function of its own; README.md beside this file describes the wrapping. Blocks in C
with a main() are programs, too. Prints CMake code that lists the programs: trifac_snippet(NAME
SOURCE BLOCKS [NEEDS...] [OUTPUT file]) and trifac_c_snippet(NAME SOURCE OUTPUT).
"""

import pathlib
import re
import sys

import markdown

INCLUDE = re.compile(r"^\s*#\s*include\b.*$", re.M)
NEEDS = re.compile(r"needs ([a-z, ]+)(?:; |$)")


class Wish:
    """What the comment before a block asks for."""

    def __init__(self, block):
        text = block.wish
        self.needs = []
        if found := NEEDS.match(text):
            self.needs = re.split(r"[, ]+", found[1].strip())
            text = text[found.end():]
        self.prints = text == "prints"
        if self.prints:
            text = ""
        self.run = text.removeprefix("run ") if text.startswith("run ") else None
        if text and self.run is None:
            raise markdown.PageError(f"{block.page}:{block.line}: cannot read the wish \"{text}\"")


def line_of(block, root):
    return f'#line {block.line} "{root / block.page}"\n'


def wrapped(block, index, root):
    """A fragment as namespace block_<index> with a function run()."""
    wish = Wish(block)
    code = line_of(block, root) + INCLUDE.sub("", block.code)
    if wish.run is None:
        body = f"inline int run() {{\n{code}return 0;\n}}\n"
    else:
        body = f"{code}inline int run() {{\n{wish.run}\nreturn 0;\n}}\n"
    return f"namespace block_{index} {{\nusing namespace snippet;\n{body}}}  // namespace\n"


def fragments_source(blocks, root):
    """One source from the fragments of a page."""
    includes = sorted({line.strip() for b in blocks for line in INCLUDE.findall(b.code)})
    parts = ['#include "fragment.hpp"', *includes]
    parts += [wrapped(block, i, root) for i, block in enumerate(blocks)]
    rows = "".join(f'      {{"{b.page}:{b.line}", block_{i}::run}},\n' for i, b in enumerate(blocks))
    parts.append(f"int main() {{\n  return snippet::run_all({{\n{rows}  }});\n}}\n")
    return "\n".join(parts)


def write(path, text):
    """Writes where the text differs, so that nothing is compiled again without need."""
    if not path.exists() or path.read_text() != text:
        path.write_text(text)


def stem_of(page):
    return re.sub(r"\W", "_", pathlib.Path(page).with_suffix("").as_posix().lower())


def output_after(block, shown):
    """What a program prints: the block after it."""
    if shown is None or shown.language != "text":
        raise markdown.PageError(f"{block.page}:{block.line}: no `text` block has the output")
    return shown.code


def programs(page, blocks, root):
    """(name, source, number of blocks, needs, what it prints or None) for each program in C++ of a page."""
    stem = stem_of(page)
    fragments = {}
    for block, shown in zip(blocks, [*blocks[1:], None]):
        if block.language != "cpp":
            continue
        if block.is_program():
            wish = Wish(block)
            yield (f"{stem}_{block.line}", line_of(block, root) + block.code, 1, wish.needs,
                   output_after(block, shown) if wish.prints else None)
        else:
            fragments.setdefault(tuple(sorted(Wish(block).needs)), []).append(block)
    for needs, some in fragments.items():
        name = "_".join([stem, "fragments", *needs])
        yield name, fragments_source(some, root), len(some), needs, None


def c_programs(page, blocks, root):
    """(name, source, what it prints) for each program in C: the block after it is its output."""
    for block, shown in zip(blocks, [*blocks[1:], None]):
        if block.language == "c" and block.is_program():
            yield f"{stem_of(page)}_{block.line}", line_of(block, root) + block.code, output_after(block, shown)


def main():
    root, output, *pages = sys.argv[1:]
    root, output = pathlib.Path(root), pathlib.Path(output)
    output.mkdir(parents=True, exist_ok=True)
    for page in pages:
        blocks = markdown.blocks(page, (root / page).read_text())
        for name, source, count, needs, shown in programs(page, blocks, root):
            write(output / f"{name}.cpp", source)
            also = ""
            if shown is not None:
                write(output / f"{name}.txt", shown)
                also = f' OUTPUT "{output / name}.txt"'
            print(f'trifac_snippet({name} "{output / name}.cpp" {count} {" ".join(needs)}{also})')
        for name, source, shown in c_programs(page, blocks, root):
            write(output / f"{name}.c", source)
            write(output / f"{name}.txt", shown)
            print(f'trifac_c_snippet({name} "{output / name}.c" "{output / name}.txt")')


if __name__ == "__main__":
    try:
        main()
    except markdown.PageError as error:
        sys.exit(str(error))
