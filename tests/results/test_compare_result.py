"""What a comparison of candidates says."""

import json
from dataclasses import replace

import pytest

from condmmd import CompareResult
from condmmd.results.compare_result import Candidate, CandidatePair

RESULT = CompareResult(
    ranking=(Candidate("b", 0.01, (0.0, 0.03), 0.004, 100), Candidate("a", 0.2, (0.1, 0.3), 0.1, 90)),
    pairs=(CandidatePair("b", "a", 0.19, 0.001, 0.002),),
    n_reference=80,
    confidence=0.95,
    overlap=0.9,
    kernels=("Gaussian(1)", "Gaussian(2)"),
    assumption="something",
)


def test_a_pair_is_found_in_either_order():
    assert RESULT.pair("a", "b") is RESULT.pair("b", "a") is RESULT.pairs[0]
    with pytest.raises(KeyError, match="are not two of"):
        RESULT.pair("a", "c")


def test_the_sentence_is_as_sure_as_the_adjusted_pvalue():
    assert RESULT.sentence() == "b is the nearest to the reference, and nearer than every other."
    unsure = replace(RESULT, pairs=(CandidatePair("b", "a", 0.19, 0.04, 0.07),))
    assert unsure.sentence() == "b has the smallest distance, but it is not shown to be nearer than a."
    assert replace(RESULT, ranking=RESULT.ranking[:1], pairs=()).sentence() == "b is the nearest to the reference."


def test_it_can_be_read_and_written():
    text = RESULT.summary()
    for word in ("b < a: 0.001, 0.002", "90 ", "0.1 to 0.3", "common ground worth 90%", "rests on something"):
        assert word in text
    plain = json.loads(json.dumps(RESULT.to_dict()))
    assert plain["ranking"][0]["interval"] == [0.0, 0.03]
    assert plain["pairs"][0]["adjusted"] == 0.002
    frame = RESULT.to_frame()
    assert list(frame["candidate"]) == ["b", "a"]
    assert list(frame["high"]) == [0.03, 0.3]
    assert repr(RESULT) == "CompareResult(b (0.01) < a (0.2)); .summary() says more"
