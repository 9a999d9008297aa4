"""Pictures of rows with two sides: where they differ, by which way of looking, and whether predictions are reliable."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol

import numpy as np

from condmmd.backend import Array
from condmmd.effects import Effects
from condmmd.explain.reliability import Reliability
from condmmd.explain.rowwise import RowProfile, RowWhere
from condmmd.inference import LevelResult
from condmmd.present.labelling import Axes, label
from condmmd.present.pictures import new_axes

__all__ = ["ShownRows", "in_numbers", "plot_rows"]

SURE = 1.96


class ShownRows(Protocol):
    """What the pictures and the report ask of a result."""

    @property
    def statistic(self) -> float: ...
    @property
    def pvalue(self) -> float: ...
    @property
    def null_distribution(self) -> Array: ...
    @property
    def by_level(self) -> tuple[LevelResult, ...]: ...
    @property
    def n_obs(self) -> int: ...
    @property
    def n_resamples(self) -> int: ...
    @property
    def labels(self) -> tuple[str, str]: ...
    @property
    def spaces(self) -> tuple[str, str]: ...
    @property
    def scheme(self) -> str: ...
    @property
    def assumption(self) -> str: ...
    @property
    def significance(self) -> float: ...
    @property
    def rng_state(self) -> int: ...
    @property
    def embeddings(self) -> dict[str, dict[str, Any]]: ...
    @property
    def pictures(self) -> tuple[str, ...]: ...
    def sentence(self) -> str: ...
    def effect(self) -> Effects: ...
    def where(self) -> RowWhere: ...


def plot_rows(result: ShownRows, kind: str, ax: Axes | None, **options: Any) -> Axes:
    """Draw one kind of picture and return its axes."""
    if kind not in result.pictures:
        raise ValueError(f"`kind` must be one of {list(result.pictures)}; got {kind!r}.")
    axes = new_axes(ax)
    KINDS[kind](result, axes, **options)
    return axes


def in_numbers(result: ShownRows, kind: str) -> str:
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


def _plot_null(result: ShownRows, ax: Axes) -> None:
    null = np.asarray(result.null_distribution)
    if not len(null):
        raise ValueError("the normal limit draws nothing; there is nothing to show.")
    ax.hist(null, bins=min(40, max(10, len(null) // 15)), color="0.75", edgecolor="0.5", label="if nothing differed")
    ax.axvline(result.statistic, color="C3", linewidth=2, label=f"observed, p = {result.pvalue:.3g}")
    ax.set(xlabel="statistic of the test", ylabel="draws")
    _finish(ax, "Observed, and if nothing differed")


def _plot_columns(result: ShownRows, ax: Axes) -> None:
    """One line for each way of looking, the smallest p-value on top."""
    rows = sorted(result.by_level, key=lambda row: -row.pvalue)
    ax.plot([row.pvalue for row in rows], range(len(rows)), "o", color="C0", label="each alone")
    ax.axvline(result.pvalue, color="C3", label=f"all together, {result.pvalue:.3g}")
    ax.axvline(result.significance, color="0.5", linestyle=":", label=f"significance {result.significance:g}")
    ax.set_yticks(range(len(rows)), [label(row.name, 60) for row in rows], fontsize="x-small")
    ax.set(xscale="log", xlabel="p-value", xlim=(None, 1.3))
    _finish(ax, "What kind of difference")


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
        ax.plot(position, profile.size, style, markersize=3.5, color="C0", label="size of the difference")
        line = "_" if profile.categories else "--"
        ax.plot(position, profile.band, line, color="0.4", label=f"{1 - where.significance:.0%} band")
        ax.set_ylabel("size of the difference")
    _mark(profile, ax)
    if profile.categories:
        ax.set_xticks(position, [label(name, 12) for name in profile.categories], rotation=30, ha="right")
    ax.set_xlabel(label(profile.covariate))
    _finish(ax, "Where they differ" if where.anything else "The difference along a covariate")


def _mark(profile: RowProfile, ax: Axes) -> None:
    """What is outside the band."""
    for number, g in enumerate(np.flatnonzero(profile.outside)):
        low, high = (g - 0.5, g + 0.5) if profile.categories else (profile.low[g], profile.high[g])
        ax.axvspan(low, high, facecolor="C1", alpha=0.25, hatch="//", edgecolor="0.7", linewidth=0,
                   label="outside the band" if number == 0 else None)  # fmt: skip


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
    _finish(ax, "Predicted and observed")


def _finish(ax: Axes, words: str) -> None:
    """A title with the legend between it and the picture, where no data are."""
    ax.set_title(words, pad=24)
    ax.legend(fontsize="small", loc="lower center", bbox_to_anchor=(0.5, 1.0), ncols=3, frameon=False, borderpad=0.2)


KINDS: dict[str, Callable[..., None]] = {
    "null": _plot_null,
    "columns": _plot_columns,
    "where": _plot_where,
    "reliability": _plot_reliability,
}
