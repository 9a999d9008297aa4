"""Random numbers that are functions of a key and a row number: the same on every device and in every chunk of rows.

SplitMix64: the number of row i is the mixed state ``key + i * GAMMA``, of which the upper half is used.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from condmmd.backend import Array, Rows, fused_kernel, namespace

__all__ = ["below", "chance", "keys_of", "rounded", "thresholds"]

GAMMA, FIRST, SECOND = 0x9E3779B97F4A7C15, 0xBF58476D1CE4E5B9, 0x94D049BB133111EB
# A number has 32 bits, so probabilities are multiples of this.
STEP = 2.0**-32
# What `below` does, for devices that can run it in one go.
IN_ONE_KERNEL = f"""
template <typename T> T below(T key, T number, T limit) {{
  unsigned long long z = (unsigned long long)key + (unsigned long long)number * {GAMMA}ULL;
  z = (z ^ (z >> 30)) * {FIRST}ULL;
  z = (z ^ (z >> 27)) * {SECOND}ULL;
  return (long long)(int)(z >> 32) < limit;
}}
"""


def _signed(constant: int) -> int:
    """The same 64 bits as a signed integer, which every backend has."""
    return constant - 2**64 if constant >= 2**63 else constant


def below(numbers: Rows, limits: Rows, keys: Any) -> Any:
    """Whether the random number of each key and row is below the row's limit: shape (keys, rows), true or 1."""
    xp = namespace(limits)
    fused = fused_kernel("below", IN_ONE_KERNEL, limits)
    if fused is not None:
        return fused(keys[:, None], numbers[None, :], xp.astype(limits, xp.int64)[None, :])
    z = keys[:, None] + (numbers * _signed(GAMMA))[None, :]
    z ^= (z >> 30) & (2**34 - 1)  # the sign must not be shifted in
    z *= _signed(FIRST)
    z ^= (z >> 27) & (2**37 - 1)
    z *= _signed(SECOND)
    z >>= 32
    return z < xp.astype(limits, xp.int64)[None, :]


def thresholds(p: Rows) -> Rows:
    """Limits that a random number is below with probability p."""
    return namespace(p).round(p / STEP) - 2**31


def rounded(limits: Rows) -> Rows:
    """The probability of being below a limit."""
    return (limits + 2**31) * STEP


def keys_of(seeds: npt.NDArray[np.uint64], attempt: int | npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
    """A key for each seed and attempt."""
    with np.errstate(over="ignore"):
        z = seeds + (np.asarray(attempt, dtype=np.uint64) + np.uint64(1)) * np.uint64(GAMMA)
        z = (z ^ (z >> np.uint64(30))) * np.uint64(FIRST)
        z = (z ^ (z >> np.uint64(27))) * np.uint64(SECOND)
    return (z ^ (z >> np.uint64(31))).view(np.int64)


def chance(seeds: npt.NDArray[np.uint64], j: int, attempt: npt.NDArray[np.int64]) -> Array:
    """A uniform number for each seed and attempt, and every j."""
    bits = keys_of(~seeds, attempt * 64 + j).view(np.uint64)
    return np.asarray(bits >> np.uint64(11), dtype=np.float64) * 2.0**-53
