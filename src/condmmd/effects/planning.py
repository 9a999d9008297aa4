"""How many rows an effect needs: the power of a pilot table, were it larger or smaller.

In a table of k times as many rows the signal of an effect is k times as large, and the noise its root. What the pilot
cannot tell is how much better models of more rows would be: the answer errs, if at all, on the side of more rows.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from condmmd.backend import blas_threads_for
from condmmd.data.checks import is_number
from condmmd.effects.alternatives import KINDS, Alternative
from condmmd.effects.detectable import alternatives_in, check_power, sized
from condmmd.effects.false_alarms import binomial_interval
from condmmd.effects.power import Power, Seen
from condmmd.inference import Plan, Trained

__all__ = ["Needed", "PowerPoint", "rows_needed"]

# Times the rows of the pilot, at most and at least; halvings by which the number is found.
LARGEST, SMALLEST, HALVINGS = 100.0, 0.02, 14
# Fewest rows in all, and points of the curve: shares of the rows that are needed.
FEWEST_ROWS = 20
POINTS = (0.25, 0.4, 0.6, 0.8, 1.0, 1.3, 1.8)


@dataclass(frozen=True)
class PowerPoint:
    """How often a table of so many rows would show the effect, with its 95 % interval."""

    rows: tuple[int, int]
    power: float
    low: float
    high: float


@dataclass(frozen=True)
class Needed:
    """Rows of P and of Q that show an effect with a given power; None: more than were tried.

    Attributes
    ----------
    rows
        Of P and of Q.
    effect, deviations
        The size of the effect, in its units and in residual standard deviations (None for a ratio).
    kind, words
        What kind of effect, and the same in words.
    curve
        Power by rows.
    draws
        Label vectors behind each point.
    """

    rows: tuple[int, int] | None
    effect: float
    deviations: float | None
    kind: str
    words: str
    curve: tuple[PowerPoint, ...]
    draws: int


def rows_needed(
    plan: Plan,
    trained: Trained,
    effect: float,
    *,
    power: float,
    kind: str | None = None,
    outcome: str | None = None,
    along: str | None = None,
    in_deviations: bool = False,
) -> Needed:
    """Rows that a test needs to show an effect, from a pilot on which it was trained."""
    check_power(power, plan.settings.significance)
    found = Power.of(plan, trained)
    one = _chosen(alternatives_in(found, along, None if outcome is None else [outcome]), kind)
    size = _size(effect, one, in_deviations=in_deviations)
    with blas_threads_for(len(found.e) * 10**5):
        seen = found.seen(one.change(size))
        groups = trained.labels.samples.groups
        factor = _factor(seen, power, FEWEST_ROWS / (groups.n + groups.m))
        points = [min(LARGEST, (factor or LARGEST) * share) for share in POINTS]
        curve = [_point(seen, k, (groups.n, groups.m), found.draws) for k in dict.fromkeys(points)]
    deviations = size / one.deviation if one.deviation else None
    words = f"{one.words} {sized(one.kind, size)}"
    needed = None if factor is None else _rows(factor, (groups.n, groups.m))
    return Needed(needed, size, deviations, one.kind, words, tuple(curve), found.draws)


def _chosen(every: Sequence[Alternative], kind: str | None) -> Alternative:
    """The one of a kind; without, the plainest that the outcome has. A shift of a class is one of its share."""
    if kind is not None and kind not in KINDS:
        raise ValueError(f"`kind` must be one of {list(KINDS)}; got {kind!r}.")
    if len({one.outcome for one in every}) > 1:
        raise ValueError(f"name the `outcome` that has the effect: {list(dict.fromkeys(o.outcome for o in every))}.")
    for one in every:
        if kind in {None, one.kind} or (kind == "shift" and one.kind == "share"):
            return one
    raise ValueError(f"`kind` {kind!r} does not go with this outcome; it can have {[one.kind for one in every]}.")


def _size(effect: float, one: Alternative, *, in_deviations: bool) -> float:
    if not (is_number(effect) and np.isfinite(effect)):
        raise ValueError(f"`effect` must be a number; got {effect!r}.")
    if in_deviations and not one.deviation:
        raise ValueError(f"a {one.kind} is a ratio: there are no deviations to give its `effect` in.")
    size = float(effect) * (one.deviation or 1.0) if in_deviations else float(effect)
    if one.kind in {"spread", "rate"} and size < 1:
        raise ValueError(f"`effect` of a {one.kind} is the larger by the smaller, above 1; got {effect!r}.")
    if not one.none < abs(size) <= max(one.most, 1e-300) and one.kind == "share":
        raise ValueError(f"`effect` of a share must be between 0 and {one.most:.3g}; got {effect!r}.")
    if size == one.none:
        raise ValueError(f"`effect` must differ from {one.none:g}, which is none; got {effect!r}.")
    return size


def _factor(seen: Seen, power: float, least: float) -> float | None:
    """Times the rows of the pilot; None where the most is not enough."""
    if seen.share(LARGEST) < power:
        return None
    low, high = np.log(max(SMALLEST, least)), np.log(LARGEST)
    for _ in range(HALVINGS):
        middle = (low + high) / 2
        if seen.share(float(np.exp(middle))) < power:
            low = middle
        else:
            high = middle
    return float(np.exp(high))


def _rows(factor: float, pilot: tuple[int, int]) -> tuple[int, int]:
    n, m = (max(2, int(np.ceil(factor * count))) for count in pilot)
    return n, m


def _point(seen: Seen, factor: float, pilot: tuple[int, int], draws: int) -> PowerPoint:
    share = seen.share(factor)
    return PowerPoint(_rows(factor, pilot), share, *binomial_interval(round(share * draws), draws))
