"""The pictures of a report, each with its numbers in a table beside it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np

from condmmd.explain import Course, Profile, Where
from condmmd.explain.regions import SURE
from condmmd.explain.windows import span
from condmmd.present.course_pictures import MANY_CATEGORIES, plot_course
from condmmd.present.curves import group_curves
from condmmd.present.pictures import chances_by_group, plot_result
from condmmd.present.shown import Shown
from condmmd.present.svg import inline_svg

__all__ = ["Figure", "Row", "course_figures", "other_figures"]

# In a cell that has no number.
NONE = "\N{EN DASH}"
# Bars and points of a picture that stand in its table, at most.
MAX_ROWS = 12
TALL = (5.4, 5.2)
CAPTIONS = {
    "where": "The difference along the covariate where it stands out most, the other covariates as they are.",
    "map": "Where in covariate and outcome one group has more rows than the other; hatched where chance could do it.",
    "curves": "The outcome given the covariate, for each group.",
    "null": "The statistic of the test (line) among the values that it would have if nothing differed.",
    "levels": "Each way of looking by itself, and all together (line).",
    "overlap": "Where only one of the two groups is, nothing can be said about the difference.",
}


class Row(NamedTuple):
    """A line of numbers, and which marks of the picture they are of: the series, and the place in it."""

    cells: tuple[str, ...]
    marks: Mapping[str, int]


@dataclass(frozen=True)
class Figure:
    """A picture as SVG, what it shows in a sentence, and its numbers."""

    kind: str
    title: str
    svg: str
    caption: str
    head: tuple[str, ...]
    rows: tuple[Row, ...]
    wide: bool = False


def course_figures(where: Where) -> list[Figure]:
    """Both groups along each of the leading covariates."""
    return [_course_figure(where, course, f"c{number}") for number, course in enumerate(where.courses)]


def _course_figure(where: Where, course: Course, name: str) -> Figure:
    p, q = where.labels
    rows, counts = [], dict.fromkeys("pqd", 0)
    for g, place in enumerate(_places(course)):
        values = {"p": course.levels[0, g], "q": course.levels[1, g], "d": course.shift[g]}
        marks = {}
        for series, value in values.items():
            if np.isfinite(value):
                marks[series] = counts[series]
                counts[series] += 1
        low, high = course.shift[g] - SURE * course.error[g], course.shift[g] + SURE * course.error[g]
        told = f"{low:+.3g} to {high:+.3g}" if np.isfinite(low) else NONE
        n, m = course.n_obs[g]
        rows.append(
            Row((place, f"{n} + {m}", _told(values["p"]), _told(values["q"]), _told(values["d"], "+"), told), marks)
        )
    alt = f"{course.measure} along {course.covariate or '(no name)'}. {_reading(course, (p, q))}"
    return Figure(
        "course", course.covariate or "(no name)", inline_svg(partial(plot_course, where, course), name, alt, TALL),
        f"{course.measure[:1].upper()}{course.measure[1:]} in each group, the other covariates adjusted for, and the "
        "difference.",
        (course.covariate or "(no name)", "rows", p, q, "difference", "95 % interval"), tuple(rows),
        wide=len(course.categories) > MANY_CATEGORIES,
    )  # fmt: skip


def _ranges(bins: Course | Profile) -> list[str]:
    """Each bin in words."""
    ends = zip(bins.low.tolist(), bins.high.tolist(), strict=True)
    return list(bins.categories) or [span(low, high, dates=bins.dates) for low, high in ends]


def _places(course: Course) -> list[str]:
    """The same in a picture's own words."""
    return [place if course.categories else place.removeprefix("from ").removeprefix("= ") for place in _ranges(course)]


def _told(value: float, sign: str = "") -> str:
    return f"{value:{sign}.4g}" if np.isfinite(value) else NONE


def _reading(course: Course, labels: tuple[str, str]) -> str:
    """The picture in a sentence: the ends of the curves, and where the difference is smallest and largest."""
    known, places = np.flatnonzero(np.isfinite(course.shift)), _places(course)
    if not len(known):
        return "In no part are there rows of both groups."
    first, last = known[0], known[-1]
    low, high = known[np.argmin(course.shift[known])], known[np.argmax(course.shift[known])]
    ends = [f"{name} from {own[first]:.3g} to {own[last]:.3g}" for name, own in zip(labels, course.levels, strict=True)]
    return (
        f"{'; '.join(ends)}. The difference is smallest, {course.shift[low]:+.3g}, at {places[low]} and largest, "
        f"{course.shift[high]:+.3g}, at {places[high]}."
    )


