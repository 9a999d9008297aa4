"""Tables like this one in which nothing differs: the same covariates, labels and outcomes drawn anew from the models.

Each row gets the outcomes of another whose predicted distribution is near to its own, all columns from the same one: so
classes stay classes, counts stay counts and outcomes stay together, whatever they are. Numbers are moved by what the
two predictions differ. Labels come from the propensity, and have no part in the outcomes.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt
from scipy.spatial import cKDTree

from condmmd.backend import Array, Rows, cached_property, move_to, to_host
from condmmd.data import Groups, Samples
from condmmd.data.checks import PerGroup
from condmmd.inference import Plan, Trained
from condmmd.labels import LabelPlan, Scheme
from condmmd.nuisance import Forests, PooledRidge, regress_pooled
from condmmd.nuisance.propensity import Known
from condmmd.nuisance.residuals import Fit, NoResiduals
from condmmd.statistics import DoublyRobust

__all__ = ["Lookalikes"]

# Rows among which outcomes are exchanged: a share of all, within limits.
DONORS, FEWEST, MOST = 0.02, 5, 40
# Directions of the predictions by which rows are near each other.
DIRECTIONS = 4
# A column that is not negative and is more skewed than this would leave its range if it were moved.
SKEWED = 1.0


@dataclass(frozen=True, eq=False)
class Lookalikes:
    """A law of tables like one that was tested, under the null hypothesis.

    Attributes
    ----------
    plan
        The test to make of them: the same, but that rows which it trimmed are gone already.
    labels
        The law of the labels; it has the rows.
    near
        For each row (or block of rows) those with which it may exchange outcomes.
    predicted
        What the models say of each column of the outcomes that may be moved, N x p; NaN for the others.
    score
        The leading direction of the predictions, by which the rows of two blocks are matched.
    """

    plan: Plan
    labels: LabelPlan
    near: npt.NDArray[np.int64]
    predicted: Array
    score: Array

    @classmethod
    def of(cls, plan: Plan, trained: Trained) -> Lookalikes:
        """From a test that was trained."""
        samples, labels = trained.labels.samples, trained.labels
        if samples.chunked:
            raise TypeError("tables are drawn anew in memory, and these rows are in chunks (dask); take a sample.")
        estimator = getattr(plan.statistic, "estimator", None)
        if isinstance(estimator, DoublyRobust) and isinstance(estimator.model, PerGroup):
            raise TypeError("DoublyRobust has predictions of these outcomes, not models to fit to others.")
        predictions, further = _models(plan, trained)
        values = to_host(samples.y.values)
        predicted = np.full(values.shape, np.nan)
        if samples.gram_y is None:
            movable = [j for j in samples.y.numeric if _movable(values[:, j])]
            if movable:
                columns = move_to(np.ascontiguousarray(values[:, movable]), samples.y.values)
                predicted[:, movable] = values[:, movable] - to_host(further(columns))
        leading = _leading(predictions)
        of_units = leading if labels.blocks is None else labels.blocks.mean(leading)
        rules = plan.rules
        if labels.trimmed:
            model = Known(labels.propensity.e) if isinstance(rules.model, Known) else rules.model
            rules = replace(rules, trim=None, model=model)
        return cls(replace(plan, rules=rules), labels, _neighbours(of_units), predicted, leading[:, 0])

    def draw(self, rng: np.random.Generator) -> Samples:
        """One such table."""
        samples = self.labels.samples
        batch = self._scheme.draw([(1, rng)], samples.groups.t)
        t = np.asarray(to_host(batch.held)[0], dtype=np.float64)
        donors = self._donors(rng)
        groups = Groups(move_to(t, samples.groups.t), samples.groups.p_label, samples.groups.q_label)
        if samples.gram_y is not None:
            return replace(samples, groups=groups, gram_y=samples.gram_y[np.ix_(donors, donors)])
        own = to_host(samples.y.values)
        moved = own[donors] + self.predicted - self.predicted[donors]
        whole = (own == np.round(own)).all(axis=0)
        moved = np.where(whole, np.round(moved), moved)
        fits = (moved >= own.min(axis=0)) & (moved <= own.max(axis=0))  # and no NaN
        values = move_to(np.where(fits, moved, own[donors]), samples.y.values)
        return replace(samples, groups=groups, y=samples.y.at(values))

    @cached_property
    def _scheme(self) -> Scheme:
        return self.labels.scheme()

    def _donors(self, rng: np.random.Generator) -> npt.NDArray[np.int64]:
        """The row whose outcomes each row gets."""
        units = self.near[np.arange(len(self.near)), rng.integers(self.near.shape[1], size=len(self.near))]
        return units if self.labels.blocks is None else self._rows_of(units, rng)

    def _rows_of(self, blocks: npt.NDArray[np.int64], rng: np.random.Generator) -> npt.NDArray[np.int64]:
        """A row of the block given for each block, for each of its rows: rows of similar predictions go together."""
        found = np.empty(len(self.score), dtype=np.int64)
        for own, rows in enumerate(self._members):
            given = self._members[blocks[own]]
            picked = rng.choice(given, size=len(rows), replace=len(given) < len(rows))
            found[rows[np.argsort(self.score[rows])]] = picked[np.argsort(self.score[picked])]
        return found

    @cached_property
    def _members(self) -> list[npt.NDArray[np.int64]]:
        blocks = self.labels.blocks
        if blocks is None:
            return []
        order = np.argsort(blocks.of_row, kind="stable")
        return np.split(order, np.cumsum(blocks.sizes)[:-1])


def _models(plan: Plan, trained: Trained) -> tuple[Array, Callable[[Rows], Rows]]:
    """What the test's models predict of the features of the outcomes; if it has none, what forests do."""
    samples, learned = trained.labels.samples, trained.learned
    y = plan.statistic.embed_outcomes(samples)
    if not isinstance(plan.residuals, NoResiduals):
        return to_host(y.phi) - to_host(learned.outcomes.phi), learned.further
    model = Forests() if samples.gram_x is None else PooledRidge()
    fit: Fit = model.fit(y, samples, trained.pooled or regress_pooled(y.phi, samples))
    return to_host(y.phi) - to_host(fit.outcomes.phi), fit.further


def _movable(column: Array) -> bool:
    """Whether what is added to a number leaves it the number that it is: neither a class, a count nor a size."""
    deviation = float(column.std())
    if len(np.unique(column)) <= 2 or deviation == 0:
        return False
    skewness = float(np.mean(((column - column.mean()) / deviation) ** 3))
    often = float(np.unique(column, return_counts=True)[1].max()) / len(column)
    return often < 0.1 and (float(column.min()) < 0 or skewness <= SKEWED)


def _leading(predictions: Array) -> Array:
    """Coordinates of the predictions along their leading directions."""
    centred = predictions - predictions.mean(axis=0)
    V = np.linalg.eigh(centred.T @ centred)[1][:, ::-1][:, :DIRECTIONS]
    return np.asarray(centred @ V)


def _neighbours(points: Array) -> npt.NDArray[np.int64]:
    count = len(points)
    near = min(count, int(np.clip(DONORS * count, FEWEST, MOST)))
    found = cKDTree(points).query(points, k=near)[1]
    return np.asarray(found, dtype=np.int64).reshape(count, near)
