"""The outcome itself: on which scale, decided by the column and said in words."""

from itertools import pairwise

import numpy as np
import pandas as pd
import pytest
from scipy.stats import norm, rankdata

from condmmd.data import read_table
from condmmd.statistics.outcome_scale import FAR, listed, outcome_scale

RNG = np.random.default_rng(0)


def scaled(data):
    table = read_table(data, "Y")
    scale = outcome_scale(table)
    return scale, scale(table.values)


def said(scale):
    return "; ".join(words for words, _ in scale.views)


def test_numbers_are_in_robust_units():
    y = 100 + 5 * RNG.normal(size=400)
    scale, values = scaled(y)
    assert said(scale) == "the mean of y0"
    assert scale.numbers == (0,)
    low, high = np.quantile(y, [0.25, 0.75])
    unit = min(y.std(), (high - low) / 1.349)
    np.testing.assert_allclose(values[:, 0], (y - np.median(y)) / unit, rtol=1e-9)


def test_a_far_tail_is_compared_by_ranks():
    y = np.concatenate([RNG.normal(size=300), [FAR * 10.0]])
    scale, values = scaled(y)
    assert said(scale) == "the mean rank of y0"
    np.testing.assert_allclose(values[:, 0], norm.ppf((rankdata(y) - 0.5) / 301), atol=1e-9)
    assert np.abs(values).max() < 4
    tied = np.round(y, 1)
    np.testing.assert_allclose(scaled(tied)[1][:, 0], norm.ppf((rankdata(tied) - 0.5) / 301), atol=1e-9)


def test_classes_are_shares_that_count_as_one_number():
    scale, values = scaled(pd.Series(["a", "b", "c", "a", "a"], name="kind"))
    assert said(scale) == "the shares of kind"
    assert scale.numbers == ()
    np.testing.assert_array_equal(values > 0, [[1, 0, 0], [0, 1, 0], [0, 0, 1], [1, 0, 0], [1, 0, 0]])
    assert values.var(axis=0).sum() == pytest.approx(1.0)
    assert len(np.unique(values)) == 2  # indicators, all in one unit


def test_of_many_classes_the_rare_ones_are_taken_together():
    kinds = np.repeat([f"k{i:02}" for i in range(30)], [10] * 20 + [1] * 10)
    scale, values = scaled(pd.Series(kinds, name="kind"))
    assert said(scale) == "the shares of the 20 largest classes of kind"
    assert values.shape == (210, 21)
    np.testing.assert_array_equal(values[:, 20] > 0, np.arange(210) >= 200)
    np.testing.assert_array_equal((values > 0).sum(axis=1), 1)
    assert values.var(axis=0).sum() == pytest.approx(1.0)


@pytest.mark.parametrize(
    ("outcome", "words"),
    [
        (np.repeat([0.0, 1.0], [30, 70]), "the share of y0 = 1"),
        (np.repeat([-1.0, 2.5], [30, 70]), "the share of y0 = 2.5"),
        (np.repeat([False, True], [30, 70]), "the share of y0 = True"),
        (pd.Series(np.repeat(["no", "yes"], [30, 70]), name="y0"), "the share of y0 = yes"),
    ],
)
def test_of_two_values_one_share_says_it_all(outcome, words):
    scale, values = scaled(outcome)
    assert (said(scale), scale.numbers, scale.width) == (words, (), 1)
    assert values.var() == pytest.approx(1.0)
    assert (values[:30] == 0).all()
    assert scaled(np.repeat([0.0, 1.0], [999, 1]))[1].max() < 10  # however rare, no row is far out


@pytest.mark.parametrize("rate", [0.2, 0.7, 3.0, 40.0])
def test_counts_are_as_they_are_if_they_are_not_skewed(rate):
    y = np.random.default_rng(1).poisson(rate, 300).astype(float)
    scale, values = scaled(y)
    if rate > 0.5:
        assert said(scale) == "the mean of y0"
        assert np.corrcoef(y, values[:, 0])[0, 1] == pytest.approx(1.0)
    assert scale.width == 1  # the zeros of a small count are nothing of their own
    assert scale.numbers == (0,)


def test_skewed_counts_are_on_a_logarithmic_scale():
    y = np.random.default_rng(2).negative_binomial(0.6, 0.05, 400).astype(float)
    scale, values = scaled(y)
    assert said(scale) == "the mean of log(1 + y0)"
    assert np.corrcoef(np.log1p(y), values[:, 0])[0, 1] == pytest.approx(1.0)


def test_skewed_numbers_are_on_a_logarithmic_scale():
    y = np.random.default_rng(3).lognormal(8.0, 1.2, 400)
    scale, values = scaled(y)
    assert said(scale) == "the mean of log(y0)"
    assert np.corrcoef(np.log(y), values[:, 0])[0, 1] == pytest.approx(1.0)
    y[:12] = 0.0  # of a few zeros there is no logarithm
    scale, values = scaled(y)
    usual = np.median(y[12:])
    assert said(scale) == f"the mean of log(1 + y0 / {float(f'{usual:.3g}'):g})"
    assert np.corrcoef(np.log1p(y / usual), values[:, 0])[0, 1] == pytest.approx(1.0)


