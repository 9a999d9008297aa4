"""Lengthscales: given, one a column, or the median distance between pooled rows."""

import numpy as np
import pytest
from scipy.spatial.distance import pdist

from condmmd import CMMD, Delta, Gaussian, Laplacian, cmmd
from condmmd.data import read_table
from condmmd.kernels import lengthscales, median_distance, subsample
from condmmd.kernels.stationary import _in_the_middle

RNG = np.random.default_rng(0)
A, B = RNG.normal(size=(9, 3)), RNG.normal(size=(7, 3))


def test_lengthscale_for_each_column():
    scales = np.array([0.5, 2.0, 3.0])
    np.testing.assert_allclose(Gaussian(scales)(A, B), Gaussian(1.0)(A / scales, B / scales), rtol=1e-14)
    by_column = Gaussian(0.5).on(0) * Gaussian(2.0).on(1) * Gaussian(3.0).on(2)
    np.testing.assert_allclose(Gaussian(scales)(A, B), by_column(A, B), rtol=1e-13)


def test_median_heuristic_is_filled_in_from_pooled_rows():
    d = cmmd(A.repeat(2, axis=0), np.arange(18.0), [1, 0] * 9, statistic=CMMD(Gaussian(), "laplacian"))
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


@pytest.mark.parametrize("few", [0, 10**9], ids=["halved", "listed"])
@pytest.mark.parametrize("digits", [1, 15], ids=["ties", "no ties"])
@pytest.mark.parametrize("count", [2, 3, 50, 501])
def test_median_gap_of_one_column(count, digits, few, monkeypatch):
    """Against all distances; of few rows they are listed, of many the median is found by halving."""
    monkeypatch.setattr("condmmd.kernels.stationary.FEW_ROWS", few)
    x = np.round(RNG.normal(size=count), digits)
    x[0] += 3.0
    gaps = pdist(x[:, None])
    np.testing.assert_allclose(median_distance(x), np.median(gaps[gaps > 0]), rtol=1e-12)
    assert median_distance(np.ones(count)) == 1.0  # nothing to go by


def test_lengthscales_in_the_order_in_which_they_are_written():
    kernel = Gaussian((1.0, 2.0)).on(0, 1) * Delta().on(2) + Laplacian(3.0).on(0)
    assert lengthscales(kernel) == [1.0, 2.0, 3.0]
    assert lengthscales(Gaussian()) == []
    assert len(subsample(RNG.normal(size=(5000, 1)))) == 2000
    with pytest.raises(ValueError, match=r"`lengthscale` has 2 numbers for the 3 column\(s\) of `X`"):
        Gaussian((1.0, 2.0)).resolve(read_table(A, "X"))


@pytest.mark.parametrize("scale", [-1, 0, np.inf, np.nan, [[1.0]]])
def test_lengthscales_that_cannot_be(scale):
    with pytest.raises(ValueError, match=r"`lengthscale` must be positive"):
        Gaussian(scale)
    with pytest.raises(ValueError, match="no lengthscale yet"):
        Gaussian()(A, B)
