"""Where does it differ: the difference over the covariates, with a band from the same null labels as the test.

For weights A over the rows, fixed before any label is looked at, the difference seen through A is
``sum_i A_i (t_i - e_i) r_i / sum_i A_i e_i (1 - e_i)``: the mean difference of the outcomes' features between P and Q,
weighted to where both groups are (r are the features of the outcomes, residualised as in the test). Windows over one
covariate at a time, with the others as they are in the data, give profiles; ridge weights around a point give the
witness over all covariates at once. It is linear in the labels, so every null label vector costs one product.
"""

from __future__ import annotations

from dataclasses import replace
from functools import partial

import numpy as np
import numpy.typing as npt

from condmmd.backend import Array, HeldLabels, to_host, unforked
from condmmd.data.checks import check_resamples, check_significance
from condmmd.embedding import Embedding
from condmmd.explain.at_least import deviations, lower_bounds, multiplier_radii
from condmmd.explain.contrasts import contrasts_along
from condmmd.explain.courses import Course, Dependence
from condmmd.explain.everywhere import Constancy
from condmmd.explain.evidence import Evidence
from condmmd.explain.findings import Where
from condmmd.explain.measures import Measure, loudest, measures_of
from condmmd.explain.profiles import Marks, Profile, along, of_each
from condmmd.explain.regions import Region
from condmmd.explain.shifts import Means, variation_of
from condmmd.explain.windows import BinSums, Windows, make_windows, weighted
from condmmd.regression.moments import cross_moments, second_moments
from condmmd.regression.odds import overlap

__all__ = ["locate"]

# Rows at which the witness over all covariates is evaluated, and null labels used, at most: of few rows, and of many.
MAX_POINTS = 500
MAX_LABELS, LABELS_OF_MANY = 499, 199
MANY_ROWS = 5_000
# Covariates along which both groups are followed: those that lead.
MAX_COURSES = 8
# Lambda of the witness, in units of the mean of k(x, x).
REG = 0.01
CONTROL = (
    "weak control: if Y given X is the same everywhere, the chance that anything at all is marked is at most "
    "{alpha:g}{given}. If it differs somewhere, a mark nearby may be due to that difference, through the width of the "
    "windows or through covariates that go together; and a shift that was marked is likely to be too large."
)


class _Witness:
    """Ridge weights around some of the rows, over all covariates at once."""

    def __init__(self, x: Embedding, weights: Array, rows: npt.NDArray[np.int64]) -> None:
        phi = to_host(x.phi)
        A = to_host(second_moments(HeldLabels(weights[None, :]), phi))[0] / weights.sum()
        ridge = REG * float(np.einsum("ij,ij->", phi, phi)) / len(phi)
        self.map = np.linalg.solve(A + ridge * np.eye(len(A)), phi[rows].T).T / weights.sum()
        self.ridge = ridge * float(weights.sum())
        self.phi = phi

    def __call__(self, R: Array, psi: Array) -> Array:
        """Squared norm of the difference at each point: shape (B, points)."""
        M = to_host(cross_moments(HeldLabels(R), self.phi, psi))
        difference = self.map @ M
        return np.einsum("bek,bek->be", difference, difference)


