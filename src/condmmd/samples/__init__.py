"""Step 1 of the flow: any array or data frame becomes ``(x, w, t)``. The only place that rejects bad input."""

from condmmd.samples.groups import Groups, read_group
from condmmd.samples.lazy import Partitions, in_blocks
from condmmd.samples.pooling import Samples, pool, pooled_rows, read_samples, select_rows
from condmmd.samples.table import (
    SAMPLE_ROWS,
    Array,
    Column,
    Labels,
    Table,
    Weights,
    pick_columns,
    read_gram,
    read_table,
)

__all__ = [
    "SAMPLE_ROWS",
    "Array",
    "Column",
    "Groups",
    "Labels",
    "Partitions",
    "Samples",
    "Table",
    "Weights",
    "in_blocks",
    "pick_columns",
    "pool",
    "pooled_rows",
    "read_gram",
    "read_group",
    "read_samples",
    "read_table",
    "select_rows",
]  # fmt: skip
