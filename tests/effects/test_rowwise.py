"""Mean differences of two sides, with intervals over rows or blocks."""

import numpy as np
import pytest
from scipy.stats import ttest_1samp

from condmmd import Compute, Linear, paired_test
from condmmd.data.pairs import read_pairs
from condmmd.effects.rowwise import rowwise_effects
from condmmd.embedding.rowwise import PairedRows
from condmmd.inference import Settings

RNG = np.random.default_rng(0)
X, A, B = RNG.normal(size=(3, 60))
SETTINGS = Settings(4999, 1, 0.05, Compute())


def test_one_number_has_nearly_the_interval_of_a_paired_t_test():
    effect = rowwise_effects(PairedRows(read_pairs(X, A, B)), 0.9, SETTINGS, "x")["mean"]
    expected = ttest_1samp(A - B, 0.0).confidence_interval(0.9)
    assert effect.interval == pytest.approx((expected.low, expected.high), abs=0.04 * (expected.high - expected.low))
    assert effect.levels == pytest.approx((A.mean(), B.mean()))


def test_it_holds_zero_if_and_only_if_flips_of_signs_do_not_reject():
    d = A - B + 0.3
    alone = {"kernel_x": lambda a, b: np.ones((len(a), len(b))), "kernel_y": Linear(), "level": "joint biased"}
    test = paired_test(X, d, 0 * d, weights="kernel", rng=3, **alone)
    flips = rowwise_effects(PairedRows(read_pairs(X, d, 0 * d)), 0.9, Settings(999, 3, 0.05, Compute()), "x")
    assert flips.joint_pvalue == test.pvalue
    for confidence in (1 - test.pvalue - 0.0005, 1 - test.pvalue + 0.0005):
        settings = Settings(999, 3, 0.05, Compute())
        low, high = rowwise_effects(PairedRows(read_pairs(X, d, 0 * d)), confidence, settings, "x")["mean"].interval
        assert (low <= 0 <= high) == (test.pvalue > 1 - confidence)


def test_rows_of_a_block_count_as_one():
    a, b = np.repeat(A[:20], 3), np.repeat(B[:20], 3)
    blocks = np.repeat(np.arange(20), 3)
    by_block = rowwise_effects(PairedRows(read_pairs(X, a, b)), 0.95, SETTINGS, "x", blocks)["mean"]
    alone = rowwise_effects(PairedRows(read_pairs(X[:20], A[:20], B[:20])), 0.95, SETTINGS, "x")["mean"]
    assert by_block.interval == pytest.approx(alone.interval)


def test_shares_of_categories():
    effects = rowwise_effects(PairedRows(read_pairs(X, A > 0, B > 1)), 0.95, SETTINGS, "x")
    assert [effect.kind for effect in effects] == ["share", "share"]
    assert effects[1].estimate == pytest.approx(np.mean(A > 0) - np.mean(B > 1))
    assert effects.joint_pvalue < 0.05
