"""Pictures of rows with two sides, and their HTML report, in the look of the report of two samples."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from condmmd.explain.regions import SURE
from condmmd.explain.reliability import Reliability
from condmmd.present.labelling import Axes, label
from condmmd.present.pictures import draw_size, give_title, mark, plot_columns, plot_null, plot_result
from condmmd.present.report import ReportContext, page
from condmmd.present.shown import ShownRows
from condmmd.present.svg import inline_svg

__all__ = ["plot_rows", "render_rows"]

CAPTIONS = {
    "reliability": "What was predicted against how often it happened; shaded: where all of it would be if the "
    "predictions were calibrated.",
    "where": "The difference along the covariate where it stands out most.",
    "columns": "Each way of looking by itself, and all together (line).",
    "null": "The statistic of the test (line) among its values if nothing differed.",
}
MAX_REGIONS = 20


def plot_rows(result: ShownRows, kind: str, ax: Axes | None, **options: Any) -> Axes:
    """Draw one kind of picture and return its axes."""
    return plot_result(result, kind, ax, {name: KINDS[name] for name in result.pictures}, **options)


def _in_numbers(result: ShownRows, kind: str) -> str:
    """What a picture shows, in a sentence."""
    if kind == "null":
        null = np.asarray(result.null_distribution)
        if not len(null):
            raise ValueError("the normal limit draws nothing; there is nothing to show.")
        return f"Observed: {result.statistic:.3g}; if nothing differed, 95 % are below {np.quantile(null, 0.95):.3g}."
    if kind == "columns":
        return "; ".join(f"{row.name}: p = {row.pvalue:.3g}" for row in result.by_level) + "."
    if kind == "where":
        profile = result.where().profile()
        places = profile.categories or [f"{value:.3g}" for value in profile.middle]
        values = profile.size if profile.shift is None else profile.shift
        return "; ".join(f"at {place}: {value:.3g}" for place, value in zip(places, values, strict=True)) + "."
    predictions: Any = result  # only results of predictions have this kind
    found: Reliability = predictions.reliability()
    pairs = zip(found.predicted, found.observed, strict=True)
    return "; ".join(f"predicted {predicted:.2g}, observed {observed:.2g}" for predicted, observed in pairs) + "."


def _plot_where(result: ShownRows, ax: Axes, covariate: str | None = None) -> None:
    """The difference along a covariate: of one number in its units, else its size beside the band."""
    where = result.where()
    profile = where.profile(covariate)
    position = np.arange(len(profile.size)) if profile.categories else profile.middle
    style = "o" if profile.categories else "o-"
    if profile.shift is not None and profile.error is not None:
        ax.axhline(0, color="0.5", linewidth=0.8)
        ax.errorbar(
            position, profile.shift, yerr=SURE * profile.error, fmt=style, markersize=3.5, color="C0", ecolor="0.6",
            capsize=2, label="here, with 95 % intervals",
        )  # fmt: skip
        first, second = (label(name, 16) for name in where.labels)
        ax.set_ylabel(f"{label(where.outcome, 28)},\n{first} less {second}")
    else:
        draw_size(where, profile, ax, few=bool(profile.categories))
    mark(profile, ax)
    if profile.categories:
        ax.set_xticks(position, [label(name, 12) for name in profile.categories], rotation=30, ha="right")
    ax.set_xlabel(label(profile.covariate))
    give_title(ax, "Where they differ" if where.anything else "The difference along a covariate")


def _plot_reliability(result: Any, ax: Axes) -> None:
    """Predicted against observed, with the band in which calibrated predictions would be."""
    found: Reliability = result.reliability()
    ax.plot([0, 1], [0, 1], color="0.5", linewidth=0.8)
    ax.fill_between(found.predicted, found.low, found.high, color="0.6", alpha=0.35, linewidth=0, label="if calibrated")
    ax.plot(found.predicted, found.observed, "o-", markersize=3.5, color="C0", label="observed")
    outside = found.outside
    ax.plot(
        found.predicted[outside], found.observed[outside], "s", color="C3", label="outside" if outside.any() else None
    )
    ax.set(xlabel="predicted share", ylabel=f"observed share:\n{label(found.what, 36)}", xlim=(0, 1), ylim=(0, 1))
    give_title(ax, "Predicted and observed")


KINDS: dict[str, Callable[..., None]] = {
    "null": partial(plot_null, drawn="if nothing differed", each="draws", none="the normal limit draws nothing"),
    "columns": plot_columns,
    "where": _plot_where,
    "reliability": _plot_reliability,
}


def render_rows(result: ShownRows, context: ReportContext) -> str:
    """The page as text."""
    where = result.where()
    return page(
        "rowwise.html", result=result, context=context, effect=result.effect(), where=where,
        regions=where.regions[:MAX_REGIONS] if where.anything else (), meaning=_meaning(result),
        steps=_next_steps(result), pictures=_pictures(result),
    )  # fmt: skip


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
            told = f"{CAPTIONS[kind]} {_in_numbers(result, kind)}"
            found.append({"caption": CAPTIONS[kind], "svg": inline_svg(partial(_draw, result, kind), kind, told)})
        except (ValueError, TypeError):  # this result has no such picture
            continue
    return found


def _draw(result: ShownRows, kind: str, figure: Any) -> None:
    plot_rows(result, kind, figure.subplots())
