"""The pooled sample: covariates, outcomes and labels, row by row, checked together."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any
from zlib import crc32

import numpy as np
import numpy.typing as npt

from condmmd.backend import Array, n_rows, take, together
from condmmd.data.groups import Groups, read_group
from condmmd.data.identifiers import check_identifiers
from condmmd.data.reading import read_gram, read_table
from condmmd.data.row_order import check_order
from condmmd.data.table import Table, listed
from condmmd.data.warning_types import ConstantColumnWarning, warn_user

__all__ = ["Samples", "pooled_rows", "read_samples", "select_rows", "warn_constant"]


@dataclass(frozen=True, eq=False)
class Samples:
    """The pooled rows ``(x_i, w_i, t_i)``, checked. Gram matrices only where the user gave them."""

    x: Table
    y: Table
    groups: Groups
    gram_x: Array | None = None
    gram_y: Array | None = None

    @property
    def chunked(self) -> bool:
        """Whether the rows are in chunks (dask)."""
        return self.x.chunked

    @property
    def spaces(self) -> tuple[str, str]:
        """Covariates and outcomes in the user's names; "X" or "Y" where there is a Gram matrix in their place."""
        x, y = (
            table.argument if gram is not None else listed(table.names)
            for table, gram in ((self.x, self.gram_x), (self.y, self.gram_y))
        )
        return x, y

    def checksum(self) -> int:
        """Changes if rows in NumPy do, which may be the user's own arrays; rows elsewhere are not looked at."""
        found = 0
        for rows in (self.x.values, self.y.values, self.groups.t):
            if isinstance(rows, np.ndarray):
                found = crc32(np.ascontiguousarray(rows).tobytes(), found)
        return found


def read_samples(
    X: Any, Y: Any, group: Any, *, precomputed_x: bool = False, precomputed_y: bool = False, **beside: Any
) -> Samples:
    """Read and check covariates, outcomes and labels before any work starts.

    What comes ``beside`` them, one value a row, must have its rows in the same order.
    """
    check_order({"X": X, "Y": Y, "group": group, **beside})
    gram_x, x = read_gram(X, "X") if precomputed_x else (None, read_table(X, "X"))
    gram_y, y = read_gram(Y, "Y") if precomputed_y else (None, read_table(Y, "Y"))
    groups = read_group(group)
    rows = {"X": n_rows(x.values), "Y": n_rows(y.values), "group": n_rows(groups.t)}
    if len(set(rows.values())) > 1:
        counts = ", ".join(f"`{name}` has {count}" for name, count in rows.items())
        raise ValueError(f"X, Y and group must have the same number of rows: {counts}.")
    for table in (x, y):
        warn_constant(table)
    return pooled_rows(x, y, groups, gram_x, gram_y)


def warn_constant(table: Table) -> None:
    """Say which columns cannot tell any two rows apart, and what follows from that."""
    if not table.constant:
        return
    named = ", ".join(f"'{name}'" for name in table.constant)
    if len(table.constant) < len(table.columns):
        consequence = "it does not tell any two rows apart"
    elif table.argument == "Y":
        consequence = "the outcomes do not differ, and what is measured is the effect of the ridge"
    else:
        consequence = "with nothing to condition on, outcomes are compared unconditionally"
    warn_user(f"`{table.argument}` is constant in column(s) {named}: {consequence}.", ConstantColumnWarning)


def pooled_rows(
    x: Table, y: Table, groups: Groups, gram_x: Array | None = None, gram_y: Array | None = None
) -> Samples:
    """All three in the same chunks, or on the same device: where any of them is."""
    check_identifiers(x)
    check_identifiers(y)
    own = together([x.values, y.values, groups.t])
    if gram_x is not None or gram_y is not None:
        if any(values is not old for values, old in zip(own, (x.values, y.values, groups.t), strict=True)):
            raise TypeError(
                "a precomputed Gram matrix must be in memory, as must be what comes with it; convert to NumPy."
            )
        return Samples(x, y, groups, gram_x, gram_y)
    return Samples(x.at(own[0]), y.at(own[1]), groups if own[2] is groups.t else replace(groups, t=own[2]))


def select_rows(samples: Samples, rows: npt.NDArray[np.bool_], argument: str = "trim") -> Samples:
    """Keep some rows, of both groups alike."""
    index = np.flatnonzero(rows)
    groups = replace(samples.groups, t=take(samples.groups.t, index))
    if min(groups.n, groups.m) < 2:
        raise ValueError(
            f"`{argument}` leaves {groups.n} rows of P and {groups.m} of Q, and at least 2 of each are needed; give a "
            "smaller one, or leave it out."
        )
    return Samples(
        samples.x.at(take(samples.x.values, index)),
        samples.y.at(take(samples.y.values, index)),
        groups,
        samples.gram_x,
        samples.gram_y,
    )
