"""How large the difference is: a share of what X leaves of the outcomes, and squared CMMD, each with an interval.

The share is ``between / (between + within)``: within is how far outcomes vary in a group at one x, by the models of the
test, and between is what the two groups being apart would add to that if both were equally likely at every x, a quarter
of the mean of ``|delta(x)|^2`` where both groups are. It is 0 if nothing differs and 1 if the group fixes the outcome,
and no unit, no scale of the kernel and no size of a group is in it. Differences that vary over the covariates count
as far as their leading directions go, of which there are the more, the more rows there are.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil
from typing import Any

from condmmd.backend import cached_property
from condmmd.data.checks import is_number
from condmmd.data.on_screen import on_screen
from condmmd.effects.differences import Difference, Rows, squared_difference
from condmmd.effects.noisy_norm import NoisyNorm
from condmmd.explain import Evidence
from condmmd.regression.regularization import DEFAULT_REG

__all__ = ["Size", "Sizes", "check_confidence", "share_of", "word_for"]

# Shares from which a difference is called so: those of a constant shift by 0.2, 0.5 and 0.8 standard deviations of what
# X leaves of a normal outcome (`python -m benchmarks.sizes`).
WORDS = ((0.07, "large"), (0.025, "medium"), (0.004, "small"))


@dataclass(frozen=True)
class Size:
    """How large a difference is. Made by ``result.size()``.

    Attributes
    ----------
    share
        The share of what X leaves of the outcomes that the group explains, were both groups equally likely at every x:
        0 if nothing differs, 1 if the group fixes the outcome.
    share_interval
        Its confidence interval; its lower end is 0 where nothing is shown.
    squared
        Squared CMMD of ``level``, with the kernels of the test and the lambda ``reg``, less what noise adds to it. It
        may be below zero, and its scale is that of the kernels: compare it between tables with the same kernels only.
    squared_interval
        Its confidence interval.
    level, reg, confidence
        What they were made with.
    n_obs, labels
        Rows of P and of Q that were looked at, and what the user called them.
    spaces
        The covariates and the outcomes in the user's names.
    """

    share: float
    share_interval: tuple[float, float]
    squared: float
    squared_interval: tuple[float, float]
    level: float
    reg: float
    confidence: float
    n_obs: tuple[int, int]
    labels: tuple[str, str]
    spaces: tuple[str, str] = ("X", "Y")

    @property
    def word(self) -> str:
        """The share in a word: "very small", "small", "medium" or "large", as shifts of 0.2, 0.5 and 0.8 deviations."""
        return word_for(self.share)

    def sentence(self) -> str:
        """The size in words."""
        low, high = self.share_interval
        shown = f"{low:.1%} to {high:.1%} with confidence {self.confidence:g}"
        start = f"The group explains {self.share:.1%} of what {self.spaces[0]} leaves of {self.spaces[1]} ({shown}): "
        if low <= 0:
            return f"{start}at most a {word_for(high)} difference fits these rows."
        return f"{start}a {self.word} difference."

    def summary(self) -> str:
        """A few lines that a person can read."""
        (low, high), (p, q), (x, y) = self.squared_interval, self.labels, self.spaces
        return "\n".join([
            f"How different is {y} given {x} between {p} ({self.n_obs[0]} rows) and {q} ({self.n_obs[1]} rows)?",
            f"  {self.sentence()}",
            f"  CMMD^2 of level {self.level:g}: {self.squared:.4g} ({low:.4g} to {high:.4g}), lambda {self.reg:.4g}",
        ])  # fmt: skip

    def to_dict(self) -> dict[str, Any]:
        """All of it, in types that JSON has."""
        return {
            "share": self.share, "share_interval": list(self.share_interval), "word": self.word,
            "squared": self.squared, "squared_interval": list(self.squared_interval), "level": self.level,
            "reg": self.reg, "confidence": self.confidence, "n_obs": dict(zip("PQ", self.n_obs, strict=True)),
            "labels": dict(zip("PQ", self.labels, strict=True)), "sentence": self.sentence(),
        }  # fmt: skip

    def __repr__(self) -> str:
        (a, b), (c, d) = self.share_interval, self.squared_interval
        return on_screen(
            f"Size(share={self.share:.4g} [{a:.4g}, {b:.4g}], squared={self.squared:.4g} [{c:.4g}, {d:.4g}], "
            f"level={self.level:g}, confidence={self.confidence:g})"
        )


@dataclass(frozen=True, eq=False)
class Sizes:
    """The sizes of one difference, at any level and confidence; what they have in common is found once."""

    evidence: Evidence

    @cached_property
    def rows(self) -> Rows:
        """The rows of the test."""
        return Rows.of(self.evidence)

    @cached_property
    def difference(self) -> Difference:
        """What the share is made of: the mean of ``|delta(x)|^2`` along the leading directions of the covariates."""
        return squared_difference(self.rows.along_directions(_directions(self.rows.count)), 1.0, 0.0)

    @cached_property
    def reg(self) -> float:
        """Lambda: that of the statistic if it has one number, else as a test chooses it."""
        given: Any = getattr(self.evidence.plan.statistic, "reg", None)
        return float(given) if is_number(given) else DEFAULT_REG * self.rows.mean_square

    @cached_property
    def _by_level(self) -> dict[float, NoisyNorm]:
        return {}

    def squared(self, level: float) -> NoisyNorm:
        """Squared CMMD of a level."""
        if level not in self._by_level:
            self._by_level[level] = squared_difference(self.rows, level, self.reg).norm
        return self._by_level[level]

    def size(self, level: Any = 1.0, confidence: Any = 0.95) -> Size:
        """Share and squared CMMD with their intervals."""
        if not (is_number(level) and 0 <= level < float("inf")):
            raise ValueError(f"`level` must be a number of at least 0; got {level!r}.")
        confidence = check_confidence(confidence)
        found, squared, groups = self.difference, self.squared(float(level)), self.evidence.samples.groups
        return Size(
            share=share_of(found.norm.estimate, found.within),
            share_interval=_pair(share_of(end, found.within) for end in found.in_scale.interval(confidence)),
            squared=squared.estimate,
            squared_interval=squared.interval(confidence),
            level=float(level),
            reg=self.reg,
            confidence=confidence,
            n_obs=(groups.n, groups.m),
            labels=(groups.p_label, groups.q_label),
            spaces=self.evidence.samples.spaces,
        )


def share_of(squared: float, within: float) -> float:
    """``between / (between + within)``, with a quarter of the squared difference between two equally likely groups."""
    between = max(squared, 0.0) / 4
    return between / max(between + within, 1e-300)


def squared_at(share: float, within: float) -> float:
    """The squared difference that has this share."""
    return 4 * within * share / (1 - share)


def word_for(share: float) -> str:
    """A share in a word."""
    return next((word for least, word in WORDS if share >= least), "very small")


def check_confidence(confidence: Any) -> float:
    """The chance that an interval holds what it is for."""
    if not (is_number(confidence) and 0.5 <= confidence < 1):
        raise ValueError(f"`confidence` must be at least 0.5 and below 1, such as 0.95; got {confidence!r}.")
    return float(confidence)


def _directions(count: int) -> int:
    """Directions of the covariates along which so many independent rows can show a difference."""
    return max(1, ceil(count**0.5 / 2))


def _pair(values: Any) -> tuple[float, float]:
    low, high = values
    return float(low), float(high)
