"""A table and a file for the tests of the command line."""

import numpy as np
import pandas as pd
import pytest


@pytest.fixture(scope="module")
def table():
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({
        "age": rng.integers(20, 60, 160),
        "town": np.array(["a", "b", "c"])[rng.integers(3, size=160)],
        "zip": rng.integers(1, 4, 160),
        "treated": np.repeat([1, 0], 80),
    })  # fmt: skip
    frame["y"] = 0.1 * frame.age + frame.treated * (frame.town == "a") * 4 + rng.normal(size=160)
    return frame


@pytest.fixture
def file(table, tmp_path):
    path = tmp_path / "table.csv"
    table.to_csv(path, index=False)
    return path
