"""Whom a difference is averaged over, and what that makes of the residuals of the labels.

With weights h(x) of a population, the residuals of the outcomes count by ``c (t - e)`` with ``c = h / (e (1 - e))``.
Where a pooled regression m and a difference tau of the groups stand for the two groups' models, the doubly robust
pseudo-outcome is ``c (t - e) (psi - m) - d (t - e) tau``.
"""

from __future__ import annotations

from functools import partial
from typing import Literal, TypeAlias

from condmmd.backend import Rows, as_float, n_rows, namespace, sum_rows
from condmmd.regression.odds import overlap

__all__ = ["POPULATIONS", "PopulationName", "check_population", "effect_weights", "residual_weights"]

PopulationName: TypeAlias = Literal["overlap", "p", "q", "all"]
POPULATIONS: tuple[PopulationName, ...] = ("overlap", "p", "q", "all")
# Nearer to 0 or 1 a row has nobody of the other group to be compared with.
ALONE = 1e-6
# Such rows are left out of the population if they are no larger a share of it: models of the propensity overdo it at
# the ends of a table.
MAX_ALONE = 0.01


def residual_weights(e: Rows, population: PopulationName) -> Rows:
    """The weights c of a population; 0 for rows that have nobody beside them."""
    if population == "overlap":
        return 0.0 * e + 1.0
    return _where_compared(1 / _nearest(e, population), e, population)


def effect_weights(e: Rows, population: PopulationName) -> Rows:
    """The weights d of a population; 0 for rows that have nobody beside them."""
    if population == "overlap":
        return 1 - 2 * e
    ratio: Rows = {"all": 1 - 2 * e, "p": -e, "q": 1 - e}[population]
    return _where_compared(ratio / _nearest(e, population), e, population)


def check_population(population: PopulationName, e: Rows) -> None:
    """Refuse a population of which more than a few rows are of one group for sure."""
    alone = 0 if population == "overlap" else int(sum_rows(partial(_alone, population=population), e))
    if alone > MAX_ALONE * n_rows(e):
        raise ValueError(
            f"`population`: {alone} row(s) of '{population}' have covariates that only one group has, so there is "
            "nobody to compare them with. Use population='overlap', or leave such rows out with `trim`."
        )


def _nearest(e: Rows, population: PopulationName) -> Rows:
    """How far a row of the population is from being of one group for sure, but not 0."""
    xp = namespace(e)
    nearest: Rows = xp.clip({"p": 1 - e, "q": e, "all": overlap(e)}[population], min=ALONE)
    return nearest


def _where_compared(weights: Rows, e: Rows, population: PopulationName) -> Rows:
    xp = namespace(e)
    compared: Rows = xp.where(_nearest(e, population) > ALONE, weights, 0.0 * weights)
    return compared


def _alone(e: Rows, population: PopulationName) -> Rows:
    """How many rows count that have nobody of the other group beside them."""
    count: Rows = namespace(e).sum(as_float(_nearest(e, population) <= ALONE))
    return count
