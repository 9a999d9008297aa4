"""What most statistics of Y given X share, so that a new one is little more than its `fit`."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import ClassVar

from condmmd.data import Samples
from condmmd.embedding import Embedding, embed_outcomes
from condmmd.kernels import resolve_kernel
from condmmd.nuisance import Learned
from condmmd.statistics.base import ConditionalFit, Need
from condmmd.statistics.mmd import MMD

__all__ = ["ConditionalStatistic"]


class ConditionalStatistic(ABC):
    """Features of the outcomes by their default kernel; nothing that needs all rows in memory or a Gram matrix.

    A new statistic is a frozen dataclass that inherits from this, says what it ``needs``, and has a `fit`.
    """

    needs: ClassVar[frozenset[Need]] = frozenset({"covariates"})
    precomputed: ClassVar[tuple[bool, bool]] = (False, False)
    needs_memory: ClassVar[bool] = False
    remark: ClassVar[str] = ""

    @property
    def name(self) -> str:
        """What the result calls it."""
        return type(self).__name__

    def embed_outcomes(self, samples: Samples) -> Embedding:
        """Features of the outcomes by the kernel that fits their columns."""
        kernel = resolve_kernel(None, samples.y, samples.gram_y)
        return embed_outcomes(kernel, samples.y, tol=1e-6, max_rank=128)

    @abstractmethod
    def fit(self, samples: Samples, learned: Learned) -> ConditionalFit:
        """Fix everything but the labels."""

    def margins(self) -> tuple[MMD, MMD]:
        """The statistics of X alone and of Y alone."""
        return MMD(max_rank=128), MMD(max_rank=128)
