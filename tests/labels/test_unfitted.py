"""Null labels as random as labels were before a propensity was fitted to them."""

import numpy as np
import pytest
from scipy.special import expit

from condmmd import CMMD, Compute, Family, Overlap, PooledRidge, cmmd_test
from condmmd.labels.unfitted import as_random_as_before
from condmmd.regression.logistic import fit_logistic
from condmmd.regression.odds import overlap


def fitted(seed, true, Z, C=1e3):
    """Probabilities fitted to labels drawn from the true ones, and the number of ones."""
    t = (np.random.default_rng(seed).random(len(true)) < true).astype(float)
    design = np.column_stack([np.ones(len(Z)), Z])
    beta = fit_logistic(Z, t, np.array([C]), np.ones((1, len(t))))[0]
    held = np.diag([0.0] + [1 / C] * Z.shape[1])
    return expit(design @ beta), design, held, int(t.sum())


@pytest.mark.parametrize("slope", [0.0, 1.0])
def test_labels_are_as_random_as_the_true_propensity_makes_them(slope):
    """Of 25 columns and 200 rows the fit takes a seventh of the variance of labels; it is given back within 2 %."""
    Z = np.random.default_rng(0).normal(size=(200, 25))
    true = expit(slope * Z[:, 0])
    before, after = [], []
    for seed in range(60):
        e, design, held, n = fitted(seed, true, Z)
        before.append(overlap(e).sum())
        after.append(overlap(as_random_as_before(e, design, held, n)).sum())
    wanted = overlap(true).sum()
    assert np.mean(before) < 0.92 * wanted
    assert abs(np.mean(after) / wanted - 1) < 0.02


def test_what_many_rows_say_stays_as_it_is():
    Z = np.random.default_rng(1).normal(size=(8000, 3))
    true = expit(Z[:, 0])
    e, design, held, n = fitted(2, true, Z)
    found = as_random_as_before(e, design, held, n)
    assert abs(found.sum() - n) < 1e-6
    assert np.abs(found - e).max() < 0.002


def test_probabilities_of_one_value_stay():
    e = np.full(50, 0.3)
    np.testing.assert_allclose(as_random_as_before(e, np.ones((50, 1)), np.zeros((1, 1)), 15), e)


@pytest.mark.parametrize("blocks", [None, np.repeat(np.arange(40), 3)])
def test_only_a_propensity_that_is_refitted_gives_its_labels_back(blocks):
    """The plug-in is not refitted, so that its labels are drawn from the estimate itself."""
    rng = np.random.default_rng(3)
    group = np.repeat(np.arange(40) % 2, 3)
    X = np.repeat(rng.normal(size=(40, 6)), 3, axis=0) if blocks is not None else rng.normal(size=(120, 6))
    Y = X[:, 0] + rng.normal(size=120)
    keep = {"n_resamples": 19, "rng": 0, "compute": Compute(keep_fits=True), "residualize": PooledRidge()}

    def spread(statistic):
        labels = cmmd_test(X, Y, group, statistic=statistic, blocks=blocks, **keep)._trained.labels
        held = labels.scheme().draw([(4000, np.random.default_rng(1))], labels.samples.groups.t).held
        return labels.propensity, np.asarray(held).mean(axis=0)

    known, drawn = spread(CMMD())
    of_family, nearer = spread(Family())
    assert known.fit is not None
    assert of_family.fit is not None
    assert np.std(nearer) < 0.9 * np.std(drawn)
    assert np.std(spread(CMMD(estimator=Overlap(refit=False)))[1]) == pytest.approx(np.std(drawn), rel=0.05)
