"""What is said of two samples before a test is what the test says of them."""

import numpy as np
import pandas as pd
import pytest

from condmmd import cmmd_test
from condmmd.data import read_samples
from condmmd.explain import preflight as module
from condmmd.explain.preflight import preflight


def samples_of(shift=0.0, n=200, twins=0, seed=0):
    rng = np.random.default_rng(seed)
    group = np.repeat([1, 0], n // 2)
    X = pd.DataFrame({"a": rng.normal(size=n) + shift * group, "b": rng.normal(size=n)})
    Y = pd.DataFrame({"y": X.b + rng.normal(size=n)})
    X.iloc[:twins], Y.iloc[:twins] = X.iloc[-twins or n :].to_numpy(), Y.iloc[-twins or n :].to_numpy()
    return X, Y, group


def test_effective_rows_are_those_of_the_test():
    X, Y, group = samples_of(0.7)
    flight = preflight(read_samples(X, Y, group))
    result = cmmd_test(X, Y, group, n_resamples=19, rng=0)
    assert flight.effective_rows == pytest.approx(result.propensity_summary["effective_size"])
    assert flight.rows == 200
    assert flight.separating[0][0] == "a"
    low, high = (np.sort(X.a[group == g]) for g in (0, 1))
    apart = max(abs((low <= x).mean() - (high <= x).mean()) for x in X.a)
    assert flight.separating[0][1] == pytest.approx(0.5 + 0.5 * apart)


def test_little_overlap_and_copies_are_told():
    X, Y, group = samples_of(6.0)
    severities = {one.kind: one.severity for one in preflight(read_samples(X, Y, group)).findings}
    assert severities["overlap"] == "warning"
    X, Y, group = samples_of(twins=20)
    (twins,) = (one for one in preflight(read_samples(X, Y, group)).findings if one.kind == "duplicates")
    assert twins.numbers["rows_with_twin"] == 40
    X, Y, group = samples_of()
    assert {one.severity for one in preflight(read_samples(X, Y, group)).findings} == {"fine"}


def test_derived_outcomes_are_told():
    X, _, group = samples_of()
    (one,) = preflight(read_samples(X, pd.DataFrame({"y": X.a - X.b}), group)).derived
    assert set(one.covariates) == {"a", "b"}


def test_no_overlap_at_all_is_a_finding(monkeypatch):
    def refuse(_):
        raise ValueError("no overlap")

    monkeypatch.setattr(module, "_labels", refuse)
    flight = preflight(read_samples(*samples_of()))
    assert (flight.effective_rows, flight.findings[0].message) == (None, "no overlap")


def test_many_rows_are_looked_at_in_part(monkeypatch):
    monkeypatch.setattr(module, "MAX_ROWS", 100)
    assert preflight(read_samples(*samples_of())).rows == 100
