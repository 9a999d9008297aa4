"""From statistics at observed and null labels to p-values."""

from types import SimpleNamespace

import numpy as np
import pytest
from scipy.stats import chi2

from condmmd.inference.joining import (
    cauchy_combination,
    critical_value,
    join,
    join_by_gamma,
    join_columns,
    largest_pvalues,
    pvalue,
    pvalues,
    standard_scores,
)
from condmmd.statistics import StatisticColumn

RNG = np.random.default_rng(0)


def test_ties_count():
    assert pvalue(1.0, np.array([1.0, 0.5, 1.0 - 1e-13])) == 0.75
    assert pvalue(0.0, np.zeros(9)) == 1.0


def test_the_joined_statistic_is_symmetric_in_the_rows():
    """Exchangeable rows must stay so: permuting them permutes the statistic."""
    S = RNG.chisquare(3, size=(50, 4))
    order = RNG.permutation(50)
    np.testing.assert_allclose(join(S[order]), join(S)[order], atol=1e-9)
    np.testing.assert_allclose(join(S * [1, 10, 1e5, 1e-9]), join(S), atol=1e-9)
    assert np.isfinite(join(np.zeros((10, 2)))).all()


def test_pvalues_count_by_column():
    statistics = np.array([[3.0, 1.0], [1.0, 2.0], [2.0, 2.0], [4.0, 1.0]])
    np.testing.assert_allclose(pvalues(statistics), [0.5, 1.0])
    assert pvalue(1.0, np.array([0.5, 2.0]), unit=1.0) == pytest.approx(2 / 3)


def test_joining_one_strong_column_finds_it():
    S = RNG.chisquare(3, size=(200, 4))
    S[0, 2] = 60.0
    joined = join(S)
    assert joined.argmax() == 0


def test_standard_scores_over_all_rows_or_some():
    values = RNG.normal(3, 2, size=(40, 3))
    found = standard_scores(values)
    np.testing.assert_allclose(found.z, (values - values.mean(axis=0)) / values.std(axis=0))
    some = standard_scores(values, over=slice(1, None))
    np.testing.assert_allclose(some.mean, values[1:].mean(axis=0))
    np.testing.assert_allclose(some.deviation, values[1:].std(axis=0))
    np.testing.assert_array_equal(standard_scores(np.ones((5, 2))).z, 0.0)


@pytest.mark.parametrize("significance", [0.05, 0.1, 0.5])
def test_the_critical_value_and_the_pvalues_say_the_same(significance):
    """A column's simultaneous p-value is at most the significance just where its score is above the critical value."""
    for _ in range(20):
        z = RNG.normal(size=(40, 5))
        below = largest_pvalues(z) <= significance + 1e-12
        np.testing.assert_array_equal(below, z[0] > critical_value(z, significance))


def test_largest_pvalues_count_rows_whose_largest_score_is_as_large():
    z = np.array([[2.0, 0.0], [1.0, 3.0], [0.5, 0.1]])
    np.testing.assert_allclose(largest_pvalues(z), [2 / 3, 1.0])


def test_gamma_scores_are_symmetric_in_the_rows_and_blind_to_units():
    S = RNG.chisquare([1, 3, 10, 100], size=(60, 4))
    order = RNG.permutation(60)
    np.testing.assert_allclose(join_by_gamma(S[order]), join_by_gamma(S)[order], atol=1e-9)
    np.testing.assert_allclose(join_by_gamma(S * [1, 10, 1e5, 1e-9]), join_by_gamma(S), atol=1e-9)
    np.testing.assert_allclose(join_by_gamma(np.ones((5, 3))), np.log(3))  # p = 1 in each of three


@pytest.mark.parametrize("degrees", [1, 2, 10, 200])
def test_gamma_scores_are_fair_to_any_number_of_degrees_of_freedom(degrees):
    """A chi-square at its upper 0.001 scores what p = 0.001 does; the logarithm of one square does not."""
    law = chi2(degrees)
    S = law.ppf((np.arange(5000) + 0.5) / 5000)[:, None]
    S[0] = law.isf(0.001)
    assert join_by_gamma(S)[0] == pytest.approx(np.log(1000), rel=0.05)
    if degrees == 1:
        assert join(S)[0] < 2


def test_columns_that_agree_count_together():
    """Twice the same small p is twice the sum of 1 / p, and a column more never makes it less."""
    S = chi2(3).ppf((np.arange(2000) + 0.5) / 2000)[:, None]
    both = join_by_gamma(np.column_stack([S, S]))
    np.testing.assert_allclose(both, join_by_gamma(S) + np.log(2))
    noise = RNG.permutation(S[:, 0])
    with_noise = join_by_gamma(np.column_stack([S, noise]))
    assert (with_noise >= join_by_gamma(S)).all()


