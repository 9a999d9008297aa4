"""Both groups along one covariate, and the difference between them: the picture that people ask for."""

from __future__ import annotations

from typing import Any

import numpy as np

from condmmd.backend import Array
from condmmd.explain import Course, Where
from condmmd.explain.regions import SURE
from condmmd.present.labelling import Axes, label, legend_above, name_values

__all__ = ["MANY_CATEGORIES", "draw_difference", "draw_groups", "plot_course"]

# From so many categories on their names stand below one another.
MANY_CATEGORIES = 12
# Inches for each of them, and for the rest of such a picture.
LINE, REST = 0.19, 1.5
# Colours, lines and markers of P and of Q: apart without colour too.
P_STYLE, Q_STYLE = ("0.25", "-", "o"), ("C0", "--", "^")
# Where shares, and their differences, are drawn.
SHARES, DIFFERENCES = (-0.05, 1.05), (-1.05, 1.05)
# How far the two groups are moved apart where they stand above one value, as a share of the way to the next.
APART = 0.12


def plot_course(where: Where, course: Course, figure: Any) -> None:
    """The two groups above their difference, or beside it where there are many categories."""
    flipped = len(course.categories) > MANY_CATEGORIES
    if flipped:
        figure.set_size_inches(8.2, REST + LINE * len(course.categories))
        above, below = figure.subplots(1, 2, sharey=True)
    else:
        above, below = figure.subplots(2, 1, sharex=True)
    draw_groups(where, course, above, flipped=flipped)
    draw_difference(where, course, below, flipped=flipped)
    if flipped:
        below.set_ylabel("")
    else:
        above.set_xlabel("")


def draw_groups(where: Where, course: Course, ax: Axes, *, flipped: bool = False) -> None:
    """The measure in each group along the covariate, the other covariates adjusted for, with 95 % bands."""
    aside = _aside(course)
    for row, (mark, style, name) in enumerate(zip("pq", (P_STYLE, Q_STYLE), where.labels, strict=True)):
        values, errors = course.levels[row], course.level_errors[row]
        place = course.middle + (aside if row else -aside)
        _draw(ax, course, (place, values, SURE * errors), style, label(name, 24), f"points-{mark}", flipped=flipped)
    _draw_zones(where, course, ax, flipped=flipped, told=False)
    _name_axes(course, ax, label(course.measure, 32), flipped=flipped)
    _within(course, ax, SHARES, flipped=flipped)
    legend_above(ax)


def draw_difference(where: Where, course: Course, ax: Axes, *, flipped: bool = False) -> None:
    """P less Q along the covariate, over all rows, and in the two parts between which it changes most."""
    nothing, everywhere = (ax.axvline, ax.axvline) if flipped else (ax.axhline, ax.axhline)
    nothing(0, color="0.5", linewidth=0.8)
    over_all = next((one.shift for one in where.differences if one.measure == course.measure), None)
    if over_all is not None:
        everywhere(over_all, color="0.3", linestyle=":", label="over all rows")
    style = ("C0", "-", "o")
    _draw(ax, course, (course.middle, course.shift, SURE * course.error), style, "95 % intervals", "points-d",
          flipped=flipped, band=False)  # fmt: skip
    _draw_zones(where, course, ax, flipped=flipped, told=True)
    p, q = (label(name, 16) for name in where.labels)
    _name_axes(course, ax, f"{p} less {q}" if flipped else f"{p}\nless {q}", flipped=flipped)
    _within(course, ax, DIFFERENCES, flipped=flipped)
    legend_above(ax)


def _draw(
    ax: Axes, course: Course, drawn: tuple[Array, Array, Array], style: tuple[str, str, str], words: str, gid: str,
    *, flipped: bool, band: bool = True,
) -> None:  # fmt: skip
    """Values with their errors: a line with a band, or bars; points where each bin is one value."""
    known = np.isfinite(drawn[1])
    place, value, error = (own[known] for own in drawn)
    colour, line, marker = style
    if band and not course.few:
        ax.fill_between(place, value - error, value + error, color=colour, alpha=0.18, linewidth=0)
        ax.plot(place, value, line, marker=marker, markersize=3.5, color=colour, label=words, gid=gid)
        return
    across = {"xerr": error} if flipped else {"yerr": error}
    xy = (value, place) if flipped else (place, value)
    bars = ax.errorbar(
        *xy, **across, fmt=marker if course.few else f"{marker}{line}", markersize=4, color=colour,
        ecolor=colour if band else "0.6", elinewidth=1, capsize=2, label=words,
    )  # fmt: skip
    bars[0].set_gid(gid)


def _aside(course: Course) -> float:
    """So that points of both groups are seen where they stand above one value."""
    if not course.few or len(course.middle) < 2:
        return 0.0
    return APART * float(np.diff(np.sort(course.middle)).min())


def _draw_zones(where: Where, course: Course, ax: Axes, *, flipped: bool, told: bool) -> None:
    """The two parts between which the measure changes most: a box at its own height, or over the whole height."""
    for number, contrast in enumerate(where.contrasts):
        if contrast.covariate != course.covariate or contrast.measure != course.measure:
            continue
        for side, part in enumerate(contrast.parts):
            spans = [(part.low, part.high)]
            if course.categories:
                spans = [(g - 0.4, g + 0.4) for g, name in enumerate(course.categories) if name in part.categories]
            for k, (start, stop) in enumerate(spans):
                gid = f"zone-{number}-{side}-{k}{'d' if told else 'g'}"
                if not told or part.shift is None or part.error is None:
                    across = ax.axhspan if flipped else ax.axvspan
                    across(start, stop, color="C1", alpha=0.06 + 0.06 * side, linewidth=0, gid=gid)
                    continue
                words = "parts that differ most" if side == k == 0 else None
                ends = (part.shift - SURE * part.error, part.shift + SURE * part.error)
                fill, at = (ax.fill_betweenx, (part.shift, part.shift)) if flipped else (ax.fill_between, (start, stop))
                fill([start, stop], *ends, color="C1", alpha=0.25, linewidth=0, label=words, gid=gid)
                along = (start, stop) if flipped else (part.shift, part.shift)
                ax.plot(at, along, color="C1", linewidth=2)


def _within(course: Course, ax: Axes, limits: tuple[float, float], *, flipped: bool) -> None:
    """Shares have ends, which the intervals of a few rows go past."""
    if course.measure.startswith("share of "):
        low, high = ax.get_xlim() if flipped else ax.get_ylim()
        (ax.set_xlim if flipped else ax.set_ylim)(max(low, limits[0]), min(high, limits[1]))


def _name_axes(course: Course, ax: Axes, words: str, *, flipped: bool) -> None:
    if flipped:
        ax.set_yticks(range(len(course.categories)), [label(name, 28) for name in course.categories], fontsize=8)
        ax.set_ylim(len(course.categories) - 0.4, -0.6)
        ax.set(xlabel=words, ylabel=label(course.covariate))
        return
    name_values(ax, course.middle if course.few else None, course.categories, dates=course.dates)
    ax.set(xlabel=label(course.covariate), ylabel=words)
