"""Columns that name their rows are refused, in memory, in chunks and from files alike."""

import dask.dataframe as dd
import numpy as np
import pandas as pd
import pytest

from condmmd import cmmd, mmd
from condmmd.data.identifiers import identifying

RNG = np.random.default_rng(0)
N = 60
TABLE = pd.DataFrame({"x": RNG.normal(size=N), "y": RNG.normal(size=N), "group": np.arange(N) % 2})
TABLE["who"] = [f"patient {j}" for j in range(N)]
TABLE["ward"] = [f"ward {j % 20}" for j in range(N)]


@pytest.mark.parametrize(
    ("count", "rows", "refused"),
    [
        (20, 21, False), (21, 21, True), (31, 60, True), (30, 60, False), (200, 600, False), (201, 600, True),
        (201, 4020, False), (201, 4019, True),
    ],
)  # fmt: skip
def test_how_many_are_too_many(count, rows, refused):
    assert bool(identifying(count, rows)) is refused


@pytest.mark.parametrize("make", [lambda t: t, lambda t: dd.from_pandas(t, 3)])
def test_an_identifier_is_refused_by_name(make):
    for given in ((["x", "who"], "y", "group"), ("x", ["y", "who"], "group"), (None, "y", "group")):
        with pytest.raises(ValueError, match=r"column 'who' has 60 different values in 60 rows: an identifier"):
            cmmd(*given, data=make(TABLE))
    assert cmmd(["x", "ward"], "y", "group", data=make(TABLE)).n_obs == (30, 30)
    with pytest.raises(ValueError, match="`X`: column 'who'"):
        mmd("who", "group", data=make(TABLE))
