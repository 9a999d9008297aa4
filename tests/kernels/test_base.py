"""Each kernel against its formula, kernels combined, and kernels on some columns."""

import pickle

import array_api_strict as strict
import numpy as np
import pandas as pd
import pytest

from condmmd import CMMD, Delta, EnergyKernel, Gaussian, Laplacian, Linear, cmmd
from condmmd.backend import to_host
from condmmd.data import read_table
from condmmd.kernels import Additive, FromFunction, Kernel, median_distance
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


@pytest.mark.parametrize("array", [np.asarray, strict.asarray], ids=["NumPy", "device"])
@pytest.mark.parametrize("name", [*KERNELS, "additive", "energy", "a function"])
def test_pairs_are_the_diagonal_of_the_gram_matrix(name, array):
    others = {
        "additive": Additive(0.7),
        "energy": EnergyKernel((0.1, 0.2, 0.3)),
        "a function": FromFunction(lambda A, B: A @ B.T),
    }
    kernel = others.get(name) or KERNELS[name][0]
    first, second = (array(np.round(2 * np.tile(points[:7], (10, 1))) / 2) for points in (A, B))
    found = to_host(kernel.pairs(first, second))
    np.testing.assert_allclose(found, np.diagonal(to_host(kernel.gram(first, second))), rtol=1e-9, atol=1e-7)
    assert found.shape == (70,)  # more than are found at once from a Gram matrix


def test_columns_by_name():
    kernel = Gaussian().on("age", "bmi") * Delta().on("sex") + Linear().on("age")
    d = cmmd(FRAME, Y, GROUP, statistic=CMMD(kernel_x=kernel, reg=0.1))
    by_position = Gaussian().on(0, 1) * Delta().on(2) + Linear().on(0)
    same = cmmd(FRAME, Y, GROUP, statistic=CMMD(kernel_x=by_position, reg=0.1))
    np.testing.assert_allclose(d.level([0, 1]), same.level([0, 1]), rtol=1e-12)
    assert repr(d.kernel_x).startswith("Gaussian(lengthscale=")
    assert repr(kernel) == "Gaussian(lengthscale=None).on('age', 'bmi') * Delta().on('sex') + Linear().on('age')"


def test_kernels_compare_and_pickle():
    kernel = Gaussian(1.0).on(0) * (Delta().on(1) + Linear().on(2))
    assert pickle.loads(pickle.dumps(kernel)) == kernel  # noqa: S301 - our own bytes
    assert Gaussian(1) != Laplacian(1)
    assert repr(FromFunction(median_distance)) == "median_distance"
    with pytest.raises(TypeError):
        Gaussian(1.0) * 3


@pytest.mark.parametrize(
    ("make", "error", "words"),
    [
        (lambda: Gaussian(1).on(), ValueError, r"needs columns by name or by position"),
        (lambda: Gaussian(1).on("age")(A), ValueError, r"use positions"),
        (lambda: measured(FRAME, Gaussian()), TypeError, r"'sex' of `X` are categorical.*Delta"),
        (lambda: measured(FRAME, Gaussian().on("agee")), ValueError, r"no column 'agee'; it has"),
        (lambda: measured(FRAME, Gaussian().on(7)), ValueError, r"no column 7"),
        (lambda: measured(np.repeat(A, 5, axis=0)[:40], Gaussian((1, 2))), ValueError, r"2 numbers for the 3"),
        (lambda: measured(FRAME, Gaussian), TypeError, r"`kernel_x` is a class.*Gaussian\(\)"),
    ],
)
def test_bad_kernels(make, error, words):
    with pytest.raises(error, match=words):
        make()


def measured(X, kernel):
    return cmmd(X, Y, GROUP, statistic=CMMD(kernel_x=kernel))


def test_sums_and_products_flatten_and_resolve_their_parts():
    first, second, third = Gaussian().on("age"), Laplacian(1.0).on("bmi"), Delta().on("sex")
    assert (first * second * third).factors == (first, second, third)
    assert (first + second + third).terms == (first, second, third)
    table = read_table(FRAME, "X")
    resolved = (first * third + second).resolve(table)
    assert resolved.terms[0].factors[0].kernel == Gaussian(median_distance(FRAME["age"]))
    assert [part.positions for part in (*resolved.terms[0].factors, resolved.terms[1])] == [(0,), (2,), (1,)]
    kernel, columns = Linear().on(1).on_its_columns(A)
    assert kernel == Linear()
    np.testing.assert_array_equal(columns, A[:, [1]])


def test_a_kernel_with_a_name_can_be_asked_for_by_it():
    class Cosine(Kernel, name="cosine of the tests"):
        """Similarity of directions."""

        def gram(self, A, B):
            return (A / np.linalg.norm(A, axis=1)[:, None]) @ (B / np.linalg.norm(B, axis=1)[:, None]).T

        def diagonal(self, A):
            return np.ones(len(A))

    try:
        X = np.repeat(A, 5, axis=0)[:40]
        by_name, by_object = measured(X, "cosine of the tests"), measured(X, Cosine())
        assert by_name.level(1) == by_object.level(1)
    finally:
        Kernel.named.pop("cosine of the tests")
