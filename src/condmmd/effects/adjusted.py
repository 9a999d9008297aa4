"""Outcomes less what X says of them, by the models of a test: all that its effects need of it.

The pooled regression m(x) = E[Y | x] is a smoother S of the rows. What it leaves of the labels is kept too: with a
difference tau of the groups, ``Y - S Y`` holds ``tau (t - S t)`` exactly, however much S smooths and whatever part of a
row's own block it has seen, so that neither shrinks an effect.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any

import numpy as np
import numpy.typing as npt

from condmmd.backend import Array, cached_property, to_host
from condmmd.data import Samples, select_rows
from condmmd.effects.outcomes import Outcome, read_outcomes
from condmmd.effects.varying import constant_effect, varying_effects
from condmmd.explain import Evidence
from condmmd.inference import SignDraws
from condmmd.nuisance.residuals import NoResiduals, RegressorResiduals
from condmmd.nuisance.scores import Scores, one_hot

__all__ = ["Adjusted", "Noise", "Smoothed"]

# Of larger tests it is not kept, and is found again when it is asked for.
KEPT_ROWS = 100_000
# Columns of random signs: what the smoothers leave of them says how noisy their predictions are.
PROBES = 8
# Columns that go along with others through a model, so small that they have no part in any choice that it makes.
ALONG = 1e-5


@dataclass(frozen=True, eq=False)
class Smoothed:
    """Columns of the rows, what the models leave of them, and what the same smoother leaves of the labels."""

    values: Array
    left: Array
    labels_left: Array


@dataclass(frozen=True, eq=False)
class Noise:
    """How far predictions are off, from two models whose errors have little to do with one another.

    Attributes
    ----------
    squares
        Squared residuals of the numbers.
    products
        Residuals by one model times those by the other, whose mean is the variance of the outcomes given x and
        whatever the errors of the two models have in common.
    shared
        The mean square of the noise that both models share, in units of that variance.
    """

    squares: Array
    products: Array
    shared: Array

    def part(self, weights: Array) -> Array:
        """The part of the mean squared residual of each number that is due to the models, over weighted rows."""
        squares = weights @ self.squares
        variance = weights @ self.products / max(1.0 + float(weights @ self.shared), 0.5)
        return np.asarray(1.0 - variance / np.where(squares > 0, squares, np.inf))


@dataclass(frozen=True, eq=False)
class Adjusted:
    """The rows of a test with what its models say of them.

    Attributes
    ----------
    samples, outcomes
        The rows, and what is compared of their outcomes.
    e
        The probability of P at each row.
    blocks
        The block of each row; None without blocks.
    means
        What is averaged of each outcome, side by side.
    below
        Of each outcome's thresholds, the probability of being at or below them; None where there are none.
    below_left
        What the smoother of these leaves of the labels.
    deviations
        Absolute differences of the numbers from what X and the label say of them (`_deviations`).
    noise
        What says how far predictions of the numbers are off.
    trimmed
        Rows left out by ``trim``.
    draws
        Random signs of the rows.
    """

    samples: Samples
    outcomes: tuple[Outcome, ...]
    e: Array
    blocks: npt.NDArray[np.int64] | None
    means: Smoothed
    below: tuple[npt.NDArray[Any] | None, ...]
    below_left: Array
    deviations: Smoothed
    noise: Noise
    trimmed: int
    draws: SignDraws

    @classmethod
    def of(cls, evidence: Evidence) -> Adjusted:
        """Everything that needs the models; after it they may be dropped."""
        samples, t, e = evidence.samples, evidence.t, evidence.e
        if samples.gram_y is not None:
            raise TypeError(
                "effect() needs the outcomes themselves: Y is a Gram matrix, which has no mean and no quantiles. Pass "
                "the columns of Y, with the kernel as `kernel_y`."
            )
        outcomes, y = read_outcomes(samples.y), to_host(samples.y.values)
        values = np.concatenate([outcome.columns(y) for outcome in outcomes], axis=1)
        blocks = None if evidence.labels.blocks is None else evidence.blocks
        models = _Models(evidence, t, e)
        means, probes = models.of_outcomes(values)
        numbers = [k for k, j in enumerate(_owners(outcomes)) if outcomes[j].kind != "classes"]
        own = Smoothed(values[:, numbers], means.left[:, numbers], means.labels_left)
        effects = varying_effects(own.left, own.labels_left, _main_effects(samples), blocks)
        u, noise = models.best_residuals(own, effects, probes)
        deviations = models.of_deviations(_deviations(u, t, e))
        below, below_left = models.of_thresholds(outcomes, y, means)
        draws = SignDraws.of(evidence.labels.multipliers, evidence.plan.settings)
        return cls(
            samples, outcomes, e, blocks, means, below, below_left, deviations, noise, evidence.labels.trimmed, draws
        )

    @staticmethod
    def kept_of(samples: Samples | None) -> bool:
        """Whether a test of these rows keeps it."""
        if samples is None or samples.gram_y is not None or samples.chunked:
            return False
        return samples.groups.n + samples.groups.m <= KEPT_ROWS

    @property
    def t(self) -> Array:
        """The labels."""
        return to_host(self.samples.groups.t)

    @cached_property
    def main_effects(self) -> Array:
        """Normal scores of the numbers and indicators of the categories of X; none where X is a Gram matrix."""
        return _main_effects(self.samples)

    def on_rows(self, rows: npt.NDArray[np.bool_]) -> Adjusted:
        """What is averaged at some of the rows, by the models of all; no spread and no quantiles."""
        return replace(
            self, samples=select_rows(self.samples, rows, "rows"), e=self.e[rows],
            blocks=None if self.blocks is None else np.unique(self.blocks[rows], return_inverse=True)[1],
            means=Smoothed(self.means.values[rows], self.means.left[rows], self.means.labels_left[rows]),
            below=(None,) * len(self.below),
            draws=replace(self.draws, multipliers=self.draws.multipliers.on_rows(np.flatnonzero(rows))),
        )  # fmt: skip

    def at_thresholds(self, k: int, thresholds: Array) -> Smoothed:
        """Whether outcome k is at or below each threshold; predictions are interpolated by the rank of thresholds."""
        outcome, grid = self.outcomes[k], self.below[k]
        y = to_host(self.samples.y.values)[:, outcome.position]
        is_below = (y[:, None] <= thresholds).astype(np.float64)
        if grid is None:
            raise ValueError(f"no quantiles of {outcome.name} were asked for.")
        ranks = np.searchsorted(np.sort(y), np.concatenate([outcome.thresholds, thresholds]), side="right") / len(y)
        known, wanted = ranks[: len(outcome.thresholds)], ranks[len(outcome.thresholds) :]
        ends = np.concatenate([[0.0], known, [1.0]])
        right = np.clip(np.searchsorted(ends, wanted, side="left"), 1, len(ends) - 1)
        part = (wanted - ends[right - 1]) / np.maximum(ends[right] - ends[right - 1], 1e-300)
        nothing = np.zeros((len(y), 1))
        padded = np.concatenate([nothing, grid, nothing + 1.0], axis=1)
        predicted = padded[:, right - 1] * (1 - part) + padded[:, right] * part
        return Smoothed(is_below, is_below - predicted, self.below_left)


def _owners(outcomes: tuple[Outcome, ...]) -> list[int]:
    """The outcome of each column of means."""
    return [j for j, outcome in enumerate(outcomes) for _ in range(max(1, len(outcome.codes)))]


def _main_effects(samples: Samples) -> Array:
    x, values = samples.x, to_host(samples.x.values)
    if samples.gram_x is not None:
        return np.empty((len(values), 0))
    return np.concatenate([Scores.of(x)(values), one_hot(values, x)], axis=1)


def _deviations(u: Array, t: Array, e: Array) -> Array:
    """Absolute residuals, less what an error of their group's mean would add to them.

    Its mean is that of the absolute residuals, as those of the residuals are 0. Where a law is skewed, more residuals
    have one sign, so that a mean that is a little off changes all deviations; less a multiple of the residuals it does
    not, to first order.
    """
    found = np.abs(u)
    for own in (t * (1 - e), (1 - t) * e):
        skewness = own @ np.sign(u) / max(float(own.sum()), 1e-300)
        found -= (own > 0)[:, None] * skewness * u
    return found


@dataclass(frozen=True, eq=False)
class _Models:
    """The models of a test, asked about columns."""

    evidence: Evidence
    t: Array
    e: Array

    @property
    def user_regressor(self) -> bool:
        """Whether each column costs as many fits of a user's own model as there are folds, so that few are asked."""
        return isinstance(self.evidence.plan.residuals, RegressorResiduals)

    def of_outcomes(self, values: Array) -> tuple[Smoothed, Array]:
        """The columns that are averaged, with the labels and random signs beside them through the same smoother."""
        scale, signs = values.std(axis=0), self._signs
        unit = np.where(scale > 0, scale, 1.0)
        own = (values - values.mean(axis=0)) / unit
        if self.user_regressor:
            left = np.concatenate([self.evidence.further(column[:, None]) for column in own.T], axis=1)
            return Smoothed(values, left * unit, self.t - self.e), signs
        width, beside = values.shape[1], np.column_stack([self.t, signs])
        left = self.evidence.further(np.concatenate([own, ALONG * beside], axis=1))
        labels_left = self._usable(left[:, width] / ALONG)
        return Smoothed(values, left[:, :width] * unit, labels_left), left[:, width + 1 :] / ALONG

    @property
    def _signs(self) -> Array:
        return np.random.default_rng(0).choice([-1.0, 1.0], size=(len(self.t), PROBES))

    def best_residuals(self, own: Smoothed, effects: Array, probes: Array) -> tuple[Array, Noise]:
        """What is left of the numbers when the label's part is taken away too; by both models, where there are two."""
        u, pooled = own.left - effects * own.labels_left[:, None], self.evidence.pooled
        if pooled is None or isinstance(self.evidence.plan.residuals, NoResiduals):
            return u, Noise(u**2, u**2, np.mean(probes**2 - 1.0, axis=1))
        columns = np.column_stack([own.values, self.t, self._signs])
        left = np.stack([pooled.residuals(column) for column in columns.T], axis=1)
        width = own.values.shape[1]
        v = left[:, :width] - effects * left[:, [width]]
        apart = u - v
        share = np.clip(-np.sum(v * apart, axis=0) / np.maximum(np.sum(apart**2, axis=0), 1e-300), 0.0, 1.0)
        best = v + share * apart
        return best, Noise(best**2, u * v, np.mean(probes * left[:, width + 1 :] - 1.0, axis=1))

    def of_deviations(self, deviations: Array) -> Smoothed:
        """The absolute deviations, by a smoother of their own."""
        if self.user_regressor or not deviations.shape[1]:
            return Smoothed(deviations, deviations - deviations.mean(axis=0), self.t - self.e)
        unit = deviations.mean(axis=0) + 1e-300
        left = self.evidence.further(np.column_stack([deviations / unit, ALONG * self.t]))
        return Smoothed(deviations, left[:, :-1] * unit, self._usable(left[:, -1] / ALONG))

    def of_thresholds(
        self, outcomes: tuple[Outcome, ...], y: Array, means: Smoothed
    ) -> tuple[tuple[npt.NDArray[Any] | None, ...], Array]:
        """Probabilities of being at or below each threshold given x."""
        below = [y[:, [o.position]] <= o.thresholds for o in outcomes]
        widths = np.cumsum([0, *(part.shape[1] for part in below)])
        if not widths[-1]:
            return (None,) * len(outcomes), self.t - self.e
        if self.user_regressor:
            predicted, labels_left = self._by_location(outcomes, y, means), self.t - self.e
        else:
            columns = np.concatenate(below, axis=1).astype(np.float64)
            left = self.evidence.further(np.column_stack([columns, ALONG * self.t]))
            predicted, labels_left = columns - left[:, :-1], self._usable(left[:, -1] / ALONG)
        found = np.clip(predicted, 0.0, 1.0).astype(np.float32)
        parts = [found[:, low:high] for low, high in pairwise(widths)]
        return tuple(part if part.shape[1] else None for part in parts), labels_left

    @staticmethod
    def _by_location(outcomes: tuple[Outcome, ...], y: Array, means: Smoothed) -> Array:
        """Without further fits: every row's law is that of all residuals, around its prediction."""
        predicted = []
        for k, j in enumerate(_owners(outcomes)):
            if outcomes[j].kind == "classes":
                continue
            residuals, centre = np.sort(means.left[:, k]), y[:, outcomes[j].position] - means.left[:, k]
            ranks = np.searchsorted(residuals, outcomes[j].thresholds - centre[:, None], side="right")
            predicted.append(ranks / len(residuals))
        return np.concatenate(predicted, axis=1)

    def _usable(self, labels_left: Array) -> Array:
        """What is left of the labels, unless the smoother knows them all but exactly."""
        own = self.t - self.e
        enough = constant_effect(labels_left[:, None], own, own)[0] > 0.1 if (own**2).sum() > 0 else False
        return labels_left if enough else own
