"""Two outcomes of the same units: found where they differ, exact where they do not."""

from itertools import product

import array_api_strict as strict
import dask.array as da
import numpy as np
import pandas as pd
import pytest

from condmmd import Compute, Gaussian, SmallSampleWarning, paired_test
from tests import oracle

RNG = np.random.default_rng(0)
X = RNG.normal(size=120)
FIRST, SECOND = (np.sin(2 * X) + 0.5 * RNG.normal(size=120) for _ in range(2))


def test_exact_by_enumeration():
    x, a, b = X[:7], FIRST[:7], SECOND[:7] + 0.5
    result = paired_test(x, a, b, kernel_x=Gaussian(1.0), kernel_y=Gaussian(1.0), level="joint", weights="kernel")
    k, K = oracle.gaussian(1.0), oracle.gaussian(1.0)(x[:, None], x[:, None])
    one, two = a[:, None], b[:, None]
    H = K * (k(one, one) - k(one, two) - k(two, one) + k(two, two))
    np.fill_diagonal(H, 0.0)
    values = [np.array(w) @ H @ np.array(w) / 42 for w in product([1, -1], repeat=7)]
    assert result.statistic == pytest.approx(values[0], rel=1e-5)
    assert result.pvalue == pytest.approx(np.mean(np.array(values) >= values[0] - 1e-9))
    assert result.scheme == "every sign"
    assert result.n_resamples == 63


def test_rejects_a_true_null_at_its_level():
    """300 nulls of 12 rows; the 99.9 % binomial interval of 0.1 is 0.047 to 0.163."""
    rejected = []
    for seed in range(300):
        rng = np.random.default_rng(seed)
        x = rng.normal(size=12)
        a, b = (x**2 + np.abs(x) * rng.standard_t(3, size=12) for _ in range(2))
        rejected.append(paired_test(x, a, b, rng=seed, n_resamples=99).pvalue <= 0.1)
    assert 0.047 <= np.mean(rejected) <= 0.163


def test_finds_a_change_that_is_zero_on_average():
    changed = SECOND + 0.8 * X
    result = paired_test(X, FIRST, changed, rng=1)
    assert result.pvalue == 0.001
    assert paired_test(X, FIRST, changed, weights="neighbours").pvalue < 1e-4
    mean = result.effect()["mean"]
    assert mean.estimate == pytest.approx(np.mean(FIRST - changed))
    assert mean.interval[0] < 0 < mean.interval[1]
    where = result.where()
    assert where.anything
    signs = [np.sign(region.shift) for region in where.regions]
    assert signs == [1, -1]  # the change goes up with x
    assert paired_test(X, FIRST, SECOND, rng=1).pvalue > 0.05


def test_who_is_first_and_in_which_units_decides_nothing():
    here = paired_test(X, FIRST, SECOND + 0.3, rng=1)
    for other in (
        paired_test(X, SECOND + 0.3, FIRST, rng=1),
        paired_test(2 + 7 * X, 5 * FIRST, 5 * SECOND + 1.5, rng=1),
    ):
        np.testing.assert_allclose(other.null_distribution, here.null_distribution, rtol=1e-4, atol=1e-4)
        assert abs(other.pvalue - here.pvalue) <= 0.002
    assert paired_test(X, FIRST, FIRST, rng=1).pvalue == 1.0


def test_neither_workers_nor_batches_nor_the_kind_of_array_change_the_result():
    here = paired_test(X, FIRST, SECOND, rng=1, weights="kernel", n_resamples=199)
    for arrays, compute in (
        ((X, FIRST, SECOND), Compute(n_jobs=2)),
        ((X, FIRST, SECOND), Compute(batch_size=64)),
        ([strict.asarray(a) for a in (X, FIRST, SECOND)], Compute()),
        ([da.from_array(a, chunks=50) for a in (X, FIRST, SECOND)], Compute()),
    ):
        there = paired_test(*arrays, rng=1, weights="kernel", n_resamples=199, compute=compute)
        np.testing.assert_allclose(there.null_distribution, here.null_distribution, rtol=1e-6, atol=1e-7)
        assert there.pvalue == here.pvalue


def test_neighbours_on_a_device():
    here = paired_test(X, FIRST, SECOND, rng=1, n_resamples=99)
    there = paired_test(*(strict.asarray(a) for a in (X, FIRST, SECOND)), rng=1, n_resamples=99)
    np.testing.assert_allclose(there.null_distribution, here.null_distribution, rtol=1e-6, atol=1e-7)


def test_names_of_columns_and_rows_in_blocks():
    frame = pd.DataFrame({"x": X, "before": FIRST, "after": SECOND + 1, "subject": np.arange(120) // 3})
    result = paired_test("x", "before", "after", data=frame, blocks="subject", rng=1)
    assert result.labels == ("before", "after")
    assert result.pvalue < 0.01
    assert "of blocks" in result.scheme
    assert "paired_test('x', 'before', 'after', data=data" in result.call
    assert "mean of outcome" in result.summary()
    few = frame.assign(subject=np.arange(120) // 40)
    with pytest.warns(SmallSampleWarning, match="can be flipped in 4 way"):
        assert paired_test("x", "before", "after", data=few, blocks="subject", rng=1).pvalue >= 0.25


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"null": "redraw"}, ValueError, "no model to draw outcomes from"),
        ({"null": "guess"}, ValueError, "`null` must be one of"),
        ({"null": "normal"}, ValueError, "the normal limit is that of weights='neighbours'"),
        ({"null": "normal", "weights": "neighbours", "blocks": np.arange(120) // 2}, ValueError, "null='flips'"),
        ({"labels": ("one",)}, ValueError, "`labels` must be two different names"),
        ({"labels": "ab"}, ValueError, "`labels` must be two different names"),
        ({"n_resamples": 9}, ValueError, "gives no p-value below 0.1"),
        ({"kernel_y": "precomputed"}, ValueError, "not a Gram matrix"),
        ({"blocks": np.zeros(120)}, ValueError, "at least 2 blocks"),
        ({"blocks": np.zeros(5)}, ValueError, "one value a row, 120"),
    ],
)
def test_what_cannot_be_answered_is_refused(options, error, message):
    with pytest.raises(error, match=message):
        paired_test(X, FIRST, SECOND, **options)
