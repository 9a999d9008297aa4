"""For which rows do the two sides differ: residual features averaged over windows of each covariate, in one band.

The band is simultaneous over all windows of all covariates, from the same flips of signs (or outcomes drawn anew) as
the test.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from html import escape
from typing import Any

import numpy as np
import numpy.typing as npt

from condmmd.backend import Array, n_rows, pick_rows, sample_rows, to_host
from condmmd.data.checks import check_resamples
from condmmd.data.frames import frame_of
from condmmd.data.on_screen import on_screen
from condmmd.explain.findings import ROUNDING
from condmmd.explain.regions import MAX_NAMED, interval
from condmmd.explain.windows import Windows, make_windows, span
from condmmd.inference.evaluate import draw_batches
from condmmd.inference.joining import critical_value, largest_pvalues, standard_scores
from condmmd.inference.rowwise import REDRAWN_NUMBERS, RowwisePlan, TrainedRows, redraw_units
from condmmd.labels.signs import SignFlips

__all__ = ["RowProfile", "RowRegion", "RowWhere", "locate_rows"]

# Rows that are looked at, and draws of the null, at most.
MAX_ROWS = 20_000
MAX_DRAWS, DRAWS_OF_MANY, MANY_ROWS = 499, 199, 5_000
CONTROL = (
    "weak control: if nothing differs anywhere, the chance that anything at all is marked is at most {alpha:g}; if "
    "something differs somewhere, a mark nearby may be due to that, through the width of the windows."
)


@dataclass(frozen=True)
class RowRegion:
    """A range (or categories) of one covariate where the difference is outside the band.

    ``shift`` is the mean of one side less the other there, in the outcome's units, where there is one number (or one
    share) to compare; ``error`` is its standard error.
    """

    covariate: str
    low: float | None
    high: float | None
    categories: tuple[str, ...]
    n_obs: int
    shift: float | None
    error: float | None

    @property
    def condition(self) -> str:
        """The region in words."""
        name = self.covariate or "(no name)"
        if self.low is not None and self.high is not None:
            return f"{name} {span(self.low, self.high)}"
        more = len(self.categories) - MAX_NAMED
        shown = " or ".join(self.categories[:MAX_NAMED])
        return f"{name} is {shown}" + (f" or one of {more} others" if more > 0 else "")

    def __repr__(self) -> str:
        told = "" if self.shift is None or self.error is None else f": {interval(self.shift, self.error)}"
        return on_screen(f"RowRegion({self.condition}, {self.n_obs} rows{told})")

    def to_dict(self) -> dict[str, Any]:
        """In types that JSON has."""
        return {"condition": self.condition, **asdict(self), "categories": list(self.categories)}


@dataclass(frozen=True, eq=False)
class RowProfile:
    """The difference along one covariate, the others as they are in the data.

    ``low`` and ``high`` are the range of each bin, ``size`` the norm of the mean residual feature in the window around
    it, ``band`` what it must exceed, ``shift`` and ``error`` as in `RowRegion`, ``n_obs`` the rows of each bin.
    """

    covariate: str
    categories: tuple[str, ...]
    low: Array
    high: Array
    size: Array
    band: Array
    z: Array
    outside: npt.NDArray[np.bool_]
    pvalues: Array
    shift: Array | None
    error: Array | None
    n_obs: npt.NDArray[np.int64]
    regions: tuple[RowRegion, ...]

    @property
    def middle(self) -> Array:
        """The middle of each bin's range."""
        return (self.low + self.high) / 2

    def __repr__(self) -> str:
        return on_screen(
            f"RowProfile({self.covariate or '(no name)'}: {len(self.low)} windows, {int(self.outside.sum())} outside)"
        )


