"""The difference of the groups after adjusting for X: means, shares, rates, spread and quantiles, with intervals."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from condmmd.backend import Array
from condmmd.data.checks import is_number
from condmmd.effects.adjusted import Adjusted
from condmmd.effects.bands import Band, Ratios, band_of
from condmmd.effects.effects import Effect, Effects, Kind
from condmmd.effects.outcomes import Outcome
from condmmd.effects.quantiles import SHARES, QuantileShifts, quantile_shifts
from condmmd.effects.scores import Levels, Weights
from condmmd.explain import Evidence
from condmmd.regression.populations import POPULATIONS, PopulationName

__all__ = ["StrataEffects", "check_effect", "estimate_effects"]

# Noise of predictions is taken out of a deviation up to this part of its square.
MOST_NOISE = 0.5


def check_effect(population: object, confidence: object) -> None:
    """Refuse bad arguments before any work."""
    if population not in POPULATIONS:
        raise ValueError(
            f"`population` must be one of {', '.join(map(repr, POPULATIONS))}: rows where both groups are, those of "
            f"P, those of Q, or all; got {population!r}."
        )
    if not (is_number(confidence) and 0 < float(confidence) < 1):  # type: ignore[arg-type]
        raise ValueError(f"`confidence` must be between 0 and 1, as in 0.95; got {confidence!r}.")


class _Column(NamedTuple):
    """One estimate before it has its intervals; of a ratio everything is on the scale of logarithms.

    ``influence`` is what each unit adds to it.
    """

    outcome: str
    kind: Kind
    name: str
    estimate: float
    levels: tuple[float, float]
    influence: Array


def estimate_effects(
    adjusted: Adjusted, n_obs: tuple[int, int], population: PopulationName, confidence: float
) -> Effects:
    """Every effect of a test, in a population."""
    weights = Weights.of(population, adjusted)
    columns = _averages(adjusted, weights)
    columns += _spreads(adjusted, [outcome for outcome in adjusted.outcomes if outcome.kind != "classes"], weights)
    shifts = {k: quantile_shifts(adjusted, k, weights) for k, grid in enumerate(adjusted.below) if grid is not None}
    df = weights.degrees_of_freedom
    effects, joint = _with_intervals(columns, confidence, df, adjusted, population)
    effects += _quantiles(adjusted, shifts, confidence, df)
    order = {outcome.name: j for j, outcome in enumerate(adjusted.outcomes)}
    groups = adjusted.samples.groups
    return Effects(
        tuple(sorted(effects, key=lambda effect: order[effect.outcome])), population,
        (groups.p_label, groups.q_label), n_obs, len(adjusted.e), weights.effective_rows, confidence, joint, df,
        adjusted.trimmed, adjusted.samples.spaces[0],
    )  # fmt: skip


@dataclass(frozen=True, eq=False)
class StrataEffects:
    """Means, shares and rates of some of the rows, where both groups are, each with its own 95 % interval.

    Of rows of the whole table by its models, as they are in ``adjusted``; of a stratum that has models of its own by
    those.
    """

    whole: Evidence
    adjusted: Adjusted

    def __call__(self, evidence: Evidence, rows: npt.NDArray[np.bool_]) -> tuple[Effect, ...]:
        part = (self.adjusted if evidence is self.whole else Adjusted.of(evidence)).on_rows(rows)
        weights = Weights.of("overlap", part)
        return tuple(_with_intervals(_averages(part, weights), 0.95, weights.degrees_of_freedom, part, "overlap")[0])


def _averages(adjusted: Adjusted, weights: Weights) -> list[_Column]:
    """The mean of each number, the ratio of two means of each count, the share of each class."""
    means = weights.levels(adjusted, adjusted.means)
    columns, position = [], 0
    for outcome in adjusted.outcomes:
        width = max(1, len(outcome.codes))
        own = range(position, position + width)
        position += width
        if outcome.kind == "classes":
            columns += [_share(outcome, c, means, k) for c, k in enumerate(own)]
            continue
        columns.append(_mean(outcome, means, own[0]))
        if outcome.kind == "count" and min(means.p[own[0]], means.q[own[0]]) > 0:
            columns.append(_rate(outcome, means, own[0]))
    return columns


def _mean(outcome: Outcome, found: Levels, k: int) -> _Column:
    levels = float(found.p[k]), float(found.q[k])
    influence = found.of_p[:, k] - found.of_q[:, k]
    return _Column(outcome.name, "mean", f"mean of {outcome.name}", levels[0] - levels[1], levels, influence)


def _share(outcome: Outcome, c: int, found: Levels, k: int) -> _Column:
    mean = _mean(outcome, found, k)
    levels = min(max(mean.levels[0], 0.0), 1.0), min(max(mean.levels[1], 0.0), 1.0)
    return mean._replace(kind="share", name=f"share of {outcome.name} = {outcome.classes[c]}", levels=levels)


def _rate(outcome: Outcome, found: Levels, k: int) -> _Column:
    p, q = float(found.p[k]), float(found.q[k])
    influence = found.of_p[:, k] / p - found.of_q[:, k] / q
    return _Column(outcome.name, "rate", f"rate of {outcome.name}", float(np.log(p / q)), (p, q), influence)


def _spreads(adjusted: Adjusted, numbers: list[Outcome], weights: Weights) -> list[_Column]:
    """Ratios of mean absolute deviations, less what the noise of the predictions adds to both of them.

    A deviation D from a prediction with noise has ``D^2 = (true deviation)^2 + noise``, as in a normal law, and the
    noise is that of the outcomes of both groups in their shares around.
    """
    if not numbers:
        return []
    found = weights.levels(adjusted, adjusted.deviations)
    H = weights.counts / weights.counts.sum()
    share = float(H @ adjusted.e)
    parts = np.clip(adjusted.noise.part(H), -MOST_NOISE, MOST_NOISE)
    columns = []
    for k, outcome in enumerate(numbers):
        p, q, part = float(found.p[k]), float(found.q[k]), float(parts[k])
        if min(p, q) <= 0:
            continue
        squares = np.array([p, q]) ** 2
        own = squares - part * (share * squares[0] + (1 - share) * squares[1])
        if (own < squares / 4).any():
            own, part = squares, 0.0
        slopes = _log_slopes(p, q, own, part, share)
        influence = found.of_p[:, k] * slopes[0] + found.of_q[:, k] * slopes[1]
        levels = float(np.sqrt(own[0])), float(np.sqrt(own[1]))
        name, ratio = f"spread of {outcome.name}", float(np.log(levels[0] / levels[1]))
        columns.append(_Column(outcome.name, "spread", name, ratio, levels, influence))
    return columns


def _log_slopes(p: float, q: float, own: Array, part: float, share: float) -> tuple[float, float]:
    """How the logarithm of the ratio changes with each of the two deviations."""
    of_p = p * ((1 - part * share) / own[0] + part * share / own[1])
    of_q = -q * ((1 - part * (1 - share)) / own[1] + part * (1 - share) / own[0])
    return of_p, of_q


def _with_intervals(
    columns: list[_Column], confidence: float, df: float, adjusted: Adjusted, population: PopulationName
) -> tuple[list[Effect], float | None]:
    """Intervals alone, and together with all others of the same kind; and whether any mean or share differs."""
    effects: list[Effect] = []
    joint = None
    for kinds in (("mean", "share"), ("rate",), ("spread",)):
        some = [column for column in columns if column.kind in kinds]
        if not some:
            continue
        ratios = _ratios(adjusted) if "mean" in kinds and population == "overlap" else None
        own = np.stack([column.influence for column in some], axis=1)
        band = band_of(own if ratios is None else ratios.influence, confidence, df, adjusted.draws)
        alone = [None] * len(some) if ratios is None else ratios.intervals(confidence)
        if "mean" in kinds:
            joint = band.pvalue(np.array([column.estimate for column in some])) if ratios is None else ratios.pvalue
        effects += [_effect(*one, band) for one in zip(some, band.errors.tolist(), alone, strict=True)]
    return effects, joint


def _ratios(adjusted: Adjusted) -> Ratios | None:
    """Means and shares where both groups are: what is left of the outcomes, over what is left of the labels."""
    left, labels_left = adjusted.means.left, adjusted.means.labels_left
    a, multipliers = adjusted.t - adjusted.e, adjusted.draws.multipliers
    if float(a @ labels_left) == 0:
        return None
    parts = multipliers.root(np.column_stack([left, labels_left]))
    return Ratios(a @ left, float(a @ labels_left), parts, adjusted.draws)


def _effect(column: _Column, error: float, alone: tuple[float, float] | None, band: Band) -> Effect:
    centre, ratio = column.estimate, column.kind in {"rate", "spread"}
    ends = [(centre - multiple * error, centre + multiple * error) for multiple in (band.alone, band.together)]
    if alone is not None:
        ends = [alone, (min(ends[1][0], alone[0]), max(ends[1][1], alone[1]))]
    if ratio:
        ends = [(float(np.exp(low)), float(np.exp(high))) for low, high in ends]
        centre = float(np.exp(centre))
    return Effect(column.outcome, column.kind, column.name, centre, error, ends[0], ends[1], column.levels)


def _quantiles(adjusted: Adjusted, shifts: dict[int, QuantileShifts], confidence: float, df: float) -> list[Effect]:
    if not shifts:
        return []
    influence = np.concatenate([shift.influence for shift in shifts.values()], axis=1)
    band = band_of(influence, confidence, df, adjusted.draws)
    effects = []
    for k, shift in shifts.items():
        name = adjusted.outcomes[k].name
        alone, together = shift.interval(band.alone), shift.interval(band.together)
        for j, share in enumerate(SHARES):
            ends = [(float(low[j]), float(high[j])) for low, high in (alone, together)]
            error = (ends[0][1] - ends[0][0]) / (2 * band.alone)
            levels = float(shift.p[j]), float(shift.q[j])
            words = f"{100 * share:.0f} % quantile of {name}"
            effects.append(
                Effect(name, "quantile", words, levels[0] - levels[1], error, ends[0], ends[1], levels, float(share))
            )
    return effects
