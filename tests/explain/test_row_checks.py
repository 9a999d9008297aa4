"""Each check of the rows, on tables where the answer is plain."""

import numpy as np
import pandas as pd
import pytest

from condmmd.data import read_samples
from condmmd.explain.row_checks import duplicate_rows, enough_rows, fixed_outcome, overlap_of_groups
from condmmd.labels import LabelPlan
from condmmd.labels.blocks import read_blocks
from condmmd.nuisance import Propensity

RNG = np.random.default_rng(0)
N = 200
T = np.repeat([1, 0], N // 2)
X = RNG.normal(size=(N, 3))
Y = RNG.normal(size=N)


def plan(X=X, Y=Y, t=T, e=None, blocks=None):
    samples = read_samples(X, Y, t)
    e = np.full(len(t), 0.5) if e is None else e
    read = None if blocks is None else read_blocks(blocks, np.asarray(t, dtype=float))
    return LabelPlan(samples, Propensity(e, "estimated", "given", samples.groups.n), "fixed-size", blocks=read)


def test_overlap_has_the_threshold_of_the_warning():
    assert overlap_of_groups(plan()).severity == "fine"
    frame = pd.DataFrame({"age": np.where(np.arange(N) < 30, 90.0, 40.0) + X[:, 0], "height": X[:, 1]})
    e = np.where(np.arange(N) < 30, 0.99, 0.42)  # sums to about half the rows
    found = overlap_of_groups(plan(frame, e=e))
    assert found.severity == "warning"
    assert "30 of 100 rows of 1" in found.message
    assert "age" in found.message.split("height")[0]
    assert "trim=0.05" in found.remedy
    assert found.numbers["left_out"] == {"P": 30, "Q": 0}


def test_rows_for_each_column():
    wide = RNG.normal(size=(N, 50))
    assert enough_rows(plan(wide)).severity == "warning"  # 4 for each
    assert enough_rows(plan(wide[:, :25])).severity == "note"  # 8
    assert enough_rows(plan(wide[:, :10])).severity == "fine"  # 20
    blocks = np.arange(N) // 4
    assert enough_rows(plan(wide[:, :10], blocks=blocks)).numbers["rows_for_column"] == pytest.approx(5.0)
    frame = pd.DataFrame({"kind": [f"k{j % 41}" for j in range(N)]})
    assert enough_rows(plan(frame)).numbers["columns"] == 40


def test_copies_of_rows_are_counted_within_and_across_groups():
    assert duplicate_rows(plan()).severity == "fine"
    twice = np.arange(N)
    twice[:10] = np.arange(20, 30)  # within P
    twice[100:104] = np.arange(40, 44)  # of P, in Q
    found = duplicate_rows(plan(X[twice], Y[twice]))
    assert found.severity == "warning"
    assert found.numbers == {"rows_with_twin": 28, "share": 0.14, "twin_in_other_group": 8}
    assert "28 of 200 rows" in found.message
    near = X[twice] + 1e-9 * RNG.normal(size=X.shape)
    assert duplicate_rows(plan(near, Y[twice])).numbers["rows_with_twin"] >= 24
    few = np.arange(N)
    few[0] = 1
    assert duplicate_rows(plan(X[few], Y[few])).severity == "note"


def test_copies_within_a_block_and_tables_of_few_values_are_natural():
    twice = np.arange(N) // 2 * 2
    assert duplicate_rows(plan(X[twice], Y[twice])).severity == "warning"
    assert duplicate_rows(plan(X[twice], Y[twice], blocks=np.arange(N) // 2)).severity == "fine"
    survey = RNG.integers(0, 4, size=(N, 2)).astype(float)
    assert duplicate_rows(plan(survey, RNG.integers(0, 3, N).astype(float))).severity == "fine"


def test_an_outcome_that_x_fixes():
    samples = read_samples(X, Y, T)
    assert fixed_outcome(samples, 0.5).severity == "fine"
    assert fixed_outcome(samples, None).severity == "fine"
    assert fixed_outcome(samples, 0.985).severity == "note"
    assert fixed_outcome(samples, 0.9999).severity == "warning"
    repeated = X[np.arange(N) // 2]
    found = fixed_outcome(read_samples(repeated, np.sin(9 * repeated[:, 0]), T), 0.3)
    assert found.severity == "warning"
    assert found.numbers["rows_with_repeated_x"] == N
    assert fixed_outcome(read_samples(repeated, Y, T), 0.3).severity == "fine"
    assert fixed_outcome(read_samples(repeated, (repeated[:, 0] > 0).astype(float), T), 0.3).severity == "fine"
