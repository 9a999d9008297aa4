"""What a fit takes from the residuals of its labels, against the map written out as a matrix."""

import dask.array as da
import numpy as np
import pytest

from condmmd.backend import HeldLabels, made_labels, to_host
from condmmd.labels.fits import LEAST_LEFT, ByColumns, ByGroups
from condmmd.regression.logistic import LogisticFit

RNG = np.random.default_rng(0)
N, K = 30, 4
Z = RNG.normal(size=(N, K))
E = RNG.uniform(0.2, 0.8, N)
W = E * (1 - E)
GROUPS = RNG.integers(0, 3, N)
FIT = LogisticFit(Z, RNG.uniform(0.2, 0.8, N), np.zeros(K + 1), C=0.5, share=0.5)


def matrix(name):
    """P, from its definition."""
    if name == "groups":
        X = (GROUPS[:, None] == np.arange(3)) * 1.0
        A = np.diag(1 / (X.T @ W))
    else:
        X, w = np.column_stack([np.ones(N), Z]), FIT.e * (1 - FIT.e)
        A = FIT.share * np.linalg.inv((X * w[:, None]).T @ X + np.diag([0.0] + [1 / FIT.C] * K))
    return np.eye(N) - W[:, None] * X @ A @ X.T


def made(name):
    return ByGroups(GROUPS, W) if name == "groups" else ByColumns.of(FIT, W)


@pytest.mark.parametrize("name", ["columns", "groups"])
def test_every_form_of_the_map(name):
    P, own = matrix(name), made(name)
    C, T = RNG.normal(size=(N, 3)), RNG.normal(size=(5, N))
    np.testing.assert_allclose(own.less(C), P.T @ C, atol=1e-12)
    np.testing.assert_allclose(own.at(C), P @ C, atol=1e-12)
    np.testing.assert_allclose(own.residuals(HeldLabels(T)).held, T @ P.T, atol=1e-12)
    left = np.diag(P @ np.diag(W) @ P.T) / W
    np.testing.assert_allclose(own.left(), np.clip(left, LEAST_LEFT, 1), atol=1e-12)
    assert left.min() < 0.95
    np.testing.assert_array_equal(own.here().left(), own.left())


def test_rows_in_chunks_give_the_same():
    here = made("columns")
    there = ByColumns(da.from_array(Z, chunks=(7, -1)), da.from_array(W, chunks=7), here.inverse)
    C, T = RNG.normal(size=(N, 3)), RNG.normal(size=(5, N))
    np.testing.assert_allclose(to_host(there.less(da.from_array(C, chunks=(7, -1)))), here.less(C), atol=1e-12)
    np.testing.assert_allclose(to_host(there.left()), here.left(), atol=1e-12)
    chunked = made_labels(lambda rows: rows.T, (da.from_array(T.T, chunks=(7, -1)),), 5)
    sums = there.residuals(chunked).sum(lambda U, c: U @ c, da.from_array(C, chunks=(7, -1)))
    np.testing.assert_allclose(sums, here.residuals(HeldLabels(T)).held @ C, atol=1e-12)
    np.testing.assert_array_equal(there.here().Z, Z)


def test_a_regression_without_columns_fixes_the_number_of_ones():
    one = ByColumns(np.empty((N, 0)), W, np.array([[1 / W.sum()]]))
    every = ByGroups(np.zeros(N, dtype=int), W)
    C = RNG.normal(size=(N, 2))
    np.testing.assert_allclose(one.less(C), every.less(C), atol=1e-12)
    np.testing.assert_allclose(one.left(), every.left(), atol=1e-12)


def test_newton_s_step_from_other_labels_is_the_map():
    """Labels that differ a little from those fitted: their own fit leaves what the map says, to first order."""
    from scipy.special import expit  # noqa: PLC0415

    X, ridge = np.column_stack([np.ones(N), Z]), np.diag([0.0] + [1.0] * K)
    t = RNG.integers(0, 2, N).astype(float)

    def fitted(labels):
        beta = np.zeros(K + 1)
        for _ in range(50):
            p = expit(X @ beta)
            hessian = (X * (p * (1 - p))[:, None]).T @ X + ridge
            beta -= np.linalg.solve(hessian, X.T @ (p - labels) + ridge @ beta)
        return expit(X @ beta), beta

    e, beta = fitted(t)
    step = 1e-5 * RNG.normal(size=N)
    own = ByColumns.of(LogisticFit(Z, e, beta, C=1.0), e * (1 - e))
    moved = (t + step - fitted(t + step)[0]) - (t - e)
    np.testing.assert_allclose(moved, own.at(step[:, None])[:, 0], atol=1e-9)


def test_of_a_row_that_the_fit_follows_a_little_is_left():
    alone = ByGroups(np.array([0, 1, 1]), np.full(3, 0.2))
    np.testing.assert_allclose(alone.left(), [LEAST_LEFT, 0.5, 0.5])
    X, w = np.column_stack([np.ones(5), np.eye(5)[:, 1:]]), W[:5]  # a column for each row
    saturated = ByColumns(X[:, 1:], w, np.linalg.inv((X * w[:, None]).T @ X))
    np.testing.assert_allclose(saturated.left(), LEAST_LEFT)
