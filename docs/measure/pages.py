"""The measured parts of a page: what stands between <!-- measured: PART --> and <!-- end -->."""

import re

PART = re.compile(r"^<!-- measured: (\S+) -->\n(.*?)^<!-- end -->$", re.M | re.S)


class PageError(Exception):
    """A page without the place for a part; the text says which."""


def parts(text):
    """Names of the parts of a page, in order."""
    return [match[1] for match in PART.finditer(text)]


def written(text, name, body):
    """The page with `body` as its part of that name."""
    if parts(text).count(name) != 1:
        raise PageError(f"the page has {parts(text).count(name)} parts of the name {name}")
    return PART.sub(lambda m: f"<!-- measured: {name} -->\n{body.strip()}\n<!-- end -->"
                    if m[1] == name else m[0], text)


def without_parts(text):
    """The page with blank lines where its measured parts stand."""
    return PART.sub(lambda m: "\n" * m[0].count("\n"), text)


def table(head, lines):
    """A table in Markdown."""
    yield "| " + " | ".join(map(str, head)) + " |"
    yield "|" + "---|" * len(head)
    for line in lines:
        yield "| " + " | ".join(str(cell) for cell in line) + " |"
