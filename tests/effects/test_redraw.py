"""Tables like the one that was tested: everything is as it was, but that nothing differs."""

import numpy as np
import pandas as pd
import pytest

from condmmd import CMMD
from condmmd.effects.redraw import Lookalikes
from tests.effects.trained import table, trained

RNG = np.random.default_rng(0)


def drawn(law, count, seed=0):
    rng = np.random.default_rng(seed)
    return [law.draw(rng) for _ in range(count)]


def outcomes(samples):
    return np.asarray(samples.y.values)


def test_outcomes_follow_the_covariates_and_labels_the_propensity_and_nothing_else():
    X, _, group = table(300)
    X = X + 0.8 * group[:, None] * [1, 0]
    Y = 2 * X[:, 0] + RNG.normal(size=300) + 1.0 * group  # a difference, which must go away
    law = Lookalikes.of(*trained(X, Y, group))
    tables = drawn(law, 60)
    Ys, ts = (np.stack(part) for part in zip(*((outcomes(s)[:, 0], s.groups.t) for s in tables), strict=True))
    assert np.corrcoef(Ys.mean(axis=0), X[:, 0])[0, 1] > 0.95
    assert np.corrcoef(ts.mean(axis=0), X[:, 0])[0, 1] > 0.7
    assert ts.sum(axis=1) == pytest.approx(group.sum())
    design = np.column_stack([np.ones(300), X, X**2])
    effects = [np.linalg.lstsq(np.column_stack([t, design]), y, rcond=None)[0][0] for y, t in zip(Ys, ts, strict=True)]
    assert abs(np.mean(effects)) < 4 * np.std(effects) / 60**0.5 + 0.02
    left = Ys - Ys.mean(axis=0)
    assert 0.8 < left.std() / np.std(Y - 2 * X[:, 0]) < 1.3


def test_an_outcome_stays_of_its_kind_and_outcomes_stay_together():
    X, number, group = table(150)
    town = RNG.choice(["a", "b", "c"], 150)
    cost = np.where(RNG.random(150) < 0.4, 0.0, np.exp(number))
    visits, age = RNG.poisson(1.5, 150), RNG.integers(20, 80, 150)
    columns = {"pay": number, "town": town, "is_a": town == "a", "visits": visits, "cost": cost, "age": age}
    Y = pd.DataFrame(columns)
    law = Lookalikes.of(*trained(X, Y, group))
    before = outcomes(law.labels.samples)
    for after in map(outcomes, drawn(law, 5)):
        np.testing.assert_array_equal(after[:, 1] == 0, after[:, 2] == 1)
        for j in (1, 2, 3, 4):
            assert set(after[:, j]) <= set(before[:, j])
        np.testing.assert_array_equal(after[:, 5], np.round(after[:, 5]))
        assert len(np.setdiff1d(after[:, 0], before[:, 0])) > 100  # a number is moved by its prediction


def test_rows_of_a_block_get_theirs_from_one_block():
    blocks = np.repeat(np.arange(40), 3)
    X, Y, _ = table(120)
    group = np.repeat(np.arange(40) % 2, 3)
    law = Lookalikes.of(*trained(X, Y + np.repeat(RNG.normal(size=40), 3), group, blocks=blocks))
    donors = law._donors(np.random.default_rng(0))
    given = blocks[donors].reshape(40, 3)
    assert (given == given[:, :1]).all()
    assert len(np.unique(given)) > 15
    assert len(np.unique(donors.reshape(40, 3)[0])) == 3
    for s in drawn(law, 3):
        assert set(s.groups.t.reshape(40, 3).sum(axis=1)) == {0.0, 3.0}


def test_a_gram_matrix_is_that_of_the_rows_given():
    X, Y, group = table(60)
    K = np.exp(-((Y[:, None] - Y) ** 2))
    law = Lookalikes.of(*trained(X, K, group, statistic=CMMD(kernel_y="precomputed")))
    sample = drawn(law, 1)[0]
    assert set(np.round(np.unique(sample.gram_y), 9)) <= set(np.round(np.unique(K), 9))
    np.testing.assert_allclose(np.diag(sample.gram_y), 1.0)


def test_trimmed_rows_stay_away_and_are_not_trimmed_again():
    X, Y, group = table(120)
    e = 1 / (1 + np.exp(-3 * X[:, 0]))
    plan, fit = trained(X, Y, group, propensity=e, trim=0.1)
    law = Lookalikes.of(plan, fit)
    assert fit.labels.trimmed > 0
    assert law.plan.rules.trim is None
    assert law.plan.run(drawn(law, 1)[0]).trained.labels.trimmed == 0


def test_without_residuals_there_are_models_all_the_same():
    X, Y, group = table(200)
    law = Lookalikes.of(*trained(X, 3 * X[:, 0] + Y, group, residualize=False, propensity=None))
    assert np.corrcoef(outcomes(drawn(law, 1)[0])[:, 0], X[:, 0])[0, 1] > 0.8