@pytest.mark.parametrize(
    ("pile", "words"),
    [(0.0, "the share of zeros of y0"), (40.0, "the share of y0 = 40")],
)
def test_a_pile_of_equal_values_and_the_rest(pile, words):
    rng = np.random.default_rng(4)
    here = rng.random(500) < 0.4
    y = np.where(here, pile, rng.lognormal(8.0, 1.0, 500))
    scale, values = scaled(y)
    assert said(scale) == f"{words}; the mean of log(y0) of the rest"
    assert scale.numbers == (1,)
    assert [columns for _, columns in scale.views] == [slice(0, 1), slice(1, 2)]
    np.testing.assert_array_equal(values[:, 0] > 0, here)
    assert (values[here, 1] == 0).all()
    assert np.corrcoef(np.log(y[~here]), values[~here, 1])[0, 1] == pytest.approx(1.0)
    assert values[:, 1].mean() == pytest.approx(0.0, abs=1e-9)  # so that a change of the share alone does not move it
    np.testing.assert_allclose(values.var(axis=0), 0.5, rtol=0.2)


def test_a_pile_with_far_tails_on_both_sides():
    rng = np.random.default_rng(5)
    y = np.where(rng.random(400) < 0.3, 0.0, rng.standard_t(1.0, 400))
    scale, values = scaled(y)
    assert said(scale) == "the share of zeros of y0; the mean rank of y0 of the rest"
    rest = y[y != 0]
    expected = norm.ppf((rankdata(rest) - 0.5) / len(rest))
    assert np.corrcoef(expected, values[y != 0, 1])[0, 1] == pytest.approx(1.0)


def test_no_outcome_drowns_the_others_and_words_stay_short():
    rng = np.random.default_rng(6)
    frame = pd.DataFrame({
        "income": rng.lognormal(8, 1.5, 600), "visits": rng.poisson(3, 600).astype(float),
        "region": rng.choice(list("abcdefghij"), 600), "employed": rng.integers(0, 2, 600).astype(float),
        "spent": np.where(rng.random(600) < 0.5, 0, rng.lognormal(3, 1, 600)), "change": rng.standard_t(1.5, 600),
        "rare": (rng.random(600) < 0.03).astype(float),
    })  # fmt: skip
    scale, values = scaled(frame)
    widths = np.cumsum([0, *(part.width for part in scale.parts)])
    of_columns = [values[:, a:b].var(axis=0).sum() for a, b in pairwise(widths)]
    assert min(of_columns) > 0.6
    assert max(of_columns) < 1.8
    assert said(scale) == "the mean of log(income), the mean of visits, the shares of region and 4 more"
    assert scale.number_names == ("income", "visits", "spent", "change")
    assert listed(("a", "b", "c", "d")) == "a, b, c, d"


def test_on_a_device_the_same():
    strict = pytest.importorskip("array_api_strict")
    rng = np.random.default_rng(7)
    y = np.column_stack([
        rng.lognormal(8, 1.5, 60), np.where(rng.random(60) < 0.5, 0, rng.lognormal(3, 1, 60)), rng.integers(0, 2, 60),
    ])  # fmt: skip
    scale, values = scaled(y)
    assert scale.width == 4
    np.testing.assert_allclose(np.asarray(scale(strict.asarray(y))), values, rtol=1e-12, atol=1e-12)


def test_several_columns_side_by_side_and_a_constant_one():
    frame = pd.DataFrame({"w": RNG.normal(size=50), "k": RNG.choice(["u", "v", "w"], 50), "c": np.ones(50)})
    scale, values = scaled(frame)
    assert values.shape == (50, 1 + 3 + 1)
    assert scale.numbers == (0, 4)
    assert said(scale) == "the mean of w, the shares of k, the mean of c"
    assert np.ptp(values[:, 4]) == 0


def test_it_is_monotone_and_blind_to_units():
    y = RNG.lognormal(1.0, 1.5, size=200)
    _, values = scaled(y)
    assert (np.diff(values[np.argsort(y), 0]) >= 0).all()
    np.testing.assert_allclose(scaled(1e6 * y)[1], values, rtol=1e-6, atol=1e-9)
    assert pytest.approx(float(np.median(values)), abs=0.2) == 0


def test_a_scale_goes_on_beyond_the_outcomes_that_it_was_chosen_by():
    y = np.linspace(-1.0, 1.0, 50)
    scale = outcome_scale(read_table(y, "Y"))
    inside, beyond = scale.further()(y[:, None]), scale.further()(np.array([[1.0], [1.5], [-1.5]]))
    np.testing.assert_allclose(inside, scale(y[:, None]))
    assert beyond[1, 0] - beyond[0, 0] == pytest.approx(0.5 * (inside[-1, 0] - inside[0, 0]) / 2)
    assert beyond[2, 0] < inside.min()
    costs = np.exp(np.random.default_rng(0).normal(size=200))
    logs = outcome_scale(read_table(costs, "Y"))
    top = np.array([[costs.max()], [2 * costs.max()]])
    assert np.ptp(logs(top)) == 0 < np.ptp(logs.further()(top))
