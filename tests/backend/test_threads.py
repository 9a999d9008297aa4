"""Threads change no number, and do not multiply."""

import os
import pickle
import subprocess
import sys

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


# A thread computes again and again while the process forks; every child computes the same, or says why it does not.
FORKING = """
import os, sys, threading, time, warnings
import numpy as np
from condmmd import mmd_test
from condmmd.backend import threads, unforked

warnings.simplefilter("ignore")
rng = np.random.default_rng(0)
X, t = rng.normal(size=(300, 3)), np.repeat([1, 0], 150)
run = lambda: mmd_test(X, t, n_resamples=19, rng=0).pvalue
expected, done, busy = run(), threading.Event(), threading.Event()
endless = unforked(lambda: (busy.set(), done.wait()))
if "endless" in sys.argv:
    threads.FORK_WAIT = 0.05
    target = endless
else:
    def target():
        while not done.is_set():
            run()
            busy.set()
worker = threading.Thread(target=target)
worker.start()
busy.wait()
for _ in range(1 if "endless" in sys.argv else 8):
    child = os.fork()
    if child == 0:
        try:
            found = run()
            assert (found, threads._limit.users) == (expected, 0), (found, expected)
            print("the same", flush=True)
        except RuntimeError as error:
            print(error, flush=True)
        os._exit(0)
    os.waitpid(child, 0)
    time.sleep(0.01)
done.set()
worker.join()
print("the end", run() == expected)
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork here")
@pytest.mark.parametrize(("arguments", "told"), [([], ["the same"] * 8), (["endless"], ["this process was forked"])])
def test_a_fork_waits_for_other_threads(arguments, told):
    """It stopped the threads of BLAS in the middle of a call, which then never ended; or the child waited forever."""
    environment = os.environ | {"OPENBLAS_NUM_THREADS": "2"}
    done = subprocess.run(  # noqa: S603
        [sys.executable, "-c", FORKING, *arguments], capture_output=True, text=True, timeout=120, check=False,
        env=environment,
    )  # fmt: skip
    lines = done.stdout.splitlines()
    assert lines[-1:] == ["the end True"], done.stderr
    assert [line[: len(words)] for line, words in zip(lines[:-1], told, strict=True)] == told
