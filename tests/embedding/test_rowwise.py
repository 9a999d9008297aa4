"""Residual features: their inner products are those of the kernel."""

import dask.array as da
import numpy as np

from condmmd import Delta, Gaussian
from condmmd.data.pairs import read_pairs
from condmmd.embedding.rowwise import PairedRows, principal_residuals
from tests import oracle

RNG = np.random.default_rng(0)
X, A, B = (RNG.normal(size=(30, d)) for d in (2, 1, 1))


def literal(a, b):
    k = oracle.gaussian(1.0)
    return k(a, a) - k(a, b) - k(b, a) + k(b, b)


def test_products_of_residuals_are_those_of_the_kernel():
    rho = PairedRows(read_pairs(X, A, B)).features(Gaussian(1.0), tol=0.0, max_rank=None).rho
    np.testing.assert_allclose(rho @ rho.T, literal(A, B), atol=1e-10)


def test_fewer_features_have_the_same_products():
    residuals = PairedRows(read_pairs(X, A, B)).features(Gaussian(1.0), tol=1e-10, max_rank=None)
    fewer = principal_residuals(residuals, 1e-6)
    assert fewer.rank < residuals.rank
    np.testing.assert_allclose(fewer.rho @ fewer.rho.T, literal(A, B), atol=1e-4)


def test_which_outcome_comes_first_decides_nothing_but_the_sign():
    first = PairedRows(read_pairs(X, A, B)).features(None, 1e-6, 64).rho
    second = PairedRows(read_pairs(X, B, A)).features(None, 1e-6, 64).rho
    np.testing.assert_allclose(first @ first.T, second @ second.T, atol=1e-5)


def test_the_same_in_chunks():
    pairs = read_pairs(*(da.from_array(part, chunks=(11, -1)) for part in (X, A, B)))
    chunked = PairedRows(pairs).features(None, 1e-6, 64).rho
    here = PairedRows(read_pairs(X, A, B)).features(None, 1e-6, 64).rho
    np.testing.assert_allclose(np.asarray(chunked), here, atol=1e-9)


def test_differences_in_the_outcomes_own_units():
    rows = PairedRows(read_pairs(X, A > 0, B > 0))
    found = rows.differences()
    assert found.kinds == ("share", "share")
    np.testing.assert_array_equal(found.values[:, 1], (1.0 * (A > 0) - (B > 0))[:, 0])
    rho = rows.features(Delta(), 0.0, None).rho
    np.testing.assert_allclose(np.sum(rho**2, axis=1), 2.0 * ((A > 0) != (B > 0))[:, 0], atol=1e-12)
