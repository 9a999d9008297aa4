"""Pictures of a result, in the user's column names and readable without colour. Needs matplotlib."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeAlias

import numpy as np

from condmmd.backend import to_host
from condmmd.explain import Profile, Where
from condmmd.present.curves import group_curves
from condmmd.present.shown import Shown
from condmmd.regression.odds import balanced

Axes: TypeAlias = Any  # of matplotlib, an extra

__all__ = ["KINDS", "label", "plot_result", "plot_where"]

MAX_LABEL = 40
# Categories that are named under an axis.
MAX_TICKS = 45


def label(text: object, width: int = MAX_LABEL) -> str:
    """A name from the data as matplotlib shows it: no mathematics, one line, not too long."""
    line = "".join(c if c.isprintable() else " " for c in str(text)).strip() or "(no name)"
    short = line if len(line) <= width else f"{line[: width - 1]}…"
    return short.replace("$", r"\$")


def new_axes(ax: Axes | None) -> Axes:
    """The axes given, or new ones."""
    if ax is not None:
        return ax
    try:
        import matplotlib.pyplot as plt  # noqa: PLC0415 - an extra
    except ImportError as error:
        raise ImportError("pictures need matplotlib: pip install 'condmmd[report]'") from error
    return plt.subplots(figsize=(5.6, 3.6), layout="constrained")[1]


def plot_null(result: Shown, ax: Axes) -> None:
    """The statistic among its values at the null labels."""
    null = np.asarray(result.null_distribution)
    if not len(null):
        raise ValueError("null=Asymptotic() draws no null labels; there is nothing to show.")
    ax.hist(null, bins=min(40, max(10, len(null) // 15)), color="0.75", edgecolor="0.5", label="null labels")
    ax.axvline(result.statistic, color="C3", linewidth=2, label=f"observed, p = {result.pvalue:.3g}")
    ax.set(xlabel="statistic of the test", ylabel="label vectors")
    _title(ax, "Observed, and if nothing differed")


def plot_levels(result: Shown, ax: Axes) -> None:
    """The p-value of each level, or column, alone: at which scale of the covariates the two differ."""
    if any(row.name not in {"", f"level {row.level:g}"} for row in result.by_level):
        _plot_columns(result, ax)
        return
    rows = [row for row in result.by_level if row.reg == result.by_level[0].reg]
    rows = [row for row in rows if row.kernel_x == result.by_level[0].kernel_x]
    ax.plot([row.level for row in rows], [row.pvalue for row in rows], "o-", color="C0", label="each level alone")
    ax.axhline(result.pvalue, color="C3", label=f"all together, {result.pvalue:.3g}")
    ax.axhline(result.significance, color="0.5", linestyle=":", label=f"significance {result.significance:g}")
    ax.set(yscale="log", xlabel="level s", ylabel="p-value", ylim=(None, 1.3))
    _plain_numbers(ax)
    _title(ax, "Level profile")


def _plot_columns(result: Shown, ax: Axes) -> None:
    """One line for each column, in words, the smallest p-value on top."""
    rows = sorted(result.by_level, key=lambda row: -row.pvalue)
    ax.plot([row.pvalue for row in rows], range(len(rows)), "o", color="C0", label="each alone")
    ax.axvline(result.pvalue, color="C3", label=f"all together, {result.pvalue:.3g}")
    ax.axvline(result.significance, color="0.5", linestyle=":", label=f"significance {result.significance:g}")
    ax.set_yticks(range(len(rows)), [label(row.name, 60) for row in rows], fontsize="x-small")
    ax.set(xscale="log", xlabel="p-value", xlim=(None, 1.3))
    _title(ax, "What kind of difference", leftwards=True)


def plot_overlap(result: Shown, ax: Axes) -> None:
    """How alike the covariates are: the propensity in both groups, as it would be with samples of one size."""
    evidence = result.evidence
    t, bins = evidence.t, np.linspace(0, 1, 26).tolist()
    alike = to_host(balanced(evidence.e, float(t.mean())))
    of_p, of_q = alike[t == 1], alike[t == 0]
    p_share, q_share = np.full(len(of_p), 1 / len(of_p)), np.full(len(of_q), 1 / len(of_q))
    ax.hist(of_p, bins=bins, weights=p_share, color="0.6", label=label(result.labels[0]))
    ax.hist(
        of_q, bins=bins, weights=q_share, histtype="step", linewidth=1.8, color="C0",
        label=label(result.labels[1]),
    )  # fmt: skip
    p, q = (label(name, 20) for name in result.labels)
    ax.set(xlabel=f"chance of {p} given the covariates\n(0: only {q} there)", ylabel="share of the group")
    _title(ax, "How alike the covariates are")


def plot_curves(result: Shown, ax: Axes) -> None:
    """Conditional median and 10 to 90 % range of one outcome given one covariate, for each group."""
    for curve, name, (colour, line, marker) in zip(
        group_curves(result.evidence), result.labels, (("0.25", "-", "o"), ("C0", "--", "^")), strict=True
    ):
        ax.scatter(curve.x, curve.y, s=5, alpha=0.25, color=colour, marker=marker, linewidths=0)
        ax.plot(curve.grid, curve.middle, line, color=colour, linewidth=2, label=f"{label(name)}, median")
        ax.fill_between(curve.grid, curve.lower, curve.upper, color=colour, alpha=0.15, linewidth=0)
    names = result.evidence.samples
    ax.set(xlabel=label(names.x.names[0]), ylabel=label(names.y.names[0]))
    _title(ax, "Median and 10 to 90 % range")


def plot_where(where: Where, ax: Axes, covariate: str | None = None) -> None:
    """The difference along a covariate; of one numeric outcome in its units, else its size, the band and its marks."""
    profile = where.profile(covariate)
    position = np.arange(len(profile.size)) if profile.categories else profile.middle
    few = bool(profile.categories) or bool((profile.low == profile.high).all())
    if profile.shift is not None:
        ax.axhline(0, color="0.5", linewidth=0.8)
        if where.everywhere.shift is not None:
            ax.axhline(where.everywhere.shift, color="0.3", linestyle=":", label="over all rows")
        ax.errorbar(
            position, profile.shift, yerr=1.96 * np.asarray(profile.error), fmt="o" if few else "o-", markersize=3.5,
            color="C0", ecolor="0.6", capsize=2, label="here, with 95 % intervals",
        )  # fmt: skip
        _draw_parts(where, profile, ax)
        p, q = (label(name, 16) for name in where.labels)
        ax.set_ylabel(f"mean of {label(where.outcome, 24)},\n{p}\nless {q}")
    else:
        line = "o" if few else "o-"
        ax.plot(position, profile.size, line, markersize=3.5, color="C0", label="size of the difference")
        ax.plot(position, profile.band, "_" if few else "--", color="0.4", label=f"{1 - where.significance:.0%} band")
        ax.set_ylabel("size of the difference")
        _mark(profile, ax)
    if profile.categories:
        _name_categories(ax, profile.categories)
    ax.set_xlabel(label(profile.covariate))
    _title(ax, "Where it differs" if where.anything else "The difference along a covariate")


def _draw_parts(where: Where, profile: Profile, ax: Axes) -> None:
    """The two parts between which the mean changes most, each at its own height."""
    for contrast in where.contrasts:
        if contrast.covariate != profile.covariate or contrast.measure != f"mean of {where.outcome}":
            continue
        for number, part in enumerate(contrast.parts):
            if part.shift is None or part.error is None:
                continue
            spans = [(part.low, part.high)]
            if profile.categories:
                spans = [(g - 0.4, g + 0.4) for g, name in enumerate(profile.categories) if name in part.categories]
            for start, stop in spans:
                ax.fill_between(
                    [start, stop], part.shift - 1.96 * part.error, part.shift + 1.96 * part.error, color="C1",
                    alpha=0.25, linewidth=0, label="parts that differ most" if number == 0 else None,
                )  # fmt: skip
                ax.plot([start, stop], [part.shift, part.shift], color="C1", linewidth=2)


def _mark(profile: Profile, ax: Axes) -> None:
    """What is outside the band; a bin of one value is as wide as a line can be seen."""
    outside = np.flatnonzero(profile.outside)
    least = 0.01 * float(profile.high[-1] - profile.low[0])
    for number, g in enumerate(outside):
        low, high = (g - 0.5, g + 0.5) if profile.categories else (profile.low[g], profile.high[g])
        if high - low < least:
            low, high = (low + high - least) / 2, (low + high + least) / 2
        ax.axvspan(low, high, facecolor="C1", alpha=0.25, hatch="//", edgecolor="0.7", linewidth=0,
                   label="outside the band" if number == 0 else None)  # fmt: skip


def _name_categories(ax: Axes, names: tuple[str, ...]) -> None:
    """Under each category its name; of many, smaller, and as many as can be read."""
    step = -(-len(names) // MAX_TICKS)
    shown = range(0, len(names), step)
    size = "medium" if len(names) <= MAX_TICKS // 3 else "x-small"
    steep = 30 if len(names) <= MAX_TICKS // 3 else 90
    ax.set_xticks(
        list(shown), [label(names[k], 12) for k in shown], rotation=steep, ha="right" if steep == 30 else "center",
        fontsize=size,
    )  # fmt: skip


def _title(ax: Axes, words: str, *, leftwards: bool = False) -> None:
    """A title with the legend between it and the picture, where no data are.

    ``leftwards`` of the right end of the axes, for those with wide labels on their left.
    """
    ax.set_title(words, pad=24)
    place, at = ("lower right", 1.0) if leftwards else ("lower center", 0.5)
    ax.legend(fontsize="small", loc=place, bbox_to_anchor=(at, 1.0), ncols=3, frameon=False, borderpad=0.2)


def plot_map(where: Where, ax: Axes, covariate: str | None = None) -> None:
    """Signed witness: where in covariate and outcome P has more mass than Q."""
    profile, y, values = where.map(covariate)
    position = np.arange(len(profile.size)) if profile.categories else profile.middle
    if len(position) < 2:
        raise ValueError(f"'{profile.covariate}' has one value; there is no map.")
    limit = float(np.abs(values).max()) or 1.0
    mesh = ax.pcolormesh(position, y, values.T, cmap="RdBu_r", vmin=-limit, vmax=limit, shading="nearest")
    if values.min() < 0 < values.max():
        ax.contour(position, y, values.T, levels=[0], colors="0.2", linewidths=0.8)
    bar = ax.figure.colorbar(mesh, ax=ax)
    bar.set_label(f"more in {label(where.labels[0], 16)} (+) or {label(where.labels[1], 16)} (-)", fontsize="small")
    if profile.categories:
        _name_categories(ax, profile.categories)
    ax.set(xlabel=label(profile.covariate), ylabel=label(where.outcome), title="Who has more rows where")


KINDS: dict[str, Callable[..., None]] = {
    "null": plot_null,
    "levels": plot_levels,
    "overlap": plot_overlap,
    "curves": plot_curves,
    "where": lambda result, ax, **options: plot_where(result.where(), ax, **options),
    "map": lambda result, ax, **options: plot_map(result.where(), ax, **options),
}


def plot_result(result: Shown, kind: str, ax: Axes | None, **options: Any) -> Axes:
    """Draw one kind of picture and return its axes."""
    if kind not in KINDS:
        raise ValueError(f"`kind` must be one of {list(KINDS)}; got {kind!r}.")
    axes = new_axes(ax)
    KINDS[kind](result, axes, **options)
    return axes


def _plain_numbers(ax: Axes) -> None:
    from matplotlib.ticker import FuncFormatter, NullFormatter  # noqa: PLC0415

    ax.yaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))
    ax.yaxis.set_minor_formatter(NullFormatter())
