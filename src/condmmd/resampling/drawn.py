"""Label vectors that are made where the rows are, a block at a time."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

from condmmd.arrays import Rows, sum_rows

__all__ = ["Drawn"]


@dataclass(frozen=True, eq=False)
class Drawn:
    """``make`` of blocks of ``rows`` gives a label (or weight) for each label vector and row: shape (count, rows)."""

    rows: tuple[Rows, ...]
    make: Callable[..., Any]
    count: int

    def __len__(self) -> int:
        return self.count

    def sum(self, function: Callable[..., Any], *more: Rows) -> Any:
        """The sum over blocks of ``function`` of the labels and blocks of more rows."""
        return sum_rows(partial(_apply, function=function, make=self.make, width=len(self.rows)), *self.rows, *more)

    def map(self, function: Callable[..., Any], *more: Rows) -> Drawn:
        """``function`` of the labels and of blocks of more rows, in their place."""
        make = partial(_apply, function=function, make=self.make, width=len(self.rows))
        return Drawn((*self.rows, *more), make, self.count)


def _apply(*blocks: Rows, function: Callable[..., Any], make: Callable[..., Any], width: int) -> Any:
    return function(make(*blocks[:width]), *blocks[width:])
