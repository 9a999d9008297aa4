"""Laws of sums of independent labels, trimmed to where there is mass.

Of many rows from the sums of a few powers, which add up over chunks of rows; of fewer, or rows of which almost none is
random, by multiplying them out, a row at a time and then by transforms.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import reduce
from math import ceil, log2

import numpy as np
import numpy.typing as npt

from condmmd.backend import Array, Rows, each_step, n_rows, on_processor, place_of, row_slices, to_host

__all__ = ["LEAF", "Law", "law_of_labels", "law_of_powers", "law_of_sum", "power_sums", "trimmed"]

# Rows in a leaf: its tables have about this many entries for each row.
LEAF = 64
DEVICE_LEAF = 8
# Probabilities of a sum that are smaller than this, relative to the largest, are rounding of the transforms.
NEGLIGIBLE = 1e-14
# Powers that are summed, and in standard deviations: where the characteristic function ends, and the law.
POWERS = 24
LAST_FREQUENCY, REACH = 8.7, 11.0


@dataclass(frozen=True, eq=False)
class Law:
    """Probabilities of a whole number, from ``start`` on; elsewhere there is none worth speaking of."""

    start: int
    probabilities: Array

    def __call__(self, values: npt.NDArray[np.int64]) -> Array:
        """The probability of each value."""
        at = values - self.start
        inside = (at >= 0) & (at < len(self.probabilities))
        return np.where(inside, self.probabilities[np.clip(at, 0, len(self.probabilities) - 1)], 0.0)

    def plus(self, other: Law) -> Law:
        """The law of the sum of two independent numbers."""
        from scipy.signal import fftconvolve  # noqa: PLC0415 - a slow import, for many rows alone

        joined = np.maximum(fftconvolve(self.probabilities, other.probabilities), 0.0)
        return trimmed(Law(self.start + other.start, joined))

    @property
    def variance(self) -> float:
        """Of the number."""
        k, total = np.arange(len(self.probabilities)), self.probabilities.sum()
        mean = np.sum(k * self.probabilities) / total
        return float(np.sum((k - mean) ** 2 * self.probabilities) / total)


def trimmed(law: Law) -> Law:
    """Without what is rounding at both ends."""
    inside = np.flatnonzero(law.probabilities > NEGLIGIBLE * law.probabilities.max())
    return Law(law.start + int(inside[0]), law.probabilities[inside[0] : inside[-1] + 1])


def power_sums(p: Rows, first: int, classes: int) -> Rows:
    """Sums of the powers of ``2 p - 1`` over rows whose number is the same modulo ``classes``: (POWERS, classes).

    ``first`` is the number of the first row.
    """
    xp, where = place_of(p)
    before = first % classes
    after = -(before + n_rows(p)) % classes
    zeros = [xp.zeros(count, dtype=xp.float64, **where) for count in (before, after)]
    shape = (before + n_rows(p) + after) // classes, classes
    u = xp.reshape(xp.concat([zeros[0], 2 * p - 1, zeros[1]]), shape)

    def sums(part: slice) -> Rows:
        base = u[part, :]
        power, found = base, []
        for _ in range(POWERS):
            found.append(xp.sum(power, axis=0))
            power = power * base
        return xp.stack(found)

    parts = each_step(sums, row_slices(u, 8 * classes), u)
    return sum(parts[1:], parts[0])


def law_of_powers(count: int, U: Array) -> Law | None:
    """The law of the sum of ``count`` labels from `power_sums`; None where so few powers do not tell it.

    With ``u = 2 p - 1`` a label has the characteristic function ``exp(i w / 2) cos(w / 2) (1 + i u tan(w / 2))``, so
    the logarithm for the sum is a series in ``tan(w / 2)`` whose coefficients are sums of powers of u. It is wanted at
    small w only: at 9 standard deviations of the sum, inverted, it is down to rounding.
    """
    from scipy.fft import irfft, next_fast_len  # noqa: PLC0415 - a slow import, for many rows alone

    deviation = max(count - U[1], 0.0) ** 0.5 / 2
    if deviation * np.pi < 2 * LAST_FREQUENCY:
        return None
    length = next_fast_len(ceil(2 * REACH * deviation), real=True)
    w = 2 * np.pi / length * np.arange(ceil(LAST_FREQUENCY / deviation * length / (2 * np.pi)) + 1)
    t = np.tan(w / 2)
    if U[-1] * t[-1] ** (POWERS + 1) > NEGLIGIBLE:
        return None
    mean = (count + U[0]) / 2
    start = round(mean) - length // 2
    k = np.arange(2, POWERS + 1)
    series = -((-1j * t[:, None]) ** k) @ (U[1:] / k)
    log_phi = (
        series + 0.5 * count * np.log1p(-(np.sin(w / 2) ** 2)) + 1j * (U[0] * _tan_less(w / 2) + w * (mean - start))
    )
    phi = np.zeros(length // 2 + 1, dtype=np.complex128)
    phi[: len(w)] = np.exp(np.conj(log_phi))
    return trimmed(Law(start, np.maximum(irfft(phi, n=length), 0.0)))


def _tan_less(x: Array) -> Array:
    """``tan(x) - x`` without loss of digits."""
    y = x**2
    small = x * y * (1 / 3 + y * (2 / 15 + y * (17 / 315 + y * (62 / 2835 + y * 1382 / 155925))))
    return np.where(x < 0.05, small, np.tan(x) - x)


def law_of_labels(p: Rows) -> Law:
    """The law of the sum of labels with these probabilities, from parts that are trimmed before they are joined."""
    parts = row_slices(p, LEAF)
    laws = each_step(lambda part: trimmed(Law(0, law_of_sum(p[part]))), parts, p)
    return reduce(Law.plus, laws, Law(0, np.ones(1)))


def law_of_sum(p: Rows) -> Array:
    """Probabilities of 0 to N ones among independent rows: leaves one row at a time, then pairs of leaves by FFT."""
    xp, where = place_of(p)
    count, leaf = n_rows(p), LEAF if on_processor(p) else DEVICE_LEAF
    leaves = 1 << max(0, ceil(log2(max(1, count) / leaf)))
    padded = xp.concat([p, xp.zeros(leaves * leaf - count, dtype=xp.float64, **where)])
    rows = xp.reshape(padded, (leaves, leaf))
    law = xp.zeros((leaves, leaf + 1), dtype=xp.float64, **where)
    law[:, 0] = 1.0
    for j in range(leaf):
        taken = rows[:, j, None] * law
        law -= taken
        law[:, 1:] += taken[:, :-1]
    while law.shape[0] > 1:
        length = 2 * law.shape[1] - 1
        spectrum = xp.fft.rfft(law, n=length)
        law = xp.clip(xp.fft.irfft(spectrum[0::2, :] * spectrum[1::2, :], n=length), min=0.0)
    return to_host(law[0, : count + 1])
