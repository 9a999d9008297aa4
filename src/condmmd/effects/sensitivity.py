"""How far the odds of the groups may be off, by something that was not measured, before a result falls."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from scipy.special import ndtri

from condmmd.backend import Array, move_to, to_host
from condmmd.data import Table
from condmmd.data.checks import check_significance, is_number
from condmmd.data.on_screen import on_screen
from condmmd.effects.covariate_strength import Strength, strengths
from condmmd.effects.odds_bounds import LARGEST, Difference, LocationScale, OddsBounds, TwoValues, largest_factor
from condmmd.effects.verdict_bounds import verdict_bounds
from condmmd.explain import Evidence
from condmmd.inference import Trained
from condmmd.nuisance.residuals import NoResiduals

__all__ = ["FACTORS", "Bounds", "MeanSensitivity", "Sensitivity", "sensitivity_of"]

FACTORS = (1.0, 1.1, 1.25, 1.5, 2.0, 3.0)
# A verdict that falls before this factor does not hold up to anything.
BARELY = 1.01
# Classes of one outcome whose shares are looked at, the largest first.
MAX_CLASSES = 20
# A spread that X predicts is taken to be within so many times the mean one.
SPREADS = (0.2, 5.0)
NOT_LINEAR = "the statistic is not linear in the labels, as Family and the overlap estimator are"


@dataclass(frozen=True)
class Bounds:
    """The mean difference, P less Q, if the odds are off by up to ``gamma``: its bounds, and an interval around them.

    With ``gamma`` 1 both bounds are the estimate, and the interval is that of the estimate.
    """

    gamma: float
    low: float
    high: float
    interval: tuple[float, float]


@dataclass(frozen=True)
class MeanSensitivity:
    """One outcome: at which factor its mean difference is no longer sure.

    Attributes
    ----------
    name
        "the mean of y", or "the share of y = 1", of a class.
    shift, error
        The mean of P less that of Q, given the covariates and weighted to where both groups are, and its standard
        error.
    sign
        The largest factor, in hundredths, at which the bounds leave 0 out (100: even that); None if the difference is
        0.
    interval
        The largest factor at which the interval leaves 0 out; None if it has 0 in it with the odds as they are.
    table
        Bounds at some factors.
    """

    name: str
    shift: float
    error: float
    sign: float | None
    interval: float | None
    table: tuple[Bounds, ...]


@dataclass(frozen=True, repr=False)
class Sensitivity:
    """How far the odds of P may be off, by a covariate that was not measured; made by ``result.sensitivity()``.

    The model: given the covariates, the outcome and what was not measured, the odds of P are within ``[1 / gamma,
    gamma]`` times those of the propensity (the marginal sensitivity model of Tan, 2006). A ``gamma`` is the largest, in
    hundredths, at which something holds whatever such a covariate does.

    Attributes
    ----------
    outcomes
        For each outcome, or each class of it, bounds of the mean difference: sharp as far as the residuals of the test
        follow the covariates by their place and spread (of classes, by their share), and never too narrow else.
    verdict
        The largest factor at which the joined test still finds a difference; None if it finds none as it is, or where
        ``note`` says why there is no answer. It is a lower bound: each column is made as small, in the direction in
        which it was found, as these odds allow, all columns at once; the law of null labels is taken from the test.
    pvalues
        For each factor of ``gammas`` the largest p-value of the joined test by that bound; empty with a ``note``.
    column
        The column of the test that speaks loudest, in words: the direction it is about.
    covariates
        For the measured covariates, the strongest first, the factor by which they move the odds.
    confidence
        Of the intervals.
    """

    outcomes: tuple[MeanSensitivity, ...]
    gammas: tuple[float, ...]
    verdict: float | None
    pvalues: tuple[float, ...]
    column: str
    covariates: tuple[Strength, ...]
    significance: float
    labels: tuple[str, str]
    note: str = ""

    @property
    def confidence(self) -> float:
        return 1 - self.significance

    def sentence(self) -> str:
        """The verdict and how far it holds, in one sentence."""
        beside = ""
        if self.covariates:
            first = self.covariates[0]
            beside = f" ({first.covariate}, the strongest covariate, moves them by {first.factor:g})"
        if self.verdict is not None and self.verdict < BARELY:
            return f"falls if the odds of the groups are off by any factor to speak of{beside}"
        if self.verdict is not None:
            return f"holds up to a factor of {_at_least(self.verdict)} in the odds of the groups{beside}"
        for outcome in self.outcomes:
            if outcome.interval is not None:
                held = _at_least(outcome.interval)
                return f"{outcome.name} differs up to a factor of {held} in the odds of the groups{beside}"
        return "no difference was found that an unmeasured covariate could explain"

    def summary(self) -> str:
        """Return a screenful that a person can read."""
        p, q = self.labels
        lines = [
            f"How far may the odds of {p} against {q} be off before the result falls?",
            f"  in short    {self.sentence()}",
        ]
        for outcome in self.outcomes:
            lines += _mean_lines(outcome, self.confidence)
        if self.pvalues:
            shown = ", ".join(f"{p:.3g} at {g:g}" for g, p in zip(self.gammas, self.pvalues, strict=True))
            lines += [f"  the test    p-value at most {shown}", f"              (most of it from {self.column})"]
        else:
            lines.append(f"  the test    no bound: {self.note}")
        if self.covariates:
            moved = ", ".join(f"{one.covariate} {one.factor:g}" for one in self.covariates[:6])
            lines.append(f"  beside it   covariates move the odds of nearly all rows by at most: {moved}")
        return "\n".join(lines)

    def __repr__(self) -> str:
        return on_screen(f"Sensitivity({self.sentence()}); .summary() says more")

    def to_dict(self) -> dict[str, Any]:
        """All of it, in types that JSON has."""
        return asdict(self) | {"labels": dict(zip("PQ", self.labels, strict=True)), "confidence": self.confidence}


def _at_least(factor: float) -> str:
    return f"{factor:g}" + (" or more" if factor >= LARGEST else "")


def _mean_lines(outcome: MeanSensitivity, confidence: float) -> list[str]:
    held = f"interval up to {_at_least(outcome.interval)}" if outcome.interval else "interval has 0 in it as it is"
    sign = "" if outcome.sign is None else f"; its sign holds up to {_at_least(outcome.sign)}, its {held}"
    lines = [f"  {outcome.name}: {outcome.shift:+.4g} (standard error {outcome.error:.2g}){sign}"]
    lines.append(f"    {'factor':<8}{'bounds':<28}{confidence:.0%} interval around them")
    for row in outcome.table:
        low, high = row.interval
        lines.append(f"    {row.gamma:<8g}{f'{row.low:.4g} to {row.high:.4g}':<28}{low:.4g} to {high:.4g}")
    return lines


def sensitivity_of(
    evidence: Evidence,
    trained: Trained,
    column: str,
    gammas: Sequence[float] = FACTORS,
    significance: float | None = None,
) -> Sensitivity:
    """Bounds for every outcome and for the joined test, whose loudest column is in words."""
    settings, samples = evidence.plan.settings, evidence.samples
    if trained.labels.samples.chunked:
        raise TypeError("sensitivity() needs all rows in memory, and these are in chunks (dask).")
    alpha = check_significance(settings.significance if significance is None else significance)
    factors = _checked(gammas)
    found = () if samples.gram_y is not None else _outcomes(evidence, trained, factors, alpha)
    verdict = verdict_bounds(evidence, trained)
    groups, held = samples.groups, None
    pvalues: tuple[float, ...] = ()
    if verdict is not None:
        at = verdict.pvalue
        pvalues = tuple(at(factor) for factor in factors)
        held = largest_factor(lambda factor: at(factor) <= alpha)
    return Sensitivity(
        outcomes=found, gammas=factors, verdict=held, pvalues=pvalues, column=column,
        covariates=() if samples.gram_x is not None else strengths(samples.x, evidence.t), significance=alpha,
        labels=(groups.p_label, groups.q_label), note=NOT_LINEAR if verdict is None else "",
    )  # fmt: skip


def _checked(gammas: Sequence[float]) -> tuple[float, ...]:
    factors = tuple(gammas) if isinstance(gammas, Sequence | np.ndarray) else (gammas,)
    wrong = [factor for factor in factors if not (is_number(factor) and 1 <= factor <= LARGEST)]
    if wrong or not factors:
        raise ValueError(
            f"`gammas` must be factors of the odds from 1 (nothing is off) to {LARGEST:g}; got {wrong or factors!r}."
        )
    return tuple(float(factor) for factor in factors)


def _outcomes(
    evidence: Evidence, trained: Trained, factors: tuple[float, ...], alpha: float
) -> tuple[MeanSensitivity, ...]:
    names, Y, shares = _columns(evidence.samples.y)
    if not names:
        return ()
    R = _residuals(Y, evidence, trained)
    spread = np.abs(R)
    mean = spread.mean(axis=0)
    spread = np.clip(spread - _residuals(spread, evidence, trained), SPREADS[0] * mean, SPREADS[1] * mean)
    found = []
    for k, name in enumerate(names):
        difference = Difference(R[:, k], evidence.t, evidence.e, evidence.blocks)
        if shares[k]:
            predicted = Y[:, k] - R[:, k]
            bounds = difference.bounds(TwoValues(predicted, predicted + difference.location))
        else:
            bounds = difference.bounds(LocationScale(difference.location, spread[:, k]))
        found.append(_mean_sensitivity(name, bounds, factors, alpha))
    return tuple(found)


def _columns(y: Table) -> tuple[list[str], Array, list[bool]]:
    """Numbers, and indicators of classes; of an outcome with two values the later one alone. What is constant is not
    there."""  # noqa: D205, D209
    values, names, found, shares = to_host(y.values), [], [], []
    for j, column in enumerate(y.columns):
        distinct, counts = np.unique(values[:, j], return_counts=True)
        two = len(distinct) == 2
        if len(distinct) < 2:
            continue
        if column.categories is None and not two:
            names.append(f"the mean of {column.name}")
            found.append(values[:, j])
            shares.append(False)
            continue
        largest = distinct[np.sort(np.argsort(-counts, kind="stable")[:MAX_CLASSES])]
        for value in largest[1:] if two else largest:
            word = f"{value:g}" if column.categories is None else column.categories[int(value)]
            names.append(f"the share of {column.name} = {word}")
            found.append((values[:, j] == value).astype(np.float64))
            shares.append(True)
    return names, np.stack(found, axis=1) if found else np.empty((len(values), 0)), shares


def _residuals(values: Array, evidence: Evidence, trained: Trained) -> Array:
    """Columns less what the models of the test say of them, without fitting these again."""
    if isinstance(evidence.plan.residuals, NoResiduals):
        return evidence.residuals(values)
    learned = trained.learned
    return to_host(learned.further(move_to(values, learned.outcomes.phi)))


def _mean_sensitivity(name: str, bounds: OddsBounds, factors: tuple[float, ...], alpha: float) -> MeanSensitivity:
    z = float(ndtri(1 - alpha / 2))
    shift, error = bounds.largest(1.0)
    side = bounds.smallest if shift > 0 else bounds.largest

    def away(factor: float, errors: float) -> bool:
        """Whether the end that is nearer to 0 is on the same side of it, by so many standard errors."""
        value, own = side(factor)
        return value - errors * own > 0 if shift > 0 else value + errors * own < 0

    rows = []
    for factor in factors:
        low, high = bounds.smallest(factor), bounds.largest(factor)
        interval = low.value - z * low.error, high.value + z * high.error
        rows.append(Bounds(factor, low.value, high.value, interval))
    return MeanSensitivity(
        name, shift, error, largest_factor(lambda factor: away(factor, 0.0)),
        largest_factor(lambda factor: away(factor, z)), tuple(rows),
    )  # fmt: skip
