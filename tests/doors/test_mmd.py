"""The marginal discrepancy against the paper's formulas."""

import numpy as np
import pytest

from condmmd import Gaussian, mmd, mmd_test
from tests import oracle

RNG = np.random.default_rng(0)
X = RNG.normal(size=(50, 2))
GROUP = np.repeat([1, 0], [20, 30])


def test_both_estimators_agree_with_the_literal_formula():
    K = oracle.gaussian(1.0)(X, X)
    blocks = K[:20, :20], K[:20, 20:], K[20:, 20:]
    np.testing.assert_allclose(mmd(X, GROUP, kernel=Gaussian(1.0)), oracle.mmd_biased(*blocks), rtol=1e-9)
    np.testing.assert_allclose(
        mmd(X, GROUP, kernel=Gaussian(1.0), unbiased=True), oracle.mmd_unbiased(*blocks), rtol=1e-8
    )
    np.testing.assert_allclose(mmd(K, GROUP, kernel="precomputed"), oracle.mmd_biased(*blocks), rtol=1e-9)


@pytest.mark.parametrize("unbiased", [False, True])
def test_finds_a_shift_and_not_where_there_is_none(unbiased):
    assert mmd_test(X + GROUP[:, None], GROUP, rng=0, unbiased=unbiased).pvalue <= 0.01
    statistic, p = mmd_test(X, GROUP, rng=0, unbiased=unbiased)
    assert p > 0.05
    assert statistic == mmd_test(X, GROUP, rng=5, unbiased=unbiased).statistic


def test_rejects_a_true_null_at_its_level():
    """300 nulls; the 99.9 % binomial interval of 0.1 is 0.047 to 0.163."""
    rejected = [
        mmd_test(np.random.default_rng(seed).normal(size=30), [1, 0] * 15, rng=seed, n_resamples=49).pvalue <= 0.1
        for seed in range(300)
    ]
    assert 0.047 <= np.mean(rejected) <= 0.163


def test_blocks_and_bad_input():
    assert mmd_test(X, GROUP, blocks=np.arange(50) // 2, rng=0).scheme == "permutation of blocks"
    with pytest.raises(ValueError, match=r"`X` has 50 rows and `group` has 49"):
        mmd(X, GROUP[:-1])
    with pytest.raises(ValueError, match=r"`n_resamples`"):
        mmd_test(X, GROUP, n_resamples=0)


def test_the_test_evaluates_the_measure():
    """The statistic of the test is the measure with the same accuracy, and repeats with its seed."""
    result = mmd_test(X, GROUP, kernel=Gaussian(1.0), tol=1e-12, n_resamples=39, rng=3)
    np.testing.assert_allclose(result.statistic, mmd(X, GROUP, kernel=Gaussian(1.0)), rtol=1e-9)
    again = mmd_test(X, GROUP, kernel=Gaussian(1.0), tol=1e-12, n_resamples=39, rng=result.rng_state)
    np.testing.assert_array_equal(again.null_distribution, result.null_distribution)
    assert result.scheme == "permutation"
    assert result.n_obs == (20, 30)
