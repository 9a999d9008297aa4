"""Where does it differ: the difference over the covariates, with a band from the same null labels as the test.

For weights A over the rows, fixed before any label is looked at, the difference seen through A is
``sum_i A_i (t_i - e_i) r_i / sum_i A_i e_i (1 - e_i)``: the mean difference of the outcomes' features between P and Q,
weighted to where both groups are (r are the features of the outcomes, residualised as in the test). Windows over one
covariate at a time, with the others as they are in the data, give profiles; ridge weights around a point give the
witness over all covariates at once. It is linear in the labels, so every null label vector costs one product.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from html import escape
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt
from scipy.stats import rankdata

from condmmd.arguments import check_count, is_number
from condmmd.embedding import Embedding
from condmmd.moments import cross_moments, second_moments
from condmmd.nuisance import PooledRegression
from condmmd.resampling import Scheme
from condmmd.running import draw_units
from condmmd.samples import Array, Column, Samples, Weights

if TYPE_CHECKING:
    from condmmd.result import CMMDTestResult, MMDTestResult

__all__ = ["Evidence", "Profile", "Region", "Stratum", "Where", "locate", "strata_tests"]

# A numeric covariate has this many bins at most, with at least this many rows each. A window is a bin and those beside
# it, with weights that fall off.
MAX_BINS = 40
MIN_BIN_ROWS = 20
FALL_OFF = 3
# Rows at which the witness over all covariates is evaluated, and null labels used, at most.
MAX_POINTS = 500
MAX_LABELS = 499
# Lambda of the witness, in units of the mean of k(x, x).
REG = 0.01
ROUNDING = 1e-9
CONTROL = (
    "weak control: if Y given X is the same everywhere, the chance that anything at all is marked is at most "
    "{alpha:g}{given}. If it differs somewhere, a mark nearby may be due to that difference, through the width of the "
    "windows or through covariates that go together; and a shift that was marked is likely to be too large."
)
# Along which covariates does the difference vary? Random signs behind the answer, bins at most, rows of the smaller
# group for each bin, and rows of each group that a bin must have.
WILD = 199
MAX_WIDE_BINS = 8
WIDE_BIN_ROWS = 12
MIN_GROUP_ROWS = 5


@dataclass(frozen=True, eq=False)
class Evidence:
    """What a test keeps so that further questions can be asked of the same null labels."""

    samples: Samples
    x: Embedding
    y: Embedding
    pooled: PooledRegression | None
    e: Array
    blocks: npt.NDArray[np.int64] | None
    scheme: Scheme
    n_resamples: int
    entropy: int
    significance: float
    assumption: str
    marginal: Callable[[], dict[str, MMDTestResult]]
    again: Callable[[npt.NDArray[np.bool_], int], CMMDTestResult]


@dataclass(frozen=True)
class Region:
    """A range (or categories) of one covariate where the difference is outside the band.

    ``shift`` is the mean of the outcome in P minus that in Q there, given the covariates and weighted to where both
    groups are, in the outcome's units, where there is one numeric outcome; ``error`` is its standard error.
    """

    covariate: str
    low: float | None
    high: float | None
    categories: tuple[str, ...]
    n_obs: tuple[int, int]
    shift: float | None
    error: float | None

    @property
    def condition(self) -> str:
        """The region in words."""
        if self.low is None or self.high is None:
            return f"{_name(self.covariate)} is {' or '.join(self.categories)}"
        return f"{_name(self.covariate)} {_span(self.low, self.high)}"


@dataclass(frozen=True, eq=False)
class Profile:
    """The difference along one covariate, the others as they are in the data.

    Attributes
    ----------
    covariate
        Its name.
    categories
        Names of the windows of a categorical covariate; empty for a numeric one.
    low, high
        Range of the covariate in each bin.
    size
        Norm of the difference of the outcomes' embeddings in the window around each bin.
    band
        The size above which it is outside the simultaneous band.
    z
        ``size^(2/3)`` studentised by all label vectors, observed and null.
    outside
        The bins outside the band.
    pvalues
        Simultaneous: over the windows of all covariates and the points of the witness.
    shift, error
        As in `Region`, in the window around each bin; None unless there is one numeric outcome. NaN in a window without
        rows of both groups.
    n_obs
        Rows of P and Q in each bin.
    variation, variation_pvalue
        How much the difference (of means, where there is one numeric outcome) varies from bin to bin, studentised, and
        its p-value over all covariates. Approximate, from random signs of the rows' deviations.
    regions
        Runs of bins outside the band.
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
    variation: float
    variation_pvalue: float
    regions: tuple[Region, ...]
    difference: Array

    @property
    def middle(self) -> Array:
        """The middle of each bin's range."""
        return (self.low + self.high) / 2

    @property
    def share_outside(self) -> float:
        """Share of the rows in bins outside the band."""
        rows = self.n_obs.sum(axis=1)
        return float(rows[self.outside].sum() / rows.sum())


