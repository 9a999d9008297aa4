"""Statistics that are sums of squares of moments linear in the labels, laid open for whoever wants their law."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol, runtime_checkable

from condmmd.backend import Array, Rows
from condmmd.regression.logistic import LogisticFit
from condmmd.statistics.base import Fitted

__all__ = ["LinearFit", "LinearForm", "Products"]


@dataclass(frozen=True, eq=False)
class Products:
    """Columns ``S = sum_jk weight_j (sum_i tau_i phi_ij psi_ik)^2`` that share features and differ in the weights.

    ``weights`` has a row for each column, one number for each column of phi.
    """

    phi: Rows
    psi: Rows
    weights: Array


@dataclass(frozen=True, eq=False)
class LinearForm:
    """Every column of a statistic, in order, and what makes ``tau`` of labels (`residual_labels`)."""

    e: Rows
    fit: LogisticFit | None
    products: tuple[Products, ...]


@runtime_checkable
class LinearFit(Fitted, Protocol):
    """A fitted statistic all of whose columns are of this form."""

    @property
    def linear(self) -> LinearForm:
        """Features, weights, and the residuals of the labels."""
