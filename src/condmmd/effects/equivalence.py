"""Is the difference smaller than one that matters? A p-value above 0.05 does not say so; this does.

The hypothesis to be rejected is that the difference is at least ``delta``. Of means: two one-sided tests, that it is
not above delta and not below -delta, of every outcome. Of the share: that what was seen would be too little for delta.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any, Literal

import numpy as np

from condmmd.data.checks import is_number
from condmmd.data.on_screen import on_screen
from condmmd.effects.effects import Effects
from condmmd.effects.sizes import Sizes, check_confidence, share_of, squared_at
from condmmd.explain import Evidence

__all__ = ["Closeness", "close_in_mean", "close_in_size"]


@dataclass(frozen=True)
class Closeness:
    """Whether Y given X is the same for all practical purposes. Made by ``result.closer_than(delta)``.

    Attributes
    ----------
    pvalue
        For the hypothesis that the difference is ``delta`` or more; of several outcomes the largest.
    shown
        Whether that is rejected, at ``1 - confidence``.
    what
        "mean" or "size".
    names
        The outcomes.
    delta, estimates, intervals
        The margin, the estimate, and the interval that lies within the margin if and only if closeness is shown: one
        of each for every outcome, or one for the share.
    confidence
        One less the chance of a false claim.
    sentence
        The verdict, in the user's names.
    """

    pvalue: float
    shown: bool
    what: Literal["mean", "size"]
    names: tuple[str, ...]
    delta: tuple[float, ...]
    estimates: tuple[float, ...]
    intervals: tuple[tuple[float, float], ...]
    confidence: float
    sentence: str

    def __repr__(self) -> str:
        return on_screen(f"Closeness(shown={self.shown}, pvalue={self.pvalue:.4g}; {self.sentence})")

    def __bool__(self) -> bool:
        return self.shown

    def summary(self) -> str:
        """A few lines that a person can read."""
        names = self.names if self.what == "mean" else ("share that the group explains",)
        width = max(len(name) for name in names)
        rows = zip(names, self.estimates, self.intervals, self.delta, strict=True)
        lines = [f"  {n:<{width}}  {e:.4g} ({low:.4g} to {high:.4g}), margin {d:g}" for n, e, (low, high), d in rows]
        return "\n".join([self.sentence, *lines])

    def to_dict(self) -> dict[str, Any]:
        """All of it, in types that JSON has."""
        plain = asdict(self)
        lists = {name: list(plain[name]) for name in ("names", "delta", "estimates")}
        return plain | lists | {"intervals": [list(ends) for ends in self.intervals]}


def close_in_mean(effects: Effects, delta: Any, confidence: Any, x: str) -> Closeness:
    """Two one-sided tests of the mean of every outcome, or of the share of each class; all must be within margins."""
    from scipy.stats import t as student  # noqa: PLC0415 - a slow import that few runs need

    confidence = check_confidence(confidence)
    found = [effect for effect in effects if effect.kind in {"mean", "share"}]
    by_outcome = _margins(delta, tuple(dict.fromkeys(effect.outcome for effect in found)))
    margins = tuple(by_outcome[effect.outcome] for effect in found)
    names = tuple(effect.outcome if effect.kind == "mean" else effect.name for effect in found)
    pvalue, intervals = 0.0, []
    for effect, margin in zip(found, margins, strict=True):
        error = max(effect.error, 1e-300)
        pvalue = max(pvalue, float(student.sf((margin - abs(effect.estimate)) / error, effects.df)))
        half = float(student.ppf(confidence, effects.df)) * error
        intervals.append((effect.estimate - half, effect.estimate + half))
    shown = pvalue < 1 - confidence
    p, q = effects.labels
    within = ", ".join(f"{margin:g} in {name}" for name, margin in by_outcome.items())
    if shown:
        words = f"Given {x}, {p} and {q} are the same on average for all practical purposes: within {within}"
    else:
        words = f"It is not shown that, given {x}, {p} and {q} are the same on average within {within}"
    return Closeness(
        pvalue, shown, "mean", names, margins, tuple(effect.estimate for effect in found), tuple(intervals), confidence,
        f"{words} (p = {pvalue:.3g}).",
    )  # fmt: skip


def close_in_size(sizes: Sizes, delta: Any, confidence: Any, spaces: tuple[str, str]) -> Closeness:
    """The upper limit of the share must be below the margin."""
    confidence = check_confidence(confidence)
    if not (is_number(delta) and 0 < delta < 1):
        raise ValueError(f"`delta` must be a share between 0 and 1 with what='size'; got {delta!r}.")
    found = sizes.difference
    pvalue = found.in_scale.below(squared_at(float(delta), found.within))
    high = share_of(found.in_scale.upper(confidence), found.within)
    shown = pvalue < 1 - confidence
    (x, y), (p, q) = spaces, _labels(sizes.evidence)
    claim = f"{y} given {x} is the same in {p} and {q}"
    limit = f"the group explains less than {delta:.3g} of what {x} leaves of {y}"
    words = f"{claim} for all practical purposes: {limit}" if shown else f"It is not shown that {limit}"
    names = sizes.evidence.samples.y.names
    return Closeness(
        pvalue, shown, "size", names, (float(delta),), (share_of(found.norm.estimate, found.within),), ((0.0, high),),
        confidence, f"{words} (p = {pvalue:.3g}).",
    )  # fmt: skip


def _margins(delta: Any, names: tuple[str, ...]) -> dict[str, float]:
    """One positive number for each outcome."""
    if isinstance(delta, Mapping):
        if set(delta) != set(names):
            raise ValueError(f"`delta` must name the outcomes {list(names)}; got {list(delta)}.")
        values = [delta[name] for name in names]
    else:
        values = [delta] * len(names) if is_number(delta) else list(np.atleast_1d(delta).tolist())
    if len(values) != len(names) or not all(is_number(v) and 0 < v < float("inf") for v in values):
        raise ValueError(
            f"`delta` must be a positive number in the outcome's units, or one for each of {len(names)} outcome(s); "
            f"got {delta!r}."
        )
    return {name: float(value) for name, value in zip(names, values, strict=True)}


def _labels(evidence: Evidence) -> tuple[str, str]:
    groups = evidence.samples.groups
    return groups.p_label, groups.q_label
