"""A hundred and fifty generated calls; ``make fuzz`` makes thousands. And what is looked for is found."""

import numpy as np
import pandas as pd
import polars as pl
import pytest

from tests.fuzz import checks
from tests.fuzz.checks import examine, is_clear, not_finite, picture_of

CALLS, SHARDS = 150, 5


@pytest.mark.parametrize("shard", range(SHARDS))
def test_every_call_is_answered_or_refused_in_clear_words(shard):
    examined = [examine(1, number) for number in range(shard, CALLS, SHARDS)]
    assert [finding for _, findings in examined for finding in findings] == []
    assert sum(answered for answered, _ in examined) > CALLS / SHARDS / 3


def test_unclear_errors_are_seen():
    assert is_clear(ValueError("`trim` must be between 0 and 0.5; got 3."))
    assert is_clear(TypeError("screen() needs all rows in memory; pass arrays."))
    for error in (
        ZeroDivisionError("`trim` must not be zero"), ValueError("cannot reshape array of size 9"),
        ValueError("`trim` is odd."), KeyError("`X` must be there"), TypeError("unhashable type; use another"),
    ):  # fmt: skip
        assert not is_clear(error)


def test_numbers_that_are_none_are_seen():
    assert not_finite([1.0, {"a": (2, "text", None)}, np.arange(3.0)]) is None
    assert not_finite([1.0, {"a": (2, np.float64("nan"))}]) == "result[1].a[1]"
    assert not_finite([np.array([1.0, np.inf])]) == "result[0]"


@pytest.mark.parametrize(
    "make",
    [np.copy, np.ma.masked_array, pd.DataFrame, pl.DataFrame, np.ndarray.tolist, lambda a: a.astype(object)],
)
def test_changes_are_seen(make):
    values = np.arange(6.0).reshape(3, 2)
    assert picture_of(make(values.copy())) == picture_of(make(values.copy()))
    assert picture_of(make(values.copy())) != picture_of(make(values + 1e-9 * np.eye(3, 2)))


def test_what_a_call_does_wrong_is_told(monkeypatch):
    def broken(what):
        given = np.zeros((3, 1)), np.zeros(3), np.zeros(3)

        def run():
            if what == "changed input":
                given[0][0] = 1
            if what == "unclear error":
                raise ZeroDivisionError("oops")
            if what == "warning":
                np.log(np.zeros(1))
            return [float("nan")] if what == "not finite" else [{"a": np.float64(1)}, 1.0]

        return "cmmd_test", given, run

    for what in ("changed input", "unclear error", "warning", "not finite"):
        monkeypatch.setattr(checks, "make_call", lambda *_, what=what: broken(what))
        assert [finding.kind for finding in examine(0, 0)[1]] == [what]
