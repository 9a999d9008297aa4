"""The problems: the same data for the same trial, and each is what it says it is."""

import numpy as np
import pytest

from benchmarks.leaderboard.predictions import tempered
from benchmarks.leaderboard.problems import CALIBRATION, MODEL, PAIRED, TWO_SAMPLES, Predictions, all_problems
from benchmarks.leaderboard.running import print_of

PROBLEMS = all_problems()
NAMED = {problem.name: problem for problem in PROBLEMS}


def test_names_are_of_one_problem_of_a_question_each():
    assert len({(problem.question, problem.name) for problem in PROBLEMS}) == len(PROBLEMS)


def test_every_question_has_nulls_and_alternatives():
    for question in (TWO_SAMPLES, PAIRED, MODEL, CALIBRATION):
        assert {problem.null for problem in PROBLEMS if problem.question == question} == {True, False}
    assert all(NAMED[problem.of].null for problem in PROBLEMS if problem.of)


@pytest.mark.parametrize("problem", PROBLEMS, ids=lambda problem: f"{problem.question}: {problem.name}")
def test_a_trial_has_the_same_data_whenever_it_is_drawn(problem):
    one, other = (print_of.__wrapped__(problem) for _ in range(2))
    assert one == other
    first, second = problem.data(0), problem.data(1)
    arrays = first.arrays()
    assert any(not np.array_equal(a, b) for a, b in zip(arrays.values(), second.arrays().values(), strict=True))
    assert len({len(a) for a in arrays.values()}) == 1
    assert all(np.isfinite(a).all() for a in arrays.values())


@pytest.mark.parametrize("problem", [p for p in PROBLEMS if p.question == TWO_SAMPLES], ids=lambda p: p.name)
def test_covariates_and_outcomes_are_counted(problem):
    X, Y, group = problem.data(0).numbers()
    assert (X.shape[1] == 1, Y.shape[1] == 1) == (problem.covariates == 1, problem.outcomes == 1)
    assert (problem.data(0).e is not None) == problem.known
    assert set(np.unique(group)) == {0, 1}


def test_the_true_propensity_is_that_of_the_labels():
    """Within tenths of e, the share of ones over 40 draws is within 4.5 binomial standard errors of the mean of e."""
    drawn = [NAMED["X moved"].data(k) for k in range(40)]
    e, t = (np.concatenate([getattr(data, name) for data in drawn]) for name in ("e", "group"))
    for low in np.arange(0, 1, 0.1):
        inside = (e >= low) & (e < low + 0.1)
        if inside.sum() > 100:
            assert abs(t[inside].mean() - e[inside].mean()) < 4.5 * 0.5 / inside.sum() ** 0.5


def test_labels_are_drawn_from_the_predictions():
    """Frequencies of 4,000 draws within 4.5 binomial standard errors; a truth of its own is another law."""
    P = np.random.default_rng(0).dirichlet([1.0, 1.0, 1.0], 5)
    shares = Predictions(P, np.zeros(5, dtype=int)).sample(np.random.default_rng(1), 4000).mean(axis=0)
    assert np.all(np.abs(shares - P) < 4.5 * np.sqrt(P * (1 - P) / 4000))
    assert np.all(tempered(P).max(axis=1) < P.max(axis=1))


def test_a_model_that_is_right_has_standard_normal_residuals():
    """Mean and spread of 60 x 100 residuals within 4.5 standard errors; 0.75 of the spread is far outside."""
    right, sure = (
        np.concatenate([(d.Y - d.mean) / d.sd for d in map(NAMED[name].data, range(60))])
        for name in ("right, real X", "real X, too sure")
    )
    assert abs(right.mean()) < 4.5 / 6000**0.5
    assert abs(right.std() - 1) < 4.5 / 12000**0.5
    assert sure.std() > 1.25
