"""Sphinx extension: formulas become MathML when the site is built, so that a browser needs neither a
script nor a network to show them."""

import latex2mathml.converter


def inline(self, node):
    self.body.append(latex2mathml.converter.convert(node.astext(), display="inline"))
    raise_skip()


def display(self, node):
    self.body.append(latex2mathml.converter.convert(node.astext(), display="block"))
    raise_skip()


def raise_skip():
    from docutils import nodes

    raise nodes.SkipNode


def setup(app):
    app.add_html_math_renderer("mathml", inline_renderers=(inline, None),
                               block_renderers=(display, None))
    return {"parallel_read_safe": True, "parallel_write_safe": True}
