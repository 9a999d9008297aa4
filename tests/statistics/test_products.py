"""Products of the rows: moments at any vectors, and by classes of rows that keep one sign."""

import array_api_strict as strict
import dask.array as da
import numpy as np
import pytest

from condmmd import CMMD, Family, cmmd_test
from condmmd.backend import HeldLabels, to_host
from condmmd.labels import Multipliers, signs
from condmmd.labels.fits import ByColumns, ByGroups
from condmmd.regression.logistic import LogisticFit
from condmmd.statistics import LinearFit
from condmmd.statistics.products import Products, in_classes
from tests.labels.enumeration import units

RNG = np.random.default_rng(0)
N = 40
PHI, RHO, WEIGHTS = RNG.normal(size=(N, 3)), RNG.normal(size=(N, 2)), RNG.random((2, 3))
PRODUCTS = Products(PHI, RHO, WEIGHTS)
A, E = RNG.normal(size=N), RNG.uniform(0.2, 0.8, N)
Z, W = RNG.normal(size=(N, 4)), E * (1 - E)
FIT = ByColumns.of(LogisticFit(Z, E, np.zeros(5), C=1.0), W)
BLOCKS = RNG.permutation(np.repeat(np.arange(8), 5))


def literal(weights):
    return np.einsum("bi,ij,ik->bjk", np.asarray(weights), PHI, RHO)


@pytest.fixture
def few_classes(monkeypatch):
    monkeypatch.setattr(signs, "MAX_UNITS", 20)
    monkeypatch.setattr(signs, "CLASSES", 7)


def test_moments_and_columns_at_any_vectors():
    T = RNG.normal(size=(5, N))
    np.testing.assert_allclose(PRODUCTS.moments(HeldLabels(T)), literal(T), atol=1e-12)
    expected = np.einsum("bjk,cj->bc", literal(T) ** 2, WEIGHTS)
    np.testing.assert_allclose(PRODUCTS(HeldLabels(T)), expected, rtol=1e-12)


@pytest.mark.parametrize("fit", [None, FIT], ids=["known", "fitted"])
def test_classes_of_rows_give_the_moments_of_their_weights(few_classes, fit):
    own = Multipliers(A, fit)
    assert in_classes(own)
    T = own.draw(units(6, 1), A)
    products = Products(PHI, RHO, WEIGHTS)
    np.testing.assert_allclose(products.moments(T), literal(T.held), atol=1e-11)
    assert products.of_classes(own) is products.of_classes(own)  # made once
    other = Multipliers(2 * A, fit)
    np.testing.assert_allclose(products.moments(other.draw(units(6, 1), A)), 2 * literal(T.held), atol=1e-11)


@pytest.mark.parametrize("fitted", [False, True])
def test_blocks_give_the_moments_of_their_weights(fitted):
    fit = ByGroups(np.array([0, 0, 0, 1, 1, 1, 0, 1]), np.full(8, 0.2)) if fitted else None
    T = Multipliers(A[:8], fit, BLOCKS).draw(units(6, 1), A)
    np.testing.assert_allclose(Products(PHI, RHO, WEIGHTS).moments(T), literal(T.held), atol=1e-11)


def test_in_chunks_and_on_a_device(few_classes):
    expected = Products(PHI, RHO, WEIGHTS).moments(Multipliers(A, FIT).draw(units(6, 1), A))
    for make in (lambda a: da.from_array(a, chunks=(9, *a.shape[1:])), strict.asarray):
        own = Multipliers(make(A), ByColumns(make(Z), make(W), FIT.inverse))
        found = Products(make(PHI), make(RHO), WEIGHTS).moments(own.draw(units(6, 1), A))
        np.testing.assert_allclose(to_host(found), expected, atol=1e-11)


def test_where_classes_would_be_wrong_each_row_is_by_itself(few_classes):
    """Strata take sums within themselves, and some of the rows have the fit of all."""
    strata = Multipliers(A, ByGroups(np.arange(N) % 3, W))
    part = Multipliers(A, FIT).on_rows(np.arange(N - 1))
    assert not in_classes(strata)
    assert not in_classes(part)
    T = strata.draw(units(6, 1), A)
    np.testing.assert_allclose(PRODUCTS.moments(T), literal(T.held), atol=1e-12)


@pytest.mark.parametrize("of_row", [None, BLOCKS], ids=["rows", "blocks"])
def test_pairs_of_signs(of_row):
    own = Multipliers(np.ones(N if of_row is None else 8), None, of_row)
    T = own.draw(units(5, 2), PHI)
    g = to_host(T.signs).astype(float)
    Q = Products(PHI, RHO, WEIGHTS).pairs(own)
    np.testing.assert_allclose(np.einsum("bi,cij,bj->bc", g, Q, g), PRODUCTS(T), rtol=1e-10)


@pytest.mark.parametrize("statistic", [Family(), CMMD(estimator="overlap", level=[0, 1.5], reg=[0.1, 0.01])], ids=repr)
def test_the_columns_of_a_statistic_are_its_products(statistic):
    X, group = RNG.normal(size=(60, 2)), np.arange(60) % 2
    Y = X[:, 0] + RNG.normal(size=60)
    trained = cmmd_test(X, Y, group, statistic=statistic, n_resamples=19, rng=0).evidence.plan.train(
        cmmd_test(X, Y, group, n_resamples=19, rng=0)._samples
    )
    fitted, own = trained.fitted, trained.labels.multipliers
    assert isinstance(fitted, LinearFit)
    for T in (own.observed, own.draw(units(5, 3), own.a)):
        written = np.concatenate([products(T) for products in fitted.products], axis=1)
        np.testing.assert_allclose(fitted(T), written, rtol=1e-9)
    assert len(fitted.columns) == written.shape[1]


def test_blocks_that_go_through_several_chunks():
    T = Multipliers(A[:8], None, BLOCKS).draw(units(6, 1), A)
    chunked = Products(da.from_array(PHI, chunks=(9, -1)), da.from_array(RHO, chunks=(9, -1)), WEIGHTS)
    np.testing.assert_allclose(to_host(chunked.moments(T)), literal(T.held), atol=1e-11)
