"""Where does it differ: the difference over the covariates, with a band from the same null labels as the test.

For weights A over the rows, fixed before any label is looked at, the difference seen through A is
``sum_i A_i (t_i - e_i) r_i / sum_i A_i e_i (1 - e_i)``: the mean difference of the outcomes' features between P and Q,
weighted to where both groups are (r are the features of the outcomes, residualised as in the test). Windows over one
covariate at a time, with the others as they are in the data, give profiles; ridge weights around a point give the
witness over all covariates at once. It is linear in the labels, so every null label vector costs one product.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt
from scipy.stats import rankdata

from condmmd.arguments import check_count, is_number
from condmmd.embedding import Embedding
from condmmd.moments import cross_moments, second_moments
from condmmd.resampling import Scheme
from condmmd.running import draw_units
from condmmd.samples import Array, Column, Samples

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
CONTROL = (
    "weak control: if Y given X is the same everywhere, the chance that anything at all is marked is at most "
    "{alpha:g}, given the propensity. If it differs somewhere, a mark nearby may be due to that difference, "
    "through the width of the windows or through covariates that go together."
)


@dataclass(frozen=True, eq=False)
class Evidence:
    """What a test keeps so that further questions can be asked of the same null labels."""

    samples: Samples
    x: Embedding
    y: Embedding
    fitted: Array | None
    e: Array
    scheme: Scheme
    n_resamples: int
    entropy: int
    significance: float
    marginal: Callable[[], dict[str, MMDTestResult]]
    again: Callable[[npt.NDArray[np.bool_]], CMMDTestResult]


@dataclass(frozen=True)
class Region:
    """A range (or categories) of one covariate where the difference is outside the band.

    ``shift`` is the mean of the outcome in P minus that in Q there, in its units, where there is one numeric outcome;
    ``error`` its standard deviation under the null labels.
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
        if self.low is None:
            return f"{self.covariate} is {' or '.join(self.categories)}"
        return f"{self.covariate} from {self.low:.4g} to {self.high:.4g}"


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
        Mean of the outcome in P minus Q and its null standard deviation; None unless there is one numeric outcome.
    n_obs
        Rows of P and Q in each bin.
    variation, variation_pvalue
        How much the difference varies along the covariate, studentised, and its p-value over all covariates.
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
        """Those of the covariates along which the difference varies; of all covariates if it varies along none."""
        carriers = self.carriers
        return tuple(
            region
            for profile in self.profiles
            if not carriers or profile.covariate in carriers
            for region in profile.regions
        )

    @property
    def carriers(self) -> tuple[str, ...]:
        """Covariates along which the difference varies, the strongest first."""
        return tuple(p.covariate for p in self.profiles if p.variation_pvalue <= self.significance)

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

    def summary(self) -> str:
        """Return a screenful that a person can read."""
        p, q = self.labels
        lines = [f"Where does Y given X differ between P ({p}) and Q ({q})?  p-value of anything {self.pvalue:.4g}"]
        if not self.regions and not self.outside.any():
            lines.append(f"  nothing is outside the band at {self.significance:g}")
        for region in self.regions:
            n, m = region.n_obs
            lines.append(f"  {region.condition}  ({n} + {m} rows){_told_shift(region, self.outcome)}")
        if self.outside.any():
            lines.append(f"  over all covariates at once: {self.outside.mean():.0%} of {len(self.points)} rows")
        if self.carriers:
            lines.append(f"  the difference varies along {', '.join(self.carriers)}")
        elif self.regions:
            lines.append("  it does not detectably vary along any single covariate")
        lines.append("  " + self.control)
        return "\n".join(lines)

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
                    name: value.tolist() if isinstance(value, np.ndarray) else value
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


def _told_shift(region: Region, outcome: str | None) -> str:
    if region.shift is None:
        return ""
    return f": mean of {outcome} {region.shift:+.3g} in P (standard error {region.error:.2g})"


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


