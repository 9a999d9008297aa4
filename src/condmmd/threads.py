"""Many small factorisations at once: a thread for each, and BLAS with one thread inside it.

BLAS splits a 500-row factorisation over its threads and loses by it: two threads take twice as long as one. So the
threads go over the problems instead. SciPy's LAPACK lets other Python threads run meanwhile.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from typing import Any, Generic, TypeVar

from threadpoolctl import ThreadpoolController

__all__ = ["cached_property", "for_each", "one_blas_thread"]

Item = TypeVar("Item")
Value = TypeVar("Value")


class cached_property(Generic[Value]):  # noqa: N801 - as the one that it replaces
    """`functools.cached_property` without a lock: up to Python 3.11 that has one for all instances of a class.

    A value that is computed by other threads, which need the same property of other instances, would wait forever.
    """

    def __init__(self, function: Callable[[Any], Value]) -> None:
        self.function = function
        self.__doc__ = function.__doc__
        self.name = function.__name__

    def __get__(self, instance: Any, owner: type | None = None) -> Value:
        """The value, which is then an attribute of the instance and found before this."""
        value = self.function(instance)
        instance.__dict__[self.name] = value
        return value


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
