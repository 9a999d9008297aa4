"""Where one sample is almost alone, that is told; where no label is random, nothing can be said."""

import warnings

import numpy as np
import pandas as pd
import pytest

from condmmd import OverlapWarning
from condmmd.data import read_table
from condmmd.nuisance import Propensity
from condmmd.nuisance.overlap import left_out, separating, warn_overlap

T = np.repeat([1.0, 0.0], 100)
TABLE = read_table(pd.DataFrame({"age": np.arange(200.0), "kind": ["a", "b"] * 100}), "X")


def propensity(e):
    return Propensity(e, "known", "given", 100)


def test_overlap_everywhere_is_no_matter():
    warn_overlap(propensity(np.full(200, 0.5)), TABLE, T)  # warnings are errors here
    few = np.where(np.arange(200) < 19, 0.96, 0.45)  # less than a fifth of the rows of P is no matter either
    warn_overlap(propensity(few), TABLE, T)


def test_the_region_is_told_in_the_users_names():
    alone = np.where(np.arange(200) < 40, 1 - 1e-6, 0.375)
    words = r"almost only P in 40 of 200 rows, with age from 0 to 39, kind in \['a', 'b'\].*trim=0.05.* 40 of 100 of P"
    with pytest.warns(OverlapWarning, match=words):
        warn_overlap(propensity(alone), TABLE, T)
    with pytest.warns(OverlapWarning, match=r"almost only Q in 40 of 200 rows, with age from 160"):
        warn_overlap(propensity(1 - alone[::-1]), TABLE, T)


@pytest.mark.parametrize("edge", [0.93, 0.97])
def test_the_warning_has_the_rule_of_its_remedy(edge):
    """It warns if and only if trim=0.05 would leave out more than a fifth of a sample."""
    found = propensity(np.where(np.arange(200) < 30, edge, (100 - 30 * edge) / 170))
    beyond = (found.balanced < 0.05) | (found.balanced > 0.95)
    assert left_out(found.balanced, T).tolist() == [beyond[:100].sum(), beyond[100:].sum()]
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        warn_overlap(found, TABLE, T)
    assert bool(told) == (beyond[:100].mean() > 0.2)
    assert bool(told) == (edge > 0.95)


def test_the_covariates_that_separate_are_named_with_the_rows_that_they_sort():
    rng = np.random.default_rng(0)
    table = read_table(
        pd.DataFrame({"same": rng.normal(size=200), "kind": np.where(T == 1, "a", "b"), "age": rng.normal(T, 0.5)}), "X"
    )
    found = separating(table, T)
    assert [table.names[j] for j, _ in found] == ["kind", "age", "same"]
    assert found[0][1] == 1.0
    age = table.sample[:, 2]
    cuts = [0.5 * np.mean(age[T == 1] > cut) + 0.5 * np.mean(age[T == 0] <= cut) for cut in age]
    assert found[1][1] == pytest.approx(max(cuts))


def test_no_overlap_is_an_error():
    with pytest.raises(ValueError, match=r"`propensity`: no overlap.*100 rows of P, 100 of Q"):
        warn_overlap(propensity(np.where(T == 1, 1 - 1e-9, 1e-9)), TABLE, T)
