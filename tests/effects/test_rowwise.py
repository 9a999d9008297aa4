"""Mean differences of two sides, with intervals over rows or blocks."""

import numpy as np
import pytest
from scipy.stats import ttest_1samp

from condmmd.data.pairs import read_pairs
from condmmd.effects.rowwise import rowwise_effects
from condmmd.embedding.rowwise import PairedRows

RNG = np.random.default_rng(0)
X, A, B = RNG.normal(size=(3, 60))


def test_one_number_has_the_interval_of_a_paired_t_test():
    effect = rowwise_effects(PairedRows(read_pairs(X, A, B)), 0.9, 1, "x")["mean"]
    expected = ttest_1samp(A - B, 0.0).confidence_interval(0.9)
    assert effect.interval == pytest.approx((expected.low, expected.high))
    assert effect.levels == pytest.approx((A.mean(), B.mean()))


def test_rows_of_a_block_count_as_one():
    a, b = np.repeat(A[:20], 3), np.repeat(B[:20], 3)
    blocks = np.repeat(np.arange(20), 3)
    by_block = rowwise_effects(PairedRows(read_pairs(X, a, b)), 0.95, 1, "x", blocks)["mean"]
    alone = rowwise_effects(PairedRows(read_pairs(X[:20], A[:20], B[:20])), 0.95, 1, "x")["mean"]
    assert by_block.interval == pytest.approx(alone.interval)


def test_shares_of_categories():
    effects = rowwise_effects(PairedRows(read_pairs(X, A > 0, B > 1)), 0.95, 1, "x")
    assert [effect.kind for effect in effects] == ["share", "share"]
    assert effects[1].estimate == pytest.approx(np.mean(A > 0) - np.mean(B > 1))
    assert effects.joint_pvalue < 0.05
