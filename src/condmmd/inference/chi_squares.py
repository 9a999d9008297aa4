"""Upper tails of weighted sums of chi-squares, as far out as one likes, in relative accuracy.

The tail is an integral of the moment generating function,

    P(S > x) = 1 / (2 pi i)  integral of exp(K(s) - s x) / s ds,    K(s) = log E exp(s S),

along any path from below to above that crosses the real axis between 0 and the first branch point (left of 0 it gives
the lower tail, with the sign changed). Taken through the saddlepoint of the integrand, along the parabola that bends as
the path of steepest descent does (Rice, 1980), nothing oscillates and the trapezoidal rule converges geometrically: the
integrand is nowhere much larger than where it starts, so the error is relative to the tail itself, whether that is 0.5
or 1e-200. Inversion along the imaginary axis (Imhof, Davies) has an absolute error in place of that, and a saddlepoint
approximation one of a few percent.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from condmmd.backend import Array

__all__ = ["ChiSquares", "upper_tail"]

# Steps of the trapezoidal rule for each width of the integrand, how many are taken at once, and at most.
STEPS, AT_ONCE, MOST = 5, 16, 4096
# Where the sum stops: what the last steps added, relative to it.
NEGLIGIBLE = 1e-13
# How much of the bend of steepest descent the path has, tried in turn: far out it may lead too near the cut.
BENDS = (1.0, 0.5, 0.2, 0.05, 0.0)
NEWTON = 100
# Numbers held at once: they should stay near the processor.
CHUNK_NUMBERS = 2**16


@dataclass(frozen=True, eq=False)
class ChiSquares:
    """Laws of ``sum_j weight_j chi2(degrees_j)``, one a row; a weight of 0 is no term.

    Attributes
    ----------
    weights
        Not negative, shape (B, k).
    degrees
        Degrees of freedom of each term, which need not be whole numbers: shape (B, k).
    """

    weights: Array
    degrees: Array

    @classmethod
    def of(cls, weights: Array) -> ChiSquares:
        """One degree of freedom for each weight."""
        return cls(weights, np.ones_like(weights))

    def rows(self, index: npt.NDArray[np.int64]) -> ChiSquares:
        """Some of the laws."""
        return ChiSquares(self.weights[index], self.degrees[index])

    @property
    def mean(self) -> Array:
        """Of each law."""
        return np.asarray(np.sum(self.weights * self.degrees, axis=1))

    def log_moments(self, s: npt.NDArray[Any]) -> npt.NDArray[Any]:
        """``K(s)``, the logarithm of the moment generating function, for each law at its own points: (B, points)."""
        twice = 2.0 * self.weights[:, None, :]
        real, imaginary = 1.0 - s.real[:, :, None] * twice, -s.imag[:, :, None] * twice
        moduli = np.einsum("bpk,bk->bp", np.log(real**2 + imaginary**2), self.degrees)
        angles = np.einsum("bpk,bk->bp", np.arctan2(imaginary, real), self.degrees)
        return np.asarray(-0.25 * moduli - 0.5j * angles)

    def slopes(self, s: Array) -> tuple[Array, Array, Array]:
        """The first three derivatives of K at one real point for each law."""
        ratio = self.weights / (1.0 - 2.0 * s[:, None] * self.weights)
        first, second, third = (np.einsum("bk,bk->b", ratio**power, self.degrees) for power in (1, 2, 3))
        return first, 2.0 * second, 8.0 * third


def upper_tail(x: Array, laws: ChiSquares) -> Array:
    """``P(S > x)`` for each law at its own point, with a relative error of about 1e-10.

    Examples
    --------
    >>> import numpy as np
    >>> from condmmd.inference.chi_squares import ChiSquares, upper_tail
    >>> upper_tail(np.array([3.841458820694124]), ChiSquares.of(np.ones((1, 1)))).round(12)
    array([0.05])
    """
    if not (np.isfinite(x).all() and np.isfinite(laws.weights).all()):
        raise ValueError("a statistic, or a weight of its law, is NaN or infinite, so there is no p-value.")
    largest = laws.weights.max(axis=1, initial=0.0)
    found = np.where(x <= 0, 1.0, 0.0)
    index = np.flatnonzero((x > 0) & (largest > 0))
    step = max(1, CHUNK_NUMBERS // (AT_ONCE * max(1, laws.weights.shape[1])))
    for start in range(0, len(index), step):
        own = index[start : start + step]
        unit = largest[own]  # a law in units of its largest weight has its first branch point at 1/2
        found[own] = _tails(x[own] / unit, ChiSquares(laws.weights[own] / unit[:, None], laws.degrees[own]))
    return np.clip(found, 0.0, 1.0)


def _tails(x: Array, laws: ChiSquares) -> Array:
    """The upper tail beyond the mean; below it, one less the lower tail, which is then the easier integral."""
    found, upper = np.empty(len(x)), x >= laws.mean
    for side, index in ((1.0, np.flatnonzero(upper)), (-1.0, np.flatnonzero(~upper))):
        if len(index):
            tail = _integrals(x[index], laws.rows(index), side)
            found[index] = tail if side > 0 else 1.0 - tail
    return found


def _integrals(x: Array, laws: ChiSquares, side: float) -> Array:
    c = _saddlepoints(x, laws, side)
    _, second, third = laws.slopes(c)
    second, third = second + 1 / c**2, third - 2 / c**3
    width, bend = second**-0.5, np.maximum(third, 0.0) / (6 * second)
    log_height = laws.log_moments(c[:, None])[:, 0].real - c * x - np.log(np.abs(c))
    found, left = np.zeros(len(x)), np.arange(len(x))
    for share in BENDS:
        path = _Path(x[left], laws.rows(left), c[left], width[left], share * bend[left], log_height[left])
        sums, done = path.integral(last=share == BENDS[-1])
        found[left] = sums
        left = left[~done]
        if not len(left):
            break
    return np.asarray(np.exp(log_height) * found)


def _saddlepoints(x: Array, laws: ChiSquares, side: float) -> Array:
    """Where ``K(s) - s x - log |s|``, convex on either side of 0 up to the first branch point, is smallest."""
    low, high = np.zeros(len(x)), np.full(len(x), 0.5)
    if side < 0:
        low, high = np.full(len(x), -1.0), np.zeros(len(x))
        while np.any(beyond := laws.slopes(low)[0] - x - 1 / low > 0):
            low[beyond] *= 2
    s = 0.5 * (low + high)
    for _ in range(NEWTON):
        first, second, _ = laws.slopes(s)
        slope, curve = first - x - 1 / s, second + 1 / s**2
        low, high = np.where(slope < 0, s, low), np.where(slope < 0, high, s)
        newton = s - slope / curve
        inside = (newton > low) & (newton < high)
        moved = np.where(inside, newton, 0.5 * (low + high))
        if np.all(np.abs(moved - s) <= 1e-6 * np.minimum(np.abs(s), 0.5 - s)):
            break
        s = moved
    return s


@dataclass(frozen=True, eq=False)
class _Path:
    """``s(u) = c + bend u^2 + i u`` from the saddlepoint c upwards; the other half is its mirror image."""

    x: Array
    laws: ChiSquares
    c: Array
    width: Array
    bend: Array
    log_height: Array

    def integral(self, *, last: bool) -> tuple[Array, npt.NDArray[np.bool_]]:
        """The integral relative to its height at the saddlepoint, and whether the integrand fell all the way."""
        sums, fell, left = np.zeros(len(self.x)), np.ones(len(self.x), dtype=bool), np.arange(len(self.x))
        for numbers in self._numbers():
            values = self._at(numbers, left)
            sums[left] += np.sum(values.real * np.where(numbers == 0, 0.5, 1.0), axis=1)
            sizes = np.abs(values)
            fell[left] &= last | (np.max(sizes, axis=1) <= 1.5)
            small = np.max(sizes[:, -AT_ONCE // 4 :], axis=1) <= NEGLIGIBLE * np.abs(sums[left])
            left = left[~small & fell[left]]
            if not len(left):
                break
        fell[left] &= last
        return self.width / STEPS * sums / np.pi, fell

    @staticmethod
    def _numbers() -> Iterator[Array]:
        for start in range(0, MOST, AT_ONCE):
            yield np.arange(start, start + AT_ONCE, dtype=np.float64)

    def _at(self, numbers: Array, rows: npt.NDArray[np.int64]) -> npt.NDArray[np.complex128]:
        u = self.width[rows, None] / STEPS * numbers
        s = self.c[rows, None] + self.bend[rows, None] * u**2 + 1j * u
        exponent = (
            self.laws.rows(rows).log_moments(s) - s * self.x[rows, None] - np.log(np.sign(self.c[rows, None]) * s)
        )
        direction = 1.0 - 2j * self.bend[rows, None] * u  # ds / (i du)
        return np.asarray(np.exp(exponent - self.log_height[rows, None]) * direction)
