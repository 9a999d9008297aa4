"""What a result can be asked, and what it says where it has nothing left to answer with."""

import pickle

import numpy as np
import pytest

from condmmd import CMMD, cmmd_test

QUESTIONS = {
    "marginal": lambda result: result.marginal(),
    "where": lambda result: result.where(),
    "effect": lambda result: result.effect("p"),
    "by_stratum": lambda result: result.by_stratum("x0"),
    "check": lambda result: result.check(2),
    "detectable": lambda result: result.detectable(),
    "size": lambda result: result.size(),
    "closer_than": lambda result: result.closer_than(0.5, "size"),
    "evidence": lambda result: result.evidence,
}


@pytest.fixture(scope="module")
def result():
    rng = np.random.default_rng(0)
    x = rng.normal(size=(80, 2))
    return cmmd_test(x, x[:, 0] + rng.normal(size=80), np.repeat([1, 0], 40), n_resamples=99, rng=1)


@pytest.mark.parametrize("ask", QUESTIONS.values(), ids=QUESTIONS)
def test_without_data_a_question_says_how_to_run_the_test_again(result, ask):
    with pytest.raises(ValueError, match="without_data") as refused:
        ask(result.without_data())
    assert result.call in str(refused.value)


def test_each_is_answered_once(result):
    assert result.where() is result.where()
    assert result.effect() is result.effect()
    assert result.diagnostics() is result.diagnostics()


def test_effects_outlive_the_data_and_the_models(result):
    """As diagnostics do: those of the summary stay without the rows; from bytes they are found again."""
    found = result.effect()
    assert result.without_data().effect() == found
    there = pickle.loads(pickle.dumps(result))  # noqa: S301 - our own bytes
    assert "_adjusted" not in there.__dict__
    assert there.effect() == found
    assert there.effect("all", 0.9).to_dict() == result.effect("all", 0.9).to_dict()
    words = found.table(every=False)[0].interval
    for text in (result.summary(), result._repr_html_(), result.without_data().summary()):
        assert words in text
    assert result.to_dict()["effect"] == found.to_dict()


def test_effects_of_rows_that_were_changed_are_refused():
    rng = np.random.default_rng(0)
    x, y = rng.normal(size=(80, 2)), rng.normal(size=80)
    result = cmmd_test(x, y, np.repeat([1, 0], 40), n_resamples=19, rng=1)
    before = result.effect()
    y += 1.0
    assert result.effect() is before
    assert before.table(every=False)[0].interval in result.summary()
    with pytest.raises(ValueError, match="changed in place"):
        result.effect("p")


def test_rows_in_chunks_are_refused_before_any_work():
    array = pytest.importorskip("dask.array")
    rng = np.random.default_rng(0)
    x, group = rng.normal(size=(80, 2)), np.repeat([1, 0], 40)
    parts = (array.from_array(part, chunks=40) for part in (x, x[:, :1] + rng.normal(size=(80, 1)), group))
    chunked = cmmd_test(*parts, n_resamples=19, rng=1)
    for ask in (chunked.check, chunked.detectable):
        with pytest.raises(TypeError, match="in chunks"):
            ask()


def test_an_outlook_is_how_fragile_a_difference_is_or_what_would_have_been_seen():
    rng = np.random.default_rng(0)
    x, group = rng.normal(size=(160, 2)), np.repeat([1, 0], 80)
    y = x[:, 0] + rng.normal(size=160)
    found = cmmd_test(x, y + 2.0 * group, group, n_resamples=99, rng=1)
    assert found.outlook().startswith("Holds up to a factor of ")
    nothing = cmmd_test(x, y, group, n_resamples=99, rng=1)
    shift = nothing.detectable().effects[0]
    assert nothing.outlook().startswith("With a power of 80% this table would have shown: ")
    assert shift.words in nothing.outlook()
    assert cmmd_test(x, y, group, n_resamples=99, rng=1, statistic=CMMD()).outlook() == ""