def _windows(values: Array, column: Column) -> _Windows:
    """Categories; or bins of about equal numbers of rows, rows of one value in one bin, overlapping windows."""
    if column.categories is not None:
        codes, of_row = np.unique(values, return_inverse=True)
        names = tuple(column.categories[int(code)] for code in codes)
        return _Windows(column, of_row, codes, codes, names, np.eye(len(codes)))
    count = max(2, min(MAX_BINS, len(values) // MIN_BIN_ROWS))
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

    def __call__(self, R: Array) -> Array:
        """``sum_i R_bi values_i`` over each bin: shape (B, bins, columns)."""
        R = R[:, self.order]
        parts = [R[:, a:b] @ self.values[a:b] for a, b in zip(self.starts[:-1], self.starts[1:], strict=True)]
        return np.stack(parts, axis=1)

    def windowed(self, sums: Array) -> Array:
        """Weighted mean difference in each window."""
        weight = np.maximum(self.windows.join @ self.weight, 1e-12)
        return np.einsum("gh,bhk->bgk", self.windows.join, sums) / weight[:, None]

    def variation(self, sums: Array) -> Array:
        """Spread of the difference over the bins: what is left when its overall mean is taken away."""
        weight = np.maximum(self.weight, 1e-12)
        each = sums / weight[:, None]
        mean = sums.sum(axis=1, keepdims=True) / weight.sum()
        return np.einsum("g,bgk->b", weight / weight.sum(), (each - mean) ** 2)


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
    samples, psi, e = evidence.samples, evidence.y.phi, evidence.e
    count = min(evidence.n_resamples, MAX_LABELS)
    if count == 0:
        raise ValueError("where() needs null labels; use null='resampling'.")
    if samples.gram_x is not None:
        raise TypeError("where() needs the columns of X; a precomputed kernel has none.")
    weights = e * (1 - e)
    outcome = _single_outcome(samples)
    values = psi if outcome is None else np.column_stack([psi, _centred(outcome, evidence.fitted)])
    sums = [
        _BinSums.of(_windows(samples.x.values[:, j], column), values, weights)
        for j, column in enumerate(samples.x.columns)
    ]
    rows = np.sort(np.random.default_rng(0).permutation(len(e))[:MAX_POINTS])
    witness = _Witness(evidence.x, weights, rows)
    q = psi.shape[1]

    def evaluate(T: Array) -> tuple[list[Array], Array]:
        R = T - e
        return [bins(R) for bins in sums], witness(R, psi)

    observed = evaluate(samples.groups.t[None, :])
    labels = (evaluate(T) for T in draw_units(evidence.scheme, count, evidence.entropy))
    parts = [observed, *labels]
    profiles = [np.concatenate([part[0][j] for part in parts]) for j in range(len(sums))]
    points = np.concatenate([part[1] for part in parts])
    difference = [bins.windowed(s) for bins, s in zip(sums, profiles, strict=True)]
    sizes = [np.einsum("bgk,bgk->bg", d[:, :, :q], d[:, :, :q]) for d in difference]
    z, mean, sd = _studentise(np.cbrt(np.concatenate([*sizes, points], axis=1)))
    largest = z.max(axis=1)
    pvalues = (1 + (largest[1:, None] >= z[0]).sum(axis=0)) / (count + 1)
    allowed = int(np.floor(alpha * (count + 1)))
    critical = np.inf if allowed < 1 else np.partition(largest[1:], count - allowed)[count - allowed]
    band = np.maximum(mean + critical * sd, 0.0) ** 1.5
    varying, _, _ = _studentise(
        np.cbrt(np.stack([b.variation(s[:, :, :q]) for b, s in zip(sums, profiles, strict=True)], axis=1))
    )
    strongest = varying.max(axis=1)

    found, start = [], 0
    for j, bins in enumerate(sums):
        here = slice(start, start + bins.windows.count)
        start = here.stop
        shifts = None if outcome is None else profiles[j][:, :, q]
        found.append(
            _profile(
                bins, difference[j][0, :, :q], sizes[j][0] ** 0.5, band[here], z[0, here], pvalues[here],
                None if shifts is None else (difference[j][:, :, q], shifts), samples.groups.t, alpha,
                variation=(float(varying[0, j]), float((1 + np.sum(strongest[1:] >= varying[0, j])) / (count + 1))),
            )
        )  # fmt: skip
    found.sort(key=lambda p: (0, -p.variation) if p.variation_pvalue <= alpha else (1, -float(p.z.max())))
    here = slice(start, None)
    return Where(
        profiles=tuple(found), points=rows, size=points[0] ** 0.5, band=band[here], outside=pvalues[here] <= alpha,
        pvalues=pvalues[here], pvalue=float(pvalues.min()), significance=float(alpha), n_labels=count,
        labels=(samples.groups.p_label, samples.groups.q_label),
        outcome=None if outcome is None else samples.y.columns[0].name, control=CONTROL.format(alpha=alpha),
        _outcomes=evidence.y,
        _outcome_range=None if outcome is None else tuple(np.quantile(outcome, [0.01, 0.99]).tolist()),
    )  # fmt: skip


def _studentise(values: Array) -> tuple[Array, Array, Array]:
    """Subtract the mean and divide by the standard deviation over all label vectors, the observed one among them."""
    mean, sd = values.mean(axis=0), values.std(axis=0)
    return np.where(sd > 1e-12 * np.abs(mean), (values - mean) / np.where(sd > 0, sd, 1.0), 0.0), mean, sd


def _single_outcome(samples: Samples) -> Array | None:
    if samples.gram_y is not None or len(samples.y.columns) != 1 or samples.y.categorical:
        return None
    return samples.y.values[:, 0]


def _centred(y: Array, fitted: Array | None) -> Array:
    """The outcome less its regression on what the pooled regression fitted: less noise in the mean shift."""
    if fitted is None:
        return y - y.mean()
    design = np.column_stack([np.ones(len(y)), fitted])
    coefficients = np.linalg.lstsq(design, y, rcond=1e-8)[0]
    return y - design @ coefficients


def _profile(
    bins: _BinSums,
    difference: Array,
    size: Array,
    band: Array,
    z: Array,
    pvalues: Array,
    shifts: tuple[Array, Array] | None,
    t: Array,
    alpha: float,
    *,
    variation: tuple[float, float],
) -> Profile:
    windows, outside = bins.windows, pvalues <= alpha
    n_p = np.bincount(windows.of_row, weights=t).astype(int)
    n_obs = np.stack([n_p, np.bincount(windows.of_row) - n_p], axis=1)

    def region(where: npt.NDArray[np.int64]) -> Region:
        shift, error = None, None
        if shifts is not None:
            values = shifts[1][:, where].sum(axis=1) / max(float(bins.weight[where].sum()), 1e-12)
            shift, error = float(values[0]), float(values[1:].std())
        numeric = not windows.categories
        return Region(
            windows.column.name,
            float(windows.low[where[0]]) if numeric else None,
            float(windows.high[where[-1]]) if numeric else None,
            () if numeric else tuple(windows.categories[g] for g in where),
            (int(n_obs[where, 0].sum()), int(n_obs[where, 1].sum())),
            shift,
            error,
        )

    marked = np.flatnonzero(outside)
    runs = [marked] if windows.categories else np.split(marked, np.flatnonzero(np.diff(marked) > 1) + 1)
    return Profile(
        windows.column.name, windows.categories, windows.low, windows.high, size, band, z, outside, pvalues,
        None if shifts is None else shifts[0][0], None if shifts is None else shifts[0][1:].std(axis=0), n_obs,
        variation[0], variation[1], tuple(region(run) for run in runs if len(run)), difference,
    )  # fmt: skip


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

    With a given or estimated propensity, labels are drawn within the stratum from the same propensity; so each p-value
    is as good as the whole test's, and a stratum with a small Holm p-value differs, whatever the others do.
    """
    samples = evidence.samples
    if samples.gram_x is not None or covariate not in samples.x.names:
        raise ValueError(f"`covariate` must be one of {list(samples.x.names)}; got {covariate!r}.")
    bins = check_count(bins, "bins")
    j = samples.x.names.index(covariate)
    column, values = samples.x.columns[j], samples.x.values[:, j]
    if column.categories is not None:
        masks = {
            f"{covariate} is {name}": values == code
            for code, name in enumerate(column.categories)
            if (values == code).any()
        }
    else:
        edges = np.unique(np.quantile(values, np.linspace(0, 1, bins + 1)[1:-1], method="inverted_cdf"))
        of_row = np.searchsorted(edges, values, side="left")
        masks = {
            f"{covariate} from {values[of_row == k].min():.4g} to {values[of_row == k].max():.4g}": of_row == k
            for k in np.unique(of_row)
        }
    strata = []
    for name, mask in masks.items():
        n = int(samples.groups.t[mask].sum())
        m = int(mask.sum()) - n
        if min(n, m) < 2:
            strata.append(Stratum(name, (n, m), None, None, "too few rows of a group"))
        else:
            strata.append(Stratum(name, (n, m), evidence.again(mask).pvalue, None))
    return _holm(strata)


def _holm(strata: list[Stratum]) -> tuple[Stratum, ...]:
    tested = sorted((s for s in strata if s.pvalue is not None), key=lambda s: s.pvalue or 0.0)
    adjusted, largest = {}, 0.0
    for k, stratum in enumerate(tested):
        largest = max(largest, min(1.0, (len(tested) - k) * (stratum.pvalue or 0.0)))
        adjusted[stratum.name] = largest
    return tuple(Stratum(s.name, s.n_obs, s.pvalue, adjusted.get(s.name), s.note) for s in strata)
