"""Floors of the evidence: below what any odds within the factor leave, and the test itself at a factor of 1."""

import numpy as np
import pytest

from condmmd import CMMD, Asymptotic, Compute, Family, Resampling, cmmd_test
from condmmd.effects.verdict_bounds import verdict_bounds

KEEP = Compute(keep_fits=True)


def made(seed=0, n=200, shift=0.6, blocks=None, **options):
    rng = np.random.default_rng(seed)
    x = rng.normal(size=(n, 2))
    t = (rng.random(n) < 1 / (1 + np.exp(-x[:, 0]))).astype(int)
    if blocks:
        t = np.repeat(t[::blocks], blocks)
        options["blocks"] = np.repeat(np.arange(n // blocks), blocks)
    y = x[:, 0] + rng.normal(size=n) + shift * t
    options = {"n_resamples": 99, "rng": 1, "residualize": False, **options}
    return cmmd_test(x, y, t, compute=KEEP, **options)


def bounds_of(result):
    return verdict_bounds(result.evidence, result._trained)


def statistics_at(every, tau):
    """Every column, written out."""
    found = []
    for products in every:
        M = sum(tau[i] * np.outer(products.phi[i], products.rho[i]) for i in range(len(tau)))
        found += [float(np.sum(weights[:, None] * M**2)) for weights in products.weights]
    return np.array(found)


@pytest.mark.parametrize(
    "options",
    [
        {}, {"null": Asymptotic()}, {"propensity": None}, {"null": Resampling("bernoulli")}, {"blocks": 4},
        {"trim": 0.1}, {"statistic": CMMD(estimator="overlap")}, {"statistic": CMMD(level=1, estimator="overlap")},
        {"blocks": 4, "propensity": None},
    ],
    ids=str,
)  # fmt: skip
@pytest.mark.filterwarnings("ignore::condmmd.ApproximationWarning")
def test_at_a_factor_of_one_it_is_the_test(options):
    result = made(**options)
    bounds = bounds_of(result)
    assert bounds.floors(1.0) == pytest.approx([column.statistic for column in result.by_level], rel=1e-6)
    assert bounds.pvalue(1.0) == pytest.approx(result.pvalue, abs=0.0)
    assert [bounds.pvalue(g) for g in (1.0, 1.1, 1.5, 3.0)] == sorted(bounds.pvalue(g) for g in (1.0, 1.1, 1.5, 3.0))


def test_of_few_values_of_x_labels_are_shuffled_within_them():
    rng = np.random.default_rng(0)
    x, t = rng.integers(0, 3, 300), rng.integers(0, 2, 300)
    result = cmmd_test(x, rng.normal(size=300) + t, t, n_resamples=99, rng=1, compute=KEEP)
    assert result.scheme == "permutation within strata"
    bounds = bounds_of(result)
    assert bounds.pvalue(1.0) == result.pvalue
    for stratum in range(3):  # what is common to a stratum does nothing, as the number of its ones is fixed
        own = bounds.pulls[x == stratum]
        assert np.abs((bounds.e * (1 - bounds.e))[x == stratum] @ own).max() < 1e-9 * np.abs(own).max() * len(own)


@pytest.mark.parametrize("seed", range(3))
def test_no_odds_within_the_factor_leave_less(seed):
    """The mean of null labels with other odds, refitted as the test refits, is taken from the observed moments."""
    result = made(seed, n=60)
    bounds, evidence = bounds_of(result), result.evidence
    every, e, t, gamma = result._trained.fitted.products, evidence.e, evidence.t, 1.4
    rng = np.random.default_rng(seed)
    own = np.array([column.statistic for column in result.by_level])
    shift = (bounds.sizes - np.sqrt(bounds.floors(gamma) * ratio_of(bounds, gamma))).clip(0)
    laws = [gamma ** rng.uniform(-1, 1, len(e)) for _ in range(20)]
    laws += [gamma ** np.sign(bounds.pulls[:, k]) for k in range(bounds.pulls.shape[1])]
    reached = []
    for factor in laws:
        other = factor * e / (1 - e + factor * e)
        moved = evidence.a - evidence.labels.multipliers.refitted((other - e)[None, :])[0]
        left = np.sqrt(statistics_at(every, moved))
        assert (left >= np.sqrt(own) - shift - 1e-9).all()
        assert statistics_at(every, t - e) == pytest.approx(own, rel=1e-6)
        reached.append(left)
    mean = next(k for k, column in enumerate(result.by_level) if column.name == "the mean of y0, over all rows")
    assert min(left[mean] for left in reached) == pytest.approx(abs(np.sqrt(own[mean]) - shift[mean]), abs=1e-9)


def ratio_of(bounds, gamma):
    less, more = (g * bounds.e / (1 - bounds.e + g * bounds.e) for g in (1 / gamma, gamma))
    grid = np.linspace(less, more, 2001)
    widest = (grid * (1 - grid)).max(axis=0)
    return np.maximum((widest @ bounds.pulls**2) / ((bounds.e * (1 - bounds.e)) @ bounds.pulls**2), 1)


def test_a_statistic_that_is_not_linear_has_none():
    assert bounds_of(made(statistic=CMMD(estimator="plugin"))) is None


def test_labels_of_a_batch_are_what_the_floors_are_about():
    result = made(statistic=Family())
    at = result._trained.fitted(result._trained.labels.multipliers.observed)[0]
    assert np.sqrt(at) == pytest.approx(bounds_of(result).sizes, rel=1e-6)


def test_of_blocks_each_has_the_mean_of_its_label():
    result = made(blocks=4)
    bounds, evidence = bounds_of(result), result.evidence
    np.testing.assert_array_equal(bounds.e[evidence.blocks], evidence.e)
    assert len(np.unique(bounds.e)) > 40


def test_a_pull_is_what_the_label_of_a_row_that_is_left_adds():
    """The derivative of each size by a residual label, of which the fit to all rows takes its part."""
    result = made(trim=0.3)
    bounds, evidence, every = bounds_of(result), result.evidence, result._trained.fitted.products
    own = evidence.labels.multipliers
    assert len(own.kept) < own.count
    for i in (0, 17, 60):
        added = own.fit.at(np.eye(own.count)[:, own.kept[[i]]])[own.kept, 0]
        less, more = (np.sqrt(statistics_at(every, evidence.a + step * added)) for step in (-1e-5, 1e-5))
        np.testing.assert_allclose(bounds.pulls[i], (more - less) / 2e-5, rtol=1e-3, atol=1e-6)