def other_figures(result: Shown, where: Where | None) -> Iterator[Figure]:
    """Every other picture that this result can have."""
    tables: dict[str, Callable[[Shown], tuple[tuple[str, ...], list[Row]]]] = {
        "where": _where_table, "map": _map_table, "curves": _curves_table, "null": _null_table,
        "levels": _levels_table, "overlap": _overlap_table,
    }  # fmt: skip
    for kind, table in tables.items():
        if (kind == "where" and (where is None or where.courses)) or (kind == "map" and not (where and where.anything)):
            continue  # colours for what is chance alone would be read as findings
        try:
            head, rows = table(result)
            svg = inline_svg(partial(_draw, result, kind), kind, f"{CAPTIONS[kind]} {_in_words(head, rows)}")
        except ValueError:  # this result has no such picture: several outcomes, a categorical covariate
            continue
        yield Figure(kind, "", svg, CAPTIONS[kind], head, tuple(rows), wide=kind == "levels")


def _draw(result: Shown, kind: str, figure: Any) -> None:
    if kind == "levels":
        figure.set_size_inches(8.2, max(3.0, 1.2 + 0.22 * len(result.by_level)))
    plot_result(result, kind, figure.subplots())


def _in_words(head: tuple[str, ...], rows: list[Row]) -> str:
    """The first and the last line of the table."""
    ends = [rows[0], rows[-1]] if len(rows) > 1 else rows
    return " ".join(
        ", ".join(f"{name}: {cell}" for name, cell in zip(head, row.cells, strict=True)) + "." for row in ends
    )


def _some(count: int) -> list[int]:
    """Evenly chosen ones."""
    return np.unique(np.linspace(0, count - 1, min(count, MAX_ROWS)).round().astype(int)).tolist()


def _where_table(result: Shown) -> tuple[tuple[str, ...], list[Row]]:
    profile = result.where().profile()
    places = _ranges(profile)
    head = (profile.covariate, "size of the difference", "by chance up to")
    return head, [Row((places[g], f"{profile.size[g]:.3g}", f"{profile.band[g]:.3g}"), {}) for g in _some(len(places))]


def _map_table(result: Shown) -> tuple[tuple[str, ...], list[Row]]:
    profile, y, values = result.where().map()
    levels = np.linspace(0, len(y) - 1, 5).round().astype(int)
    head = (profile.covariate, *(f"{result.spaces[1]} near {y[k]:.3g}" for k in levels))
    places = _ranges(profile)
    limit = float(np.abs(values).max()) or 1.0
    rows = [Row((places[g], *(f"{values[g, k] / limit:+.0%}" for k in levels)), {}) for g in _some(len(places))]
    return head, rows


def _curves_table(result: Shown) -> tuple[tuple[str, ...], list[Row]]:
    dates = result.evidence.samples.x.columns[0].dates
    rows = [
        Row((name, span(curve.grid[k], curve.grid[k], dates=dates).removeprefix("= "),
             *(f"{part[k]:.4g}" for part in (curve.lower, curve.middle, curve.upper))), {})
        for curve, name in zip(group_curves(result.evidence), result.labels, strict=True)
        for k in (_some(len(curve.grid)) if len(curve.grid) else [])
    ]  # fmt: skip
    return ("group", result.spaces[0], "10 % are below", "half are below", "90 % are below"), rows


def _null_table(result: Shown) -> tuple[tuple[str, ...], list[Row]]:
    null = np.asarray(result.null_distribution)
    if not len(null):
        raise ValueError("there are no null draws.")
    shares = (0, 5, 25, 50, 75, 95, 99, 100)
    rows = [Row((f"{share} % are below", f"{np.percentile(null, share):.4g}"), {}) for share in shares]
    return ("if nothing differed", "statistic"), [*rows, Row(("observed", f"{result.statistic:.4g}"), {})]


def _levels_table(result: Shown) -> tuple[tuple[str, ...], list[Row]]:
    ordered = sorted(result.by_level, key=lambda row: row.pvalue)
    rows = [
        Row((row.name or f"level {row.level:g}", f"{row.pvalue:.4g}"), {"n": len(ordered) - 1 - k})
        for k, row in enumerate(ordered)
    ]
    return ("looked at", "p-value alone"), rows


def _overlap_table(result: Shown) -> tuple[tuple[str, ...], list[Row]]:
    edges, shares = np.linspace(0, 1, 6), chances_by_group(result)
    counts = [np.histogram(own, edges)[0] / max(len(own), 1) for own in shares]
    rows = [
        Row((f"{low:.1f} to {high:.1f}", f"{counts[0][k]:.0%}", f"{counts[1][k]:.0%}"), {})
        for k, (low, high) in enumerate(pairwise(edges))
    ]
    return (f"chance of {result.labels[0]}", *(f"share of {name}" for name in result.labels)), rows
