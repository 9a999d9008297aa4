"""The one room that knows backends: NumPy, arrays on a device (PyTorch, CuPy), and dask's chunks of rows.

A function of the flow is written for a chunk of rows in the array API. Here it is applied to all rows: at once in
memory or on a device, chunk by chunk with dask. What is made from all rows (`map_rows`) stays where the rows are; what
is summed over them (`sum_rows`) is small, and comes as an array of the chunks' kind, so with dask as one of NumPy.

Outside this room two questions may be asked of rows, both of them about cost: whether a pass over them is dear
(`is_chunked`), and whether they are in the memory of a processor (`on_processor`).
"""

from condmmd.backend.arrays import (
    AnyArray,
    Array,
    Kind,
    Rows,
    as_float,
    device_memory,
    host_floats,
    is_chunked,
    kind_of,
    move_to,
    n_rows,
    namespace,
    on_processor,
    place_of,
    report_passes,
    to_host,
    work_size,
)
from condmmd.backend.chunks import (
    column_span,
    distinct_rows,
    each_chunk,
    each_step,
    first_rows,
    in_chunks,
    map_rows,
    persist,
    pick_rows,
    place_rows,
    row_numbers,
    row_slices,
    rows_like,
    sample_rows,
    steps_of,
    sum_rows,
    take,
    together,
    total,
)
from condmmd.backend.content import content_order, content_sample
from condmmd.backend.distances import Metric, distances, equal_rows, pair_distances, row_distances
from condmmd.backend.labels import (
    DrawnLabels,
    HeldLabels,
    LabelBatch,
    Labels,
    Weights,
    label_sums,
    made_labels,
    observed_labels,
    placed_labels,
    stacked,
)
from condmmd.backend.linear_algebra import (
    LowerTriangle,
    PositiveFactor,
    factor_positive,
    solve_in_groups,
    solve_one,
    solve_positive,
    solve_ridge,
    times_each,
)
from condmmd.backend.operations import (
    as_float_like,
    at_least,
    disjoint_columns,
    exp_in_place,
    inner_products,
    interpolate,
    largest,
    multiply_in_place,
    multiply_into,
    put_rows,
    root,
    sigmoid,
    softplus,
    square_sums,
    squared_norms,
    transposed,
    weighted_rows,
)
from condmmd.backend.threads import (
    blas_threads_for,
    cached_property,
    for_each,
    n_threads,
    one_blas_thread,
    pipelined,
    unforked,
)

__all__ = [
    "AnyArray", "Array", "DrawnLabels", "HeldLabels", "Kind", "LabelBatch", "Labels", "LowerTriangle", "Metric",
    "PositiveFactor", "Rows", "Weights", "as_float", "as_float_like", "at_least", "blas_threads_for",
    "cached_property", "column_span", "content_order", "content_sample", "device_memory", "disjoint_columns",
    "distances", "distinct_rows",
    "each_chunk", "each_step", "equal_rows", "exp_in_place", "factor_positive", "first_rows", "for_each",
    "host_floats", "in_chunks", "inner_products",
    "interpolate", "is_chunked", "kind_of", "label_sums", "largest",
    "made_labels", "map_rows", "move_to", "multiply_in_place",
    "multiply_into", "n_rows", "n_threads", "namespace", "observed_labels",
    "on_processor", "one_blas_thread", "pair_distances", "persist", "pick_rows", "pipelined", "place_of",
    "place_rows", "placed_labels", "put_rows", "report_passes", "root", "row_distances",
    "row_numbers", "row_slices", "rows_like",
    "sample_rows", "sigmoid", "softplus", "solve_in_groups", "solve_one", "solve_positive", "solve_ridge",
    "square_sums", "squared_norms", "stacked", "steps_of", "sum_rows", "take", "times_each", "to_host",
    "together", "total", "transposed", "unforked", "weighted_rows", "work_size",
]  # fmt: skip