@dataclass(frozen=True, eq=False, repr=False)
class RowWhere:
    """For which rows the two sides differ; made by ``result.where()``.

    Attributes
    ----------
    profiles
        One for each covariate, the one along which the difference stands out most first.
    pvalue
        That anything at all is outside the band.
    significance, n_draws
        Of the band, and how many draws of the null are behind it.
    labels, outcome
        The two sides, and what is compared where that is one number.
    control
        What the band protects against, in words.
    """

    profiles: tuple[RowProfile, ...]
    pvalue: float
    significance: float
    n_draws: int
    labels: tuple[str, str]
    outcome: str | None
    control: str

    @property
    def anything(self) -> bool:
        """Whether anything is outside the band."""
        return self.pvalue <= self.significance + ROUNDING

    @property
    def regions(self) -> tuple[RowRegion, ...]:
        """Those of the leading covariate first."""
        return tuple(region for profile in self.profiles for region in profile.regions)

    def profile(self, covariate: str | None = None) -> RowProfile:
        """The profile of a covariate; of the leading one without a name."""
        if covariate is None:
            return self.profiles[0]
        for profile in self.profiles:
            if profile.covariate == covariate:
                return profile
        raise ValueError(f"no covariate '{covariate}'; there are {[p.covariate for p in self.profiles]}.")

    def statements(self) -> list[str]:
        """What was found, one line each."""
        if not self.anything:
            return [f"no part of the table stands out at {self.significance:g}"]
        lines = []
        for region in self.regions:
            told = ""
            if region.shift is not None and region.error is not None:
                told = f": {self.outcome} {interval(region.shift, region.error)}"
            lines.append(f"{region.condition} ({region.n_obs} rows){told}")
        return lines

    def summary(self) -> str:
        """Return a screenful that a person can read."""
        first, second = self.labels
        head = f"Where do {first} and {second} differ? Differences are {first} less {second}, with 95 % intervals."
        return "\n".join([head, *(f"  {line}" for line in self.statements())])

    def to_dict(self) -> dict[str, Any]:
        """All of it, in types that JSON has."""
        return {
            "pvalue": self.pvalue, "significance": self.significance, "n_draws": self.n_draws, "control": self.control,
            "regions": [region.to_dict() for region in self.regions],
            "profiles": [
                {
                    name: _plain(getattr(profile, name))
                    for name in profile.__dataclass_fields__
                    if name != "regions"
                }
                for profile in self.profiles
            ],
        }  # fmt: skip

    def to_frame(self) -> Any:
        """A line for each region, as a pandas data frame; needs pandas."""
        columns = ("covariate", "condition", "low", "high", "categories", "n_obs", "shift", "error")
        lines = [{name: getattr(region, name) for name in columns} for region in self.regions]
        return frame_of(lines, "to_dict()['regions']", columns)

    def _repr_html_(self) -> str:
        """What a notebook shows."""
        items = "".join(f"<li>{escape(line)}</li>" for line in self.statements())
        return f"<ul>{items}</ul><p><small>{escape(self.control)}</small></p>"

    def __repr__(self) -> str:
        found = "; ".join(region.condition for region in self.regions[:5])
        return on_screen(
            f"RowWhere(pvalue={self.pvalue:.4g}, {len(self.regions)} regions: {found}); .summary() says more"
        )


def locate_rows(plan: RowwisePlan, trained: TrainedRows, significance: float) -> RowWhere:
    """Profiles over each covariate in one simultaneous band."""
    rows, x = trained.rows, trained.rows.x
    index = sample_rows(n_rows(x.values), MAX_ROWS)
    count = min(plan.settings.n_resamples, MAX_DRAWS if len(index) <= MANY_ROWS else DRAWS_OF_MANY)
    count = max(count, int(np.ceil(1 / significance)) - 1)
    check_resamples(count, significance)
    values, rho = to_host(pick_rows(x.values, index)), to_host(pick_rows(trained.fitted.residuals.rho, index))
    windows = [make_windows(values[:, j], column) for j, column in enumerate(x.columns)]
    means = [_means_over(w) for w in windows]

    def sizes(residuals: Array) -> Array:
        found = [np.linalg.norm(mean(residuals), axis=-1) for mean in means]
        return np.concatenate(found, axis=1)

    squares = np.concatenate([sizes(rho[None]), *map(sizes, _null(plan, trained, index, rho, count))])
    z, mean, deviation = standard_scores(np.cbrt(squares**2))
    pvalues, outside_of = largest_pvalues(z), critical_value(z, significance)
    band = np.maximum(mean + outside_of * deviation, 0.0) ** 1.5
    differences = rows.differences()
    shown = None if differences.lead is None else differences.values[:, differences.lead]
    if shown is not None:
        shown = shown[index] if len(shown) == n_rows(x.values) else None
    found, start = [], 0
    for own in windows:
        here = slice(start, start + own.count)
        start = here.stop
        found.append(_profile(own, squares[0, here], band[here], z[0, here], pvalues[here], significance, shown))
    found.sort(key=lambda profile: -float(profile.z.max()))
    return RowWhere(
        tuple(found), float(pvalues.min()), significance, count, rows.labels,
        None if shown is None else differences.names[differences.lead or 0], CONTROL.format(alpha=significance),
    )  # fmt: skip


