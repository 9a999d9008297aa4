"""What a result can be asked, and what it says where it has nothing left to answer with."""

import numpy as np
import pytest

from condmmd import cmmd_test

QUESTIONS = {
    "marginal": lambda result: result.marginal(),
    "where": lambda result: result.where(),
    "by_stratum": lambda result: result.by_stratum("x0"),
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
    assert result.diagnostics() is result.diagnostics()
