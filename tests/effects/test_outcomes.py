"""What of each outcome is averaged."""

import numpy as np
import pandas as pd
import pytest

from condmmd.data import read_table
from condmmd.effects.outcomes import MAX_CLASSES, MAX_WITH_QUANTILES, read_outcomes

RNG = np.random.default_rng(0)
FRAME = pd.DataFrame({
    "weight": RNG.normal(size=200), "visits": RNG.poisson(1.5, 200), "low": RNG.integers(0, 2, 200),
    "kind": RNG.choice(list("abc"), 200), "year": RNG.integers(1990, 2000, 200),
})  # fmt: skip


def test_kinds_of_outcomes():
    found = {outcome.name: outcome for outcome in read_outcomes(read_table(FRAME, "Y"))}
    kinds = {name: outcome.kind for name, outcome in found.items()}
    assert kinds == {"weight": "number", "visits": "count", "low": "classes", "kind": "classes", "year": "number"}
    assert found["low"].classes == ("1",)
    assert found["kind"].classes == ("a", "b", "c")


def test_shares_are_means_of_columns():
    table = read_table(FRAME, "Y")
    kind = read_outcomes(table)[3]
    np.testing.assert_allclose(
        kind.columns(table.values).mean(axis=0), FRAME.kind.value_counts(normalize=True).sort_index()
    )


def test_thresholds_are_every_value_of_few_and_quantiles_of_many():
    weight, visits = read_outcomes(read_table(FRAME, "Y"))[:2]
    assert visits.thresholds.tolist() == sorted(set(FRAME.visits))[:-1]  # at the largest everyone is at or below it
    assert np.mean(FRAME.weight <= weight.thresholds[len(weight.thresholds) // 2]) == pytest.approx(0.5, abs=0.01)


def test_of_very_many_numbers_no_quantiles_and_of_very_many_classes_the_largest():
    many = read_outcomes(read_table(RNG.normal(size=(50, MAX_WITH_QUANTILES + 2)), "Y"))
    assert [len(outcome.thresholds) > 0 for outcome in many] == [True] * MAX_WITH_QUANTILES + [False] * 2
    codes = [f"c{k}" for k in RNG.integers(0, 40, 500)] + ["c7"] * 100
    (classes,) = read_outcomes(read_table(pd.DataFrame({"kind": codes}), "Y"))
    assert len(classes.classes) == MAX_CLASSES
    assert "c7" in classes.classes
