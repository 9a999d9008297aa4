"""What each column is said to be, on columns made for it."""

import numpy as np
import pyarrow as pa
import pytest

from condmmd.app.columns import look_at_columns, names_rows

N = 60
RNG = np.random.default_rng(0)
COLUMNS = {
    "age": RNG.integers(20, 40, N).tolist(),
    "income": (RNG.permutation(N) * 997 + RNG.integers(0, 900, N)).tolist(),
    "seqn": np.sort(RNG.choice(9999, N, replace=False)).tolist(),
    "shuffled": RNG.permutation(N).tolist(),
    "patient_id": [f"p{k // 2}" for k in range(N)],
    "visit_id": [f"v{k}" for k in range(N)],
    "group_id": [k % 2 for k in range(N)],
    "school": RNG.integers(1, 5, N).tolist(),
    "country": ["US"] * N,
    "void": [None] * N,
    "rare": [1.5 * k if k % 3 == 0 else None for k in range(N)],
    "some": [0.5 * k if k % 3 else None for k in range(N)],
    "huge": [float("inf"), *range(N - 1)],
    "words": [f"text {k * k}" for k in range(N)],
    "sex": ["m", "f", "f"] * (N // 3),
}


@pytest.fixture(scope="module")
def looks():
    table = pa.table({name: pa.array(values) for name, values in COLUMNS.items()})
    return {one.name: one for one in look_at_columns(table, table.column_names)}


@pytest.mark.parametrize(
    ("name", "trouble"),
    [
        ("age", ""), ("income", ""), ("seqn", "identifier"), ("shuffled", "identifier"), ("patient_id", "identifier"),
        ("visit_id", "identifier or text"), ("group_id", ""), ("school", ""), ("country", "constant"),
        ("void", "empty"), ("rare", "mostly missing"), ("some", ""), ("huge", "not read"),
        ("words", "identifier or text"), ("sex", ""),
    ],
)  # fmt: skip
def test_troubles(looks, name, trouble):
    assert looks[name].trouble == trouble


def test_counts_are_those_of_the_values(looks):
    for name in ("age", "seqn", "school", "sex", "rare", "some", "patient_id"):
        known = [value for value in COLUMNS[name] if value is not None]
        assert (looks[name].missing, looks[name].distinct) == (N - len(known), len(set(known)))
        assert looks[name].valid.tolist() == [value is not None for value in COLUMNS[name]]
    assert looks["sex"].values == ("f", "m")  # the most frequent first
    assert looks["age"].values == ()


def test_remarks(looks):
    assert looks["school"].remarks == ("few whole numbers: --categorical if they are names",)
    assert "all different whole numbers" in looks["income"].remarks[0]
    assert "values repeat" in looks["patient_id"].remarks[0]
    assert "infinite" in looks["huge"].remarks[0]
    assert looks["seqn"].remarks == ()


def test_types_that_are_told():
    table = pa.table({"school": pa.array([1, 2, 3] * 20)})
    (one,) = look_at_columns(table, ["school"], categorical=["school"])
    assert (one.kind, one.remarks) == ("category (3 values)", ())


@pytest.mark.parametrize(
    ("name", "says"),
    [("id", 1), ("ID", 1), ("patient_id", 1), ("customerId", 1), ("subject", 1), ("Unnamed: 0", 1), ("row.id", 1),
     ("width", 0), ("paid", 0), ("covid", 0), ("idle", 0), ("age", 0), ("keyboard", 0), ("personal", 0)],
)  # fmt: skip
def test_names(name, says):
    assert names_rows(name) == bool(says)
