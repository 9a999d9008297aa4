"""Made-up effects on the outcomes of a table: what each row's outcome would be if it were of P, by how strong it is.

An outcome keeps its kind: numbers are shifted or spread, classes turn into one of them, counts get a higher rate.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Literal, TypeAlias

import numpy as np
import numpy.typing as npt
from scipy.special import pdtr

from condmmd.backend import Array
from condmmd.data import Table

__all__ = ["KINDS", "Alternative", "Kind", "alternatives_of"]

Kind: TypeAlias = Literal["shift", "slope", "spread", "share", "rate"]
Counts: TypeAlias = npt.NDArray[np.int64]
KINDS: tuple[Kind, ...] = ("shift", "slope", "spread", "share", "rate")

# A count is a whole number that can be none or one, and is not large.
COUNT_MEDIAN = 20.0
# A value that so many of the rows have is something of its own (no spending, no visits), and stays what it is.
PILE = 0.1
# The strongest effects that are tried: in residual deviations, as a ratio, as a part of the other rows that turn.
MOST_DEVIATIONS, MOST_RATIO, MOST_TURNED = 5.0, 10.0, 1.0
# Outcomes made by the models of the test to see how far they miss, and the most that a miss can be.
MADE, MOST_MISFIT = 4, 0.5
# A step that spreads numbers evenly between 0 and 1, however many there are.
GOLDEN = (5**0.5 - 1) / 2
# Terms of a Poisson law, at most, by which its quantiles are found.
MOST_COUNTED = 1000


@dataclass(frozen=True, eq=False)
class Alternative:
    """One kind of effect on one outcome, of any size.

    Attributes
    ----------
    kind
        "shift", "slope", "spread", of a number; "share", of one of the classes; "rate", of a count.
    outcome
        The outcome's name.
    words
        The effect in words, to which a size is added.
    none
        The size of no effect: 0, or 1 for a ratio.
    deviation
        One residual standard deviation in the units of the size; None for a ratio, which has none.
    guess, most
        A size to begin a search with, and the largest that is tried.
    change
        Outcomes of all rows, if they were of P, by the size.
    along
        The covariate of a slope.
    """

    kind: Kind
    outcome: str
    words: str
    none: float
    deviation: float | None
    guess: float
    most: float
    change: Callable[[float], Array]
    along: str | None = None


@dataclass(frozen=True, eq=False)
class _Outcome:
    """One column of the outcomes, or whether it is of one class, with what the models of a test leave of that."""

    values: Array
    position: int
    name: str
    residual: Array
    modelled: Array

    @property
    def column(self) -> Array:
        return self.values[:, self.position]

    @property
    def predicted(self) -> Array:
        return self.modelled - self.residual

    @property
    def deviation(self) -> float:
        return float(np.sqrt(np.mean(self.residual**2)))

    def put(self, column: Array) -> Array:
        """The outcomes with another column in this place."""
        changed = self.values.copy()
        changed[:, self.position] = column
        return changed


def alternatives_of(
    y: Table, x: Table, weights: Array, residuals: Callable[[Array], Array], along: str | None
) -> list[Alternative]:
    """Every kind of effect on every outcome of a table.

    Parameters
    ----------
    y, x
        Outcomes and covariates, in NumPy.
    weights
        Those of the rows: e (1 - e).
    residuals
        Columns less what the models of the test say of them.
    along
        The covariate of the slopes; None: the one of which most variation is left where the groups overlap.
    """
    z, name = _direction(x, weights, along)
    found: list[Alternative] = []
    for position, column in enumerate(y.columns):
        values = np.asarray(y.values, dtype=np.float64)
        distinct, counts = np.unique(values[:, position], return_counts=True)
        if len(distinct) < 2:
            continue
        if column.categories is not None or len(distinct) == 2:
            found.append(_share(values, position, y, weights, residuals, distinct, counts))
            continue
        numbers = values[:, position]
        own = _Outcome(values, position, column.name, residuals(numbers[:, None])[:, 0], numbers)
        if own.deviation <= 1e-9 * float(numbers.std()):  # X fixes it: there is no noise to see it against
            continue
        found += _of_number(own, distinct, counts, weights, (z, name), residuals)
    return found


def _of_number(
    own: _Outcome,
    distinct: Array,
    counts: Counts,
    weights: Array,
    direction: tuple[Array | None, str | None],
    residuals: Callable[[Array], Array],
) -> list[Alternative]:
    z, along = direction
    noise = float(weights.sum()) ** -0.5  # of a mean of the residuals, in deviations
    whole = bool((distinct == np.round(distinct)).all() and distinct[0] >= 0)
    pile = bool(distinct[0] == 0 and counts[0] >= PILE * counts.sum())
    if pile or (whole and distinct[0] <= 1 and np.median(own.column) <= COUNT_MEDIAN):
        change = partial(_multiplied, own=own, whole=whole) if pile else partial(_more_often, own=own)
        mean = max(float(own.column.mean()), 1e-300)
        guess = 1 + 3.2 * noise * own.deviation / mean
        words = f"{own.name} higher by a factor of"
        return [Alternative("rate", own.name, words, 1.0, None, guess, MOST_RATIO, change)]
    unit, most = own.deviation, MOST_DEVIATIONS * own.deviation
    everywhere = partial(_shifted, own=own, along=np.ones(len(own.column)))
    words = f"{own.name} higher everywhere by"
    found = [Alternative("shift", own.name, words, 0.0, unit, 3.2 * noise * unit, most, everywhere)]
    if z is not None:
        words = f"{own.name} higher, for each standard deviation of {along}, by"
        change = partial(_shifted, own=own, along=z)
        found.append(Alternative("slope", own.name, words, 0.0, unit, 3.5 * noise * unit, most, change, along))
    words = f"the spread of {own.name} larger by a factor of"
    guess = 1 + 3.5 * noise
    change = partial(_spread, own=own, misfit=_misfit(own, residuals))
    found.append(Alternative("spread", own.name, words, 1.0, None, guess, MOST_RATIO, change))
    return found


def _shifted(size: float, own: _Outcome, along: Array) -> Array:
    return own.put(own.column + size * along)


def _spread(size: float, own: _Outcome, misfit: float) -> Array:
    """Noise so many times as large; the part of the residuals that is misfit of the models stays as it is."""
    ratio = (size**2 * (1 - misfit) + misfit) ** 0.5
    return own.put(own.column + (ratio - 1) * own.residual)


def _misfit(own: _Outcome, residuals: Callable[[Array], Array]) -> float:
    """The share of the residuals' variance that is misfit: what the models leave, beyond its noise, of outcomes that
    they have made themselves."""  # noqa: D205, D209
    rng = np.random.default_rng(own.position + 1)
    noise = np.stack([rng.permutation(own.residual) for _ in range(MADE)], axis=1)
    left = residuals(own.predicted[:, None] + noise)
    beyond = float(np.mean(left**2)) / own.deviation**2 - 1
    return min(max(beyond, 0.0) / (1 + max(beyond, 0.0)), MOST_MISFIT)


def _multiplied(size: float, own: _Outcome, whole: bool) -> Array:
    """Every value times the ratio; whole numbers go up or down by chance, so that the mean is right."""
    product = size * own.column
    return own.put(np.floor(product + _chance(own)) if whole else product)


def _more_often(size: float, own: _Outcome) -> Array:
    """So many more as a Poisson law gives that is fast where the counts are expected to be high."""
    expected = np.maximum(own.predicted, 0.05 * float(own.column.mean()))
    return own.put(own.column + _poisson_quantiles(_chance(own), (size - 1) * expected))


def _poisson_quantiles(u: Array, mean: Array) -> Array:
    """The smallest count whose distribution function is at least u."""
    count = np.zeros(len(u))
    for k in range(MOST_COUNTED):
        below = pdtr(k, mean) < u
        if not below.any():
            break
        count += below
    return count


def _chance(own: _Outcome, among: npt.NDArray[np.bool_] | None = None) -> Array:
    """A number between 0 and 1 for each row, or for some, the same whatever the size: so more effect is never less.

    They are spread evenly among rows of similar predictions, so that the effect is as large as it should be everywhere,
    and not larger or smaller by the luck of one draw.
    """
    rows = np.arange(len(own.column)) if among is None else np.flatnonzero(among)
    rows = rows[np.argsort(own.predicted[rows], kind="stable")]
    chance = np.ones(len(own.column))
    chance[rows] = (0.5 + GOLDEN * np.arange(len(rows))) % 1.0
    return chance


def _share(
    values: Array, position: int, y: Table, weights: Array, residuals: Callable[[Array], Array], distinct: Array,
    counts: Counts,
) -> Alternative:  # fmt: skip
    """Of the rows that are not of one class, some turn into it: of the rarer of two, or of the largest of several."""
    two = len(distinct) == 2
    code = float(distinct[counts.argmin() if two else counts.argmax()])
    column = y.columns[position]
    shown = f"{code:g}" if column.categories is None else column.categories[int(code)]
    indicator = (values[:, position] == code).astype(np.float64)
    own = _Outcome(values, position, column.name, residuals(indicator[:, None])[:, 0], indicator)
    room = 1 - float(np.average(indicator, weights=weights))
    return Alternative(
        "share", column.name, f"the share of {column.name} = {shown} higher by", 0.0, own.deviation,
        min(3.2 * own.deviation * float(weights.sum()) ** -0.5, 0.5 * room), MOST_TURNED * room,
        partial(_turned, own=own, code=code, room=room),
    )  # fmt: skip


def _turned(size: float, own: _Outcome, code: float, room: float) -> Array:
    turns = _chance(own, own.column != code) < size / max(room, 1e-300)
    return own.put(np.where(turns, code, own.column))


def _direction(x: Table, weights: Array, along: str | None) -> tuple[Array | None, str | None]:
    """A covariate that is a number, with a weighted mean of 0 and mean square of 1, and its name."""
    values = np.asarray(x.values, dtype=np.float64)
    numbers = [j for j in x.numeric if values[:, j].std() > 0]
    if along is not None:
        if along not in [x.names[j] for j in numbers]:
            raise ValueError(
                f"`along` must be a covariate that is a number, {[x.names[j] for j in numbers]}; got {along!r}."
            )
        numbers = [x.names.index(along)]
    if not numbers:
        return None, None
    means = np.average(values[:, numbers], axis=0, weights=weights)
    squares = np.average((values[:, numbers] - means) ** 2, axis=0, weights=weights)
    best = int(np.argmax(np.round(squares / values[:, numbers].var(axis=0), 6)))
    if squares[best] <= 0:
        return None, None
    return (values[:, numbers[best]] - means[best]) / squares[best] ** 0.5, x.names[numbers[best]]
