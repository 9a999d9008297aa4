"""Many small factorisations at once: a thread for each, and BLAS with one thread inside it.

BLAS splits a 500-row factorisation over its threads and loses by it: two threads take twice as long as one. So the
threads go over the problems instead. SciPy's LAPACK lets other Python threads run meanwhile.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from contextvars import ContextVar
from functools import cache, wraps
from threading import Condition, Lock, get_ident
from typing import Any, Generic, ParamSpec, TypeVar

from threadpoolctl import ThreadpoolController

__all__ = ["blas_threads_for", "cached_property", "for_each", "n_threads", "one_blas_thread", "pipelined", "unforked"]

Item = TypeVar("Item")
Value = TypeVar("Value")
Arguments = ParamSpec("Arguments")

FEW_OPERATIONS = 1e9
# Seconds that a fork waits for other threads, at most.
FORK_WAIT = 600.0
_ours: ContextVar[int] = ContextVar("_ours", default=0)


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


@contextmanager
def one_blas_thread() -> Iterator[None]:
    """A context in which BLAS has one thread, for whoever has threads of their own.

    The number is one for the whole process: the first to enter lowers it, and the last to leave restores it.
    """
    with _limit.lock:
        if _limit.users == 0:
            _limit.set = _blas().limit(limits=1)
        _limit.users += 1
    try:
        yield
    finally:
        with _limit.lock:
            _limit.users -= 1
            if _limit.users == 0:
                _limit.set.restore_original_limits()


class _Limit:
    """Who has asked for one BLAS thread."""

    def __init__(self) -> None:
        self.lock = Lock()
        self.users = 0
        self.set: Any = None


_limit = _Limit()


class _Forks:
    """Which threads compute, so that no fork comes between.

    A fork stops the threads of OpenBLAS, so that a call that is under way waits for them forever; and the child has
    the locks that other threads held, with nobody to open them. So a fork waits until the other threads are done.
    """

    def __init__(self) -> None:
        self.changed = Condition()
        self.computing: Counter[int] = Counter()
        self.wanted = 0
        self.alone = True
        self.broken = False

    def begin(self) -> None:
        """Note that a thread computes from now on; those that wait to fork go first."""
        with self.changed:
            if not self.computing[get_ident()]:
                self.changed.wait_for(lambda: not self.wanted)
            self.computing[get_ident()] += 1

    def end(self) -> None:
        """Note that a thread is done."""
        with self.changed:
            self.computing[get_ident()] -= 1
            self.computing = +self.computing
            self.changed.notify_all()

    def before(self) -> None:
        """Wait for the others; but not forever, as one of them may wait for this one."""
        self.changed.acquire()
        self.wanted += 1
        self.alone = self.changed.wait_for(lambda: not (+self.computing).keys() - {get_ident()}, FORK_WAIT)

    def in_parent(self) -> None:
        """The others may go on."""
        self.wanted -= 1
        self.changed.notify_all()
        self.changed.release()

    def in_child(self) -> None:
        """There are no other threads."""
        here = self.computing[get_ident()]
        self.broken = self.broken or not self.alone
        self.changed, self.wanted, self.computing = Condition(), 0, Counter({get_ident(): here})
        _limit.lock = Lock()
        if _limit.users and not here:
            _limit.users = 0
            _limit.set.restore_original_limits()

    def check(self) -> None:
        """Refuse to compute where it would wait forever."""
        if self.broken:
            raise RuntimeError(
                "this process was forked while another thread computed, and would wait for its locks forever. Start "
                "processes before threads, or with multiprocessing.set_start_method('spawn')."
            )


_forks = _Forks()
if hasattr(os, "register_at_fork"):
    os.register_at_fork(before=_forks.before, after_in_parent=_forks.in_parent, after_in_child=_forks.in_child)


def unforked(function: Callable[Arguments, Value]) -> Callable[Arguments, Value]:
    """The same function; a fork by another thread waits until it is done."""

    @wraps(function)
    def computing(*args: Arguments.args, **kwargs: Arguments.kwargs) -> Value:
        _forks.check()
        _forks.begin()
        try:
            return function(*args, **kwargs)
        finally:
            _forks.end()

    return computing


@contextmanager
def blas_threads_for(operations: float) -> Iterator[None]:
    """A context for linear algebra of so many operations at a time: if they are few, BLAS has one thread in it.

    After a call its threads stay busy for a while in case there is another, and those of `for_each`, which are as many
    as before, have the processors to share with them.
    """
    if operations > FEW_OPERATIONS:
        yield
        return
    before = _ours.set(n_threads())
    try:
        with one_blas_thread():
            yield
    finally:
        _ours.reset(before)


def n_threads() -> int:
    """As many as `for_each` has: those of BLAS, and none but its own in a thread of `for_each`."""
    return _ours.get() or max((library.num_threads for library in _blas().lib_controllers), default=1)


def for_each(function: Callable[[Item], Value], items: Iterable[Item]) -> list[Value]:
    """``function`` of every item, as many at once as BLAS has threads; where it has one, one after another."""
    allowed = n_threads()
    if allowed == 1:
        return [function(item) for item in items]
    with one_blas_thread(), ThreadPoolExecutor(allowed) as pool:
        return list(pool.map(function, items))


def pipelined(first: Callable[[Item], Any], second: Callable[[Any], Value], items: Iterable[Item]) -> list[Value]:
    """``second(first(item))`` for every item: the first step in this thread, and the second meanwhile in another.

    For a first step in Python and a second in linear algebra: two threads of Python would wait for each other.
    """
    if n_threads() == 1:
        return [second(first(item)) for item in items]
    with one_blas_thread(), ThreadPoolExecutor(1) as pool:
        return [step.result() for step in [pool.submit(second, first(item)) for item in items]]