@dataclass(frozen=True, eq=False, repr=False)
class Where:
    """Where Y given X differs; made by ``result.where()``.

    Attributes
    ----------
    profiles
        One for each covariate, the one along which the difference varies most first.
    points
        Row numbers (of the rows tested) at which the witness over all covariates was evaluated.
    size, band, outside, pvalues
        At those rows, as in `Profile`.
    pvalue
        That anything at all is outside.
    significance
        Of the band.
    n_labels
        Null label vectors behind it.
    control
        What it protects against, in words.
    """

    profiles: tuple[Profile, ...]
    points: npt.NDArray[np.int64]
    size: Array
    band: Array
    outside: npt.NDArray[np.bool_]
    pvalues: Array
    pvalue: float
    significance: float
    n_labels: int
    labels: tuple[str, str]
    outcome: str | None
    control: str
    _outcomes: Embedding
    _outcome_range: tuple[float, float] | None

    @property
    def regions(self) -> tuple[Region, ...]:
        """Those of the leading covariate first."""
        return tuple(region for profile in self.profiles for region in profile.regions)

    @property
    def anything(self) -> bool:
        """Whether anything is outside the band."""
        return self.pvalue <= self.significance + ROUNDING

    @property
    def carriers(self) -> tuple[str, ...]:
        """Covariates along which the difference varies, the strongest first; none if nothing is outside the band."""
        return tuple(p.covariate for p in self.profiles if self.anything and p.variation_pvalue <= self.significance)

    def map(self, covariate: str | None = None, n_outcomes: int = 60) -> tuple[Profile, Array, Array]:
        """Signed witness over one covariate and the one numeric outcome.

        Parameters
        ----------
        covariate
            Its name; None: the leading one.
        n_outcomes
            Values of the outcome, evenly from its smallest to its largest per cent.

        Returns
        -------
        profile, y, values
            ``values[g, k]`` is positive where P has more mass than Q near bin g of the covariate and outcome ``y[k]``.
        """
        if self._outcome_range is None:
            raise ValueError("the signed map needs one numeric outcome.")
        profile = self.profile(covariate)
        y = np.linspace(*self._outcome_range, n_outcomes)
        return profile, y, profile.difference @ self._outcomes.transform(y[:, None]).T

    def profile(self, covariate: str | None = None) -> Profile:
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
            return [f"nothing is outside the band at {self.significance:g}"]
        lines = []
        carriers = self.carriers
        for profile in self.profiles:
            if profile.covariate in carriers or len(profile.regions) == 1:
                lines += [_told(region, self.outcome) for region in profile.regions]
            elif profile.regions:
                lines.append(f"along {profile.covariate}: windows with {profile.share_outside:.0%} of the rows")
        if self.outside.any():
            lines.append(f"over all covariates at once: {self.outside.mean():.0%} of {len(self.points)} rows")
        if carriers:
            lines.append(f"the difference varies along {', '.join(carriers)} (approximate)")
        else:
            lines.append("it does not detectably vary along any single covariate")
        return lines

    def summary(self) -> str:
        """Return a screenful that a person can read."""
        p, q = self.labels
        head = f"Where does Y given X differ between P ({p}) and Q ({q})?  p-value of anything {self.pvalue:.4g}"
        return "\n".join([head, *(f"  {line}" for line in self.statements()), f"  {self.control}"])

    def _repr_html_(self) -> str:
        """What a notebook shows."""
        items = "".join(f"<li>{escape(line)}</li>" for line in self.statements())
        return f"<ul>{items}</ul><p><small>{escape(self.control)}</small></p>"

    def to_dict(self) -> dict[str, Any]:
        """All of it but the map, in types that JSON has."""
        return {
            "pvalue": self.pvalue,
            "significance": self.significance,
            "n_labels": self.n_labels,
            "control": self.control,
            "carriers": list(self.carriers),
            "regions": [
                {"condition": r.condition, **{name: getattr(r, name) for name in r.__dataclass_fields__}}
                for r in self.regions
            ],
            "profiles": [
                {
                    name: _plain(value)
                    for name in profile.__dataclass_fields__
                    if name not in {"regions", "difference"}
                    for value in [getattr(profile, name)]
                }
                for profile in self.profiles
            ],
            "points": {
                name: getattr(self, attribute).tolist()
                for name, attribute in (("row", "points"), ("size", "size"), ("band", "band"), ("outside", "outside"))
            },
        }

    def __repr__(self) -> str:
        return f"Where(pvalue={self.pvalue:.4g}, regions={[r.condition for r in self.regions]}); .summary() says more"


