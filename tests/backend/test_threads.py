"""Threads change no number, and do not multiply."""

import pickle

import numpy as np
import pytest

from condmmd import cmmd_test
from condmmd.backend import (
    blas_threads_for,
    cached_property,
    for_each,
    n_threads,
    one_blas_thread,
    pipelined,
    threads,
)

RNG = np.random.default_rng(0)


def blas_threads():
    return max(library.num_threads for library in threads._blas().lib_controllers)


def test_results_are_in_order_and_errors_arrive(two_threads):
    assert for_each(lambda k: k**2, range(50)) == [k**2 for k in range(50)]
    assert pipelined(lambda k: k + 1, lambda k: k**2, range(50)) == [(k + 1) ** 2 for k in range(50)]
    for call in (lambda: for_each(int, ["1", "x"]), lambda: pipelined(str, int, ["1", "x"])):
        with pytest.raises(ValueError, match="invalid literal"):
            call()
    assert blas_threads() == 2


def test_no_threads_inside_threads(two_threads):
    inside = for_each(lambda _: (n_threads(), blas_threads()), range(4))
    assert inside == [(1, 1)] * 4
    with one_blas_thread():
        assert n_threads() == 1


def test_whoever_leaves_last_gives_the_threads_back(two_threads):
    """Contexts of different threads need not be nested."""
    first, second = one_blas_thread(), one_blas_thread()
    first.__enter__()
    second.__enter__()
    first.__exit__(None, None, None)
    assert blas_threads() == 1
    second.__exit__(None, None, None)
    assert blas_threads() == 2


@pytest.mark.parametrize(("operations", "of_blas"), [(10.0, 1), (1e12, 2)])
def test_few_operations_leave_the_threads_to_us(two_threads, operations, of_blas):
    with blas_threads_for(operations):
        assert (n_threads(), blas_threads()) == (2, of_blas)
        assert for_each(lambda _: n_threads(), range(4)) == [1] * 4
    assert (n_threads(), blas_threads()) == (2, 2)


class Counted:
    """How often its value was made."""

    made = 0

    @cached_property
    def value(self):
        """The value."""
        self.made += 1
        return self.made


def test_a_cached_property_is_made_once_for_each_instance():
    first, second = Counted(), Counted()
    assert [first.value, first.value, second.value] == [1, 1, 1]
    assert pickle.loads(pickle.dumps(first)).value == 1  # noqa: S301 - our own bytes
    assert Counted.__dict__["value"].__doc__ == "The value."


def test_one_or_two_threads_give_the_same_test(two_threads):
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
