"""Null laws: what each refuses, and what comes of it."""

import numpy as np
import pytest

from condmmd import CMMD, Compute, Family, Resampling, Signs, cmmd_test
from condmmd.inference import Settings, SignDraws
from condmmd.inference.evaluate import draw_batches
from condmmd.inference.joining import join, pvalue
from condmmd.labels import LabelRules, Multipliers, signs, ways_to_flip
from condmmd.nuisance.propensity import EqualMarginals, Logistic
from tests.doors.samples import GROUP, OTHER, X

RNG = np.random.default_rng(0)


def settings(n_resamples=99, significance=0.05):
    return Settings(n_resamples, 0, significance, Compute())


def test_too_few_label_vectors_are_refused():
    rules = LabelRules(EqualMarginals())
    with pytest.raises(ValueError, match="Use at least 19"):
        Resampling().check(CMMD(), rules, settings(9))
    with pytest.raises(ValueError, match="`scheme` must be one of"):
        Resampling("bootstrap")


def test_one_column_is_ranked_and_several_are_joined():
    one = cmmd_test(X, OTHER, GROUP, statistic=CMMD(level=1), n_resamples=99, rng=1)
    assert one.statistic == one.by_level[0].statistic
    assert one.pvalue == one.by_level[0].pvalue == pvalue(one.statistic, one.null_distribution)
    several = cmmd_test(X, OTHER, GROUP, statistic=CMMD(level=[1, 2]), n_resamples=99, rng=1)
    columns = [cmmd_test(X, OTHER, GROUP, statistic=CMMD(level=s), n_resamples=99, rng=1) for s in (1, 2)]
    statistics = np.array([[c.statistic, *c.null_distribution] for c in columns]).T
    np.testing.assert_allclose([several.statistic, *several.null_distribution], join(statistics), rtol=1e-6)


def test_signs_are_for_statistics_of_residual_labels():
    rules = LabelRules(Logistic())
    for statistic in (CMMD(), CMMD(estimator="joint")):
        with pytest.raises(ValueError, match=r"null=Signs\(\) needs a statistic of labels less their propensity"):
            Signs().check(statistic, rules, settings())
    for statistic in (Family(), CMMD(estimator="overlap")):
        Signs().check(statistic, rules, settings())
    with pytest.raises(ValueError, match="Use at least 19"):
        Signs().check(Family(), rules, settings(9))


def test_there_are_as_many_ways_as_all_signs_but_for_turning_all_round():
    labels = cmmd_test(X[:30], OTHER[:30], GROUP[65:95], n_resamples=19, rng=0)._trained.labels
    assert Signs().log_ways(labels) == pytest.approx(np.log(ways_to_flip(30)))


@pytest.mark.parametrize("count", [99, 299])
def test_intervals_have_the_signs_of_the_test_and_enough_of_them(count):
    own = Multipliers(RNG.normal(size=30))
    found = SignDraws.of(own, settings(count)).signs
    np.testing.assert_array_equal(found[:count], np.concatenate([T.signs for T in draw_batches(own, count, 0, own.a)]))
    assert len(found) == (999 if count == 99 else 299)
    few = SignDraws.of(Multipliers(np.ones(5)), settings(count)).signs
    assert len(np.unique(few, axis=0)) == len(few) == 15


def test_sums_of_parts_are_by_the_signs_of_classes(monkeypatch):
    monkeypatch.setattr(signs, "MAX_UNITS", 20)
    monkeypatch.setattr(signs, "CLASSES", 7)
    own, C = Multipliers(RNG.normal(size=40)), RNG.normal(size=(40, 3))
    draws = SignDraws(own, 0, 50)
    assert draws.signs.shape == (50, 7)
    T = np.concatenate([batch.held for batch in draw_batches(own, 50, 0, own.a)])
    np.testing.assert_allclose(draws(own.root(C)), T @ C, atol=1e-12)
