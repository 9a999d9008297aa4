"""What an array is and where it is."""

import array_api_strict as strict
import dask.array as da
import dask.dataframe as dd
import numpy as np
import pandas as pd
import pytest

from condmmd.backend import (
    as_float,
    device_memory,
    host_floats,
    is_chunked,
    kind_of,
    move_to,
    n_rows,
    namespace,
    on_processor,
    place_of,
    to_host,
    work_size,
)

VALUES = np.arange(6.0).reshape(3, 2)


@pytest.mark.parametrize(
    ("data", "kind"),
    [
        (VALUES, "NumPy or anything that it reads"),
        (VALUES.tolist(), "NumPy or anything that it reads"),
        (pd.DataFrame(VALUES), "NumPy or anything that it reads"),
        (strict.asarray(VALUES), "device"),
        (da.from_array(VALUES), "chunked array"),
        (dd.from_pandas(pd.DataFrame(VALUES), npartitions=1), "chunked frame"),
    ],
    ids=["NumPy", "list", "pandas", "device", "dask", "dask frame"],
)
def test_kinds(data, kind):
    assert kind_of(data) == kind
    assert on_processor(data) == (data is VALUES)
    assert is_chunked(data) == (kind == "chunked array")


@pytest.mark.parametrize("place", [np.asarray, strict.asarray, da.from_array], ids=["NumPy", "device", "dask"])
def test_there_and_back(place):
    rows = place(VALUES)
    np.testing.assert_array_equal(to_host(rows), VALUES)
    small = move_to(np.array([1.0, 2.0]), rows)
    np.testing.assert_array_equal(to_host(small), [1.0, 2.0])
    assert on_processor(small) == (place is not strict.asarray)  # beside chunks, what is small is in memory
    xp, where = place_of(rows)
    assert type(xp.zeros(3, **where)) is type(small)
    assert n_rows(rows) == 3
    assert device_memory(rows) == 0
    assert work_size(rows) == 2**21


def test_numbers_in_double_precision():
    for array in (np.array([1, 0], dtype=np.int8), strict.asarray(np.array([1, 0], dtype=np.int8))):
        made = as_float(array)
        assert made.dtype == namespace(made).float64
        np.testing.assert_array_equal(to_host(made), [1.0, 0.0])
    assert as_float(VALUES) is VALUES
    assert host_floats(strict.asarray([1, 2])).tolist() == [1.0, 2.0]
    assert host_floats([1, 2]).dtype == np.float64
