"""Residual features of each kind of model, and outcomes drawn anew from it."""

import numpy as np
import pytest

from condmmd import Delta, Gaussian, Mixture, Quantiles
from condmmd.data import read_table
from condmmd.embedding.forecasts import rows_of_model
from condmmd.embedding.models import cumulative_basis, sum_zero_basis

RNG = np.random.default_rng(0)
N = 40
X = read_table(RNG.normal(size=N), "X")
Y = RNG.normal(size=N)
P = RNG.dirichlet(np.ones(3), size=N)
CODES = np.array([RNG.choice(3, p=p) for p in P])


def rows(model, y=Y, **options):
    return rows_of_model(model, None, X, read_table(y, "Y"), **options)


def test_bases():
    B = sum_zero_basis(4)
    np.testing.assert_allclose(B.T @ B, np.eye(3), atol=1e-12)
    np.testing.assert_allclose(B.sum(axis=0), 0, atol=1e-12)
    levels = np.array([0.1, 0.5])
    p = np.diff([0, *levels, 1])
    C = cumulative_basis(levels)
    np.testing.assert_allclose(np.diag(C.T @ (np.diag(p) - np.outer(p, p)) @ C), 1)  # of variance one


def test_products_of_classes():
    rho = rows(P, CODES).features(None, 1e-6, None).rho
    literal = np.eye(3)[CODES] - P
    np.testing.assert_allclose(rho @ rho.T, literal @ literal.T, atol=1e-12)
    with pytest.raises(ValueError, match="`kernel_y` of classes must be Delta"):
        rows(P, CODES).features(Gaussian(1.0), 1e-6, None)
    assert rows(P, CODES).features(Delta(), 1e-6, None).rank == 2


@pytest.mark.parametrize("kind", ["classes", "normal", "mixture", "quantiles", "draws"])
def test_outcomes_drawn_anew_are_like_those_of_the_model(kind):
    """On average their residuals are zero: 4,000 draws, and 5 standard errors."""
    levels = [0.2, 0.5, 0.9]
    quantiles = np.sort(RNG.normal(size=(N, 3)), axis=1)
    model, y = {
        "classes": (P, CODES),
        "normal": ((np.zeros(N), np.full(N, 0.7)), Y),
        "mixture": (Mixture(np.tile([0.3, 0.7], (N, 1)), np.tile([-1.0, 1.0], (N, 1)), np.full((N, 2), 0.5)), Y),
        "quantiles": (Quantiles(quantiles, levels), Y),
        "draws": (RNG.normal(size=(N, 9)), Y),
    }[kind]
    own = rows(model, y)
    residuals = own.features(None, 1e-6, 64, blind=True)
    redraw = own.redraw(residuals)
    drawn = redraw(np.random.default_rng(1), 4000)
    views = residuals.views(lambda values: values)
    observed = np.concatenate([np.asarray(residuals.rho), *(np.asarray(view.values) for view in views)], axis=1)
    assert drawn.shape == (4000, *observed.shape)
    error = drawn.std(axis=0) / 4000**0.5
    assert (np.abs(drawn.mean(axis=0)) <= 5 * error + 1e-4).all()
    if kind == "draws":  # each is one of ten, and the observed outcome is one of them
        assert (np.abs(drawn[:, 0] - observed[0]).max(axis=1) < 1e-9).mean() == pytest.approx(0.1, abs=0.03)


def test_blind_features_are_not_moved_by_the_outcomes():
    other = Y[::-1] * 3
    for model in ((np.zeros(N), np.full(N, 0.7)),):
        kernels = [rows(model, y).features(None, 1e-6, 64, blind=True).kernel for y in (Y, other)]
        assert kernels[0] == kernels[1]
    draws = RNG.normal(size=(N, 5))
    swapped = draws.copy()
    swapped[:, 2] = Y
    kernels = [rows(d, y).features(None, 1e-6, 64, blind=True).kernel for d, y in ((draws, Y), (swapped, draws[:, 2]))]
    assert kernels[0] == kernels[1]


def test_what_is_said_in_the_outcomes_own_units():
    found = rows((np.zeros(N), np.full(N, 2.0))).differences()
    np.testing.assert_allclose(found.values[:, 0], Y)
    np.testing.assert_allclose(found.first[:, 1], Y**2 / 4)
    np.testing.assert_array_equal(found.first[:, 2], np.abs(Y) / 2 < 1.6448536)
    assert found.lead == 0
    hits = rows(P, CODES).differences()
    np.testing.assert_array_equal(hits.first[:, 3], P.argmax(axis=1) == CODES)
    np.testing.assert_array_equal(hits.second[:, 3], P.max(axis=1))


@pytest.mark.parametrize(("stretch", "sign"), [(2.0, -1.0), (0.5, 1.0)])
def test_the_confidence_is_negative_where_predictions_are_too_sure(stretch, sign):
    """The mean over 2000 rows of a residual times its prediction, which is many deviations from zero."""
    rng = np.random.default_rng(7)
    z = 1.5 * rng.normal(size=2000)
    y = (rng.random(2000) < 1 / (1 + np.exp(-z))).astype(int)
    p = 1 / (1 + np.exp(-stretch * z))
    model = rows(np.column_stack([1 - p, p]), y)
    residuals = model.features(None, 1e-6, None, blind=True)
    view = residuals.views(None)[1]
    assert view.words == "the confidence"
    values = np.asarray(view.values)
    assert sign * values.mean() / values.std() * 2000**0.5 > 3
    drawn = model.redraw(residuals)(np.random.default_rng(1), 200)[:, :, -1].mean(axis=1)
    assert abs(drawn.mean()) < 4 * drawn.std() / 200**0.5  # of outcomes from the predictions it is zero on average
