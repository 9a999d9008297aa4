"""Who could have had which label: the plan, its scheme, its centre, and the same on some of the rows."""

from math import comb, log

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression

from condmmd.data import read_samples
from condmmd.labels import LabelRules, propensity_of_rows
from condmmd.nuisance import regress_pooled
from condmmd.nuisance.propensity import Classifier, EqualMarginals, Known, Logistic
from tests.doors.samples import GROUP, SAME, E, N, X
from tests.labels.enumeration import units

SAMPLES = read_samples(X, SAME, GROUP)
CELLS = read_samples(np.arange(N) % 4, SAME, GROUP)
BY_BLOCK = np.repeat(np.linspace(0.3, 0.7, 40), 4)


def made(rules, samples=SAMPLES):
    pooled = regress_pooled(SAME[:, None], samples) if rules.model.needs_regressors else None
    return rules.make(samples, pooled, rules.strata(samples))


@pytest.mark.parametrize(
    ("rules", "samples", "name"),
    [
        (LabelRules(EqualMarginals()), SAMPLES, "permutation"),
        (LabelRules(EqualMarginals(), "bernoulli"), SAMPLES, "bernoulli"),
        (LabelRules(EqualMarginals(), "fixed-size"), SAMPLES, "fixed-size"),
        (LabelRules(EqualMarginals(), blocks=np.arange(N) // 4), SAMPLES, "permutation of blocks"),
        (LabelRules(Known(E)), SAMPLES, "fixed-size"),
        (LabelRules(Known(E), "bernoulli"), SAMPLES, "bernoulli"),
        (LabelRules(Logistic()), SAMPLES, "fixed-size"),
        (LabelRules(Logistic()), CELLS, "permutation within strata"),
        (LabelRules(Logistic(), "fixed-size"), CELLS, "fixed-size"),
        (LabelRules(Known(BY_BLOCK), blocks=np.arange(N) // 4), SAMPLES, "fixed-size of blocks"),
        (LabelRules(Known(BY_BLOCK / 2), blocks=np.arange(N) // 4), SAMPLES, "fixed-size of blocks"),
    ],
)  # fmt: skip
def test_the_scheme_and_the_mean_of_its_labels(rules, samples, name):
    """The centre is the mean label of each row, for every scheme; blocks share their label."""
    plan = made(rules, samples)
    scheme = plan.scheme()
    assert scheme.name == name
    draws = scheme.draw(units(6000), samples.groups.t).held
    np.testing.assert_allclose(draws.mean(axis=0), plan.centre, atol=5 * 0.5 / 6000**0.5)
    if "bernoulli" not in name:
        assert np.all(draws.sum(axis=1) == N // 2)
    if plan.blocks is not None:
        np.testing.assert_array_equal(draws[:, ::4], draws[:, 3::4])


def test_how_many_ways_to_label_there_are():
    assert made(LabelRules(EqualMarginals())).log_labelings() == pytest.approx(log(comb(N, N // 2)))
    assert made(LabelRules(Known(E), "bernoulli")).log_labelings() == pytest.approx(N * log(2))
    assert made(LabelRules(Logistic()), CELLS).log_labelings() == pytest.approx(4 * log(comb(40, 20)))
    blocks = made(LabelRules(EqualMarginals(), blocks=np.arange(N) // 4))
    assert blocks.log_labelings() == pytest.approx(log(comb(40, 20)))


def residual_draws(rules, samples=SAMPLES):
    own = made(rules, samples).multipliers
    return own, own.draw(units(20), samples.groups.t).held


def test_what_the_law_of_the_labels_fixes_is_taken_from_their_residuals():
    """Nothing of independent labels; the sum of a fixed number, or that of each stratum; the columns of an estimate."""
    free, _ = residual_draws(LabelRules(Known(E), "bernoulli"))
    assert free.fit is None
    for rules in (LabelRules(Known(E)), LabelRules(EqualMarginals())):
        np.testing.assert_allclose(residual_draws(rules)[1].sum(axis=1), 0, atol=1e-10)
    _, within = residual_draws(LabelRules(Logistic()), CELLS)
    for cell in range(4):
        np.testing.assert_allclose(within[:, np.arange(N) % 4 == cell].sum(axis=1), 0, atol=1e-10)
    estimated, _ = residual_draws(LabelRules(Logistic()))
    np.testing.assert_array_equal(estimated.fit.Z, made(LabelRules(Logistic())).propensity.fit.Z)


def test_rows_of_a_block_have_one_sign_and_one_residual():
    own, drawn = residual_draws(LabelRules(EqualMarginals(), blocks=np.arange(N) // 4))
    assert own.count == 40
    np.testing.assert_array_equal(drawn, np.repeat(drawn[:, ::4], 4, axis=1))
    np.testing.assert_allclose(own.observed.held[0], GROUP - 0.5)


def test_some_rows_of_an_estimate_have_the_residuals_and_the_signs_of_all():
    whole, keep = made(LabelRules(Logistic())), np.arange(N) % 3 > 0
    part = whole.on_rows(keep, "strata")
    np.testing.assert_array_equal(part.centre, whole.centre[keep])
    np.testing.assert_array_equal(part.multipliers.observed.held[0], (GROUP - whole.centre)[keep])
    of_part, of_all = (plan.multipliers.draw(units(9), GROUP).held for plan in (part, whole))
    np.testing.assert_array_equal(of_part, of_all[:, keep])


def test_rows_that_are_trimmed():
    plan = made(LabelRules(Known(E), trim=0.2))
    kept = (E >= 0.2) & (E <= 0.8)
    assert plan.trimmed == int((~kept).sum())
    np.testing.assert_array_equal(plan.propensity.e, E[kept])
    np.testing.assert_array_equal(plan.samples.x.values[:, 0], X[kept])


def test_the_same_law_on_some_rows():
    whole = made(LabelRules(Logistic()), CELLS)
    keep = np.arange(N) % 4 != 2
    part = whole.on_rows(keep, "strata")
    assert part.scheme().name == "permutation within strata"
    assert part.strata.max() == 2
    np.testing.assert_array_equal(part.propensity.e, whole.propensity.e[keep])
    with pytest.raises(TypeError, match="`trim` and `blocks` cannot be used together"):
        made(LabelRules(EqualMarginals(), blocks=np.arange(N) // 4)).on_rows(keep, "trim")


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"model": EqualMarginals(), "trim": 0.1}, "`trim` needs a propensity"),
        ({"model": Known(E), "scheme": "permutation"}, "use propensity=None"),
        ({"model": Known(E), "trim": 0.1, "blocks": np.arange(N)}, "`trim` and `blocks` cannot be used together"),
    ],
)
def test_rules_that_contradict_each_other(options, words):
    with pytest.raises(ValueError, match=words):
        LabelRules(**options)


def test_blocks_have_one_propensity():
    blocks = np.arange(N) // 4
    with pytest.raises(ValueError, match="the same for all rows of a block"):
        made(LabelRules(Known(E), blocks=blocks))
    estimated = made(LabelRules(Classifier(LogisticRegression()), blocks=blocks))
    by_block = estimated.propensity.e.reshape(40, 4)
    np.testing.assert_array_equal(by_block, by_block[:, :1] * np.ones(4))
    np.testing.assert_array_equal(estimated.block_e, by_block[:, 0])


def test_the_propensity_of_a_measurement_is_that_of_a_test():
    measured = propensity_of_rows(Logistic(), SAMPLES, SAME[:, None])
    np.testing.assert_array_equal(measured.e, made(LabelRules(Logistic())).propensity.e)
    with pytest.raises(ValueError, match="the pooled regression is missing"):
        LabelRules(Logistic()).make(SAMPLES, None, None)


def test_rows_are_trimmed_by_odds_between_groups_of_one_size():
    """Four rows of Q for one of P: at a value of X with as many of either, P is four times as dense there."""
    counts_p, counts_q = np.array([20, 20, 10]), np.array([5, 100, 95])
    x = np.concatenate([np.repeat([0, 1, 2], counts_p), np.repeat([0, 1, 2], counts_q)])
    t = np.repeat([1, 0], [50, 200])
    e = (counts_p / (counts_p + counts_q))[x]
    dense_p, dense_q = counts_p / 50, counts_q / 200
    kept = (dense_p / (dense_p + dense_q))[x] <= 0.9  # 0.94 at the first value, where e is 0.8
    plan = LabelRules(Known(e), trim=0.1).make(read_samples(x, np.arange(250.0), t), None, None)
    assert plan.trimmed == int((~kept).sum()) == 25
    np.testing.assert_array_equal(plan.samples.x.values[:, 0], x[kept])
