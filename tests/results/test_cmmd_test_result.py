"""The result of a test: what it says, what it can be asked, and what it keeps."""

import json
import pickle
from copy import deepcopy

import numpy as np
import pytest

from condmmd import CMMD, CMMDTestResult, Gaussian, OverlapWarning, PooledRidge, cmmd_test, mmd_test
from condmmd.kernels import median_distance
from tests.doors.samples import GROUP, OTHER, SAME, E, N, X
from tests.explain.planted import board


def test_the_result_says_everything():
    result = cmmd_test(X, SAME, np.where(GROUP == 1, "new", "old"), rng=7, n_resamples=99)
    assert isinstance(result, CMMDTestResult)
    statistic, p = result
    assert (statistic, p) == (result.statistic, result.pvalue)
    assert result.levels == (0.0, 1.0, 2.0)
    assert {r.level for r in result.by_level} == set(result.levels)
    assert len(result.null_distribution) == result.n_resamples == 99
    assert result.n_obs == (80, 80)
    assert result.lengthscales == {"x": [median_distance(X)], "y": [median_distance(SAME)]}
    assert "estimated propensity" in result.assumption
    assert result.propensity_summary["effective_size"] < N
    text = result.summary()
    for word in (
        "p-value",
        "rests on",
        "random signs",
        "logistic regression",
        "a forest of 100 trees",
        "rng=7",
        "old (80 rows)",
    ):
        assert word in text
    assert len(text.splitlines()) < 30
    assert text.index("mean of y0") < text.index("p-value")  # how large it is comes first
    there = json.loads(json.dumps(result.to_dict()))
    assert there["pvalue"] == result.pvalue
    assert there["by_level"][0]["level"] == 0
    assert "pvalue=" in repr(result)
    assert pickle.loads(pickle.dumps(result)).pvalue == result.pvalue  # noqa: S301 - our own bytes
    again = cmmd_test(X, SAME, np.where(GROUP == 1, "new", "old"), rng=result.rng_state, n_resamples=99)
    np.testing.assert_array_equal(again.null_distribution, result.null_distribution)


def test_each_assumption_is_named():
    said = {
        "equal": cmmd_test(X, SAME, GROUP, propensity=None, n_resamples=19, rng=0).assumption,
        "known": cmmd_test(X, SAME, GROUP, propensity=E, n_resamples=19, rng=0).assumption,
        "strata": cmmd_test(X > 0, SAME, GROUP, n_resamples=19, rng=0).assumption,
    }
    assert "same distribution in both samples" in said["equal"]
    assert "given propensity" in said["known"]
    assert "nothing beyond independent rows" in said["strata"]


def test_further_questions_are_asked_of_the_same_plan():
    """Margins are tests of X and of Y alone, with the kernels and the seed of the test."""
    result = cmmd_test(X, SAME, GROUP, n_resamples=99, rng=7)
    moved = result.marginal()
    assert moved["X"].pvalue <= 0.02  # X moved
    kernel = Gaussian(result.lengthscales["x"][0])
    alone = mmd_test(X, GROUP, kernel=kernel, n_resamples=99, rng=7)
    assert moved["X"].pvalue == alone.pvalue
    np.testing.assert_allclose(moved["X"].statistic, alone.statistic, rtol=1e-6)
    assert result.marginal()["X"] is moved["X"]  # asked once
    assert result.question() == "Is y0 given x0 the same in 1 and 0?"
    assert result.sentence().startswith("No evidence that the distribution of y0 given x0 differs")
    differs = cmmd_test(X, OTHER, GROUP, n_resamples=99, rng=7)
    assert differs.sentence().startswith("The distribution of y0 given x0 differs between 1 and 0 (p = ")


def test_without_data_there_are_numbers_only():
    result = cmmd_test(X, OTHER, GROUP, n_resamples=99, rng=7)
    small = result.without_data()
    assert small.summary() == result.summary()
    assert small.to_dict() == result.to_dict()
    frame = small.to_frame()
    assert frame["name"].tolist() == [column.name for column in result.by_level]
    assert frame["pvalue"].tolist() == [column.pvalue for column in result.by_level]
    assert len(pickle.dumps(small)) < len(pickle.dumps(result))
    for ask in (small.marginal, small.where, lambda: small.by_stratum("x0")):
        with pytest.raises(ValueError, match=r"no data to ask further: it was made by without_data\(\)"):
            ask()


def test_a_pickled_result_can_be_asked_more():
    result = cmmd_test(X, OTHER, GROUP, n_resamples=99, rng=7)
    back = pickle.loads(pickle.dumps(result))  # noqa: S301 - our own bytes
    assert back.where().to_dict() == result.where().to_dict()
    assert {name: m.pvalue for name, m in back.marginal().items()} == {
        name: m.pvalue for name, m in result.marginal().items()
    }


def test_what_cannot_be_pickled_is_left_out_and_told():
    statistic = CMMD(kernel_x=lambda A, B: 1.0 * Gaussian(1.0).gram(A, B))
    result = cmmd_test(X, OTHER, GROUP, statistic=statistic, n_resamples=19, rng=7)
    back = pickle.loads(pickle.dumps(result))  # noqa: S301 - our own bytes
    assert back.pvalue == result.pvalue
    with pytest.raises(ValueError, match="no data to ask further: its plan could not be pickled"):
        back.where()
    assert deepcopy(result).where().pvalue == result.where().pvalue


def test_trimmed_rows_are_left_out_of_the_margins():
    result = cmmd_test(X, SAME, GROUP, propensity=E, trim=0.2, n_resamples=19, rng=0)
    kept = (E >= 0.2) & (E <= 0.8)
    assert result.marginal()["X"].n_obs == (int(kept[GROUP == 1].sum()), int(kept[GROUP == 0].sum()))
    assert "rows left by trim" in result.sentence()


def test_warnings_are_given_once():
    """The test warns of little overlap; what is asked of its result afterwards does not again."""
    with pytest.warns(OverlapWarning):
        result = cmmd_test(X + 4.0 * GROUP, SAME, GROUP, n_resamples=19, rng=0)
    result.where()  # warnings are errors here
    result.marginal()


def test_what_speaks_against_a_result_is_in_everything_that_it_says(tmp_path):
    result = cmmd_test(*board(0), n_resamples=39, rng=0, residualize=PooledRidge())
    words = "Do not trust a small p-value"
    found = result.diagnostics()
    assert found is result.diagnostics()  # made once
    assert not found.ok
    assert words in found.summary()
    assert words in result.summary()
    assert words in result._repr_html_()
    assert result.to_dict()["diagnostics"] == found.to_dict()
    result.report(tmp_path / "report.html")
    assert words in (tmp_path / "report.html").read_text()
    assert result.without_data().diagnostics() == found
    assert pickle.loads(pickle.dumps(result)).diagnostics() == found  # noqa: S301 - our own


def test_a_summary_of_very_many_rows_does_not_wait_for_checks(monkeypatch):
    monkeypatch.setattr("condmmd.explain.diagnose.KEPT_ROWS", 100)
    result = cmmd_test(X, OTHER, GROUP, n_resamples=19, rng=0)
    assert "result.diagnostics() makes them" in result.summary()
    assert result.to_dict()["diagnostics"] is None
    assert result.diagnostics().findings  # asked for, it is made
