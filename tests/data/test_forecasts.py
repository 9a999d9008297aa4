"""What is wrong with a model's numbers is refused with its row; classes are found in the order of the columns."""

import dask.array as da
import numpy as np
import pandas as pd
import pytest

from condmmd.data import read_table
from condmmd.data.forecasts import class_codes, class_probabilities, first_bad, read_law


def test_the_first_bad_row_whatever_the_chunks():
    values = np.zeros((50, 1))
    values[[17, 40]] = 1
    for rows in (values, da.from_array(values, chunks=(9, 1))):
        assert first_bad(lambda part: part[:, 0] > 0, rows) == 17
    assert first_bad(lambda part: part[:, 0] > 1, values) is None


@pytest.mark.parametrize(
    ("P", "message"),
    [
        ([[0.5, 0.5], [0.7, 0.2]], "row 1 sums to 0.9 "),
        ([[0.5, 0.5], [1.2, -0.2]], "between 0 and 1; row 1 is 1.2, -0.2"),
        ([[0.5, 0.5], [np.nan, 0.2]], "NaN or infinite value in row 1"),
        ([0.5, 1.5], "between 0 and 1; row 1 is 1.5"),
    ],
)
def test_probabilities_that_are_none(P, message):
    with pytest.raises(ValueError, match=message):
        class_probabilities(np.array(P), "predictions")


def test_rounding_of_single_precision_is_no_error():
    P = np.random.default_rng(0).dirichlet(np.ones(5), size=100).astype(np.float32)
    assert len(class_probabilities(P, "predictions").columns) == 5


def test_rows_must_be_as_many():
    with pytest.raises(ValueError, match="`model` has 3 rows and `Y` has 2"):
        read_law(np.zeros(3), "model", read_table(np.zeros(2), "Y"))
    with pytest.raises(TypeError, match="`model` must hold numbers"):
        read_law(np.array([True, False]), "model")


@pytest.mark.parametrize(
    ("y", "columns", "classes", "names", "codes"),
    [
        ([0, 2, 1], 3, None, ("0", "1", "2"), [0, 2, 1]),
        ([2, 0, 0], 3, None, ("0", "1", "2"), [2, 0, 0]),
        ([5, 9, 5], 2, None, ("5", "9"), [0, 1, 0]),
        ([True, False, True], 1, None, ("False", "True"), [1, 0, 1]),
        (pd.DataFrame({"y": ["b", "a", "b"]}), 2, None, ("a", "b"), [1, 0, 1]),
        (pd.DataFrame({"y": ["b", "b", "b"]}), 2, ["b", "a"], ("b", "a"), [0, 0, 0]),
        (np.array([10.0, 2.0, 10.0]), 2, None, ("2", "10"), [1, 0, 1]),
    ],
)
def test_classes_by_their_columns(y, columns, classes, names, codes):
    P = read_table(np.full((3, columns), 1.0 / columns), "predictions")
    table, found = class_codes(read_table(y, "y"), P, classes)
    assert found == names
    np.testing.assert_array_equal(table.values[:, 0], codes)  # noqa: PD011


def test_columns_of_a_frame_are_classes_by_their_names():
    P = read_table(pd.DataFrame({"no": [0.2, 0.3], "yes": [0.8, 0.7]}), "predictions")
    table, names = class_codes(read_table(pd.DataFrame({"y": ["yes", "yes"]}), "y"), P, None)
    assert names == ("no", "yes")
    np.testing.assert_array_equal(table.values[:, 0], [1, 1])  # noqa: PD011


@pytest.mark.parametrize(
    ("y", "classes", "message"),
    [
        ([0, 1, 7], ["0", "1"], "has the class '7', which has no probability"),
        ([0, 1, 7], None, "3 different classes and there are probabilities of 2"),
        ([0, 1, 1], ["a"], "`classes` must name 2 different classes"),
    ],
)
def test_classes_without_a_column(y, classes, message):
    P = read_table(np.full((3, 2), 0.5), "predictions")
    with pytest.raises(ValueError, match=message):
        class_codes(read_table(np.array(y), "y"), P, classes)
