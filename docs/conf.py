"""Sphinx: the pages in this folder. docs/build.sh runs it and puts the API reference beside them."""

import pathlib
import re
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent / "site"))

ROOT = pathlib.Path(__file__).resolve().parent.parent
VERSION_HEADER = (ROOT / "include/trifac/version.hpp").read_text()

project = "trifac"
author = "the authors of trifac"
release = re.search(r'TRIFAC_VERSION_STRING "([^"]+)"', VERSION_HEADER)[1]

extensions = ["myst_parser", "math_in_html", "pages"]
myst_enable_extensions = ["dollarmath"]
myst_heading_anchors = 4
html_math_renderer = "mathml"
exclude_patterns = ["site"]
source_suffix = {".md": "markdown"}
root_doc = "index"
highlight_language = "cpp"

html_theme = "furo"
html_static_path = ["site/static"]
html_css_files = ["width.css"]
html_title = f"trifac {release}"
html_copy_source = False
html_show_sphinx = False
