"""What a page says about speed and time must come from docs/measure.sh: tables of numbers, figures and numbers
with a unit stand in measured parts (<!-- measured: PART --> ... <!-- end -->), and every part of the
command has its place in its page. A model's figures stand in <!-- estimate --> ... <!-- end -->, and figures of a
machine that is rarely at hand in <!-- elsewhere: SCRIPT --> ... <!-- end -->, with the day and the revision.
Constants of the code are free: facts.py holds them to it."""

import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT / "docs" / "measure"))
import pages  # noqa: E402
import parts  # noqa: E402

import facts  # noqa: E402
import markdown  # noqa: E402

# "50.1 GFLOP/s", "0.4 ms", "1.4 to 2.3 times faster", "10 times as long"
NUMBER = r"(?<![\w.])\d[\d.,]*"
UNIT = r"(?:[GT]FLOP/s|[GM]B/s|ms|µs|ns|s)\b(?!\s*=)"
MEASURED = re.compile(rf"{NUMBER}\s?{UNIT}|{NUMBER} times (?:faster|slower|as |the time|the speed)")
PICTURE = re.compile(r"!\[[^\]]*\]\(([^)\s]+\.(?:svg|png))\)")


def tables(text):
    """(head, rows) of each table."""
    lines = text.splitlines()
    for at, line in enumerate(lines):
        if re.match(r"^\|[-:| ]+\|$", line) and at > 0:
            rows = []
            for row in lines[at + 1:]:
                if not row.startswith("|"):
                    break
                rows.append(row)
            yield lines[at - 1], rows


def has_numbers(rows):
    """Whether most of the cells right of the first are numbers."""
    cells = [cell.strip(" *`") for row in rows for cell in row.strip("|").split("|")[1:]]
    numbers = [cell for cell in cells if re.match(r"^[–\d]", cell)]
    return bool(cells) and 2 * len(numbers) > len(cells)


ESTIMATE = re.compile(r"^<!-- estimate -->\n.*?^<!-- end -->$", re.M | re.S)
ELSEWHERE = re.compile(r"^<!-- elsewhere: (\S+) -->\n(.*?)^<!-- end -->$", re.M | re.S)


def errors(page, text):
    free = ELSEWHERE.sub("", ESTIMATE.sub("", pages.without_parts(text)))
    for script, said in ELSEWHERE.findall(text):
        if not (ROOT / script).is_file():
            yield f"{page}: {script}, whose figures stand here, is no file"
        for what, form in (("day", r"\b20\d\d-\d\d-\d\d\b"), ("revision", r"\brevision [0-9a-f]{7}")):
            if not re.search(form, said):
                yield f"{page}: the figures of {script} have no {what}"
    found = pages.parts(text)
    known = [part.name for part in parts.PARTS if part.page == page]
    for name in found:
        if name not in known:
            yield f"{page}: docs/measure.sh has no part {name} for this page"
    for name in known:
        if found.count(name) != 1:
            yield f"{page}: the part {name} of docs/measure.sh has {found.count(name)} places"
    constants = [says for place, says, *_ in facts.NUMBERS if place == page] + [facts.SIZE]
    spans = [m.span() for says in constants for m in re.finditer(says, free)]
    for begin, end in spans:
        free = free[:begin] + re.sub(r"\d", "-", free[begin:end]) + free[end:]
    plain = markdown.prose(free)
    for head, rows in tables(plain):
        if has_numbers(rows):
            yield f"{page}: the table \"{head.strip()}\" is not in a measured part"
    for picture in PICTURE.findall(plain):
        yield f"{page}: the figure {picture} is not in a measured part"
    for line in plain.splitlines():
        for figure in MEASURED.finditer(line):
            yield f"{page}: \"{figure[0]}\" is not in a measured part: {line.strip()[:80]}"
