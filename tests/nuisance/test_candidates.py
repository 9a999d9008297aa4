"""Kernels of several kinds on scores, columns and categories."""

import numpy as np
import pandas as pd
import pytest

from condmmd.data import read_table
from condmmd.nuisance import candidates
from condmmd.nuisance.candidates import candidate_kernels
from condmmd.nuisance.scores import Scores

RNG = np.random.default_rng(0)
FRAMES = {
    "one number": pd.DataFrame({"x": RNG.normal(size=40)}),
    "numbers": pd.DataFrame(RNG.normal(size=(40, 3)), columns=list("abc")),
    "a category": pd.DataFrame({"k": RNG.choice(list("uv"), 40)}),
    "categories": pd.DataFrame({"k": RNG.choice(list("uv"), 40), "l": RNG.choice(list("xyz"), 40)}),
    "both": pd.DataFrame({"x": RNG.normal(size=40), "k": RNG.choice(list("uv"), 40)}),
}


@pytest.mark.parametrize("kind", FRAMES)
def test_every_candidate_is_a_kernel_on_the_points(kind):
    table = read_table(FRAMES[kind], "X")
    points, kernels, names = candidate_kernels(table, Scores.of(table))
    numeric, categorical = len(table.numeric), len(table.categorical)
    assert points.shape == (40, 2 * numeric + categorical)
    assert len(kernels) == len(names) == len(set(names)) > 0
    for kernel in kernels:
        K = kernel.gram(points, points)
        np.testing.assert_allclose(np.diag(K), kernel.diagonal(points))
        assert np.linalg.eigvalsh(K)[0] > -1e-9 * np.trace(K)


def test_structure_that_only_some_tables_have():
    names = {}
    for kind, frame in FRAMES.items():
        table = read_table(frame, "X")
        names[kind] = candidate_kernels(table, Scores.of(table))[2]
    assert not any("linear" in name or "additive" in name for name in names["one number"])
    assert {"linear", "quadratic", "additive", "additive and quadratic"} <= set(names["numbers"])
    assert names["a category"] == ["cells of the categories"]
    assert set(names["categories"]) == {"linear", "additive", "cells of the categories"}


def test_too_many_columns_have_no_additive_kernel(monkeypatch):
    monkeypatch.setattr(candidates, "MAX_ADDITIVE", 2)
    table = read_table(FRAMES["numbers"], "X")
    assert "additive" not in candidate_kernels(table, Scores.of(table))[2]