def _null(
    plan: RowwisePlan, trained: TrainedRows, index: npt.NDArray[np.int64], rho: Array, count: int
) -> Iterator[Array]:
    """Residual features of the rows looked at as the null hypothesis would have them, some draws at a time."""
    if trained.redraw is not None:
        at_once = max(1, REDRAWN_NUMBERS // trained.fitted.observed.size)
        for size, rng in redraw_units(count, plan.settings.seed, at_once):
            yield trained.redraw(rng, size)[:, index, : rho.shape[1]]
        return
    of_row = trained.fitted.of_row
    if of_row is None or plan.blocks is None:
        own, of_row = np.ones(len(rho)), None
    else:
        of_row = of_row[index]
        own = np.ones(int(of_row.max()) + 1)
    for T in draw_batches(SignFlips(), count, plan.settings.seed, own):
        signs = np.asarray(to_host(T.held), dtype=np.float64)
        yield (signs if of_row is None else signs[:, of_row])[:, :, None] * rho


def _means_over(windows: Windows) -> Callable[[Array], Array]:
    """Weighted means of residual features in every window: (B, rows, q) to (B, windows, q)."""
    order = np.argsort(windows.of_row, kind="stable")
    starts = np.searchsorted(windows.of_row[order], np.arange(windows.count))
    weight = windows.join @ np.bincount(windows.of_row)

    def means(residuals: Array) -> Array:
        sums = np.add.reduceat(residuals[:, order], starts, axis=1)
        return np.einsum("gh,bhq->bgq", windows.join, sums) / weight[:, None]

    return means


def _profile(
    windows: Windows, size: Array, band: Array, z: Array, pvalues: Array, significance: float, shown: Array | None
) -> RowProfile:
    outside = pvalues <= significance + ROUNDING
    n_obs = np.bincount(windows.of_row)
    shifts = None if shown is None else np.array([_shift(shown, w[windows.of_row]) for w in windows.join])
    marked = np.flatnonzero(outside)
    runs = [marked] if windows.categories else np.split(marked, np.flatnonzero(np.diff(marked) > 1) + 1)

    def region(run: npt.NDArray[np.int64]) -> RowRegion:
        numeric = not windows.categories
        shift = None if shown is None else _shift(shown, np.isin(windows.of_row, run).astype(np.float64))
        return RowRegion(
            windows.column.name,
            float(windows.low[run[0]]) if numeric else None,
            float(windows.high[run[-1]]) if numeric else None,
            () if numeric else tuple(windows.categories[g] for g in run),
            int(n_obs[run].sum()),
            None if shift is None else shift[0],
            None if shift is None else shift[1],
        )

    return RowProfile(
        windows.column.name, windows.categories, windows.low, windows.high, size, band, z, outside, pvalues,
        None if shifts is None else shifts[:, 0], None if shifts is None else shifts[:, 1], n_obs,
        tuple(region(run) for run in runs if len(run)),
    )  # fmt: skip


def _shift(d: Array, weights: Array) -> tuple[float, float]:
    """Weighted mean and its standard error."""
    total = float(weights.sum())
    mean = float(weights @ d / total)
    return mean, float(np.sqrt(np.sum(weights**2 * (d - mean) ** 2)) / total)


def _plain(value: Any) -> Any:
    """In types that JSON has; there is no NaN in it."""
    if isinstance(value, tuple):
        return list(value)
    if not isinstance(value, np.ndarray):
        return value
    if value.dtype.kind != "f":
        return value.tolist()
    return [float(v) if np.isfinite(v) else None for v in value]
