"""Kernels that the user brings: functions and Gram matrices, and those that are none."""

import array_api_strict as strict
import numpy as np
import pandas as pd
import pytest

from condmmd import CMMD, Gaussian, Laplacian, Polynomial, cmmd
from condmmd.backend import to_host
from condmmd.kernels import FromFunction, Precomputed

RNG = np.random.default_rng(0)
Y, GROUP = RNG.normal(size=40), np.repeat([1, 0], 20)
FRAME = pd.DataFrame({"age": RNG.normal(50, 9, 40), "bmi": RNG.normal(25, 3, 40), "sex": ["f", "m"] * 20})


@pytest.mark.parametrize(
    ("function", "words"),
    [
        (lambda A, B: -(A @ B.T), r"not positive semi-definite: .* the eigenvalue -"),
        (
            lambda A, B: np.tanh(A @ B.T - 1),
            r"not positive semi-definite: .* on 40 rows has the eigenvalue -",
        ),
        (lambda A, B: np.abs(A - B.T), r"not positive semi-definite"),
        (lambda A, B: A + 0 * B.T, r"not symmetric"),
        (lambda A, B: np.full((len(A), len(B)), np.nan), r"NaN or infinite"),
        (lambda A, B: np.ones(3), r"must return shape \(40, 40\)"),
    ],
)
def test_functions_that_are_no_kernels(function, words):
    with pytest.raises(ValueError, match=words):
        cmmd(Y, Y, GROUP, statistic=CMMD(kernel_x=function))
    with pytest.raises(ValueError, match=words):
        cmmd(Y, Y, GROUP, statistic=CMMD(kernel_y=function))


def test_functions_do_not_get_the_codes_of_categories():
    with pytest.raises(TypeError, match=r"'sex' of `X` are categorical"):
        cmmd(FRAME, Y, GROUP, statistic=CMMD(kernel_x=lambda A, B: A @ B.T))


@pytest.mark.parametrize("solver", ["primal", "dual"])
def test_an_indefinite_gram_matrix_beyond_the_checked_rows_is_refused(solver):
    K = np.eye(1100)
    rows = np.setdiff1d(np.arange(1100), np.random.default_rng(0).choice(1100, 1000, replace=False))[:2]
    K[rows[0], rows[1]] = K[rows[1], rows[0]] = 3.0
    with pytest.raises(ValueError, match=r"not positive semi-definite.* eigenvalue -2"):
        cmmd(K, np.arange(1100.0), [1, 0] * 550, statistic=CMMD("precomputed", reg=5.0, solver=solver))


@pytest.mark.filterwarnings("ignore:overflow")
@pytest.mark.parametrize("scale", [1e120, 1e140])
@pytest.mark.parametrize("argument", ["kernel_x", "kernel_y"])
def test_kernels_out_of_the_range_of_floating_point(scale, argument):
    data = {"X": Y, "Y": Y} | {argument[-1].upper(): Y * scale}
    with pytest.raises(ValueError, match=r"the kernel Polynomial"):
        cmmd(**data, group=GROUP, statistic=CMMD(**{argument: Polynomial(degree=3)}))


@pytest.mark.parametrize("scale", [1e-200, 1e155, 1e200])
@pytest.mark.parametrize("argument", ["X", "Y"])
def test_columns_out_of_the_range_of_floating_point(scale, argument):
    data = {"X": Y, "Y": Y} | {argument: Y * scale}
    with pytest.raises(ValueError, match=rf"`{argument}`: column .* double precision cannot hold"):
        cmmd(**data, group=GROUP, statistic=CMMD(kernel_x="linear", kernel_y="linear"))


def test_an_indefinite_kernel_that_the_first_check_misses_is_caught_by_the_factorisation():
    """Rows beyond the checked sample: the residual of the pivoted Cholesky turns negative."""
    many = np.linspace(0, 1, 3000)
    bad_row = next(i for i in range(3000) if i not in np.random.default_rng(0).choice(3000, 1000, replace=False))

    def kernel(A, B):
        spoiled = 3.0 * (many[bad_row] == A) * (many[bad_row] != B.T) + 3.0 * (many[bad_row] != A) * (
            many[bad_row] == B.T
        )
        return Gaussian(0.3)(A, B) + spoiled

    with pytest.raises(ValueError, match=r"not positive semi-definite: its Gram matrix on \d+ of the rows"):
        cmmd(many, many, [1, 0] * 1500, statistic=CMMD(kernel_x=kernel, reg=0.1))


def test_function_and_gram_matrix_agree_with_the_kernel():
    X = RNG.normal(size=(40, 2))
    K, L = Gaussian(1.1)(X), Laplacian(0.9)(Y)
    built_in = cmmd(X, Y, GROUP, statistic=CMMD(Gaussian(1.1), Laplacian(0.9), reg=0.1))
    functions = cmmd(X, Y, GROUP, statistic=CMMD(Gaussian(1.1).gram, Laplacian(0.9).gram, reg=0.1))
    grams = cmmd(K, L, GROUP, statistic=CMMD("precomputed", "precomputed", reg=0.1))
    X_new, Y_new = RNG.normal(size=(5, 2)), RNG.normal(size=5)
    for other in (functions, grams):
        np.testing.assert_allclose(other.level([0, 1, 2]), built_in.level([0, 1, 2]), rtol=1e-9)
    np.testing.assert_allclose(
        grams.witness(Gaussian(1.1)(X_new, X), Laplacian(0.9)(Y_new, Y)),
        built_in.witness(X_new, Y_new),
        atol=1e-7,
    )
    with pytest.raises(ValueError, match=r"similarity with each of the 40 pooled rows; got 2"):
        grams.witness(X_new)


@pytest.mark.parametrize(
    ("matrix", "words"),
    [
        (np.ones((40, 39)), r"square Gram matrix"),
        (np.triu(np.ones((40, 40))), r"symmetric Gram matrix"),
        (np.eye(40) - 0.5, r"not positive semi-definite: .* the eigenvalue -19"),
        (np.full((40, 40), np.nan), r"NaN"),
    ],
)
def test_matrices_that_are_no_gram_matrices(matrix, words):
    with pytest.raises(ValueError, match=words):
        cmmd(matrix, Y, GROUP, statistic=CMMD("precomputed"))


def test_a_point_of_a_gram_matrix_is_a_row_number_or_a_row_of_similarities():
    K = Gaussian(1.0)(RNG.normal(size=(6, 1)))
    kernel, numbers = Precomputed(K), np.arange(6.0)[:, None]
    np.testing.assert_array_equal(kernel.gram(numbers[:3], numbers), K[:3])
    np.testing.assert_array_equal(kernel.gram(2 * K, numbers[[1, 4]]), 2 * K[:, [1, 4]])
    np.testing.assert_array_equal(kernel.diagonal(numbers), K.diagonal())


@pytest.mark.parametrize("rows", [64, 100])
def test_the_diagonal_of_a_function_is_found_in_parts(rows):
    X = RNG.normal(size=(rows, 2))
    kernel = FromFunction(lambda A, B: A @ B.T)
    np.testing.assert_allclose(kernel.diagonal(X), np.sum(X**2, axis=1))
    np.testing.assert_allclose(to_host(kernel.diagonal(strict.asarray(X))), np.sum(X**2, axis=1))
