"""Each kernel against its formula, kernels combined, and kernels that the user brings."""

import pickle

import numpy as np
import pandas as pd
import pytest
from scipy.spatial.distance import pdist

from condmmd import Delta, Gaussian, Laplacian, Linear, Matern, Polynomial, cmmd
from condmmd.kernels import FromFunction, default_kernel, median_distance, share_distances
from condmmd.kernels.stationary import _in_the_middle
from condmmd.data import read_table
from tests.strategies import KERNELS

RNG = np.random.default_rng(0)
A, B = RNG.normal(size=(9, 3)), RNG.normal(size=(7, 3))
Y, GROUP = RNG.normal(size=40), np.repeat([1, 0], 20)
FRAME = pd.DataFrame({"age": RNG.normal(50, 9, 40), "bmi": RNG.normal(25, 3, 40), "sex": ["f", "m"] * 20})


@pytest.mark.parametrize("name", KERNELS)
def test_formula(name):
    kernel, formula = KERNELS[name]
    first, second = (np.round(2 * points) / 2 for points in (A, B))
    np.testing.assert_allclose(kernel(first, second), formula(first, second), rtol=1e-13, atol=1e-15)
    np.testing.assert_allclose(kernel.diagonal(first), np.diag(formula(first, first)), rtol=1e-13)
    features = kernel.feature_map(first)
    if features is not None:
        phi, new = features(first), features(second)
        assert phi.shape == (9, features.size)
        np.testing.assert_allclose(phi @ phi.T, formula(first, first), rtol=1e-12, atol=1e-12)
        np.testing.assert_allclose(phi @ new.T, formula(first, second), rtol=1e-12, atol=1e-12)


def test_lengthscale_for_each_column():
    scales = np.array([0.5, 2.0, 3.0])
    np.testing.assert_allclose(Gaussian(scales)(A, B), Gaussian(1.0)(A / scales, B / scales), rtol=1e-14)
    by_column = Gaussian(0.5).on(0) * Gaussian(2.0).on(1) * Gaussian(3.0).on(2)
    np.testing.assert_allclose(Gaussian(scales)(A, B), by_column(A, B), rtol=1e-13)


def test_median_heuristic_is_filled_in_from_pooled_rows():
    d = cmmd(A.repeat(2, axis=0), np.arange(18.0), [1, 0] * 9, kernel_x=Gaussian(), kernel_y="laplacian")
    assert d.kernel_x == Gaussian(median_distance(A.repeat(2, axis=0)))
    assert d.kernel_y == Laplacian(median_distance(np.arange(18.0)))


def test_median_of_many_rows_is_reproducible_and_close():
    many = RNG.normal(size=20_000)
    assert median_distance(many) == median_distance(many)
    np.testing.assert_allclose(median_distance(many), 0.954, atol=0.05)  # sqrt(2) times the median of |N(0, 1)|


@pytest.mark.parametrize("metric", ["euclidean", "cityblock"])
def test_median_of_all_distances_in_several_columns(metric):
    points = np.concatenate([RNG.normal(size=(250, 2)), 50 + RNG.integers(0, 3, size=(251, 2)).astype(float)])
    distances = pdist(points, metric)
    assert (distances == 0).any()
    np.testing.assert_allclose(median_distance(points, metric), np.median(distances[distances > 0]), rtol=1e-14)


@pytest.mark.parametrize("count", [2, 3, 20_000, 20_001])
@pytest.mark.parametrize("misleading", [False, True])
def test_middle_of_many_values(count, misleading):
    """The middle is sought near that of a few values, here every fourth, which may be far off."""
    values = RNG.normal(size=count)
    if misleading:
        values[::4] += 100
    np.testing.assert_allclose(_in_the_middle(values).mean(), np.median(values), rtol=1e-14)


def test_default_kernel_of_a_mixed_table():
    table = read_table(FRAME, "X")
    kernel = default_kernel(table)
    numeric = FRAME[["age", "bmi"]].to_numpy()
    scales = np.minimum(numeric.std(axis=0), np.subtract(*np.quantile(numeric, [0.75, 0.25], axis=0)) / 1.349)
    median = median_distance(numeric / scales)
    values = table.values  # noqa: PD011 - our table, not pandas
    expected = Gaussian(median)(numeric / scales) * Delta()(values[:, 2:])
    np.testing.assert_allclose(kernel(values), expected, rtol=1e-12)


def test_columns_by_name():
    kernel = Gaussian().on("age", "bmi") * Delta().on("sex") + Linear().on("age")
    d = cmmd(FRAME, Y, GROUP, kernel_x=kernel, reg=0.1)
    by_position = Gaussian().on(0, 1) * Delta().on(2) + Linear().on(0)
    same = cmmd(FRAME, Y, GROUP, kernel_x=by_position, reg=0.1)
    np.testing.assert_allclose(d.level([0, 1]), same.level([0, 1]), rtol=1e-12)
    assert repr(d.kernel_x).startswith("Gaussian(lengthscale=")
    assert repr(kernel) == "Gaussian(lengthscale=None).on('age', 'bmi') * Delta().on('sex') + Linear().on('age')"


