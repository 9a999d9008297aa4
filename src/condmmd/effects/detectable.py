"""What a test could have seen: the smallest effects of several kinds that it would have shown with a given power."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from scipy.special import ndtri

from condmmd.backend import blas_threads_for, to_host
from condmmd.data import Table
from condmmd.data.checks import is_number
from condmmd.data.on_screen import on_screen
from condmmd.effects.alternatives import Alternative, alternatives_of
from condmmd.effects.power import Power
from condmmd.inference import Plan, Trained

__all__ = ["Detectable", "DetectableEffect", "alternatives_in", "check_power", "detect", "sized"]

# Sizes tried for one kind of effect, at most, and how near to the power a share must come.
MOST_TRIED = 6
NEAR = 0.02
# The normal score, in noise, of an effect that is seen half of the time; and the most that a size changes at once.
HALFWAY = 2.6
FACTORS = (0.3, 3.0)


@dataclass(frozen=True)
class DetectableEffect:
    """The smallest effect of one kind on one outcome that would have been seen.

    Attributes
    ----------
    kind
        "shift", "slope", "spread", of a number; "share", of a class; "rate", of a count.
    outcome, along
        The outcome; the covariate of a slope.
    size
        In the units of the outcome, as a share, or as a ratio; None: not even ``largest`` would have been seen.
    deviations
        The same in residual standard deviations; None for a ratio.
    largest
        The largest size that was tried.
    sizes, powers
        Sizes that were tried, and how often the test would have rejected.
    words
        All of it in a sentence.
    """

    kind: str
    outcome: str
    along: str | None
    size: float | None
    deviations: float | None
    largest: float
    sizes: tuple[float, ...]
    powers: tuple[float, ...]
    words: str

    def __repr__(self) -> str:
        return on_screen(f"DetectableEffect({self.words})")


@dataclass(frozen=True)
class Detectable:
    """What this very test on this very table would have shown. Made by ``result.detectable()``.

    The covariates are held, labels are drawn from the propensity, and the outcomes of rows of P get the effect. The
    residuals are those of the table, with whatever effect there is already; the models are not fitted again.

    Attributes
    ----------
    power
        How often the test would have rejected.
    significance
        At which.
    draws
        Label vectors behind each number: a power of 0.8 has a standard error of ``(0.16 / draws) ** 0.5``.
    effects
        For each outcome and each kind of effect the smallest that would have been seen.
    """

    power: float
    significance: float
    draws: int
    effects: tuple[DetectableEffect, ...]

    def __repr__(self) -> str:
        seen = "; ".join(effect.words for effect in self.effects) or "nothing"
        return on_screen(f"Detectable(power={self.power:g}: {seen}); .summary() says more")

    def effect(self, kind: str, outcome: str | None = None) -> DetectableEffect:
        """The one of a kind; of several outcomes, of the one that is named."""
        for effect in self.effects:
            if effect.kind == kind and outcome in {None, effect.outcome}:
                return effect
        known = [(effect.kind, effect.outcome) for effect in self.effects]
        raise ValueError(f"there is no effect of `kind` {kind!r} on `outcome` {outcome!r}; there are {known}.")

    def summary(self) -> str:
        """Return a screenful that a person can read."""
        head = f"What would have been seen with a power of {self.power:.0%}, at {self.significance:g}?"
        lines = [f"  {effect.words}" for effect in self.effects]
        return "\n".join(
            [head, *(lines or ["  nothing: X fixes the outcomes, and there is no noise to see it against"])]
        )

    def to_dict(self) -> dict[str, Any]:
        """All of it, in types that JSON has."""
        plain = asdict(self)
        plain["effects"] = [
            {**effect, "sizes": list(effect["sizes"]), "powers": list(effect["powers"])} for effect in plain["effects"]
        ]
        return plain


def check_power(power: Any, significance: float) -> float:
    """A power above what the test rejects by chance."""
    if not (is_number(power) and significance < power < 1):
        raise ValueError(f"`power` must be between the significance, {significance:g}, and 1; got {power!r}.")
    return float(power)


def alternatives_in(found: Power, along: str | None, outcomes: Sequence[str] | None) -> list[Alternative]:
    """Every kind of effect on the outcomes of a test, or on those that are named."""
    samples = found.trained.labels.samples
    x = samples.x if samples.gram_x is None else samples.x.select(())
    x, y = x.at(to_host(x.values)), samples.y.at(to_host(samples.y.values))
    _check_names(y, outcomes)
    every = alternatives_of(y, x, found.weights, found.views.residuals, along)
    return [one for one in every if outcomes is None or one.outcome in outcomes]


def _check_names(y: Table, outcomes: Sequence[str] | None) -> None:
    unknown = [] if outcomes is None else [name for name in outcomes if name not in y.names]
    if isinstance(outcomes, str) or unknown:
        raise ValueError(f"`outcomes` must be a list of names of outcomes, {list(y.names)}; got {outcomes!r}.")


def detect(
    plan: Plan, trained: Trained, power: float = 0.8, along: str | None = None, outcomes: Sequence[str] | None = None
) -> Detectable:
    """The smallest effects that a test, which was trained, would have shown with a given power."""
    check_power(power, plan.settings.significance)
    found = Power.of(plan, trained)
    with blas_threads_for(len(found.e) * 10**5):
        effects = [_smallest(found, one, power) for one in alternatives_in(found, along, outcomes)]
    return Detectable(float(power), found.significance, found.draws, tuple(effects))


def _smallest(found: Power, one: Alternative, power: float) -> DetectableEffect:
    """Search for the size at which the test rejects as often as it should."""
    shares: dict[float, float] = {}  # by the strength of the effect
    most = one.most - one.none
    strength = min(one.guess - one.none, most)
    for _ in range(MOST_TRIED):
        shares[strength] = found.seen(one.change(one.none + strength)).share()
        if abs(shares[strength] - power) <= NEAR or (strength == most and shares[strength] < power):
            break
        strength = _next(shares, power, most)
    size = None if shares.get(most, 1.0) < power - NEAR else one.none + _next(shares, power, most)
    deviations = None if size is None or not one.deviation else size / one.deviation
    words = f"{one.words} {sized(one.kind, one.most if size is None else size)}"
    if size is None:
        words = f"not even {words}"
    elif deviations is not None:
        words += f" ({deviations:.2f} residual standard deviations)"
    sizes = tuple(one.none + strength for strength in sorted(shares))
    powers = tuple(shares[strength] for strength in sorted(shares))
    return DetectableEffect(one.kind, one.outcome, one.along, size, deviations, one.most, sizes, powers, words)


def _next(shares: dict[float, float], power: float, most: float) -> float:
    """The strength at which the power should be reached, judged by the sizes tried.

    The strength is nearly a line in the normal score of the share: through the two nearest sizes on either side, or
    through one and the score that a test of many columns has where it rejects half of the time.
    """
    below = max((s for s, share in shares.items() if share < power), default=None)
    above = min((s for s, share in shares.items() if share >= power), default=None)
    nearest = above if below is None else below
    if below is not None and above is not None and below < above:
        low, high = (ndtri(_inside(shares[s])) for s in (below, above))
        return float(below + (above - below) * (ndtri(power) - low) / (high - low))
    if nearest is None:
        raise ValueError("no size was tried.")
    factor = (HALFWAY + ndtri(power)) / max(HALFWAY + ndtri(_inside(shares[nearest])), 0.1)
    return min(most, nearest * float(np.clip(factor, *FACTORS)))


def _inside(share: float) -> float:
    return min(max(share, 0.01), 0.99)


def sized(kind: str, size: float) -> str:
    """A size with as many digits as it has meaning; a share in percentage points."""
    return f"{100 * size:.2g} percentage points" if kind == "share" else f"{size:.3g}"