@unforked
def locate(evidence: Evidence, *, significance: float | None = None) -> Where:
    """Profiles over each covariate and the witness at some rows, in one simultaneous band."""
    settings = evidence.plan.settings
    alpha = check_significance(settings.significance if significance is None else significance)
    most = MAX_LABELS if len(evidence.e) <= MANY_ROWS else LABELS_OF_MANY
    count = min(settings.n_resamples, max(most, int(np.ceil(1 / alpha)) - 1))
    check_resamples(count, alpha)
    samples, psi, e = evidence.samples, to_host(evidence.y.phi), evidence.e
    if samples.gram_x is not None:
        raise TypeError("where() needs the columns of X; a precomputed kernel has none.")
    weights = to_host(overlap(e))
    windows = [make_windows(to_host(samples.x.values)[:, j], column) for j, column in enumerate(samples.x.columns)]
    sums = [BinSums.of(own, psi, weights) for own in windows]
    rows = np.sort(np.random.default_rng(0).permutation(len(e))[:MAX_POINTS])
    witness = _Witness(evidence.x, weights, rows)

    means = Means.of(evidence)
    constancy = Constancy.of(evidence, means)

    def evaluate(R: Array) -> tuple[Array, Array, list[Array]]:
        difference = [bins.windowed(bins(R)) for bins in sums]
        sizes = [np.einsum("bgk,bgk->bg", d, d) for d in difference]
        return np.concatenate([*sizes, witness(R, psi)], axis=1), constancy(R), difference

    observed, varies, difference = evaluate(evidence.a[None, :])
    null = [evaluate(R)[:2] for R in evidence.draws(count)]
    squares = np.concatenate([observed, *(sizes for sizes, _ in null)])
    everywhere = constancy.conclude(np.concatenate([varies, *(v for _, v in null)]), evidence, means)
    marks = Marks.of(observed[0] ** 0.5, np.cbrt(squares), alpha)

    off = deviations(witness.phi, psi, evidence.a, weights, witness.ridge)
    off_sums = [replace(bins, values=off[bins.order]) for bins in sums]

    def squares_off(multipliers: Array) -> Array:
        parts = [bins.windowed(bins(multipliers)) for bins in off_sums]
        return np.concatenate([*(np.einsum("bgk,bgk->bg", d, d) for d in parts), witness(multipliers, off)], axis=1)

    radii = multiplier_radii(squares_off, evidence.signs.signs, evidence.sign_of_row, alpha)
    at_least = lower_bounds(marks.size, radii)
    outcome = evidence.outcome
    varying = variation_of(psi if means is None else means.views(evidence.t, e), evidence)
    found = []
    for bins, of_bins, variation, here in zip(sums, difference, varying, of_each(windows), strict=True):
        profile = _profile(bins.windows, of_bins[0], marks.at(here), means, evidence.t, variation)
        found.append(replace(profile, at_least=at_least[here]))
    found.sort(key=lambda p: -p.variation)
    points, band, _, outside, pvalues = marks.at(slice(-len(rows), None))
    given = ", given the propensity" if evidence.assumption == "" else f", as far as this holds: {evidence.assumption}"
    where = Where(
        everywhere=everywhere, profiles=tuple(found), contrasts=(), points=rows,
        size=points, band=band, outside=outside, pvalues=pvalues, pvalue=float(marks.pvalues.min()),
        at_least=at_least[-len(rows) :], significance=float(alpha), n_labels=count,
        labels=(samples.groups.p_label, samples.groups.q_label),
        outcome=None if outcome is None else samples.y.columns[0].name,
        control=CONTROL.format(alpha=alpha, given=given), _outcomes=evidence.y.without_rows(),
        _outcome_range=None if outcome is None else tuple(np.quantile(outcome, [0.01, 0.99]).tolist()),
        spaces=samples.spaces,
    )  # fmt: skip
    measures = measures_of(evidence, means)
    carriers = {name: where.profile(name).variation_pvalue for name in where.carriers}
    where = replace(where, contrasts=contrasts_along(evidence, carriers, measures))
    heard = loudest(measures)
    return replace(
        where, differences=tuple(one for one, _ in heard),
        courses=_courses(where, evidence, sums, [own for _, own in heard]),
    )  # fmt: skip


def _courses(where: Where, evidence: Evidence, sums: list[BinSums], measures: list[Measure]) -> tuple[Course, ...]:
    """Both groups along the leading covariates, each in the measure of its contrast, or else in the first."""
    if not measures:
        return ()
    names, dependence = evidence.samples.x.names, Dependence.of(evidence, measures)
    told = {contrast.covariate: contrast.measure for contrast in where.contrasts}
    found = []
    for profile in where.profiles[:MAX_COURSES]:
        j = names.index(profile.covariate)
        measure = told.get(profile.covariate, measures[0].words)
        found.append(dependence.course(sums[j].windows, j, measure))
    return tuple(found)


def _profile(
    windows: Windows, difference: Array, marks: Marks, means: Means | None, t: Array, variation: tuple[float, float]
) -> Profile:
    n_p = np.bincount(windows.of_row, weights=t).astype(int)
    n_obs = np.stack([n_p, np.bincount(windows.of_row) - n_p], axis=1)
    region = partial(Region, dates=windows.column.dates)
    shift = None if means is None else partial(weighted, means.shift)
    return Profile(
        **along(windows, marks, n_obs, shift, region), variation=variation[0], variation_pvalue=variation[1],
        difference=difference, dates=windows.column.dates,
    )  # fmt: skip
