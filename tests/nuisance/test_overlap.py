"""Where one sample is almost alone, that is told; where no label is random, nothing can be said."""

import numpy as np
import pandas as pd
import pytest

from condmmd import OverlapWarning
from condmmd.data import read_table
from condmmd.nuisance import Propensity
from condmmd.nuisance.overlap import warn_overlap

T = np.repeat([1.0, 0.0], 100)
TABLE = read_table(pd.DataFrame({"age": np.arange(200.0), "kind": ["a", "b"] * 100}), "X")


def propensity(e):
    return Propensity(e, "known", "given", 100)


def test_overlap_everywhere_is_no_matter():
    warn_overlap(propensity(np.full(200, 0.5)), TABLE, T)  # warnings are errors here
    few = np.where(np.arange(200) < 5, 0.9999, 0.49)  # a few rows are no matter either
    warn_overlap(propensity(few), TABLE, T)


def test_the_region_is_told_in_the_users_names():
    alone = np.where(np.arange(200) < 40, 1 - 1e-6, 0.375)
    words = r"almost only P in 40 of 200 rows, with age from 0 to 39, kind in \['a', 'b'\].*trim=0.05"
    with pytest.warns(OverlapWarning, match=words):
        warn_overlap(propensity(alone), TABLE, T)
    with pytest.warns(OverlapWarning, match=r"almost only Q in 40 of 200 rows, with age from 160"):
        warn_overlap(propensity(1 - alone[::-1]), TABLE, T)


def test_no_overlap_is_an_error():
    with pytest.raises(ValueError, match=r"`propensity`: no overlap.*100 rows of P, 100 of Q"):
        warn_overlap(propensity(np.where(T == 1, 1 - 1e-9, 1e-9)), TABLE, T)
