"""Step 1 of the flow: any array or data frame becomes ``(x, w, t)``. The only place that rejects bad input."""

from condmmd.data.groups import Groups, read_group
from condmmd.data.naming import by_value, pick_columns, spelled
from condmmd.data.partitions import Partitions
from condmmd.data.pooling import pool
from condmmd.data.reading import encode, read_gram, read_table
from condmmd.data.samples import Samples, pooled_rows, read_samples, select_rows
from condmmd.data.table import SAMPLE_ROWS, Column, Table

__all__ = [
    "SAMPLE_ROWS", "Column", "Groups", "Partitions", "Samples", "Table", "by_value", "encode", "pick_columns", "pool",
    "pooled_rows", "read_gram", "read_group", "read_samples", "read_table", "select_rows", "spelled",
]  # fmt: skip