@pytest.mark.parametrize(
    ("make", "error", "words"),
    [
        (lambda: Gaussian(-1), ValueError, r"`lengthscale` must be positive.*got -1"),
        (lambda: Gaussian([[1.0]]), ValueError, r"`lengthscale`"),
        (lambda: Matern(nu=1), ValueError, r"`nu` must be 0.5, 1.5 or 2.5; got 1"),
        (lambda: Polynomial(0), ValueError, r"`degree`"),
        (lambda: Polynomial(2, coef0=-1), ValueError, r"`coef0` must be at least 0"),
        (lambda: Polynomial(2, gamma=0), ValueError, r"`gamma`"),
        (lambda: Gaussian()(A, B), ValueError, r"no lengthscale yet"),
        (lambda: Gaussian(1).on(), ValueError, r"needs columns by name or by position"),
        (lambda: Gaussian(1).on("age")(A), ValueError, r"use positions"),
        (lambda: cmmd(FRAME, Y, GROUP, kernel_x=Gaussian()), TypeError, r"'sex' of `X` are categorical.*Delta"),
        (lambda: cmmd(FRAME, Y, GROUP, kernel_x=Gaussian().on("agee")), ValueError, r"no column 'agee'; it has"),
        (lambda: cmmd(FRAME, Y, GROUP, kernel_x=Gaussian().on(7)), ValueError, r"no column 7"),
        (lambda: cmmd(A, A[:, 0], np.arange(9) % 2, kernel_x=Gaussian((1, 2))), ValueError, r"2 numbers for the 3"),
        (lambda: cmmd(FRAME, Y, GROUP, kernel_x=Gaussian), TypeError, r"`kernel_x` is a class.*Gaussian\(\)"),
    ],
)  # fmt: skip
def test_bad_kernels(make, error, words):
    with pytest.raises(error, match=words):
        make()


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
        cmmd(Y, Y, GROUP, kernel_x=function)
    with pytest.raises(ValueError, match=words):
        cmmd(Y, Y, GROUP, kernel_y=function)


def test_functions_do_not_get_the_codes_of_categories():
    with pytest.raises(TypeError, match=r"'sex' of `X` are categorical"):
        cmmd(FRAME, Y, GROUP, kernel_x=lambda A, B: A @ B.T)


@pytest.mark.parametrize("solver", ["primal", "dual"])
def test_an_indefinite_gram_matrix_beyond_the_checked_rows_is_refused(solver):
    K = np.eye(1100)
    rows = np.setdiff1d(np.arange(1100), np.random.default_rng(0).choice(1100, 1000, replace=False))[:2]
    K[rows[0], rows[1]] = K[rows[1], rows[0]] = 3.0
    with pytest.raises(ValueError, match=r"not positive semi-definite.* eigenvalue -2"):
        cmmd(K, np.arange(1100.0), [1, 0] * 550, kernel_x="precomputed", reg=5.0, solver=solver)


@pytest.mark.parametrize("scale", [1e-200, 1e155, 1e200])
@pytest.mark.parametrize("argument", ["kernel_x", "kernel_y"])
def test_kernels_out_of_the_range_of_floating_point(scale, argument):
    data = {"X": Y, "Y": Y} | {argument[-1].upper(): Y * scale}
    with pytest.raises(ValueError, match=r"the kernel Linear"):
        cmmd(**data, group=GROUP, **{argument: "linear"})


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
        cmmd(many, many, [1, 0] * 1500, kernel_x=kernel, reg=0.1)


def test_function_and_gram_matrix_agree_with_the_kernel():
    X = RNG.normal(size=(40, 2))
    K, L = Gaussian(1.1)(X), Laplacian(0.9)(Y)
    built_in = cmmd(X, Y, GROUP, kernel_x=Gaussian(1.1), kernel_y=Laplacian(0.9), reg=0.1)
    functions = cmmd(X, Y, GROUP, kernel_x=Gaussian(1.1).gram, kernel_y=Laplacian(0.9).gram, reg=0.1)
    grams = cmmd(K, L, GROUP, kernel_x="precomputed", kernel_y="precomputed", reg=0.1)
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
        cmmd(matrix, Y, GROUP, kernel_x="precomputed")


def test_kernels_compare_and_pickle():
    kernel = Gaussian(1.0).on(0) * (Delta().on(1) + Linear().on(2))
    assert pickle.loads(pickle.dumps(kernel)) == kernel  # noqa: S301 - our own bytes
    assert Gaussian(1) != Laplacian(1)
    assert repr(FromFunction(median_distance)) == "median_distance"
    with pytest.raises(TypeError):
        Gaussian(1.0) * 3


def test_gaussians_that_share_distances_are_the_same_kernels():
    X = np.random.default_rng(0).normal(size=(30, 3))
    kernels = [Gaussian(0.7).on(0, 1), Gaussian(2.0).on(0, 1), Gaussian(1.0).on(2), Linear()]
    shared = share_distances(kernels, X)
    assert shared[0][0].squares is shared[1][0].squares
    assert shared[3] == (kernels[3], X)
    for (kernel, rows), original in zip(shared, kernels, strict=True):
        np.testing.assert_allclose(kernel.gram(rows, rows[3:5]), original.gram(X, X[3:5]), atol=1e-15)
        np.testing.assert_allclose(kernel.gram(rows[:9], rows), original.gram(X[:9], X), atol=1e-15)
        np.testing.assert_allclose(kernel.diagonal(rows), original.diagonal(X))
