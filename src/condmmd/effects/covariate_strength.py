"""How far each measured covariate moves the odds of the groups: a measure for one that was not measured."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from condmmd.backend import Array, to_host
from condmmd.data import Table
from condmmd.nuisance.scores import Scores, one_hot
from condmmd.regression.logistic import fit_logistic

__all__ = ["Strength", "strengths"]

# Covariates that are left out in turn, at most: those with the largest part in the odds.
MOST = 20
# The inverse penalty of the logistic regressions, on columns with mean square 1.
C = 1.0
# Of the rows, so many have their odds moved by less.
SHARE = 0.95


@dataclass(frozen=True)
class Strength:
    """A covariate, and the factor by which the odds of most rows would move if it had not been measured."""

    covariate: str
    factor: float


def strengths(x: Table, t: Array) -> tuple[Strength, ...]:
    """The strongest first.

    The factor is the 95th percentile of the ratio (its inverse where that is larger) of the odds of P by a logistic
    regression on main effects, with and without the covariate.
    """
    columns = _columns(x)
    if not columns:
        return ()
    whole, beta = _logits(np.concatenate(list(columns.values()), axis=1), t)
    starts = np.cumsum([1, *(part.shape[1] for part in columns.values())])
    part_of = {
        name: float((part @ beta[start : start + part.shape[1]]).std())
        for (name, part), start in zip(columns.items(), starts, strict=False)
    }
    found = []
    for name in sorted(part_of, key=lambda one: -part_of[one])[:MOST]:
        others = [part for other, part in columns.items() if other != name]
        without, _ = _logits(np.concatenate(others, axis=1) if others else np.empty((len(t), 0)), t)
        moved = np.quantile(np.abs(whole - without), SHARE)
        found.append(Strength(x.names[name], round(float(np.exp(min(moved, 50.0))), 2)))
    return tuple(sorted(found, key=lambda one: -one.factor))


def _columns(x: Table) -> dict[int, Array]:
    """What a regression on main effects has of each covariate; nothing of one that does not vary."""
    values, found = to_host(x.values), {}
    for j in range(len(x.columns)):
        own = x.select((j,))
        part = np.concatenate([Scores.of(own)(values[:, [j]]), one_hot(values[:, [j]], own)], axis=1)
        part = part - part.mean(axis=0)
        scale = np.mean(part**2, axis=0) ** 0.5
        if (scale > 0).any():
            found[j] = part[:, scale > 0] / scale[scale > 0]
    return found


def _logits(Z: Array, t: Array) -> tuple[Array, Array]:
    """The logarithms of the odds at the rows, and the coefficients, the intercept first."""
    beta = np.asarray(fit_logistic(Z, t, np.array([C]), np.ones((1, len(t)))))[0]
    return beta[0] + Z @ beta[1:], beta