def _plain(value: Any) -> Any:
    """In types that JSON has; there is no NaN in it."""
    if not isinstance(value, np.ndarray):
        return value
    if value.dtype.kind != "f":
        return value.tolist()
    return [float(v) if np.isfinite(v) else None for v in value]


def _told(region: Region, outcome: str | None) -> str:
    n, m = region.n_obs
    text = f"{region.condition}  ({n} + {m} rows)"
    if region.shift is None or region.error is None:
        return text
    return f"{text}: mean of {outcome} {region.shift:+.3g} in P (standard error {region.error:.2g})"


def _name(text: str) -> str:
    return text or "(no name)"


def _span(low: float, high: float) -> str:
    """A range in as many digits as tell its ends well apart."""
    wide = max(abs(low), abs(high), 1e-300) / max(high - low, 1e-300)
    digits = 4 if low == high else int(np.clip(np.ceil(np.log10(wide)) + 3, 4, 16))
    return f"from {low:.{digits}g} to {high:.{digits}g}"


@dataclass(frozen=True)
class _Windows:
    """Bins of one covariate: each row's bin, and how bins are joined to windows."""

    column: Column
    of_row: npt.NDArray[np.int64]
    low: Array
    high: Array
    categories: tuple[str, ...]
    join: Array

    @property
    def count(self) -> int:
        return len(self.low)


