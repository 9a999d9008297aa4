"""Two conditional distributions compared through features: everything is fixed but the labels.

An estimator of CMMD is a way to make D, the difference of the two conditional mean operators, of shape (r, q), from
labels and features. To add one, write a file like `plugin`.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from condmmd.backend import (
    AnyArray,
    Array,
    LabelBatch,
    Rows,
    map_rows,
    n_rows,
    namespace,
    on_processor,
    square_sums,
    sum_rows,
    to_host,
    total,
)
from condmmd.data import Samples
from condmmd.embedding import Embedding
from condmmd.nuisance import Learned
from condmmd.regression.regularization import Lambda, Regularization, choose_reg
from condmmd.statistics.base import Need
from condmmd.statistics.spectrum import level_values, mixture_spectrum

__all__ = ["Comparison", "Contrast", "Estimator", "Ingredients", "centred", "pooled_shrinkage"]

# Numbers in the moments of one batch of label vectors (256 MB).
BATCH_NUMBERS = 2**25
# Solutions of systems in Gram matrices are written row by row, so they should stay near the processor; on a device many
# are solved at once.
DUAL_SHARE, DEVICE_SHARE = 64, 4


class Contrast(Protocol):
    """A way to make D. It may contain a ``power`` of C already: level s then weights by ``sigma^(s - power)``."""

    @property
    def power(self) -> int:
        """The lowest level that this contrast can give."""

    def __call__(self, T: LabelBatch, x: Embedding, y: Embedding) -> AnyArray:
        """D for every label vector: shape (B, r, q)."""


@dataclass(frozen=True, eq=False)
class Comparison:
    """Features of covariates and outcomes, and the contrast between the two groups.

    Attributes
    ----------
    x
        Covariates, with features in the eigenbasis of the pooled covariance C.
    sigma
        The eigenvalues of C.
    y
        Outcomes.
    contrast
        How D is made.
    mixture
        Weight of P in C (alpha of the paper); None: the pooled sample, n / (n + m).
    reg
        Lambda, where the estimator has one.
    rows
        The rows that take part, where they are not all.
    """

    x: Embedding
    sigma: AnyArray
    y: Embedding
    contrast: Contrast
    mixture: float | None = None
    reg: Regularization | None = None
    rows: npt.NDArray[np.bool_] | None = None

    def spectra(self, T: LabelBatch) -> tuple[AnyArray, AnyArray, AnyArray]:
        """Eigenvalues (r or B x r), energies (B x r) and D (B x r x q) for each label vector."""
        D = self.contrast(T, self.x, self.y)
        xp = namespace(D)
        if self.mixture is None:
            return self.sigma, xp.vecdot(D, D), D
        sigma, U = mixture_spectrum(T, self.x.phi, self.mixture)
        along = xp.matrix_transpose(U) @ D
        return sigma, xp.vecdot(along, along), D

    @property
    def at_once(self) -> int:
        """Label vectors whose moments fit in memory together."""
        r, q = self.x.rank, self.y.rank
        dual = (DUAL_SHARE if on_processor(self.x.gram) else DEVICE_SHARE) * r * q
        moments = 2 * r * (r + q) if self.x.gram is None else dual
        return max(1, BATCH_NUMBERS // moments)

    def levels(self, T: LabelBatch, s: Array) -> Array:
        """CMMD_s^2 for each label vector and each level: shape (B, len(s))."""
        parts = []
        for some in T.steps(self.at_once):
            sigma, energies, _ = self.spectra(some)
            parts.append(to_host(level_values(sigma, energies, s, self.contrast.power)))
        return np.concatenate(parts)


@dataclass(frozen=True, eq=False)
class Ingredients:
    """What an estimator makes a comparison of: features, rows, what was learned of them, and what the user set."""

    x: Embedding
    sigma: AnyArray
    y: Embedding
    samples: Samples
    learned: Learned
    reg: Lambda
    mixture: float | None

    def chosen_reg(self) -> Regularization:
        """Lambda, from the pooled rows where it was not given."""
        return choose_reg(self.reg, self.x.phi, self.y.phi, self.sigma)

    def compare(self, contrast: Contrast, reg: Regularization | None, **changes: Any) -> Comparison:
        """A comparison by this contrast."""
        parts = {"x": self.x, "sigma": self.sigma, "y": self.y, "mixture": self.mixture, "reg": reg, **changes}
        return Comparison(contrast=contrast, **parts)


class Estimator(Protocol):
    """A way to estimate the difference, as users choose it."""

    @property
    def name(self) -> str:
        """What the result calls it."""

    @property
    def needs(self) -> frozenset[Need]:
        """What it asks for beside the rows."""

    @property
    def lowest_level(self) -> int:
        """The lowest level that it can give."""

    @property
    def one_lambda(self) -> bool:
        """Whether lambda is that of the difference, so that there cannot be one for each group."""

    def compare(self, given: Ingredients) -> Comparison:
        """Fix everything but the labels."""


def centred(y: Embedding) -> Embedding:
    """Features less their mean: what all rows have alike is no difference, whatever the labels are."""
    mean = total(y.phi) / n_rows(y.phi)
    return replace(y, phi=map_rows(partial(_minus, mean=mean), y.phi, columns=y.rank))


def _minus(rows: Rows, mean: AnyArray) -> Rows:
    return rows - mean


def pooled_shrinkage(x: Embedding, lam: float) -> Rows:
    """Diagonal of ``(A(1) + lam N I)^-1`` in the eigenbasis of C, where A(1) is diagonal."""
    shrinkage: Rows = 1.0 / (sum_rows(square_sums, x.phi) + lam * n_rows(x.phi))
    return shrinkage
