"""The Gaussian kernel between laws: the inner product of the mean embeddings of two mixtures of normals.

For one component, ``E k(Y, Y') = prod_j l_j / v_j exp(-(m_j - m'_j)^2 / (2 v_j^2))`` with
``v_j^2 = l_j^2 + s_j^2 + s'_j^2``; a value is a law without spread. So an outcome and what a model says of it are two
points of one space, and nothing has to be drawn.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from condmmd.backend import Rows, namespace
from condmmd.kernels.base import Kernel

__all__ = ["GaussianOfLaws", "point_laws"]


@dataclass(frozen=True)
class GaussianOfLaws(Kernel):
    """``E k(Y, Y')`` for a Gaussian kernel k of the ``lengthscale`` given, one number a column of the outcome.

    A law is a row of ``components`` times a weight, then the means of each column, then the standard deviations.
    """

    lengthscale: tuple[float, ...]
    components: int = 1

    @property
    def width(self) -> int:
        """Numbers in a law."""
        return self.components * (1 + 2 * len(self.lengthscale))

    def gram(self, A: Rows, B: Rows) -> Rows:
        first, second = self._parts(A), self._parts(B)
        K: Rows = sum(a[0][:, None] * b[0][None, :] * self._product(a, b, pairs=True) for a in first for b in second)
        return K

    def diagonal(self, A: Rows) -> Rows:
        parts = self._parts(A)
        found: Rows = sum(a[0] * b[0] * self._product(a, b, pairs=False) for a in parts for b in parts)
        return found

    def _parts(self, A: Rows) -> list[tuple[Any, Any, Any]]:
        """Weight, means and variances of each component."""
        d, c = len(self.lengthscale), self.components
        parts = []
        for k in range(c):
            mean = A[:, c + k * d : c + (k + 1) * d]
            deviation = A[:, c + (c + k) * d : c + (c + k + 1) * d]
            parts.append((A[:, k], mean, deviation**2))
        return parts

    def _product(self, a: tuple[Any, Any, Any], b: tuple[Any, Any, Any], *, pairs: bool) -> Any:
        """Of every row of one with every row of the other, or with its own."""
        exponent: Any = 0.0
        scale: Any = 1.0
        xp = namespace(a[1])
        for j, own in enumerate(self.lengthscale):
            (mean, variance), (other, its_own) = ((part[1][:, j], part[2][:, j]) for part in (a, b))
            if pairs:
                mean, variance = mean[:, None], variance[:, None]
            v = own**2 + variance + its_own
            exponent = exponent + (mean - other) ** 2 / v
            scale = scale * own / xp.sqrt(v)
        return scale * xp.exp(-0.5 * exponent)


def point_laws(y: Rows, components: int) -> Rows:
    """Values as laws without spread: all weight on the first component."""
    xp = namespace(y)
    one, zero = y[:, :1] * 0.0 + 1.0, y[:, :1] * 0.0
    means = xp.concat([y] * components, axis=1)
    laws: Rows = xp.concat([one, *[zero] * (components - 1), means, means * 0.0], axis=1)
    return laws