def _windows(values: Array, column: Column, count: int | None = None) -> _Windows:
    """Categories; or bins of about equal numbers of rows, rows of one value in one bin, overlapping windows."""
    if column.categories is not None:
        codes, of_row = np.unique(values, return_inverse=True)
        names = tuple(column.categories[int(code)] for code in codes)
        return _Windows(column, of_row, codes, codes, names, np.eye(len(codes)))
    count = count or max(2, min(MAX_BINS, len(values) // MIN_BIN_ROWS))
    middle = (rankdata(values) - 0.5) / len(values)
    codes, of_row = np.unique(np.floor(count * middle), return_inverse=True)
    count = len(codes)
    order = np.argsort(of_row, kind="stable")
    starts = np.searchsorted(of_row[order], np.arange(count))
    low, high = np.minimum.reduceat(values[order], starts), np.maximum.reduceat(values[order], starts)
    distance = np.abs(np.subtract.outer(np.arange(count), np.arange(count)))
    many = count > 2 * FALL_OFF and (low < high).any()
    join = np.maximum(FALL_OFF - distance, 0).astype(float) if many else np.eye(count)
    return _Windows(column, of_row, low, high, (), join)


@dataclass(frozen=True, eq=False)
class _BinSums:
    """Sums over the bins of one covariate, for many label vectors at once."""

    windows: _Windows
    order: npt.NDArray[np.int64]
    starts: npt.NDArray[np.int64]
    weight: Array
    values: Array

    @classmethod
    def of(cls, windows: _Windows, values: Array, weights: Array) -> _BinSums:
        order = np.argsort(windows.of_row, kind="stable")
        starts = np.searchsorted(windows.of_row[order], np.arange(windows.count + 1))
        return cls(
            windows, order, starts, np.bincount(windows.of_row, weights=weights).astype(np.float64), values[order]
        )

    def __call__(self, R: Weights) -> Array:
        """``sum_i R_bi values_i`` over each bin: shape (B, bins, columns)."""
        R = R[:, self.order]
        parts = [
            R[:, a:b].astype(np.float64, copy=False) @ self.values[a:b]
            for a, b in zip(self.starts[:-1], self.starts[1:], strict=True)
        ]
        return np.stack(parts, axis=1)

    def windowed(self, sums: Array) -> Array:
        """Weighted mean difference in each window."""
        weight = np.maximum(self.windows.join @ self.weight, 1e-12)
        return np.einsum("gh,bhk->bgk", self.windows.join, sums) / weight[:, None]


class _Witness:
    """Ridge weights around some of the rows, over all covariates at once."""

    def __init__(self, x: Embedding, weights: Array, rows: npt.NDArray[np.int64]) -> None:
        A = second_moments(weights[None, :], x.phi)[0] / weights.sum()
        ridge = REG * float(np.einsum("ij,ij->", x.phi, x.phi)) / len(x.phi)
        self.map = np.linalg.solve(A + ridge * np.eye(len(A)), x.phi[rows].T).T / weights.sum()
        self.phi = x.phi

    def __call__(self, R: Array, psi: Array) -> Array:
        """Squared norm of the difference at each point: shape (B, points)."""
        M = cross_moments(R, self.phi, psi)
        difference = self.map @ M
        return np.einsum("bek,bek->be", difference, difference)


def locate(evidence: Evidence, *, significance: float | None = None) -> Where:
    """Profiles over each covariate and the witness at some rows, in one simultaneous band."""
    alpha = evidence.significance if significance is None else significance
    if not (is_number(alpha) and 0 < alpha < 1):
        raise ValueError(f"`significance` must be between 0 and 1; got {significance!r}.")
    if evidence.n_resamples == 0:
        raise ValueError("where() needs null labels; use null='resampling'.")
    count = min(evidence.n_resamples, max(MAX_LABELS, int(np.ceil(1 / alpha)) - 1))
    if 1 / (1 + count) > alpha + ROUNDING:
        raise ValueError(f"`significance` of {alpha:g} needs more than the {count} null labels of this test.")
    samples, psi, e = evidence.samples, evidence.y.phi, evidence.e
    if samples.gram_x is not None:
        raise TypeError("where() needs the columns of X; a precomputed kernel has none.")
    sums = [
        _BinSums.of(_windows(samples.x.values[:, j], column), psi, e * (1 - e))
        for j, column in enumerate(samples.x.columns)
    ]
    rows = np.sort(np.random.default_rng(0).permutation(len(e))[:MAX_POINTS])
    witness = _Witness(evidence.x, e * (1 - e), rows)

    def evaluate(T: Weights) -> tuple[Array, list[Array]]:
        R = T - e
        difference = [bins.windowed(bins(R)) for bins in sums]
        sizes = [np.einsum("bgk,bgk->bg", d, d) for d in difference]
        return np.concatenate([*sizes, witness(R, psi)], axis=1), difference

    observed, difference = evaluate(samples.groups.t[None, :])
    labels = draw_units(evidence.scheme, count, evidence.entropy)
    squares = np.concatenate([observed, *(evaluate(T)[0] for T in labels)])
    z, mean, sd = _studentise(np.cbrt(squares))
    largest = z.max(axis=1)
    pvalues = (1 + (largest[1:, None] >= z[0]).sum(axis=0)) / (count + 1)
    allowed = int(np.floor(alpha * (count + 1) + ROUNDING))
    critical = np.partition(largest[1:], count - allowed)[count - allowed]
    band = np.maximum(mean + critical * sd, 0.0) ** 1.5

    outcome = _single_outcome(samples)
    means = None if outcome is None else _Means.of(outcome, evidence)
    varying = _variation(psi if means is None else means.residual[:, None], evidence)
    found, start = [], 0
    for bins, of_bins, variation in zip(sums, difference, varying, strict=True):
        here = slice(start, start + bins.windows.count)
        start = here.stop
        evident = (observed[0, here] ** 0.5, band[here], z[0, here], pvalues[here] <= alpha + ROUNDING, pvalues[here])
        found.append(_profile(bins.windows, of_bins[0], evident, means, samples.groups.t, variation))
    anything = bool(pvalues.min() <= alpha + ROUNDING)
    found.sort(key=lambda p: (0, -p.variation) if anything and p.variation_pvalue <= alpha else (1, -float(p.z.max())))
    here = slice(start, None)
    given = ", given the propensity" if evidence.assumption == "" else f", as far as this holds: {evidence.assumption}"
    return Where(
        profiles=tuple(found), points=rows, size=observed[0, here] ** 0.5, band=band[here],
        outside=pvalues[here] <= alpha + ROUNDING, pvalues=pvalues[here], pvalue=float(pvalues.min()),
        significance=float(alpha), n_labels=count, labels=(samples.groups.p_label, samples.groups.q_label),
        outcome=None if outcome is None else samples.y.columns[0].name,
        control=CONTROL.format(alpha=alpha, given=given), _outcomes=evidence.y,
        _outcome_range=None if outcome is None else tuple(np.quantile(outcome, [0.01, 0.99]).tolist()),
    )  # fmt: skip


def _studentise(values: Array) -> tuple[Array, Array, Array]:
    """Subtract the mean and divide by the standard deviation over all label vectors, the observed one among them.

    Rounded, so that labels that are the same up to a symmetry of the data tie whatever they were computed with.
    """
    mean, sd = values.mean(axis=0), values.std(axis=0)
    z = np.where(sd > 1e-9 * np.abs(mean), (values - mean) / np.where(sd > 0, sd, 1.0), 0.0)
    rounded: Any = np.round(z, 8)
    return rounded, mean, sd


def _single_outcome(samples: Samples) -> Array | None:
    if samples.gram_y is not None or len(samples.y.columns) != 1 or samples.y.categorical:
        return None
    return samples.y.values[:, 0]


@dataclass(frozen=True, eq=False)
class _Means:
    """Mean shift of one outcome in any part of the rows: a difference of weighted means, each over its own weights.

    P is weighted by 1 - e and Q by e, which makes their covariates alike and favours rows that both groups have.
    """

    residual: Array
    p_weight: Array
    q_weight: Array
    blocks: npt.NDArray[np.int64]

    @classmethod
    def of(cls, outcome: Array, evidence: Evidence) -> _Means:
        t, e = evidence.samples.groups.t, evidence.e
        residual = outcome - outcome.mean() if evidence.pooled is None else evidence.pooled.residuals(outcome)
        blocks = np.arange(len(t)) if evidence.blocks is None else evidence.blocks
        return cls(residual, t * (1 - e), (1 - t) * e, blocks)

    def shift(self, rows: npt.NDArray[np.int64], weights: Array | float = 1.0) -> tuple[float, float]:
        """Mean in P minus mean in Q over some rows, and its standard error; NaN without rows of both."""
        r, deviation, means = self.residual[rows], np.zeros(len(rows)), []
        for own, sign in ((self.p_weight[rows] * weights, 1.0), (self.q_weight[rows] * weights, -1.0)):
            total = own.sum()
            if total <= 0:
                return float("nan"), float("nan")
            means.append(float(own @ r / total))
            without = np.maximum(total - own, 0.01 * total)  # each row is judged by the mean of the others
            deviation += sign * own * (r - means[-1]) / without
        by_block = np.bincount(self.blocks[rows], weights=deviation)
        return means[0] - means[1], float(np.sqrt(np.sum(by_block**2)))


def _variation(values: Array, evidence: Evidence) -> list[tuple[float, float]]:
    """How much the difference varies over a few bins of each covariate, and its p-value over all covariates.

    The difference in a bin is one of weighted means; what chance does to it, whatever the difference itself, is seen
    by giving the rows' deviations random signs.
    """
    t, e = evidence.samples.groups.t, evidence.e
    blocks = np.arange(len(t)) if evidence.blocks is None else evidence.blocks
    x, count = evidence.samples.x, int(np.clip(min(t.sum(), (1 - t).sum()) // WIDE_BIN_ROWS, 2, MAX_WIDE_BINS))
    windows = [_windows(x.values[:, j], column, count) for j, column in enumerate(x.columns)]
    rng = np.random.default_rng(0)
    signs = rng.integers(0, 2, size=(WILD, int(blocks.max()) + 1), dtype=np.int8) * 2 - 1
    statistics = np.zeros((WILD + 1, len(windows)))
    for j, bins in enumerate(windows):
        total = np.zeros((bins.count, values.shape[1]))
        deviation, enough = np.zeros_like(values), np.ones(bins.count, dtype=bool)
        for own, sign in ((t * (1 - e), 1.0), ((1 - t) * e, -1.0)):
            weight = np.bincount(bins.of_row, weights=own, minlength=bins.count)
            enough &= np.bincount(bins.of_row, weights=own > 0, minlength=bins.count) >= MIN_GROUP_ROWS
            share = own / np.maximum(weight, 1e-12)[bins.of_row]
            mean = _sum_by_bin(share[:, None] * values, bins)
            total += sign * mean
            deviation += sign * (share / np.maximum(1 - share, 0.01))[:, None] * (values - mean[bins.of_row])
        if enough.sum() < 2:
            continue
        weight = np.bincount(bins.of_row, weights=e * (1 - e), minlength=bins.count) * enough
        weight = weight / weight.sum()
        by_bin = _BinSums.of(bins, deviation, e)
        draws = [total[None], *(by_bin(part[:, blocks]) for part in np.array_split(signs, 8))]
        differences = np.concatenate(draws)
        centred = differences - np.einsum("g,bgk->bk", weight, differences)[:, None]
        statistics[:, j] = np.einsum("g,bgk->b", weight, centred**2)
    roots = np.cbrt(statistics)
    mean, sd = roots[1:].mean(axis=0), roots[1:].std(axis=0)
    z = np.where(sd > 1e-9 * np.abs(mean), (roots - mean) / np.where(sd > 0, sd, 1.0), 0.0)
    largest = z[1:].max(axis=1)
    return [(float(own), float((1 + np.sum(largest >= own)) / (WILD + 1))) for own in z[0]]


def _sum_by_bin(values: Array, bins: _Windows) -> Array:
    columns = [np.bincount(bins.of_row, weights=column, minlength=bins.count) for column in values.T]
    return np.stack(columns, axis=1)


def _profile(
    windows: _Windows,
    difference: Array,
    evident: tuple[Array, Array, Array, npt.NDArray[np.bool_], Array],
    means: _Means | None,
    t: Array,
    variation: tuple[float, float],
) -> Profile:
    n_p = np.bincount(windows.of_row, weights=t).astype(int)
    n_obs = np.stack([n_p, np.bincount(windows.of_row) - n_p], axis=1)
    shifts = None if means is None else np.array([_window_shift(windows, g, means) for g in range(windows.count)])

    def region(where: npt.NDArray[np.int64]) -> Region:
        numeric = not windows.categories
        shift: tuple[float, float] | tuple[None, None] = (None, None)
        if means is not None:
            found = means.shift(np.flatnonzero(np.isin(windows.of_row, where)))
            shift = found if np.isfinite(found).all() else (None, None)
        return Region(
            windows.column.name,
            float(windows.low[where[0]]) if numeric else None,
            float(windows.high[where[-1]]) if numeric else None,
            () if numeric else tuple(windows.categories[g] for g in where),
            (int(n_obs[where, 0].sum()), int(n_obs[where, 1].sum())),
            *shift,
        )

    marked = np.flatnonzero(evident[3])
    runs = [marked] if windows.categories else np.split(marked, np.flatnonzero(np.diff(marked) > 1) + 1)
    return Profile(
        windows.column.name, windows.categories, windows.low, windows.high, *evident,
        None if shifts is None else shifts[:, 0], None if shifts is None else shifts[:, 1], n_obs, *variation,
        tuple(region(run) for run in runs if len(run)), difference,
    )  # fmt: skip


def _window_shift(windows: _Windows, g: int, means: _Means) -> tuple[float, float]:
    rows = np.flatnonzero(windows.join[g][windows.of_row] > 0)
    return means.shift(rows, windows.join[g][windows.of_row[rows]])


@dataclass(frozen=True)
class Stratum:
    """One stratum of `result.by_stratum()`: its rows, its own p-value and Holm's, which holds over all strata."""

    name: str
    n_obs: tuple[int, int]
    pvalue: float | None
    holm_pvalue: float | None
    note: str = ""


def strata_tests(evidence: Evidence, covariate: str, bins: int = 4) -> tuple[Stratum, ...]:
    """Repeat the test within each category, or each of ``bins`` quantile bins, of a covariate; Holm over them.

    Labels are drawn within the stratum as in the whole test, given how many of each group it has.
    """
    samples = evidence.samples
    if samples.gram_x is not None:
        raise TypeError("by_stratum() needs the columns of X; a precomputed kernel has none.")
    if not isinstance(covariate, str) or covariate not in samples.x.names:
        raise ValueError(f"`covariate` must be one of {list(samples.x.names)}; got {covariate!r}.")
    j = samples.x.names.index(covariate)
    column, values = samples.x.columns[j], samples.x.values[:, j]
    if column.categories is not None:
        codes = values.astype(int)
        parts = [(f"{covariate} is {column.categories[code]}", codes == code) for code in np.unique(codes)]
    else:
        edges = np.quantile(values, np.linspace(0, 1, check_count(bins, "bins") + 1)[1:-1], method="inverted_cdf")
        of_row = np.searchsorted(np.unique(edges), values, side="left")
        masks = [of_row == k for k in np.unique(of_row)]
        parts = [(f"{covariate} {_span(values[mask].min(), values[mask].max())}", mask) for mask in masks]
    # Holm's smallest p-value is as many times 1 / (B + 1) as there are strata.
    count = max(evidence.n_resamples, int(np.ceil(2 * len(parts) / evidence.significance)))
    strata = []
    for name, mask in parts:
        n = int(samples.groups.t[mask].sum())
        n_obs = (n, int(mask.sum()) - n)
        if min(n_obs) < 2:
            strata.append(Stratum(name, n_obs, None, None, "fewer than 2 rows of a group"))
            continue
        try:
            strata.append(Stratum(name, n_obs, evidence.again(mask, count).pvalue, None))
        except ValueError as error:  # no overlap in this stratum; the others stand
            strata.append(Stratum(name, n_obs, None, None, str(error)))
    return _holm(strata)


def _holm(strata: list[Stratum]) -> tuple[Stratum, ...]:
    pvalues = np.array([np.inf if stratum.pvalue is None else stratum.pvalue for stratum in strata])
    tested, largest, adjusted = int(np.isfinite(pvalues).sum()), 0.0, {}
    for rank, k in enumerate(np.argsort(pvalues, kind="stable")[:tested]):
        largest = max(largest, min(1.0, (tested - rank) * float(pvalues[k])))
        adjusted[int(k)] = largest
    return tuple(replace(stratum, holm_pvalue=adjusted.get(k)) for k, stratum in enumerate(strata))
