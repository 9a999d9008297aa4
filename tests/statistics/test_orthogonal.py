"""The orthogonal estimator against its formula."""

import numpy as np
import pytest

from condmmd import CMMD, Orthogonal, OverlapWarning, PerGroup, cmmd, cmmd_test
from condmmd.backend import HeldLabels
from condmmd.data import read_samples
from condmmd.embedding import embed
from condmmd.kernels import Gaussian
from condmmd.nuisance import Learned
from condmmd.statistics import Comparison, OrthogonalContrast

RNG = np.random.default_rng(0)


def test_orthogonal_is_the_formula():
    X, Y, e = RNG.normal(size=(12, 1)), RNG.normal(size=(12, 1)), RNG.uniform(0.1, 0.9, 12)
    t = np.repeat([1.0, 0.0], 6)
    x, sigma = embed(Gaussian(1.0), X, tol=0.0, max_rank=12).principal()
    y = embed(Gaussian(0.7), Y, tol=0.0, max_rank=12)
    compared = Comparison(x, sigma, y, OrthogonalContrast(0.1, e))
    found = compared.levels(HeldLabels((t - e)[None]), np.array([0.0, 1.0]))[0]
    K, L = Gaussian(1.0)(X), Gaussian(0.7)(Y)
    W = np.linalg.inv(K + 0.1 * 12 * np.eye(12))
    tau = (t - e) / (e * (1 - e))
    pseudo = tau[:, None] * L * tau
    np.testing.assert_allclose(found, [np.trace(pseudo @ W @ K @ W), np.trace(pseudo @ W @ K @ K @ W) / 12], rtol=1e-9)


def test_it_is_linear_in_the_residual_labels():
    X, Y, e = RNG.normal(size=(12, 1)), RNG.normal(size=(12, 1)), RNG.uniform(0.1, 0.9, 12)
    x, _ = embed(Gaussian(1.0), X, tol=0.0, max_rank=12).principal()
    y = embed(Gaussian(0.7), Y, tol=0.0, max_rank=12)
    contrast = OrthogonalContrast(0.1, e)
    first, second = RNG.random((2, 12))
    of_mean = contrast(HeldLabels((first + second)[None] / 2), x, y)
    of_each = contrast(HeldLabels(np.stack([first, second])), x, y)
    np.testing.assert_allclose(of_mean[0], of_each.mean(axis=0), atol=1e-12)


def test_it_needs_a_propensity_and_one_lambda():
    x, group = RNG.normal(size=30), np.repeat([1, 0], 15)
    statistic, samples = CMMD(estimator=Orthogonal()), read_samples(x, x, group)
    with pytest.raises(ValueError, match="needs a propensity"):
        statistic.measure(samples, Learned(statistic.embed_measured(samples)))
    with pytest.raises(ValueError, match="`reg` must be one number with the"):
        cmmd(x, x, group, statistic=CMMD(estimator="orthogonal", reg=PerGroup(0.1, 0.2)), propensity=np.full(30, 0.5))


def test_a_stratum_of_one_group_alone_is_no_division_by_zero():
    rng = np.random.default_rng(2)
    x = np.repeat(np.arange(5), 30)
    group = np.where(x == 0, 1, rng.integers(0, 2, 150))  # the share of P among the rows with x = 0 is 1
    with pytest.warns(OverlapWarning, match="almost only P in 30 of 150 rows"):
        result = cmmd_test(
            x, rng.normal(size=150), group, statistic=CMMD(estimator="orthogonal"), n_resamples=39, rng=0
        )
    assert result.scheme == "permutation within strata"
    assert np.isfinite([row.statistic for row in result.by_level]).all()
    assert np.isfinite(result.null_distribution).all()
