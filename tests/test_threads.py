"""Threads change no number, and do not multiply."""

import numpy as np
import pytest

from condmmd import cmmd_test
from condmmd import threads as module
from condmmd.statistics.contrasts import ridge_models
from condmmd.regression.moments import both_moments, moments_again, second_moments
from condmmd.backend.threads import calm_blas, for_each, in_two_steps, n_threads, one_blas_thread

RNG = np.random.default_rng(0)


@pytest.fixture
def two():
    """BLAS with two threads, whatever the environment says."""
    with module._blas().limit(limits=2):
        if n_threads() != 2:
            pytest.skip("this BLAS has one thread")
        yield


def blas_threads():
    return max(library.num_threads for library in module._blas().lib_controllers)


def test_results_are_in_order_and_errors_arrive(two):
    assert for_each(lambda k: k**2, range(50)) == [k**2 for k in range(50)]
    assert in_two_steps(lambda k: k + 1, lambda k: k**2, range(50)) == [(k + 1) ** 2 for k in range(50)]
    for call in (lambda: for_each(int, ["1", "x"]), lambda: in_two_steps(str, int, ["1", "x"])):
        with pytest.raises(ValueError, match="invalid literal"):
            call()
    assert blas_threads() == 2


def test_no_threads_inside_threads(two):
    inside = for_each(lambda _: (n_threads(), blas_threads()), range(4))
    assert inside == [(1, 1)] * 4
    with one_blas_thread():
        assert n_threads() == 1


def test_whoever_leaves_last_gives_the_threads_back(two):
    """Contexts of different threads need not be nested."""
    first, second = one_blas_thread(), one_blas_thread()
    first.__enter__()
    second.__enter__()
    first.__exit__(None, None, None)
    assert blas_threads() == 1
    second.__exit__(None, None, None)
    assert blas_threads() == 2


@pytest.mark.parametrize(("operations", "of_blas"), [(10.0, 1), (1e12, 2)])
def test_few_operations_leave_the_threads_to_us(two, operations, of_blas):
    with calm_blas(operations):
        assert (n_threads(), blas_threads()) == (2, of_blas)
        assert for_each(lambda _: n_threads(), range(4)) == [1] * 4
    assert (n_threads(), blas_threads()) == (2, 2)


@pytest.mark.parametrize("r", [5, 128])
def test_sums_are_the_same(two, r):
    """In chunks of rows (few features), and a weight vector at a time (many)."""
    phi, psi, T = RNG.normal(size=(301, r)), RNG.normal(size=(301, 3)), (RNG.random((9, 301)) < 0.4).astype(np.int8)
    A, M = np.einsum("bi,ij,ik->bjk", T, phi, phi), np.einsum("bi,ij,ik->bjk", T, phi, psi)
    for chunk in (None, 20):
        found = both_moments(T, phi, psi, chunk=chunk)
        np.testing.assert_allclose(found[0], A, rtol=1e-10, atol=1e-10)
        np.testing.assert_allclose(found[1], M, rtol=1e-10, atol=1e-10)
    eye = np.eye(r)
    models = ridge_models(T, phi, psi, (0.1, 0.2))
    for b, t in enumerate(T):
        for model, rows, lam in ((models[0][b], t == 1, 0.1), (models[1][b], t == 0, 0.2)):
            expected = np.linalg.solve(phi[rows].T @ phi[rows] + lam * rows.sum() * eye, phi[rows].T @ psi[rows])
            np.testing.assert_allclose(model, expected, rtol=1e-8, atol=1e-10)


def test_sums_over_many_rows_are_the_same_to_the_last_digit(two):
    phi, T = RNG.normal(size=(2000, 5)), (RNG.random((9, 2000)) < 0.4).astype(np.int8)
    many = second_moments(T, phi, chunk=30)
    with one_blas_thread():
        assert np.array_equal(second_moments(T, phi, chunk=30), many)


def test_products_that_are_held(monkeypatch):
    phi, weights = RNG.normal(size=(40, 6)), RNG.normal(size=(2, 3, 40))
    held = moments_again(phi)
    monkeypatch.setattr("condmmd.regression.moments.HELD", 0)
    made = moments_again(phi)
    for T in weights:
        np.testing.assert_allclose(held(T), second_moments(T, phi), rtol=1e-12, atol=1e-12)
        np.testing.assert_allclose(made(T), second_moments(T, phi), rtol=1e-12, atol=1e-12)


def test_one_or_two_threads_give_the_same_test(two):
    X, group = RNG.normal(size=(400, 5)), np.repeat([1, 0], 200)
    X[:, 0] += 0.5 * group
    y = np.sin(2 * X[:, 0]) + 0.5 * RNG.normal(size=400)

    def run():
        return cmmd_test(X, y, group, n_resamples=99, rng=3)

    many = run()
    with one_blas_thread():
        one = run()
    assert many.embeddings["x"]["rank"] == 128
    assert many.pvalue == one.pvalue
    np.testing.assert_allclose(many.null_distribution, one.null_distribution, rtol=1e-8)
