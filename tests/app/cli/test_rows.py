"""``condmmd paired``, ``condmmd model`` and ``condmmd calibration``: as in Python, and refused in words of options."""

import json

import numpy as np
import pandas as pd
import pytest

from condmmd import Quantiles, calibration_test, model_test, paired_test
from tests.app.cli.test_answers import schema_of
from tests.app.command_line import run
from tests.app.schema_check import faults

RNG = np.random.default_rng(0)
N = 120
X = RNG.normal(size=N)
P = RNG.uniform(size=N)
TABLE = pd.DataFrame({
    "age": X,
    "sex": np.tile(["f", "m"], N // 2),
    "before": X + RNG.normal(size=N),
    "after": X + 1 + RNG.normal(size=N),
    "p": P,
    "bought": np.where(RNG.uniform(size=N) < P, "yes", "no"),
    "sd": np.ones(N),
    "low": X - 1.28,
    "high": X + 1.28,
    "patient": np.arange(N) // 2,
})  # fmt: skip
FAST = ("--resamples", "99")
PAIRED = ("--first", "before", "--second", "after", "--covariates", "age")


@pytest.fixture
def rows(tmp_path):
    path = tmp_path / "rows.csv"
    TABLE.to_csv(path, index=False)
    return path


def told(capsys, *arguments):
    assert run(*arguments, "--json", "--quiet", "--full") == 0
    return json.loads(capsys.readouterr().out)


def test_paired_as_in_python(rows, capsys):
    found = told(capsys, "paired", rows, *PAIRED, *FAST, "--blocks", "patient")
    here = paired_test("age", "before", "after", data=TABLE, blocks="patient", n_resamples=99, rng=0)
    assert found["pvalue"] == here.pvalue
    assert found["labels"] == ["before", "after"]
    np.testing.assert_allclose(found["null_distribution"], here.null_distribution)
    assert list(faults(found, schema_of("paired"))) == []


def test_all_other_columns_are_covariates(rows, capsys):
    assert run("paired", rows, "--first", "before", "--second", "after", "--exclude", "p", "bought", "sd", "low",
               "high", "patient", *FAST) == 0  # fmt: skip
    out = capsys.readouterr().out
    assert "given age, sex" in out
    assert "Where do before and after differ?" in out
    assert "repeat with condmmd paired" in out


def test_calibration_as_in_python(rows, capsys, tmp_path):
    report = tmp_path / "report.html"
    found = told(capsys, "calibration", rows, "--outcome", "bought", "--predictions", "p", *FAST, "--report", report)
    here = calibration_test(TABLE[["p"]], TABLE[["bought"]], n_resamples=99, rng=0)
    assert found["pvalue"] == here.pvalue
    assert len(found["reliability"]["observed"]) > 3
    assert list(faults(found, schema_of("calibration"))) == []
    assert '<svg role="img"' in report.read_text()
    within = told(capsys, "calibration", rows, "--outcome", "bought", "--predictions", "p", "--given", "sex", *FAST)
    assert within["spaces"] == ["sex", "bought"]


@pytest.mark.parametrize(
    ("said", "model"),
    [
        (("--mean", "age", "--sd", "sd"), (X, 1.0)),
        (("--quantiles", "low", "high", "--quantile-levels", "0.1", "0.9"),
         Quantiles(np.stack([X - 1.28, X + 1.28], axis=1), [0.1, 0.9])),
        (("--draws", "low", "high", "after"), TABLE[["low", "high", "after"]].to_numpy()),
    ],
)  # fmt: skip
def test_model_as_in_python(rows, capsys, said, model):
    found = told(capsys, "model", rows, "--outcome", "before", *said, "--covariates", "age", *FAST)
    assert found["pvalue"] == model_test(TABLE[["age"]], TABLE["before"], model, n_resamples=99, rng=0).pvalue
    assert list(faults(found, schema_of("model"))) == []


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("paired", "--first", "before", "--second", "after", "sex"), "--first has 1 column(s) and --second 2"),
        (
            ("paired", "--first", "before", "--second", "before", "--covariates", "age"),
            "before is named more than once",
        ),
        (("paired", "--first", "before", "--second", "nothing"), "nothing"),
        (
            ("paired", "--first", "before", "--second", "sex", "--covariates", "age"),
            "a category in --second",
        ),
        ((*("paired", *PAIRED), "--resamples", "9"), "--resamples of 9 gives no p-value"),
        (("model", "--outcome", "before", "--covariates", "age"), "name the columns of the predictions in one"),
        (("model", "--outcome", "before", "--mean", "age"), "--mean and --sd go together"),
        (("model", "--outcome", "before", "--quantiles", "low"), "--quantiles and --quantile-levels go together"),
        (("model", "--outcome", "before", "--mean", "sex", "--sd", "sd"), "--mean must be numbers, and 'sex'"),
        (("calibration", "--outcome", "bought", "--predictions", "age"), "between 0 and 1"),
        (("calibration", "--outcome", "bought", "--draws", "low", "--classes", "a"), "--classes are those of"),
    ],
)
def test_refused(rows, capsys, arguments, message):
    command, *options = arguments
    assert run(command, rows, *options) == 2
    assert message in capsys.readouterr().err


def test_exit_status(rows, capsys):
    assert run("paired", rows, *PAIRED, *FAST, "--fail-under", "0.05", "--quiet") == 1
    capsys.readouterr()
