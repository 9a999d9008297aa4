"""What a result says of odds that are off: numbers, words, and what it refuses."""

import json
from itertools import pairwise

import numpy as np
import pandas as pd
import pytest
from sklearn.linear_model import LinearRegression

from condmmd import CMMD, Compute, ConstantColumnWarning, Sensitivity, cmmd_test
from condmmd.effects.sensitivity import FACTORS


def drawn(seed=0, n=400, shift=1.0):
    rng = np.random.default_rng(seed)
    X = pd.DataFrame({"age": rng.normal(size=n), "dose": rng.normal(size=n)})
    t = (rng.random(n) < 1 / (1 + np.exp(-0.7 * X.age.to_numpy()))).astype(int)
    return X, pd.Series(X.age + rng.normal(size=n) + shift * t, name="weight"), t


@pytest.fixture(scope="module")
def result():
    X, Y, t = drawn()
    return cmmd_test(X, Y, t, n_resamples=199, rng=1, compute=Compute(keep_fits=True))


def test_the_largest_factors_are_where_the_ends_cross_zero(result):
    found = result.sensitivity()
    (mean,) = found.outcomes
    assert (mean.name, found.gammas) == ("the mean of weight", FACTORS)
    assert 1 < found.verdict < mean.sign
    assert 1 < mean.interval < mean.sign
    at, beyond = result.sensitivity((mean.sign, mean.sign + 0.01)).outcomes[0].table
    assert at.low > 0 >= beyond.low
    at, beyond = result.sensitivity((mean.interval, mean.interval + 0.01)).outcomes[0].table
    assert at.interval[0] > 0 >= beyond.interval[0]
    at, beyond = result.sensitivity((found.verdict, found.verdict + 0.01)).pvalues
    assert at <= 0.05 < beyond


def test_bounds_grow_with_the_factor_and_start_at_the_estimate(result):
    table = result.sensitivity().outcomes[0].table
    assert table[0].low == pytest.approx(table[0].high)
    for one, other in pairwise(table):
        assert other.low < one.low
        assert other.high > one.high
        assert other.interval[0] < other.low


def test_groups_that_change_places_change_signs():
    X, Y, t = drawn()
    one, other = (
        cmmd_test(
            X, Y, g, n_resamples=99, rng=1, residualize=LinearRegression(), propensity=np.full(400, 0.5)
        ).sensitivity()
        for g in (t, 1 - t)
    )
    assert one.outcomes[0].sign == other.outcomes[0].sign
    assert one.outcomes[0].table[3].low == pytest.approx(-other.outcomes[0].table[3].high)


def test_the_sentence_names_the_strongest_covariate(result):
    found = result.sensitivity()
    assert found.covariates[0].covariate == "age"
    assert found.sentence() == (
        f"holds up to a factor of {found.verdict:g} in the odds of the groups "
        f"(age, the strongest covariate, moves them by {found.covariates[0].factor:g})"
    )
    assert found.sentence() in found.summary()
    assert "the mean of weight, over all rows" in found.summary()
    assert json.loads(json.dumps(found.to_dict(), allow_nan=False))["outcomes"][0]["name"] == "the mean of weight"


def test_it_is_in_the_summary_once_it_was_asked_for():
    X, Y, t = drawn()
    result = cmmd_test(X, Y, t, n_resamples=99, rng=1, residualize=False)
    assert "in the odds" not in result.summary()
    sentence = result.sensitivity().sentence()
    assert sentence in result.summary()


def test_where_nothing_was_found_there_is_nothing_to_explain():
    X, Y, t = drawn(shift=0.0)
    found = cmmd_test(X, Y, t, n_resamples=99, rng=1).sensitivity()
    assert found.verdict is None
    assert found.outcomes[0].interval is None
    assert "no difference was found" in found.sentence()


def test_classes_and_two_values_have_shares():
    X, Y, t = drawn()
    y = pd.DataFrame({"level": np.where(Y > 1, "high", np.where(Y > 0, "middle", "low")), "ill": (Y > 1).astype(int)})
    with pytest.warns(ConstantColumnWarning):
        found = cmmd_test(X, y.assign(same=1), t, n_resamples=99, rng=1).sensitivity()
    assert [one.name for one in found.outcomes] == [
        "the share of level = high", "the share of level = low", "the share of level = middle", "the share of ill = 1",
    ]  # fmt: skip
    assert found.outcomes[0].shift == pytest.approx(found.outcomes[3].shift)
    assert sum(one.shift for one in found.outcomes[:3]) == pytest.approx(0, abs=1e-9)
    assert all(-1 <= row.low <= row.high <= 1 for one in found.outcomes for row in one.table)


def test_gram_matrices_have_what_can_be_said_without_columns():
    X, Y, t = drawn(n=120)
    K = np.exp(-((X.to_numpy()[:, None] - X.to_numpy()) ** 2).sum(axis=2))
    L = np.exp(-((Y.to_numpy()[:, None] - Y.to_numpy()) ** 2))
    statistic = CMMD(estimator="overlap", kernel_x="precomputed", kernel_y="precomputed")
    found = cmmd_test(K, L, t, statistic=statistic, n_resamples=99, rng=1).sensitivity()
    assert (found.outcomes, found.covariates) == ((), ())
    assert len(found.pvalues) == len(FACTORS)


def test_another_statistic_has_bounds_of_the_mean_and_says_why_no_others():
    X, Y, t = drawn(n=120)
    found = cmmd_test(X, Y, t, statistic=CMMD(estimator="plugin"), n_resamples=99, rng=1).sensitivity()
    assert (found.verdict, found.pvalues) == (None, ())
    assert "not linear" in found.summary()
    assert found.outcomes[0].sign > 1
    assert "the mean of weight differs up to" in found.sentence()


def test_blocks_and_trim():
    X, Y, t = drawn()
    trimmed = cmmd_test(X, Y, t, trim=0.2, n_resamples=99, rng=1)
    assert isinstance(trimmed.sensitivity(), Sensitivity)
    blocks = np.repeat(np.arange(100), 4)
    t = t[::4][blocks]
    one, other = (
        cmmd_test(
            X, X.age + np.random.default_rng(5).normal(size=400) + t, t, n_resamples=99, rng=1, blocks=b
        ).sensitivity()
        for b in (blocks, None)
    )
    assert one.outcomes[0].sign > other.outcomes[0].sign  # a block has one label, so that less can be hidden in it


def test_without_data_it_is_refused():
    X, Y, t = drawn(n=80)
    with pytest.raises(ValueError, match="no data to ask further"):
        cmmd_test(X, Y, t, n_resamples=99, rng=1).without_data().sensitivity()


def test_rows_in_chunks_are_refused():
    da = pytest.importorskip("dask.array")
    X, Y, t = drawn(n=200)
    chunked = [da.from_array(np.asarray(part), chunks=100) for part in (X, Y, t)]
    with pytest.raises(TypeError, match="in chunks"):
        cmmd_test(*chunked, n_resamples=99, rng=1).sensitivity()


@pytest.mark.parametrize("gammas", [(0.5,), (), (np.nan,), (1e9,), ("2",)])
def test_factors_that_are_none(result, gammas):
    with pytest.raises(ValueError, match="`gammas` must be"):
        result.sensitivity(gammas)


def test_with_the_odds_as_they_are_the_interval_is_the_usual_one(result):
    (mean,) = result.sensitivity().outcomes
    half = 1.959963985 * mean.error
    assert mean.table[0].gamma == 1.0
    assert mean.table[0].interval == pytest.approx((mean.shift - half, mean.shift + half))
