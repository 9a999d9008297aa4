"""What an array is, where it is, and how to bring it elsewhere."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from functools import cache
from itertools import count
from typing import Any, TypeAlias

import array_api_compat as compat
import numpy as np
import numpy.typing as npt

from condmmd.threads import one_blas_thread

__all__ = [
    "Rows", "as_float", "compute", "device_memory", "home", "is_device", "is_host", "is_lazy", "is_lazy_frame",
    "matching", "n_rows", "namespace", "to_host", "watching", "work_size",
]  # fmt: skip

Rows: TypeAlias = Any  # an array with a row for each row of the data, of any backend

# Numbers that a step of a long computation holds: about the cache of a processor, or one for so many bytes of a device.
HOST_NUMBERS = 2**21
DEVICE_SHARE = 512
_watch: ContextVar[Callable[[], None] | None] = ContextVar("watch", default=None)


def namespace(*arrays: Rows) -> Any:
    """The array API of these arrays."""
    return compat.array_namespace(*arrays)


def is_host(array: Any) -> bool:
    """Whether this is an array of NumPy."""
    return isinstance(array, np.ndarray)


def is_lazy(array: Any) -> bool:
    """Whether this is an array of dask."""
    return "dask.array" in sys.modules and compat.is_dask_array(array)


def is_lazy_frame(data: Any) -> bool:
    """Whether this is a data frame or series of dask, or anything else that has partitions."""
    return hasattr(data, "to_delayed") and not is_lazy(data)


def is_device(array: Any) -> bool:
    """Whether this is an array of another library of the array API, such as PyTorch's or CuPy's."""
    return not (is_host(array) or is_lazy(array)) and compat.is_array_api_obj(array)


def home(rows: Rows) -> tuple[Any, dict[str, Any]]:
    """The namespace of what is made from these rows and is small, and how to create an array there."""
    if is_lazy(rows):
        return compat.array_namespace(np.empty(0)), {}
    return namespace(rows), {"device": compat.device(rows)}


def matching(values: npt.NDArray[Any], rows: Rows) -> Any:
    """A small array of NumPy, where what is made from these rows is."""
    if is_host(rows) or is_lazy(rows):
        return values
    xp, where = home(rows)
    return xp.asarray(np.ascontiguousarray(values), **where)


def to_host(array: Any) -> npt.NDArray[Any]:
    """The same array in NumPy."""
    if is_host(array):
        return array
    if is_lazy(array):
        return np.asarray(compute([array])[0])
    if compat.is_torch_array(array):
        return np.asarray(array.detach().cpu().numpy())
    if compat.is_cupy_array(array):
        return np.asarray(array.get())
    return np.array(np.from_dlpack(array)) if hasattr(array, "__dlpack__") else np.asarray(array)


def as_float(array: Any) -> Any:
    """In double precision."""
    xp = namespace(array)
    return xp.astype(array, xp.float64, copy=False)


def n_rows(rows: Rows) -> int:
    """The number of rows."""
    return int(rows.shape[0])


def work_size(rows: Rows) -> int:
    """Numbers that a step of a computation on these rows should hold."""
    memory = device_memory(rows)
    return HOST_NUMBERS if memory == 0 else max(HOST_NUMBERS, memory // DEVICE_SHARE)


def device_memory(array: Any) -> int:
    """Bytes of a device that has memory of its own; else 0."""
    if compat.is_torch_array(array) and array.device.type == "cuda":
        return _cuda_memory(array.device)
    return int(array.device.mem_info[1]) if compat.is_cupy_array(array) else 0


@cache
def _cuda_memory(device: Any) -> int:
    import torch  # noqa: PLC0415

    return int(torch.cuda.get_device_properties(device).total_memory)


@contextmanager
def watching(tell: Callable[[int], None]) -> Iterator[None]:
    """Call ``tell`` with the number of each pass over blocks of rows, as it begins."""
    numbers = count(1)
    token = _watch.set(lambda: tell(next(numbers)))
    try:
        yield
    finally:
        _watch.reset(token)


def compute(parts: list[Any]) -> list[Any]:
    """What these parts of dask are, made in one pass over the blocks."""
    import dask  # noqa: PLC0415

    watch = _watch.get()
    if watch is not None:
        watch()
    with one_blas_thread():  # dask has threads of its own
        return list(dask.compute(*parts))
