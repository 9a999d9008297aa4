"""Formulas as MathML, made by docutils when the site is built: a browser draws them without a script or a font."""

from docutils import nodes
from docutils.utils.math.latex2mathml import tex2mathml
from sphinx.util.math import get_node_equation_number

__all__ = ["setup"]


def inline(writer, node):
    writer.body.append(tex2mathml(node.astext()))
    raise nodes.SkipNode


def display(writer, node):
    """The formula, and where it has a label its number, with a link to itself."""
    start = writer.starttag(node, "div", CLASS="math notranslate")
    writer.body.append(start)
    if node["number"]:
        number = get_node_equation_number(writer, node)
        writer.body.append(f'<span class="eqno">({number})')
        writer.add_permalink_ref(node, "Link to this equation")
        writer.body.append("</span>")
    writer.body.append(tex2mathml(node.astext().strip(), as_block=True))
    writer.body.append("</div>\n")
    raise nodes.SkipNode


def setup(app):
    app.add_html_math_renderer("mathml", (inline, None), (display, None))
    return {"parallel_read_safe": True, "parallel_write_safe": True}
