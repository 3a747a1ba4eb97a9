"""Sphinx extension for pages that are also read as plain Markdown.

A link to a file of the repository that is not a page, such as ../bench, becomes its text: on the site
there is nothing behind it (tests/docs checks that the file exists). The pages that index.md links to are
the table of contents. Above them the site's first page has README.md up to "Try it".
"""

import pathlib
import re

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
LINK_OUT = re.compile(r"\[([^\]]+)\]\(\.\./[^)]*\)")
PAGE = re.compile(r"\]\(([\w-]+)\.md\)")


def first_screen():
    """README.md up to "Try it", with links as from docs/."""
    text, found, _ = (ROOT / "README.md").read_text().partition("\n## Try it\n")
    if not found:
        raise ValueError('README.md has no section "Try it"')
    return re.sub(r"\]\((?!#|https?:)", "](../", text).replace("](../docs/", "](")


def prepared(app, name, source):
    if name == "index":
        pages = "\n".join(PAGE.findall(source[0]))
        source[0] = (first_screen() + "\n## Pages\n\n" + source[0].partition("\n\n")[2]
                     + f"\n```{{toctree}}\n:hidden:\n\n{pages}\n```\n")
    source[0] = LINK_OUT.sub(r"\1", source[0])


def setup(app):
    app.connect("source-read", prepared)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
