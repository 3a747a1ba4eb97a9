"""Sphinx extension for pages that are also read as plain Markdown.

A link to a file of the repository that is not a page, such as ../bench, becomes its text: on the site
there is nothing behind it (tests/docs checks that the file exists). The pages that index.md links to are
the table of contents.
"""

import re

LINK_OUT = re.compile(r"\[([^\]]+)\]\(\.\./[^)]*\)")
PAGE = re.compile(r"\]\(([\w-]+)\.md\)")


def prepared(app, name, source):
    source[0] = LINK_OUT.sub(r"\1", source[0])
    if name == "index":
        pages = "\n".join(PAGE.findall(source[0]))
        source[0] += f"\n```{{toctree}}\n:hidden:\n\n{pages}\n```\n"


def setup(app):
    app.connect("source-read", prepared)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
