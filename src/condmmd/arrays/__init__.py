"""The one place that knows about backends: NumPy, arrays on a device (PyTorch, CuPy), and dask's blocks of rows.

A function of the flow is written for a block of rows in the array API. Here it is applied to all rows: at once in
memory or on a device, block by block with dask. What is made from all rows (`map_rows`) stays where the rows are; what
is summed over them (`sum_rows`) is small, and comes as an array of the blocks' kind, so with dask as one of NumPy.
"""

from condmmd.arrays.kinds import (
    Rows,
    as_float,
    device_memory,
    home,
    is_device,
    is_host,
    is_lazy,
    is_lazy_frame,
    matching,
    n_rows,
    namespace,
    to_host,
    watching,
    work_size,
)
from condmmd.arrays.operations import (
    first_rows,
    largest,
    multiply_into,
    one_kernel,
    pick_rows,
    put_rows,
    sigmoid,
    solve_positive,
    square_sums,
    squared_norms,
    take,
    transposed,
)
from condmmd.arrays.passes import (
    column_span,
    distinct_rows,
    each_step,
    gather_rows,
    kept,
    map_rows,
    row_numbers,
    row_slices,
    sample_rows,
    steps_of,
    sum_rows,
    total,
)

__all__ = [
    "Rows", "as_float", "column_span", "device_memory", "distinct_rows", "each_step", "first_rows", "gather_rows",
    "home", "is_device", "is_host", "is_lazy", "is_lazy_frame", "kept", "largest", "map_rows", "matching",
    "multiply_into", "n_rows", "namespace", "one_kernel", "pick_rows", "put_rows", "row_numbers", "row_slices",
    "sample_rows", "sigmoid", "solve_positive", "square_sums", "squared_norms", "steps_of", "sum_rows", "take",
    "to_host", "total", "transposed", "watching", "work_size",
]  # fmt: skip
