"""Every level of residual features against its formula in Gram matrices, at any signs."""

import numpy as np
import pytest

from condmmd import Gaussian
from condmmd.data.pairs import read_pairs
from condmmd.embedding.rowwise import PairedRows
from condmmd.labels import SignBatch
from condmmd.labels import signs as signs_module
from condmmd.statistics.rowwise import Rowwise
from tests import oracle

RNG = np.random.default_rng(0)
N = 30
X, A, B = (RNG.normal(size=(N, d)) for d in (2, 1, 1))
LEVELS = (0, 0.5, 1, 2, "joint biased", "joint")
LAM = 0.05


def literal(signs):
    K, k = oracle.gaussian(1.0)(X, X), oracle.gaussian(4.0)
    H = (k(A, A) - k(A, B) - k(B, A) + k(B, B)) * np.outer(signs, signs)
    W = np.linalg.inv(K + LAM * N * np.eye(N))
    values, U = np.linalg.eigh(K)
    power = {s: (U * np.maximum(values, 0) ** (s + 1)) @ U.T for s in (0, 0.5, 1, 2)}
    levels = [np.trace(W @ power[s] @ W @ H) / N**s for s in (0, 0.5, 1, 2)]
    joint = K * H
    return [*levels, joint.mean(), (joint.sum() - np.trace(joint)) / (N * (N - 1))]


def fitted(**options):
    pairs = read_pairs(X, A, B)
    residuals = PairedRows(pairs).features(Gaussian(0.5), 0.0, None)
    options = {"level": LEVELS, "weights": "kernel", "reg": LAM, "tol": 0.0} | options
    return Rowwise(Gaussian(1.0), **options).fit(pairs.x, residuals)


@pytest.mark.parametrize("way", ["moments", "pairs"])
def test_every_level_at_any_signs(way):
    fit = fitted()
    if way == "moments":
        fit.sides[0].__dict__["_pairs"] = None
    assert (fit.sides[0]._pairs is None) == (way == "moments")
    signs = RNG.choice([-1.0, 1.0], size=(3, N))
    np.testing.assert_allclose(fit(SignBatch(fit.multipliers, signs)), [literal(w) for w in signs], rtol=1e-8)


def test_other_residuals_in_place_of_signs():
    signs = RNG.choice([-1.0, 1.0], size=(3, N))
    for fit in (fitted(), fitted(weights="neighbours"), fitted(weights="adaptive", level="adaptive")):
        rho = signs[:, :, None] * fit.observed
        np.testing.assert_allclose(fit.at(rho), fit(SignBatch(fit.multipliers, signs)), rtol=1e-9, atol=1e-12)


def test_blocks_share_a_sign():
    pairs = read_pairs(X, A, B)
    residuals = PairedRows(pairs).features(Gaussian(0.5), 0.0, None)
    of_row = RNG.integers(0, 9, N)
    statistic = Rowwise(Gaussian(1.0))
    blocks, rows = statistic.fit(pairs.x, residuals, of_row), statistic.fit(pairs.x, residuals)
    signs = RNG.choice([-1.0, 1.0], size=(4, 9))
    of_blocks, of_rows = SignBatch(blocks.multipliers, signs), SignBatch(rows.multipliers, signs[:, of_row])
    np.testing.assert_allclose(blocks(of_blocks), rows(of_rows), rtol=1e-9)


def test_what_is_said_of_each_column():
    names = [column.name for column in fitted(level="adaptive", weights="adaptive").columns]
    views = [f"the {view}, {side}" for view in ("mean", "spread") for side in ("over all rows", "along the covariates")]
    assert names == ["level 0", "level 1", "level 2, joint form", *views, "10 nearest neighbours"]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"level": -1}, "`level` must be at least 0"),
        ({"level": "best"}, "`level` must be at least 0, 'joint', or 'adaptive'"),
        ({"level": ()}, "`level` must not be empty"),
        ({"weights": "both"}, "`weights` must be one of"),
        ({"neighbours": 0}, "`neighbours` must be a positive integer"),
        ({"reg": -1.0}, "`reg` must be positive"),
        ({"kernel_x": "precomputed"}, "not a Gram matrix"),
    ],
)
def test_settings_are_checked_before_any_work(options, message):
    with pytest.raises(ValueError, match=message):
        Rowwise(**options)


def test_more_neighbours_than_rows_are_refused():
    with pytest.raises(ValueError, match="`neighbours` must be fewer than the 30 rows"):
        fitted(weights="neighbours", neighbours=30)
    with pytest.raises(TypeError, match="`reg` must be a positive number or None"):
        Rowwise(reg="loo")


@pytest.mark.parametrize("weights", ["kernel", "neighbours"])
def test_very_many_rows_have_signs_by_classes(weights, monkeypatch):
    alone = fitted(weights=weights)
    monkeypatch.setattr(signs_module, "MAX_UNITS", 20)
    monkeypatch.setattr(signs_module, "CLASSES", 7)
    many = fitted(weights=weights)
    signs = RNG.choice([-1.0, 1.0], size=(4, 7))
    of_rows = SignBatch(alone.multipliers, signs[:, np.arange(N) % 7])
    found = many(SignBatch(many.multipliers, signs))
    monkeypatch.undo()
    np.testing.assert_allclose(found, alone(of_rows), rtol=1e-9)
