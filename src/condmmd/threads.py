"""Many small factorisations at once: a thread for each, and BLAS with one thread inside it.

BLAS splits a 500-row factorisation over its threads and loses by it: two threads take twice as long as one. So the
threads go over the problems instead. SciPy's LAPACK lets other Python threads run meanwhile.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from typing import Any, TypeVar

from threadpoolctl import ThreadpoolController

__all__ = ["for_each", "one_blas_thread"]

Item = TypeVar("Item")


@cache
def _blas() -> Any:
    return ThreadpoolController().select(user_api="blas")


def one_blas_thread() -> Any:
    """A context in which BLAS has one thread, for whoever has threads of their own."""
    return _blas().limit(limits=1)


def for_each(function: Callable[[Item], None], items: Iterable[Item]) -> None:
    """Call ``function`` for every item, as many at once as BLAS has threads; where it has one, one after another."""
    allowed = max((library.num_threads for library in _blas().lib_controllers), default=1)
    if allowed == 1:
        for item in items:
            function(item)
        return
    with _blas().limit(limits=1), ThreadPoolExecutor(allowed) as pool:
        for _ in pool.map(function, items):
            pass