def test_gamma_scores_far_out_are_finite_and_in_order():
    S = RNG.chisquare(2, size=(400, 1))
    S[:4, 0] = [50.0, 400.0, 3000.0, 1e5]
    scores = join_by_gamma(S)
    assert np.isfinite(join_by_gamma(np.column_stack([S, RNG.chisquare(2, size=400)]))).all()
    one = join_by_gamma(np.abs(RNG.normal(size=(400, 1))) ** 8)
    assert np.isfinite(one).all()
    assert (np.diff(scores[:4]) > 0).all()


def test_a_column_of_twice_the_weight_counts_as_two():
    S, p = RNG.chisquare([1, 3, 5], size=(300, 3)), RNG.random(size=(20, 3))
    twice, weights = [0, 0, 1, 2], np.array([2.0, 1.0, 1.0])
    np.testing.assert_allclose(join_by_gamma(S, None, weights), join_by_gamma(S[:, twice]))
    np.testing.assert_allclose(cauchy_combination(p, weights), cauchy_combination(p[:, twice]))


def test_a_column_that_nothing_can_move_does_not_count():
    assert cauchy_combination(np.array([0.01, 0.2, 1.0])) == cauchy_combination(np.array([0.01, 0.2]))


def test_the_cauchy_combination():
    """Of independent uniform p-values it is uniform; of one, or of equal ones, it is that one, however small."""
    uniform = np.random.default_rng(0).random((20_000, 6))
    for level in (0.5, 0.05, 0.001):
        share = np.mean(cauchy_combination(uniform) <= level)
        assert abs(share - level) <= 4 * (level * (1 - level) / 20_000) ** 0.5
    for p in (0.9, 0.3, 1e-7, 1e-9, 1e-40):
        np.testing.assert_allclose(cauchy_combination(np.full(4, p)), p, rtol=1e-7)
    np.testing.assert_allclose(cauchy_combination(np.array([1e-12, 0.5, 0.5, 0.5])), 4e-12, rtol=1e-6)
    assert cauchy_combination(np.array([1.0, 1.0])) == pytest.approx(1.0)


@pytest.mark.parametrize("bad", [np.nan, np.inf])
@pytest.mark.parametrize("row", [0, 3])
@pytest.mark.parametrize(
    "rank", [pvalues, join, join_by_gamma, standard_scores, largest_pvalues, cauchy_combination,
             lambda S: critical_value(S, 0.1), lambda S: pvalue(S[0, 1], S[1:, 1])],
)  # fmt: skip
def test_what_is_not_finite_is_never_ranked(rank, row, bad):
    S = RNG.uniform(0.1, 1.0, size=(40, 3))
    S[row, 1] = bad
    with pytest.raises(ValueError, match="NaN or infinite"):
        rank(S)


@pytest.mark.parametrize("scale", [1e-300, 1e-165, 1e165, 1e300])
def test_the_scale_of_a_column_does_not_matter_however_extreme(scale):
    S = RNG.chisquare(3, size=(60, 3))
    for joining in (join, join_by_gamma):
        np.testing.assert_allclose(joining(S * [1.0, scale, 1.0]), joining(S), rtol=1e-9)


@pytest.mark.parametrize("joining", [join, join_by_gamma])
def test_rows_may_be_joined_as_if_they_were_among_others(joining):
    """With the null rows as the law, the observed row gets nearly what it has among them, and no other row counts.

    A row that is five times as large as the others moves the law that it is among by some 1 % of 20,000 rows.
    """
    null, new = RNG.chisquare(3, size=(20_000, 4)), RNG.chisquare(3, size=(3, 4)) * [[1], [2], [5]]
    alone = joining(new, null)
    np.testing.assert_allclose(alone, [joining(np.concatenate([null, row[None]]))[-1] for row in new], rtol=0.03)
    np.testing.assert_allclose(joining(new[:1], null), alone[:1])
    np.testing.assert_allclose(joining(null, null), joining(null))


def test_columns_are_joined_by_the_weights_that_they_have():
    S = RNG.chisquare([1, 3, 5], size=(300, 3))
    columns = [SimpleNamespace(weight=weight, signed=False) for weight in (1.0, 3.0, 1.0)]
    for like in (None, RNG.chisquare([1, 3, 5], size=(200, 3))):
        repeated = None if like is None else like[:, [0, 1, 1, 1, 2]]
        found = join_columns(SimpleNamespace(joining="gamma", columns=columns), S, like)
        np.testing.assert_allclose(found, join_by_gamma(S[:, [0, 1, 1, 1, 2]], repeated))


def test_a_column_without_its_diagonal_counts_as_it_does_with_it():
    """A sum of squares less a constant is judged by the same tail, and may be negative."""
    S = RNG.chisquare(4, size=(4000, 2))
    columns = [StatisticColumn("", 1.0, "", "", "", signed=signed) for signed in (False, True)]
    moved = join_columns(SimpleNamespace(joining="gamma", columns=columns), S - [0.0, 4.0])
    whole = join_columns(SimpleNamespace(joining="gamma", columns=[columns[0]] * 2), S)
    assert np.corrcoef(moved, whole)[0, 1] > 0.99
    assert np.isfinite(moved).all()
