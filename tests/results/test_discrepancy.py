"""What the result shows, and where it says the two samples differ."""

import json
import pickle

import numpy as np
import pytest

from condmmd import CMMD, Gaussian, cmmd

RNG = np.random.default_rng(0)
N = 800
X = RNG.uniform(-2, 2, size=N)
GROUP = RNG.integers(0, 2, size=N)
Y = np.sin(X) + np.where((GROUP == 1) & (X > 0.5), 1.0, 0.0) + 0.2 * RNG.normal(size=N)


def test_level_takes_scalars_and_arrays_of_any_shape():
    d = cmmd(X, Y, GROUP)
    assert isinstance(d.level(1), float)
    assert d.level([[0, 1], [1, 2]]).shape == (2, 2)
    np.testing.assert_allclose(d.level(np.array([0.0, 1.7])), [(d.eigenvalues**s) @ d.energies for s in (0.0, 1.7)])


def test_witness_points_at_the_planted_difference():
    d = cmmd(X, Y, GROUP)
    where = np.linspace(-1.8, 1.8, 73)
    size = d.witness(where)
    assert size[where > 0.9].min() > 5 * size[where < 0.1].max()
    above = d.witness([1.2, 1.2], [np.sin(1.2) + 1, np.sin(1.2)])
    assert above[0] > 0 > above[1]  # P has its mass one higher


def test_witness_needs_as_many_outcomes_as_covariates():
    with pytest.raises(ValueError, match=r"`X_new` has 2 rows and `Y_new` has 1"):
        cmmd(X, Y, GROUP).witness([0.0, 1.0], [0.0])
    with pytest.raises(ValueError, match=r"`X_new` has NaN"):
        cmmd(X, Y, GROUP).witness([np.nan])


def test_repr_is_readable():
    text = repr(cmmd(X, Y, np.where(GROUP == 1, "new model", "old model"), statistic=CMMD(mixture=0.5)))
    assert "between    old model (" in text
    assert "CMMD^2" in text
    assert "Gaussian(lengthscale=" in text
    assert "pooled leave-one-out" in text
    assert "mixture    0.5" in text
    assert "joint estimator" in repr(cmmd(X, Y, GROUP, statistic=CMMD(estimator="joint")))


def test_to_dict_is_json_and_complete():
    d = cmmd(X, Y, GROUP, statistic=CMMD(kernel_x=Gaussian(1.0)))
    there = json.loads(json.dumps(d.to_dict()))
    assert there["levels"]["1"] == d.level(1)
    assert sum(there["n_obs"].values()) == N
    assert there["embedding_x"] == {
        "kernel": "Gaussian(lengthscale=1.0)", "rank": d.rank, "residual": d.embedding_x.residual,
        "method": "greedy Cholesky",
    }  # fmt: skip
    np.testing.assert_array_equal(there["energies"], d.energies)
    assert there["reg"]["rule"] == "loo"


def test_survives_pickling():
    d = cmmd(X, Y, GROUP)
    back = pickle.loads(pickle.dumps(d))  # noqa: S301 - our own bytes
    assert back.level(1) == d.level(1)
    np.testing.assert_array_equal(back.witness(X[:5], Y[:5]), d.witness(X[:5], Y[:5]))


def test_bad_levels():
    d = cmmd(X, Y, GROUP)
    for level in ("a", 1j, [1, [2]]):
        with pytest.raises(TypeError, match=r"`level` must be a number"):
            d.level(level)
    for level in (-1, [0, -0.1], np.nan, np.inf):
        with pytest.raises(ValueError, match=r"`level` must be finite and at least 0"):
            d.level(level)
    with pytest.raises(ValueError, match=r"at least 2 for the joint estimator.*PlugIn"):
        cmmd(X, Y, GROUP, statistic=CMMD(estimator="joint")).level(1)


def test_rows_are_not_kept_but_for_pseudo_outcomes():
    d = cmmd(X, Y, GROUP, statistic=CMMD(estimator="doubly_robust"))
    assert d.embedding_x.phi.shape == (0, d.rank)
    assert d.pseudo_outcomes.shape == (N, d.embedding_y.rank)
    back = pickle.loads(pickle.dumps(d))  # noqa: S301 - our own bytes
    with pytest.raises(TypeError, match="are not pickled"):
        _ = back.pseudo_outcomes
    assert len(pickle.dumps(d)) < 8 * N * (d.rank + d.embedding_y.rank)
    assert d.residual == max(d.embedding_x.residual, d.embedding_y.residual)


def test_a_size_needs_the_rows_as_they_were():
    x, y = X.copy(), Y.copy()
    d = cmmd(x, y, GROUP)
    with pytest.raises(ValueError, match="no rows to ask for a size"):
        pickle.loads(pickle.dumps(d)).size()  # noqa: S301 - our own
    y += 1.0
    with pytest.raises(ValueError, match="changed in place"):
        d.size()
