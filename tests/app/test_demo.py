"""The table of the worked example."""

import pandas as pd
import pytest
from sklearn.datasets import load_diabetes

from condmmd.app.demo import COVARIATES, OUTCOME, question, write_table


def test_the_table_is_that_of_scikit_learn(tmp_path):
    path = tmp_path / "diabetes.csv"
    write_table(path)
    table, source = pd.read_csv(path), load_diabetes(scaled=False, as_frame=True)
    assert list(table.columns) == [*COVARIATES, "sex", OUTCOME]
    assert len(table) == 442
    assert (table["bmi"] == source.data["bmi"]).all()
    assert (table["glu"] == source.data["s6"]).all()
    assert (table[OUTCOME] == source.target).all()
    assert "442 patients" in question()


def test_it_replaces_itself_and_nothing_else(tmp_path):
    path = tmp_path / "diabetes.csv"
    write_table(path)
    before = path.read_text()
    write_table(path)
    assert path.read_text() == before
    path.write_text("mine")
    with pytest.raises(FileExistsError, match="holds something else"):
        write_table(path)
    assert path.read_text() == "mine"
