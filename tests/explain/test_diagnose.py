"""All checks of a test: a shared structure is warned of, a real difference is not; laws of labels have their own."""

import warnings

import numpy as np
import pytest

from condmmd import CMMD, PooledRidge, cmmd_test
from condmmd.kernels import Gaussian
from tests.explain.planted import board

FAST = {"n_resamples": 39, "rng": 0}


def plain(seed, shift, n=300):
    rng = np.random.default_rng(seed)
    t = np.repeat([1, 0], n // 2)
    X = rng.normal(size=(n, 4)) + 0.3 * t[:, None]
    return X, X[:, 0] + rng.normal(size=n) + shift * t, t


def by_kind(result):
    return {finding.kind: finding for finding in result.diagnostics().findings}


@pytest.mark.parametrize("options", [{}, {"statistic": CMMD()}], ids=["family", "plug-in"])
def test_a_false_alarm_is_warned_of_and_a_difference_is_not(options):
    """With a ridge, which knows no board."""
    alarm = cmmd_test(*board(0), **FAST, residualize=PooledRidge(), **options)
    assert alarm.pvalue <= 0.05
    found = by_kind(alarm)["confounding"]
    assert found.severity == "warning"
    assert "x0, x1" in found.message
    assert "Do not trust a small p-value" in found.message
    real = cmmd_test(*plain(0, 1.0), **FAST, **options)
    assert real.pvalue <= 0.05
    assert real.diagnostics().ok


def test_labels_that_x_predicts_are_told_where_equal_marginals_are_asserted():
    X, Y, t = plain(1, 0.0, n=600)
    found = by_kind(cmmd_test(X + 0.7 * t[:, None], Y, t, propensity=None, **FAST))
    assert found["propensity"].severity == "note"
    assert "overlap" not in found


def test_strata_need_no_model():
    rng = np.random.default_rng(0)
    x, t = rng.integers(0, 4, 200), np.repeat([1, 0], 100)
    result = cmmd_test(x, x + rng.normal(size=200), t, **FAST)
    assert result.scheme == "permutation within strata"
    assert set(by_kind(result)) == {"overlap", "duplicates", "outcome"}


def test_a_gram_matrix_has_no_columns_to_look_at():
    X, Y, t = plain(0, 0.0, n=80)
    K = Gaussian(2.0)(X)
    statistic = CMMD(kernel_x="precomputed")
    assert set(by_kind(cmmd_test(K, Y, t, statistic=statistic, **FAST))) == {"overlap"}


def test_rows_of_a_block_are_no_evidence_of_each_other():
    """Every subject has its own level, and one label: within a block labels and outcomes go together by chance."""
    rng = np.random.default_rng(3)
    subject = np.repeat(np.arange(60), 5)
    t = np.repeat(np.arange(60) % 2, 5)
    X = np.repeat(rng.normal(size=(60, 3)), 5, axis=0) + 0.05 * rng.normal(size=(300, 3))
    Y = np.repeat(rng.normal(size=60), 5) + 0.3 * rng.normal(size=300)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # 60 blocks are few
        result = cmmd_test(X, Y, t, blocks=subject, **FAST)
    assert by_kind(result)["confounding"].severity == "fine"
