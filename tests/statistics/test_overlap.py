"""The overlap estimator: the formula written out, centred under null labels, the same on every backend."""

import numpy as np
import pytest

from condmmd import CMMD, Gaussian, Linear, Overlap, PooledRidge, cmmd_test
from condmmd.backend import HeldLabels
from condmmd.data import read_samples
from condmmd.inference import Compute, Plan, Resampling, Settings, Signs
from condmmd.labels import LabelRules
from condmmd.nuisance import propensity_model

RNG = np.random.default_rng(0)
N = 120
X = np.column_stack([np.concatenate([RNG.normal(-0.4, 1, 60), RNG.normal(0.4, 1, 60)]), RNG.normal(size=N)])
GROUP = np.repeat([1.0, 0.0], 60)
Y = np.sin(X[:, 0]) + 0.3 * RNG.normal(size=N)
E = 1 / (1 + np.exp(0.8 * X[:, 0]))
KERNELS = {"kernel_x": Gaussian(1.3), "kernel_y": Gaussian(0.7)}


def trained(propensity, null=None):
    statistic = CMMD(estimator=Overlap(), reg=0.05, tol=1e-13, max_rank=N, **KERNELS)
    settings = Settings(99, 0, 0.05, Compute())
    rules = LabelRules(propensity_model(propensity))
    return Plan(statistic, rules, PooledRidge(), null, settings).train(read_samples(X, Y, GROUP))


def literal(found, lam, tau):
    """Levels 0, 1 and 2 from the matrices of the formula: no eigenbasis, no features of Y but those of the test."""
    phi, psi, e = found.fitted.covariates.phi, found.fitted.outcomes.phi, found.learned.centre
    w = e * (1 - e)
    A = np.einsum("i,ij,ik->jk", w, phi, phi)
    D = np.linalg.solve(A + lam * w.sum() * np.eye(len(A)), phi.T @ (tau[:, None] * psi))
    C = A / w.sum()
    return [np.trace(D.T @ np.linalg.matrix_power(C, s) @ D) for s in (0, 1, 2)]


@pytest.mark.parametrize("propensity", [E, "estimate"], ids=["given", "estimated"])
def test_the_formula_at_any_residual_labels(propensity):
    found = trained(propensity)
    own = found.labels.multipliers
    draws = own.draw([(2, np.random.default_rng(1))], GROUP).held
    A = np.stack([GROUP - found.learned.centre, RNG.permutation(GROUP) - found.learned.centre, *draws])
    values = found.fitted(HeldLabels(A))[:, [0, 2, 4]]
    for a, row in zip(A, values, strict=True):
        np.testing.assert_allclose(row, literal(found, 0.05, a), rtol=1e-8)


def test_signs_where_the_propensity_is_estimated_and_labels_where_it_is_known():
    assert isinstance(trained("estimate").null, Signs)
    for known in (E, None):
        assert isinstance(trained(known).null, Resampling)
    assert isinstance(trained("estimate", Resampling()).null, Resampling)


def test_observed_residual_labels_are_those_of_the_fit_and_the_draws_have_its_columns_taken_out():
    found = trained("estimate")
    fit, own = found.learned.propensity.fit, found.labels.multipliers
    np.testing.assert_allclose(own.observed.held[0], GROUP - found.learned.centre, atol=1e-12)
    Z1 = np.column_stack([np.ones(N), fit.Z])
    T = own.draw([(200, np.random.default_rng(2))], GROUP).held
    free = own.draw([(200, np.random.default_rng(2))], GROUP).signs * own.scale
    ratio = np.mean((T @ Z1) ** 2, axis=0) / np.mean((free @ Z1) ** 2, axis=0)
    assert ratio[0] < 1e-20  # the intercept has no penalty
    assert ratio.min() < 0.1  # main effects have little of one
    assert ratio.max() < 1.05  # and some have one that leaves them


def test_it_is_centred_under_null_labels():
    """The plug-in is not: the mean of D over null labels is what the ridge has left of the outcomes."""
    found = trained(E)
    e = found.learned.centre
    comparison = found.fitted.comparisons[0]
    T = (np.random.default_rng(1).random((4000, N)) < e).astype(np.int8)
    D = comparison.spectra(HeldLabels(T - e))[2]
    z = D.mean(axis=0) / (D.std(axis=0) / 4000**0.5 + 1e-12)
    assert np.abs(z).max() < 5.5  # some thousand entries, of which the largest of normal ones is 4
    assert np.mean(z**2) == pytest.approx(1.0, abs=0.35)


def test_finds_a_difference_of_either_sign_alike():
    shift = {"statistic": CMMD(estimator="overlap", kernel_y=Linear()), "n_resamples": 199, "rng": 0}
    up, down = (cmmd_test(X, Y + sign * 0.4 * GROUP, GROUP, **shift).pvalue for sign in (1, -1))
    assert max(up, down) <= 0.02
    assert cmmd_test(X, Y, GROUP, **shift).pvalue > 0.05


def test_with_strata_or_blocks():
    for options in ({"propensity": E}, {"propensity": None}, {"blocks": np.arange(N) // 4, "propensity": None}):
        result = cmmd_test(X, Y, GROUP, statistic=CMMD(estimator=Overlap()), n_resamples=39, rng=0, **options)
        assert result.estimator == "overlap"
    few = cmmd_test(X > 0, Y, GROUP, statistic=CMMD(estimator=Overlap()), n_resamples=39, rng=0)
    assert few.scheme == "permutation within strata"
    with pytest.raises(ValueError, match="`mixture` does not apply to the overlap estimator"):
        cmmd_test(X, Y, GROUP, statistic=CMMD(estimator=Overlap(), mixture=0.5), n_resamples=39)


def test_in_chunks_the_same():
    da = pytest.importorskip("dask.array")
    statistic = CMMD(estimator=Overlap())
    one = cmmd_test(X, Y, GROUP, statistic=statistic, n_resamples=99, rng=3)
    chunks = [
        da.from_array(a, chunks=(37,) * 3 + (9,) if a.ndim == 1 else ((37, 37, 37, 9), -1)) for a in (X, Y, GROUP)
    ]
    same = cmmd_test(*chunks, statistic=statistic, n_resamples=99, rng=3)
    assert same.pvalue == one.pvalue
    np.testing.assert_allclose(same.null_distribution, one.null_distribution, rtol=1e-7)


def test_exact_given_the_propensity():
    """Four hundred nulls with the true propensity: within the 99.9 % binomial interval around 0.05."""
    rejected = 0
    for seed in range(400):
        rng = np.random.default_rng([7, seed])
        x = rng.normal(size=60)
        e = 1 / (1 + np.exp(-x))
        t = (rng.random(60) < e).astype(float)
        if min(t.sum(), 60 - t.sum()) < 2:
            continue
        y = x**2 + rng.normal(size=60)
        statistic = CMMD(estimator="overlap", level=1)
        rejected += (
            cmmd_test(x, y, t, statistic=statistic, propensity=e, residualize=False, n_resamples=39, rng=seed).pvalue
            <= 0.05
        )
    assert 8 <= rejected <= 36
