"""What the propensity is regressed on: standardised scores, squares, prognostic directions and features."""

import numpy as np
import pandas as pd

from condmmd.data import read_samples, read_table
from condmmd.nuisance import regress_pooled
from condmmd.nuisance.regressors import LESS_PENALISED, MAX_FEATURES, propensity_regressors

RNG = np.random.default_rng(0)
N = 300


def test_main_effects_and_squares_are_standardised():
    frame = pd.DataFrame({"x": RNG.exponential(size=N), "z": RNG.normal(size=N), "kind": RNG.choice(list("abc"), N)})
    y = (np.sin(frame["x"]) + 0.2 * RNG.normal(size=N)).to_numpy()[:, None]
    pooled = regress_pooled(y, read_samples(frame, y, np.arange(N) % 2))
    found = propensity_regressors(read_table(frame, "X"), pooled)
    main, rest = found[:, :2], found[:, 2:]
    np.testing.assert_allclose(main.mean(axis=0), 0, atol=1e-9)
    np.testing.assert_allclose(main.std(axis=0), LESS_PENALISED, rtol=1e-9)
    prognostic = pooled.prognostic()
    width = prognostic.shape[1]
    np.testing.assert_allclose(rest[:, :width], LESS_PENALISED * prognostic)
    squares = rest[:, width : width + 2]
    np.testing.assert_allclose(squares.mean(axis=0), 0, atol=1e-9)
    np.testing.assert_allclose(squares.std(axis=0), 1, rtol=1e-6)
    indicators = rest[:, width + 2 : width + 5]
    np.testing.assert_array_equal(indicators, frame["kind"].to_numpy()[:, None] == np.array(["a", "b", "c"]))
    features = min(MAX_FEATURES, pooled.features.shape[1])
    np.testing.assert_allclose(rest[:, width + 5 :], pooled.features[:, :features])


def test_a_constant_column_is_no_trouble():
    X = np.column_stack([RNG.normal(size=N), np.ones(N)])
    y = RNG.normal(size=(N, 1))
    table = read_table(X, "X")
    samples = read_samples(X[:, :1], y, np.arange(N) % 2)
    pooled = regress_pooled(y, type(samples)(table, samples.y, samples.groups))
    assert np.isfinite(propensity_regressors(table, pooled)).all()
