"""The HTML report of rows with two sides, in the look of the report of two samples."""

from __future__ import annotations

import re
import sys
from dataclasses import dataclass
from functools import partial
from importlib.metadata import version
from typing import Any

import numpy as np

from condmmd.present.report import check_extras
from condmmd.present.rowwise import ShownRows, in_numbers, plot_rows
from condmmd.present.svg import inline_svg

__all__ = ["RowReport", "render_rows"]

CAPTIONS = {
    "reliability": "What was predicted against how often it happened; shaded: where all of it would be if the "
    "predictions were calibrated.",
    "where": "The difference along the covariate where it stands out most.",
    "columns": "Each way of looking by itself, and all together (line).",
    "null": "The statistic of the test (line) among its values if nothing differed.",
}
MAX_REGIONS = 20


@dataclass(frozen=True)
class RowReport:
    """What a report tells beside the test itself.

    Attributes
    ----------
    title, repeat
        Of the page, and the command or call that repeats it.
    notes
        Lines about the data that a reader must know.
    source
        Where the data are from.
    """

    title: str
    repeat: str
    notes: tuple[str, ...] = ()
    source: str = ""


def render_rows(result: ShownRows, context: RowReport) -> str:
    """The page as text."""
    check_extras()
    from jinja2 import Environment, PackageLoader, StrictUndefined  # noqa: PLC0415 - an extra
    from markupsafe import Markup  # noqa: PLC0415 - comes with jinja2

    loader = PackageLoader("condmmd.present", "templates")
    environment = Environment(
        loader=loader, autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True
    )
    where = result.where()
    return environment.get_template(
        "rowwise.html"
    ).render(
        result=result,
        context=context,
        effect=result.effect(),
        where=where,
        regions=where.regions[:MAX_REGIONS] if where.anything else (),
        meaning=_meaning(result),
        steps=_next_steps(result),
        pictures=_pictures(result),
        style=Markup(_style(loader.get_source(environment, "report.html")[0])),  # noqa: S704 - our own file
        version=version("condmmd"),
        python=".".join(map(str, sys.version_info[:3])),
        numpy=np.__version__,
    )


def _style(page: str) -> str:
    """The style of the other report, so that there is one look."""
    found = re.search(r"<style>(.*?)</style>", page, flags=re.DOTALL)
    return "" if found is None else found.group(1)


def _meaning(result: ShownRows) -> str:
    first, second = result.labels
    if result.pvalue > result.significance:
        return (
            f"Among rows with the same {result.spaces[0]} no difference between {first} and {second} was seen. That is "
            "no proof that there is none: the intervals below say what is still possible."
        )
    smallest = min(result.by_level, key=lambda row: row.pvalue).name
    return (
        f"Rows with the same {result.spaces[0]} have {first} and {second} that differ by more than chance makes them. "
        f"What speaks most for it by itself: {smallest}."
    )


def _next_steps(result: ShownRows) -> list[str]:
    if result.pvalue > result.significance:
        return ["Read the intervals: all values in them are still possible. No evidence is not evidence of none."]
    steps = ["Look at how large the difference is before you act on it: with many rows a small one is found too."]
    if result.where().anything:
        steps.append("Look at the rows named under Where: there the difference stands out.")
    return steps


def _pictures(result: ShownRows) -> list[dict[str, str]]:
    """Every picture that this result can have, each with its numbers for those who do not see it."""
    found = []
    for kind in result.pictures:
        try:
            told = f"{CAPTIONS[kind]} {in_numbers(result, kind)}"
            found.append({"caption": CAPTIONS[kind], "svg": inline_svg(partial(_draw, result, kind), kind, told)})
        except (ValueError, TypeError):  # this result has no such picture
            continue
    return found


def _draw(result: ShownRows, kind: str, figure: Any) -> None:
    plot_rows(result, kind, figure.subplots())
