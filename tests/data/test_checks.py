"""Checks of arguments that need no data."""

import numpy as np
import pytest

from condmmd import PerGroup
from condmmd.data.checks import (
    check_choice,
    check_count,
    check_embedding,
    check_mixture,
    check_resamples,
    check_significance,
    is_number,
)


def test_numbers_are_not_booleans_or_text():
    assert [is_number(v) for v in (1, 1.5, np.float64(2), np.int64(3), True, "1", None, 1j)] == [True] * 4 + [False] * 4


def test_counts():
    assert check_count(3.0, "k") == 3
    assert check_count(np.int64(7), "k") == 7
    for bad in (0, -1, 2.5, "3", True, np.inf, np.nan):
        with pytest.raises(ValueError, match="`k` must be a positive integer"):
            check_count(bad, "k")


def test_choices_mixtures_and_significances():
    check_choice("a", "letter", ("a", "b"))
    with pytest.raises(ValueError, match=r"`letter` must be one of \['a', 'b'\]; got 'c'"):
        check_choice("c", "letter", ("a", "b"))
    for good in (None, 0, 0.5, 1):
        check_mixture(good)
    for bad in (-0.1, 1.1, "half", True):
        with pytest.raises(ValueError, match="`mixture` must be between 0 and 1"):
            check_mixture(bad)
    assert check_significance(0.05) == 0.05
    for bad in (0, 1, -1, "5%", np.nan):
        with pytest.raises(ValueError, match="`significance` must be between 0 and 1"):
            check_significance(bad)


def test_accuracy():
    check_embedding(0.0, None, "dual")
    check_embedding(None, 5, "primal")
    for tol, rank, solver, words in (
        (-1, None, "auto", "`tol`"),
        (1.0, None, "auto", "`tol`"),
        (0.1, 0, "auto", "`max_rank`"),
        (0.1, 5, "dual", "does not apply to solver='dual'"),
        (0.1, 5, "magic", "`solver` must be one of"),
    ):
        with pytest.raises(ValueError, match=words):
            check_embedding(tol, rank, solver)


@pytest.mark.parametrize(("significance", "needed"), [(0.05, 19), (0.01, 99), (0.03, 33), (0.001, 999)])
def test_as_many_label_vectors_as_a_decision_needs(significance, needed):
    """The smallest number is the first at which a p-value can be as small as the significance."""
    check_resamples(needed, significance)
    with pytest.raises(ValueError, match=rf"Use at least {needed}"):
        check_resamples(needed - 1, significance)


def test_something_for_each_group():
    assert PerGroup(1, "b").pair == (1, "b")
