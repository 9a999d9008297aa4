"""What an array is, where it is, and how to bring it elsewhere."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from functools import cache
from itertools import count
from typing import Any, Literal, Protocol, TypeAlias

import array_api_compat as compat
import numpy as np
import numpy.typing as npt

from condmmd.backend.clusters import compute_parts
from condmmd.backend.threads import one_blas_thread

__all__ = [
    "AnyArray", "Array", "Kind", "Rows", "as_float", "compute", "device_memory", "host_floats", "is_chunked",
    "kind_of", "move_to", "n_rows", "namespace", "on_processor", "place_of", "report_passes", "to_host", "work_size",
]  # fmt: skip


class AnyArray(Protocol):
    """An array of NumPy, of a library on a device, or of dask: what the arithmetic of the package asks of it."""

    @property
    def shape(self) -> tuple[int, ...]: ...
    @property
    def ndim(self) -> int: ...
    @property
    def dtype(self) -> Any: ...
    @property
    def T(self) -> AnyArray: ...
    def __getitem__(self, key: Any, /) -> AnyArray: ...
    def __setitem__(self, key: Any, value: Any, /) -> None: ...
    def __neg__(self) -> AnyArray: ...
    def __add__(self, other: Any, /) -> AnyArray: ...
    def __radd__(self, other: Any, /) -> AnyArray: ...
    def __sub__(self, other: Any, /) -> AnyArray: ...
    def __rsub__(self, other: Any, /) -> AnyArray: ...
    def __mul__(self, other: Any, /) -> AnyArray: ...
    def __rmul__(self, other: Any, /) -> AnyArray: ...
    def __truediv__(self, other: Any, /) -> AnyArray: ...
    def __rtruediv__(self, other: Any, /) -> AnyArray: ...
    def __pow__(self, other: Any, /) -> AnyArray: ...
    def __matmul__(self, other: Any, /) -> AnyArray: ...
    def __lt__(self, other: Any, /) -> AnyArray: ...
    def __le__(self, other: Any, /) -> AnyArray: ...
    def __gt__(self, other: Any, /) -> AnyArray: ...
    def __ge__(self, other: Any, /) -> AnyArray: ...
    def __float__(self) -> float: ...
    def __int__(self) -> int: ...


Array: TypeAlias = npt.NDArray[np.float64]  # of NumPy
Rows: TypeAlias = AnyArray  # with a row for each row of the data
Kind: TypeAlias = Literal["NumPy or anything that it reads", "device", "chunked array", "chunked frame"]

# Numbers that a step of a long computation holds: about the cache of a processor, or one for so many bytes of a device.
HOST_NUMBERS = 2**21
DEVICE_SHARE = 512
_watch: ContextVar[Callable[[], None] | None] = ContextVar("watch", default=None)


def namespace(*arrays: AnyArray) -> Any:
    """The array API of these arrays."""
    if type(arrays[0]) is np.ndarray:
        return _numpy()
    return compat.array_namespace(*arrays)


@cache
def _numpy() -> Any:
    return compat.array_namespace(np.empty(0))


def on_processor(array: Any) -> bool:
    """Whether this is an array of NumPy, for which caches, threads and SciPy's LAPACK matter."""
    return isinstance(array, np.ndarray)


def is_chunked(array: Any) -> bool:
    """Whether the rows are in chunks (dask), so that a pass over them is dear and not all are in memory at once."""
    return not isinstance(array, np.ndarray) and "dask.array" in sys.modules and compat.is_dask_array(array)


def _is_device(array: Any) -> bool:
    """Whether this is an array of another library of the array API, such as PyTorch's or CuPy's."""
    return not (on_processor(array) or is_chunked(array)) and compat.is_array_api_obj(array)


def kind_of(data: Any) -> Kind:
    """Which kind of rows a user has passed."""
    if is_chunked(data):
        return "chunked array"
    if hasattr(data, "to_delayed"):  # a data frame or series of dask, or anything else that has partitions
        return "chunked frame"
    return "device" if _is_device(data) else "NumPy or anything that it reads"


def place_of(rows: AnyArray) -> tuple[Any, dict[str, Any]]:
    """The namespace of what is made from these rows and is small, and the arguments that create an array there."""
    if on_processor(rows) or is_chunked(rows):
        return _numpy(), {}
    return namespace(rows), {"device": compat.device(rows)}


def move_to(values: AnyArray, rows: AnyArray) -> Any:
    """A small array of NumPy, moved to where what is made from these rows is."""
    if on_processor(rows) or is_chunked(rows):
        return values
    xp, where = place_of(rows)
    return xp.asarray(np.ascontiguousarray(values), **where)


def to_host(array: Any) -> npt.NDArray[Any]:
    """The same array in NumPy."""
    if isinstance(array, np.ndarray):
        return array
    if is_chunked(array):
        return np.asarray(compute([array])[0])
    if compat.is_torch_array(array):
        return np.asarray(array.detach().cpu().numpy())
    if compat.is_cupy_array(array):
        return np.asarray(array.get())
    return np.array(np.from_dlpack(array)) if hasattr(array, "__dlpack__") else np.asarray(array)


def host_floats(values: Any) -> Array:
    """Anything that holds numbers, as an array of NumPy in double precision."""
    return np.asarray(to_host(values) if _is_device(values) else values, dtype=np.float64)


def as_float(array: AnyArray) -> Any:
    """In double precision."""
    if isinstance(array, np.ndarray):
        return array.astype(np.float64, copy=False)
    xp = namespace(array)
    return xp.astype(array, xp.float64, copy=False)


def n_rows(rows: AnyArray) -> int:
    """The number of rows."""
    return int(rows.shape[0])


def work_size(rows: AnyArray) -> int:
    """Numbers that a step of a computation on these rows should hold."""
    memory = device_memory(rows)
    return HOST_NUMBERS if memory == 0 else max(HOST_NUMBERS, memory // DEVICE_SHARE)


def device_memory(array: Any) -> int:
    """Bytes of a device that has memory of its own; else 0."""
    if on_processor(array):
        return 0
    if compat.is_torch_array(array) and array.device.type == "cuda":
        return _cuda_memory(array.device)
    return int(array.device.mem_info[1]) if compat.is_cupy_array(array) else 0


@cache
def _cuda_memory(device: Any) -> int:
    import torch  # noqa: PLC0415

    return int(torch.cuda.get_device_properties(device).total_memory)


@contextmanager
def report_passes(report: Callable[[int], None]) -> Iterator[None]:
    """Call ``report`` with the number of each pass over chunks of rows, as it begins."""
    numbers = count(1)
    token = _watch.set(lambda: report(next(numbers)))
    try:
        yield
    finally:
        _watch.reset(token)


def compute(parts: list[Any]) -> list[Any]:
    """What these parts of dask are, made in one pass over the chunks."""
    watch = _watch.get()
    if watch is not None:
        watch()
    with one_blas_thread():  # dask has threads of its own
        return compute_parts(parts)
