"""From what the user gave to a kernel with every number fixed."""

import numpy as np
import pandas as pd
import pytest

from condmmd import Delta, Gaussian, Laplacian
from condmmd.data import read_table
from condmmd.kernels import FromFunction, check_kernel, default_kernel, is_precomputed, median_distance, resolve_kernel
from condmmd.kernels.choose import robust_scale

RNG = np.random.default_rng(0)
FRAME = pd.DataFrame({"age": RNG.normal(50, 9, 40), "bmi": RNG.normal(25, 3, 40), "sex": ["f", "m"] * 20})


def test_default_kernel_of_a_mixed_table():
    table = read_table(FRAME, "X")
    kernel = default_kernel(table)
    numeric = FRAME[["age", "bmi"]].to_numpy()
    scales = np.minimum(numeric.std(axis=0), np.subtract(*np.quantile(numeric, [0.75, 0.25], axis=0)) / 1.349)
    median = median_distance(numeric / scales)
    values = table.values  # noqa: PD011 - our table, not pandas
    expected = Gaussian(median)(numeric / scales) * Delta()(values[:, 2:])
    np.testing.assert_allclose(kernel(values), expected, rtol=1e-12)


def test_a_kernel_a_name_a_function_or_nothing():
    table = read_table(RNG.normal(size=(30, 2)), "X")
    assert resolve_kernel(Laplacian(2.0), table) == Laplacian(2.0)
    assert resolve_kernel("laplacian", table) == Laplacian(median_distance(table.sample, "cityblock"))
    assert isinstance(resolve_kernel(lambda A, B: A @ B.T, table), FromFunction)
    assert isinstance(resolve_kernel(None, table), Gaussian)
    assert resolve_kernel(None, read_table(np.array([True, False] * 5), "X")) == Delta()
    assert is_precomputed("precomputed")
    assert not is_precomputed(Gaussian())


@pytest.mark.parametrize(
    ("kernel", "error", "words"),
    [
        ("rbf", ValueError, r"`kernel_x` must be one of \[.*'gaussian'.*'precomputed'\].*got 'rbf'"),
        (Gaussian, TypeError, r"is a class; make a kernel of it, as in Gaussian\(\)"),
        (3, TypeError, r"`kernel_x` must be a Kernel, a name, a function"),
    ],
)
def test_what_is_no_kernel(kernel, error, words):
    with pytest.raises(error, match=words):
        check_kernel(kernel, "kernel_x")


def test_a_few_far_values_do_not_flatten_a_column():
    values = RNG.normal(size=(500, 3))
    values[:3, 1] = 1e6
    values[:, 2] = 7.0
    np.testing.assert_allclose(robust_scale(values)[:2], 1.0, atol=0.2)
    assert robust_scale(values)[2] == 1.0
