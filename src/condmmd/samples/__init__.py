"""Step 1 of the flow: any array or data frame becomes ``(x, w, t)``. The only place that rejects bad input."""

from condmmd.samples.groups import Groups, read_group
from condmmd.samples.pooling import Samples, pool, read_samples, select_rows
from condmmd.samples.table import Array, Column, Labels, Table, Weights, read_gram, read_table

__all__ = [
    "Array",
    "Column",
    "Groups",
    "Labels",
    "Samples",
    "Table",
    "Weights",
    "pool",
    "read_gram",
    "read_group",
    "read_samples",
    "read_table",
    "select_rows",
]  # fmt: skip
