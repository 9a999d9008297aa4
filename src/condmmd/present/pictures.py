"""Pictures of a result, in the user's column names and readable without colour. Needs matplotlib."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from condmmd.backend import Array, to_host
from condmmd.explain import Course, Profile, RowProfile, RowWhere, Where
from condmmd.present.course_pictures import draw_difference, draw_groups
from condmmd.present.curves import group_curves
from condmmd.present.labelling import Axes, fonts, give_fonts, label, legend_above, name_values
from condmmd.present.shown import Shown, ShownTest
from condmmd.regression.odds import balanced

__all__ = [
    "KINDS", "chances_by_group", "draw_size", "give_title", "mark", "plot_columns", "plot_null", "plot_result",
    "plot_where",
]  # fmt: skip


def new_axes(ax: Axes | None) -> Axes:
    """The axes given, or new ones."""
    if ax is not None:
        return ax
    try:
        import matplotlib.pyplot as plt  # noqa: PLC0415 - an extra
    except ImportError as error:
        raise ImportError("pictures need matplotlib: pip install 'condmmd[report]'") from error
    return plt.subplots(figsize=(5.6, 3.6), layout="constrained")[1]


def plot_null(
    result: ShownTest, ax: Axes, *, drawn: str = "null draws", each: str = "draws",
    none: str = "null=Asymptotic() draws nothing",
) -> None:  # fmt: skip
    """The statistic among its values at the null draws."""
    null = np.asarray(result.null_distribution)
    if not len(null):
        raise ValueError(f"{none}; there is nothing to show.")
    ax.hist(null, bins=min(40, max(10, len(null) // 15)), color="0.75", edgecolor="0.5", label=drawn)
    ax.axvline(result.statistic, color="C3", linewidth=2, label=f"observed, p = {result.pvalue:.3g}")
    ax.set(xlabel="statistic of the test", ylabel=each)
    give_title(ax, "Observed, and if nothing differed")


def plot_levels(result: Shown, ax: Axes) -> None:
    """The p-value of each level, or column, alone: at which scale of the covariates the two differ."""
    if any(row.name not in {"", f"level {row.level:g}"} for row in result.by_level):
        plot_columns(result, ax, gid="points-n", leftwards=True)
        return
    rows = [row for row in result.by_level if row.reg == result.by_level[0].reg]
    rows = [row for row in rows if row.kernel_x == result.by_level[0].kernel_x]
    ax.plot([row.level for row in rows], [row.pvalue for row in rows], "o-", color="C0", label="each level alone")
    ax.axhline(result.pvalue, color="C3", label=f"all together, {result.pvalue:.3g}")
    ax.axhline(result.significance, color="0.5", linestyle=":", label=f"significance {result.significance:g}")
    ax.set(yscale="log", xlabel="level s", ylabel="p-value", ylim=(None, 1.3))
    _plain_numbers(ax)
    give_title(ax, "Level profile")


def plot_columns(result: ShownTest, ax: Axes, *, gid: str | None = None, leftwards: bool = False) -> None:
    """One line for each column, in words, the smallest p-value on top."""
    rows = sorted(result.by_level, key=lambda row: -row.pvalue)
    ax.plot([row.pvalue for row in rows], range(len(rows)), "o", color="C0", label="each alone", gid=gid)
    ax.axvline(result.pvalue, color="C3", label=f"all together, {result.pvalue:.3g}")
    ax.axvline(result.significance, color="0.5", linestyle=":", label=f"significance {result.significance:g}")
    ax.set_yticks(range(len(rows)), [label(row.name, 60) for row in rows], fontsize="x-small")
    ax.set(xscale="log", xlabel="p-value", xlim=(None, 1.3))
    give_title(ax, "What kind of difference", leftwards=leftwards)


def chances_by_group(result: Shown) -> tuple[Array, Array]:
    """The propensity of the rows of P and of Q, as it would be with samples of one size."""
    t = result.evidence.t
    alike = to_host(balanced(result.evidence.e, float(t.mean())))
    return alike[t == 1], alike[t == 0]


def plot_overlap(result: Shown, ax: Axes) -> None:
    """How alike the covariates are: the propensity in both groups, as it would be with samples of one size."""
    bins = np.linspace(0, 1, 26).tolist()
    of_p, of_q = chances_by_group(result)
    p_share, q_share = np.full(len(of_p), 1 / len(of_p)), np.full(len(of_q), 1 / len(of_q))
    ax.hist(of_p, bins=bins, weights=p_share, color="0.6", label=label(result.labels[0]))
    ax.hist(
        of_q, bins=bins, weights=q_share, histtype="step", linewidth=1.8, color="C0",
        label=label(result.labels[1]),
    )  # fmt: skip
    p, q = (label(name, 20) for name in result.labels)
    ax.set(xlabel=f"chance of {p} given the covariates\n(0: only {q} there)", ylabel="share of the group")
    give_title(ax, "How alike the covariates are")


def plot_curves(result: Shown, ax: Axes) -> None:
    """Conditional median and 10 to 90 % range of one outcome given one covariate, for each group."""
    for curve, name, (colour, line, marker) in zip(
        group_curves(result.evidence), result.labels, (("0.25", "-", "o"), ("C0", "--", "^")), strict=True
    ):
        ax.scatter(curve.x, curve.y, s=5, alpha=0.25, color=colour, marker=marker, linewidths=0, rasterized=True)
        ax.plot(curve.grid, curve.middle, line, color=colour, linewidth=2, label=f"{label(name)}, median")
        ax.fill_between(curve.grid, curve.lower, curve.upper, color=colour, alpha=0.15, linewidth=0)
    names = result.evidence.samples
    name_values(ax, None, (), dates=names.x.columns[0].dates)
    ax.set(xlabel=label(names.x.names[0]), ylabel=label(names.y.names[0]))
    give_title(ax, "Median and 10 to 90 % range")


def plot_groups(where: Where, ax: Axes, covariate: str | None = None) -> None:
    """Each group along a covariate, the other covariates adjusted for."""
    draw_groups(where, where.course(covariate), ax)
    give_title(ax, "Both groups, adjusted for the other covariates")


def plot_where(where: Where, ax: Axes, covariate: str | None = None) -> None:
    """The difference along a covariate, in the units of what differs; else its size, the band and its marks."""
    profile = where.profile(covariate)
    course = next((one for one in where.courses if one.covariate == profile.covariate), None)
    if course is None and profile.shift is not None:
        course = _course_of(where, profile)
    if course is not None:
        draw_difference(where, course, ax)
        ax.set_ylabel(f"{label(course.measure, 32)},\n{ax.get_ylabel()}")
    else:
        _plot_size(where, profile, ax)
    give_title(ax, "Where it differs" if where.anything else "The difference along a covariate")


def _course_of(where: Where, profile: Profile) -> Course:
    """Of a covariate that is none of the leading ones the difference alone."""
    unknown = np.full((2, len(profile.low)), np.nan)
    return Course(
        profile.covariate, f"mean of {where.outcome}", profile.categories, profile.low, profile.high, profile.dates,
        _positions(profile), profile.n_obs,
        np.asarray(profile.shift), np.asarray(profile.error), unknown, unknown,
    )  # fmt: skip


def _positions(profile: RowProfile) -> Array:
    """Where each bin is drawn."""
    return np.arange(len(profile.size), dtype=np.float64) if profile.categories else profile.middle


def _plot_size(where: Where, profile: Profile, ax: Axes) -> None:
    """Of outcomes that no number tells: how large the difference is, and what chance gives."""
    position = _positions(profile)
    few = bool(profile.categories) or bool((profile.low == profile.high).all())
    draw_size(where, profile, ax, few=few)
    mark(profile, ax, 0.01 * float(profile.high[-1] - profile.low[0]))
    name_values(ax, position if few else None, profile.categories, dates=profile.dates)
    ax.set_xlabel(label(profile.covariate))


def draw_size(where: RowWhere | Where, profile: RowProfile, ax: Axes, *, few: bool) -> None:
    """The size of the difference and the band; of ``few`` values by themselves, with no line between them."""
    position, line = _positions(profile), "o" if few else "o-"
    ax.plot(position, profile.size, line, markersize=3.5, color="C0", label="size of the difference")
    ax.plot(position, profile.band, "_" if few else "--", color="0.4", label=f"{1 - where.significance:.0%} band")
    ax.set_ylabel("size of the difference")


def mark(profile: RowProfile, ax: Axes, least: float = 0.0) -> None:
    """What is outside the band; every bin is at least so wide, so that one of a single value can be seen."""
    for number, g in enumerate(np.flatnonzero(profile.outside)):
        low, high = (g - 0.5, g + 0.5) if profile.categories else (profile.low[g], profile.high[g])
        if high - low < least:
            low, high = (low + high - least) / 2, (low + high + least) / 2
        ax.axvspan(low, high, facecolor="C1", alpha=0.25, hatch="//", edgecolor="0.7", linewidth=0,
                   label="outside the band" if number == 0 else None)  # fmt: skip


def give_title(ax: Axes, words: str, *, leftwards: bool = False) -> None:
    """A title with the legend between it and the picture, where no data are."""
    ax.set_title(words, pad=24)
    legend_above(ax, leftwards=leftwards)


def plot_map(where: Where, ax: Axes, covariate: str | None = None) -> None:
    """Signed witness: where in covariate and outcome P has more mass than Q."""
    profile, y, values = where.map(covariate)
    position = _positions(profile)
    if len(position) < 2:
        raise ValueError(f"'{profile.covariate}' has one value; there is no map.")
    # Full colour is what is beyond chance, however small all of it is; windows where chance could do it are veiled.
    chance = np.abs(values).max(axis=1) * profile.band / np.maximum(profile.size, 1e-300)
    limit = max(float(np.abs(values).max()), float(chance.max())) or 1.0
    mesh = ax.pcolormesh(
        position, y, values.T, cmap="RdBu_r", vmin=-limit, vmax=limit, shading="nearest", rasterized=True
    )
    if values.min() < 0 < values.max():
        ax.contour(position, y, values.T, levels=[0], colors="0.2", linewidths=0.8)
    _veil(ax, position, profile.outside)
    bar = ax.figure.colorbar(mesh, ax=ax)
    bar.set_label(f"more in {label(where.labels[0], 16)} (+) or {label(where.labels[1], 16)} (-)", fontsize="small")
    few = len(position) if (profile.low == profile.high).all() else None
    name_values(ax, None if few is None else position, profile.categories, dates=profile.dates)
    ax.set(xlabel=label(profile.covariate), ylabel=label(where.outcome), title="Who has more rows where")


def _veil(ax: Axes, position: Array, outside: npt.NDArray[np.bool_]) -> None:
    """Hatch what is inside the band."""
    edges = np.concatenate([[position[0]], (position[1:] + position[:-1]) / 2, [position[-1]]]).astype(float)
    edges[0] -= (position[1] - position[0]) / 2
    edges[-1] += (position[-1] - position[-2]) / 2
    for g in np.flatnonzero(~outside):
        ax.axvspan(edges[g], edges[g + 1], facecolor="1.0", alpha=0.55, hatch="///", edgecolor="0.6", linewidth=0)


KINDS: dict[str, Callable[..., None]] = {
    "null": plot_null,
    "levels": plot_levels,
    "overlap": plot_overlap,
    "curves": plot_curves,
    "groups": lambda result, ax, **options: plot_groups(result.where(), ax, **options),
    "where": lambda result, ax, **options: plot_where(result.where(), ax, **options),
    "map": lambda result, ax, **options: plot_map(result.where(), ax, **options),
}


def plot_result(
    result: ShownTest, kind: str, ax: Axes | None, kinds: Mapping[str, Callable[..., None]] = KINDS, **options: Any
) -> Axes:
    """Draw one kind of picture and return its axes."""
    if kind not in kinds:
        raise ValueError(f"`kind` must be one of {list(kinds)}; got {kind!r}.")
    axes = new_axes(ax)
    import matplotlib as mpl  # noqa: PLC0415 - an extra

    with mpl.rc_context(fonts()):
        kinds[kind](result, axes, **options)
        give_fonts(axes)
    return axes


def _plain_numbers(ax: Axes) -> None:
    from matplotlib.ticker import FuncFormatter, NullFormatter  # noqa: PLC0415

    ax.yaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))
    ax.yaxis.set_minor_formatter(NullFormatter())
