"""The marginal discrepancy: did X move, or Y? The same features, with nothing to condition on."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from condmmd.backend import (
    AnyArray,
    Array,
    LabelBatch,
    Rows,
    Weights,
    as_float,
    cached_property,
    map_rows,
    n_rows,
    namespace,
    row_slices,
    sum_rows,
    to_host,
)
from condmmd.data import Samples
from condmmd.data.checks import check_embedding
from condmmd.embedding import Embedding, embed_outcomes
from condmmd.kernels import KernelLike, check_kernel, is_precomputed, resolve_kernel
from condmmd.nuisance import Learned
from condmmd.statistics.base import Joining, Need, StatisticColumn

__all__ = ["MMD", "FittedMMD"]


@dataclass(frozen=True)
class MMD:
    """Squared maximum mean discrepancy between the two samples' distributions of the outcomes (paper, equation mmd).

    Parameters
    ----------
    kernel
        As ``kernel_x`` of `CMMD`, one.
    unbiased
        Leave out the similarity of each row with itself; the result may be negative.
    tol, max_rank
        As in `CMMD`.

    Examples
    --------
    >>> from condmmd import MMD, Gaussian
    >>> MMD(Gaussian(1.0), unbiased=True).needs
    frozenset()
    """

    kernel: KernelLike = None
    unbiased: bool = False
    tol: float = 1e-6
    max_rank: int | None = None

    def __post_init__(self) -> None:
        check_kernel(self.kernel, "kernel")
        check_embedding(self.tol, self.max_rank, "auto")

    name: ClassVar[str] = "MMD"
    remark: ClassVar[str] = ""
    needs_memory: ClassVar[bool] = False

    @property
    def needs(self) -> frozenset[Need]:
        """Nothing beside the outcomes."""
        return frozenset()

    @property
    def precomputed(self) -> tuple[bool, bool]:
        """Whether the outcomes are a Gram matrix; there are no covariates."""
        return False, is_precomputed(self.kernel)

    def embed_outcomes(self, samples: Samples) -> Embedding:
        """Features of what is compared."""
        limit = None if self.max_rank is None else int(self.max_rank)
        return embed_outcomes(
            resolve_kernel(self.kernel, samples.y, samples.gram_y), samples.y, tol=self.tol, max_rank=limit
        )

    def fit(self, samples: Samples, learned: Learned) -> FittedMMD:
        """Features, and the similarity of each row with itself."""
        y = learned.outcomes
        return FittedMMD(y, map_rows(y.kernel.diagonal, samples.y.values), unbiased=self.unbiased)


@dataclass(frozen=True, eq=False)
class FittedMMD:
    """Features of one space and the similarity of each row with itself."""

    y: Embedding
    diagonal: Rows
    unbiased: bool
    joining: ClassVar[Joining] = "logarithms"

    @property
    def columns(self) -> tuple[StatisticColumn, ...]:
        """One: there are no levels."""
        return (StatisticColumn("MMD", 0.0, "none", "none", repr(self.y.kernel)),)

    @cached_property
    def _totals(self) -> tuple[AnyArray, AnyArray]:
        found: tuple[AnyArray, AnyArray] = sum_rows(_totals, self.y.phi, self.diagonal)
        return found

    def __call__(self, T: LabelBatch) -> Array:
        """MMD^2 for each label vector: sums of features, and for the unbiased one of the diagonal."""
        sums = T.sum(_sums, self.y.phi, self.diagonal)
        (sum_p, own_p, n), (sum_all, own_all) = ([to_host(array) for array in part] for part in (sums, self._totals))
        m = n_rows(self.y.phi) - n
        sum_q = sum_all - sum_p
        if not self.unbiased:
            difference = sum_p / n[:, None] - sum_q / m[:, None]
            return _dot(difference, difference)[:, None]
        own_q = own_all - own_p
        within_p = (_dot(sum_p, sum_p) - own_p) / (n * (n - 1))
        within_q = (_dot(sum_q, sum_q) - own_q) / (m * (m - 1))
        return (within_p + within_q - 2 * _dot(sum_p, sum_q) / (n * m))[:, None]


def _dot(a: Array, b: Array) -> Array:
    return np.asarray(np.einsum("bj,bj->b", a, b))


def _sums(T: Weights, phi: Rows, diagonal: Rows) -> tuple[AnyArray, AnyArray, AnyArray]:
    """Sums of the features, of the diagonal and of the labels, for each label vector; some rows at a time."""
    parts = []
    for part in row_slices(phi, T.shape[0] + phi.shape[1]):
        weights = as_float(T[:, part])
        parts.append((weights @ phi[part, :], weights @ diagonal[part], namespace(phi).sum(weights, axis=1)))
    first, second, third = (sum(some[1:], some[0]) for some in zip(*parts, strict=True))
    return first, second, third


def _totals(phi: Rows, diagonal: Rows) -> tuple[AnyArray, AnyArray]:
    xp = namespace(phi)
    return xp.sum(phi, axis=0), xp.sum(diagonal)
