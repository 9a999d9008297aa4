"""The outcomes as a test compares them, with an effect put in: what rows of Q have, and what rows of P have more.

What X says of the effect goes into the pooled models, which take e times it from every row. So nothing is fitted again.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from condmmd.backend import Array, cached_property, move_to, to_host
from condmmd.inference import Trained
from condmmd.statistics.family import FittedFamily, bent_squares
from condmmd.statistics.outcome_scale import OutcomeScale, outcome_scale

__all__ = ["KEPT", "Floats", "Views"]

Floats = npt.NDArray[np.float32]

# Directions of covariates and outcomes count until so much of a column is there.
KEPT = 0.995


@dataclass(frozen=True, eq=False)
class _View:
    """One way to look at the outcomes: residuals, the directions of them that count, and which features they are of."""

    residual: Array
    rotation: Array
    kind: Literal["itself", "spread", "distribution"]
    columns: slice

    @cached_property
    def reduced(self) -> Floats:
        """The residuals in the directions that count."""
        return (self.residual @ self.rotation).astype(np.float32)


@dataclass(frozen=True, eq=False)
class Views:
    """Every way in which a linear statistic looks at the outcomes.

    Attributes
    ----------
    trained
        The test, its rows in memory.
    e
        The mean of each row's label.
    """

    trained: Trained
    e: Array

    def residuals(self, values: Array) -> Array:
        """Columns less what the models of the test say of them."""
        like = self.trained.learned.outcomes.phi
        return to_host(self.trained.learned.further(move_to(np.ascontiguousarray(values), like)))

    def number_of(self, psi: Any) -> int:
        """Which of them a statistic means by these features."""
        return next(number for number, values in enumerate(self._arrays) if values is psi)

    @cached_property
    def each(self) -> list[_View]:
        """All of them, without an effect."""
        fitted, found, start = self.trained.fitted, [], 0
        for number, values in enumerate(self._arrays):
            residual = to_host(values)
            kind = fitted.views[number].kind if isinstance(fitted, FittedFamily) else "distribution"
            columns = slice(0 if self._scale is None else self._scale.width, None)
            if kind == "itself":
                columns = slice(start, start + residual.shape[1])
                start = columns.stop
            found.append(_View(residual, _leading(residual), kind, columns))
        return found

    def with_effect(self, outcomes: Array) -> list[tuple[Floats, Floats]]:
        """Each of them at rows of Q, and what rows of P have more if these are their outcomes."""
        change = self._features(outcomes) - self._own_features
        said = change - self.residuals(change)
        found = []
        for view in self.each:
            if view.kind == "spread":
                base, more = self._spread(change, said)
            else:
                base, more = view.residual - self.e[:, None] * said[:, view.columns], change[:, view.columns]
            found.append(((base @ view.rotation).astype(np.float32), (more @ view.rotation).astype(np.float32)))
        return found

    @cached_property
    def _arrays(self) -> list[Any]:
        fitted: Any = self.trained.fitted
        if isinstance(fitted, FittedFamily):
            return [view.values for view in fitted.views]
        return list({id(products.rho): products.rho for products in fitted.products}.values())

    @cached_property
    def _scale(self) -> OutcomeScale | None:
        y = self.trained.labels.samples.y
        return y.once(outcome_scale).further() if isinstance(self.trained.fitted, FittedFamily) else None

    def _features(self, values: Array) -> Array:
        """The outcomes on their scales, then the features of their kernel, as the test has them."""
        fitted: Any = self.trained.fitted
        there = move_to(np.ascontiguousarray(values), self.trained.labels.samples.y.values)
        kernel = to_host(fitted.outcomes.transform(there))
        return kernel if self._scale is None else np.concatenate([to_host(self._scale(there)), kernel], axis=1)

    @cached_property
    def _own_features(self) -> Array:
        return self._features(to_host(self.trained.labels.samples.y.values))

    def _spread(self, change: Array, said: Array) -> tuple[Array, Array]:
        """The spread is taken of residuals that have the effect in them, and then less what X says of it."""
        numbers = [] if self._scale is None else list(self._scale.numbers)
        of_q, e = to_host(self.trained.learned.outcomes.phi)[:, numbers], self.e[:, None]
        of_q = of_q - of_q.mean(axis=0) - e * said[:, numbers]
        of_p = of_q + change[:, numbers]
        mean = np.mean(e * of_p**2 + (1 - e) * of_q**2, axis=0)
        low, high = to_host(bent_squares(of_q, mean)), to_host(bent_squares(of_p, mean))
        more = high - low
        left = self.residuals(np.concatenate([low, more], axis=1))
        left_of_low, said_of_more = left[:, : len(numbers)], more - left[:, len(numbers) :]
        return left_of_low - left_of_low.mean(axis=0) - e * said_of_more, more


def _leading(residual: Array) -> Array:
    """Directions of a view, as columns, with all but a little of its variation."""
    if residual.shape[1] == 1:
        return np.eye(1)
    variances, V = np.linalg.eigh(residual.T @ residual)
    share = np.cumsum(variances[::-1]) / max(float(variances.sum()), 1e-300)
    return np.ascontiguousarray(V[:, ::-1][:, : int(np.searchsorted(share, KEPT)) + 1])
