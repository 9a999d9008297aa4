"""Plain ways to look at outcomes beside their whole distribution: by their mean, by their spread, by their shares.

A kernel sees every kind of difference and none of them well: a constant shift, or a spread that is wrong by a half, is
found with fewer rows by those who look for it. Each view is a residual of its own, zero on average under the null
hypothesis and of the other sign if the two sides change places, so it is flipped (or drawn anew) with the others.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any, TypeAlias

import numpy as np

from condmmd.backend import Array, Rows, map_rows, move_to, n_rows, namespace, sum_rows, to_host

__all__ = ["Centre", "View", "bent", "expected_bent", "paired_views", "views_of"]

# Nodes of the quadrature that gives the expectation of a bent square under a normal law.
NODES = 64
# From rows of numbers to what covariates say of them.
Centre: TypeAlias = Callable[[Rows], Rows]


@dataclass(frozen=True, eq=False)
class View:
    """One way to look at outcomes: words, residuals, and whether they are followed along the covariates too."""

    words: str
    values: Rows
    along: bool = True


def bent(squares: Any) -> Any:
    """Squares bent so that no single row dominates."""
    return squares / (1.0 + squares)


def expected_bent(weight: Array, mean: Array, deviation: Array) -> Array:
    """``E bent(Z^2)`` for mixtures of normals: (rows, components) to one number a row."""
    nodes, share = np.polynomial.hermite_e.hermegauss(NODES)
    values = bent((mean[:, :, None] + deviation[:, :, None] * nodes) ** 2)
    return np.asarray(np.einsum("ic,icq,q->i", weight, values, share / share.sum()))


def views_of(values: Rows, width: int) -> tuple[View, ...]:
    """The mean and the spread from columns side by side: ``width`` of each."""
    return View("the mean", values[:, :width]), View("the spread", values[:, width:])


def paired_views(first: Rows, second: Rows, centre: Centre) -> tuple[View, ...]:
    """Of two outcomes of each row, by what covariates say of the mean of the two: who is first decides nothing."""
    width = int(first.shape[1])
    middle = centre(map_rows(_mean, first, second, columns=width))
    squares = to_host(sum_rows(_squares, first, second, middle)) / (2 * n_rows(first))
    unit = np.where(squares > 0, squares, 1.0)
    return views_of(map_rows(partial(_mean_and_spread, unit=unit), first, second, middle, columns=2 * width), width)


def _mean(first: Rows, second: Rows) -> Rows:
    return (first + second) / 2


def _squares(first: Rows, second: Rows, middle: Rows) -> Rows:
    found: Rows = namespace(first).sum((first - middle) ** 2 + (second - middle) ** 2, axis=0)
    return found


def _mean_and_spread(first: Rows, second: Rows, middle: Rows, unit: Array) -> Rows:
    xp, own = namespace(first), move_to(unit, first)
    spread = bent((first - middle) ** 2 / own) - bent((second - middle) ** 2 / own)
    joined: Rows = xp.concat([(first - second) / xp.sqrt(own), spread], axis=1)
    return joined
