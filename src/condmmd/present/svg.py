"""A picture of matplotlib as SVG inside a page: its text is text, in any script; its colours are those of the page."""

from __future__ import annotations

import io
import re
import warnings
from collections.abc import Callable
from html import escape
from typing import Any

from condmmd.present.labelling import fonts

__all__ = ["inline_svg"]

# Colours that pictures use, and the names under which the page has them, light or dark.
COLOURS = {
    "#000000": "--ink", "#333333": "--strong", "#404040": "--strong", "#4d4d4d": "--strong", "#666666": "--strong",
    "#808080": "--mid", "#999999": "--mid", "#b3b3b3": "--mid", "#bfbfbf": "--faint", "#cccccc": "--faint",
    "#ffffff": "--page", "#1f77b4": "--blue", "#ff7f0e": "--orange", "#d62728": "--red",
}  # fmt: skip
SETTINGS: Any = {
    "svg.fonttype": "none", "figure.facecolor": "none", "axes.facecolor": "none", "savefig.facecolor": "none",
    "axes.spines.top": False, "axes.spines.right": False,
}  # fmt: skip
# Where coordinates stand, and what of them is finer than any screen: less than a hundredth of a point.
PLACES = re.compile(r'\b(?:d|x|y|width|height|transform|points)="[^"]*"')
DIGITS = re.compile(r"(\d\.\d{2})\d+")
NO_METADATA = dict.fromkeys(("Creator", "Date", "Format", "Type"))
SIZE = (5.4, 3.6)


def inline_svg(draw: Callable[[Any], None], name: str, alt: str, size: tuple[float, float] = SIZE) -> str:
    """What ``draw`` puts on a figure, as an element of a page.

    Parameters
    ----------
    draw
        Takes an empty figure.
    name
        Unlike that of any other picture of the page: every id starts with it.
    alt
        What it shows, for those who do not see it.
    size
        In inches, unless ``draw`` changes it.
    """
    import matplotlib as mpl  # noqa: PLC0415 - an extra
    import matplotlib.pyplot as plt  # noqa: PLC0415

    with plt.style.context("default"), mpl.rc_context(fonts() | SETTINGS | {"svg.hashsalt": name}):
        fig = plt.figure(figsize=size, layout="constrained")
        try:
            draw(fig)
            buffer = io.StringIO()
            with warnings.catch_warnings():
                warnings.filterwarnings("ignore", message="Glyph .* missing")  # the browser has its own fonts
                warnings.filterwarnings("ignore", message="constrained_layout not applied")  # names as wide as the page
                fig.savefig(buffer, format="svg", metadata=NO_METADATA, dpi=110)
        finally:
            plt.close(fig)
    return _as_element(buffer.getvalue(), name, alt)


def _as_element(text: str, name: str, alt: str) -> str:
    body = text[text.index(">", text.index("<svg")) + 1 :]
    found = re.search(r'viewBox="[^"]*"', text)
    view = found.group() if found else ""
    body = re.sub(r"<!--.*?-->|<style[^>]*>.*?</style>|<metadata>.*?</metadata>", "", body, flags=re.DOTALL)
    body = re.sub(r"<defs>\s*</defs>\s*", "", body)
    body = PLACES.sub(lambda found: DIGITS.sub(r"\1", found.group()), body)
    body = re.sub(r"\s*\n\s*", " ", body)
    body = re.sub(r'\bid="', f'id="{name}-', body)
    body = re.sub(r'xlink:href="#', f'href="#{name}-', body)
    body = body.replace("url(#", f"url(#{name}-").replace("xlink:href=", "href=")
    for colour, variable in COLOURS.items():
        body = body.replace(f": {colour}", f": var({variable})")
    return f'<svg role="img" aria-label="{escape(alt)}" {view} xmlns="http://www.w3.org/2000/svg">{body.strip()}'
