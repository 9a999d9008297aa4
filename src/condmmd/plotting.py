"""Pictures of a result, in the user's column names and readable without colour. Needs matplotlib."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from condmmd.conditional import ConditionalMeanEmbedding
from condmmd.samples import Array
from condmmd.where import Where

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from condmmd.result import CMMDTestResult

__all__ = ["KINDS", "label", "plot_result", "plot_where"]

MAX_LABEL = 40
# Rows of a group behind its curves and in a scatter, at most.
MAX_ROWS = 2000
QUANTILES = (0.1, 0.5, 0.9)


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


def plot_null(result: CMMDTestResult, ax: Axes) -> None:
    """The statistic among its values at the null labels."""
    null = np.asarray(result.null_distribution)
    if not len(null):
        raise ValueError("null='gamma' draws no null labels; there is nothing to show.")
    ax.hist(null, bins=min(40, max(10, len(null) // 15)), color="0.75", edgecolor="0.5", label="null labels")
    ax.axvline(result.statistic, color="C3", linewidth=2, label=f"observed, p = {result.pvalue:.3g}")
    ax.set(xlabel="statistic", ylabel="label vectors", title="Observed against null")
    ax.legend(fontsize="small")


def plot_levels(result: CMMDTestResult, ax: Axes) -> None:
    """The p-value of each level alone: at which scale of the covariates the two differ."""
    rows = [row for row in result.by_level if row.reg == result.by_level[0].reg]
    rows = [row for row in rows if row.kernel_x == result.by_level[0].kernel_x]
    ax.plot([row.level for row in rows], [row.pvalue for row in rows], "o-", color="C0", label="each level alone")
    ax.axhline(result.pvalue, color="C3", label=f"all together, {result.pvalue:.3g}")
    ax.axhline(result.significance, color="0.5", linestyle=":", label=f"significance {result.significance:g}")
    ax.set(yscale="log", xlabel="level s", ylabel="p-value", title="Level profile", ylim=(None, 1.3))
    _plain_numbers(ax)
    ax.legend(fontsize="small")


def plot_overlap(result: CMMDTestResult, ax: Axes) -> None:
    """How alike the covariates are: the propensity in both groups, as it would be with samples of one size."""
    evidence = result.evidence
    t, e = evidence.samples.groups.t, evidence.e
    share = t.mean()
    odds = e / (1 - e) * (1 - share) / share
    balanced, bins = odds / (1 + odds), np.linspace(0, 1, 26).tolist()
    of_p, of_q = balanced[t == 1], balanced[t == 0]
    p_share, q_share = np.full(len(of_p), 1 / len(of_p)), np.full(len(of_q), 1 / len(of_q))
    ax.hist(of_p, bins=bins, weights=p_share, color="0.6", label=f"P: {label(result.labels[0])}")
    ax.hist(
        of_q, bins=bins, weights=q_share, histtype="step", linewidth=1.8, color="C0",
        label=f"Q: {label(result.labels[1])}",
    )  # fmt: skip
    ax.set(xlabel="propensity: 0 only Q lives there, 1 only P", ylabel="share of the group", title="Overlap of X")
    ax.legend(fontsize="small")


def plot_curves(result: CMMDTestResult, ax: Axes) -> None:
    """Conditional median and 10 to 90 % range of one outcome given one covariate, for each group."""
    x, y, t = _scalar_pair(result)
    low, high = np.quantile(x, [0.01, 0.99]).tolist()
    grid = np.linspace(low, high, 60)
    styles = ((1, "P", "0.25", "-", "o"), (0, "Q", "C0", "--", "^"))
    for (group, side, colour, line, marker), name in zip(styles, result.labels, strict=True):
        rows = np.flatnonzero(t == group)
        rows = np.random.default_rng(0).permutation(rows)[:MAX_ROWS]
        if len(np.unique(x[rows])) < 2:
            continue
        inside = (grid >= x[rows].min()) & (grid <= x[rows].max())
        model = ConditionalMeanEmbedding().fit(x[rows, None], y[rows])
        lower, middle, upper = model.quantile(QUANTILES, grid[inside, None]).T
        ax.scatter(x[rows], y[rows], s=5, alpha=0.25, color=colour, marker=marker, linewidths=0)
        ax.plot(grid[inside], middle, line, color=colour, linewidth=2, label=f"{side}: {label(name)}, median")
        ax.fill_between(grid[inside], lower, upper, color=colour, alpha=0.15, linewidth=0)
    names = result.evidence.samples
    ax.set(xlabel=label(names.x.names[0]), ylabel=label(names.y.names[0]), title="Median and 10 to 90 % range")
    ax.legend(fontsize="small")


def plot_where(where: Where, ax: Axes, covariate: str | None = None) -> None:
    """The difference along a covariate, the band, and what is outside."""
    profile = where.profile(covariate)
    position = np.arange(len(profile.size)) if profile.categories else profile.middle
    if profile.shift is not None:
        ax.axhline(0, color="0.5", linewidth=0.8)
        ax.errorbar(
            position, profile.shift, yerr=1.96 * np.asarray(profile.error), fmt="o-" if not profile.categories else "o",
            markersize=3.5, color="C0", ecolor="0.6", capsize=2, label="mean shift, 95 % at each point",
        )  # fmt: skip
        ax.set_ylabel(f"mean of {label(where.outcome, 24)}, P minus Q")
    else:
        ax.plot(position, profile.size, "o-", markersize=3.5, color="C0", label="size of the difference")
        ax.plot(position, profile.band, "--", color="0.4", label=f"{1 - where.significance:.0%} simultaneous band")
        ax.set_ylabel("size of the difference")
    for number, g in enumerate(np.flatnonzero(profile.outside)):
        low, high = (g - 0.5, g + 0.5) if profile.categories else (profile.low[g], profile.high[g])
        ax.axvspan(low, high, facecolor="C1", alpha=0.25, hatch="//", edgecolor="0.7", linewidth=0,
                   label="outside the band" if number == 0 else None)  # fmt: skip
    if profile.categories:
        ax.set_xticks(position, [label(name, 12) for name in profile.categories], rotation=30, ha="right")
    ax.set(xlabel=label(profile.covariate), title="Where it differs")
    ax.legend(fontsize="small")


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
    bar.set_label(
        f"more in P: {label(where.labels[0], 14)} (+) or Q: {label(where.labels[1], 14)} (-)", fontsize="small"
    )
    if profile.categories:
        ax.set_xticks(position, [label(name, 12) for name in profile.categories], rotation=30, ha="right")
    ax.set(xlabel=label(profile.covariate), ylabel=label(where.outcome), title="Witness over covariate and outcome")


KINDS: dict[str, Callable[..., None]] = {
    "null": plot_null,
    "levels": plot_levels,
    "overlap": plot_overlap,
    "curves": plot_curves,
    "where": lambda result, ax, **options: plot_where(result.where(), ax, **options),
    "map": lambda result, ax, **options: plot_map(result.where(), ax, **options),
}


def plot_result(result: CMMDTestResult, kind: str, ax: Axes | None, **options: Any) -> Axes:
    """Draw one kind of picture and return its axes."""
    if kind not in KINDS:
        raise ValueError(f"`kind` must be one of {list(KINDS)}; got {kind!r}.")
    axes = new_axes(ax)
    KINDS[kind](result, axes, **options)
    return axes


def _scalar_pair(result: CMMDTestResult) -> tuple[Array, Array, Array]:
    samples = result.evidence.samples
    for table, what in ((samples.x, "covariate"), (samples.y, "outcome")):
        if len(table.columns) != 1 or table.categorical or samples.gram_x is not None or samples.gram_y is not None:
            raise ValueError(f"kind='curves' needs one numeric {what}; use kind='where' for several.")
    return samples.x.values[:, 0], samples.y.values[:, 0], samples.groups.t


def _plain_numbers(ax: Axes) -> None:
    from matplotlib.ticker import FuncFormatter, NullFormatter  # noqa: PLC0415

    ax.yaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))
    ax.yaxis.set_minor_formatter(NullFormatter())
