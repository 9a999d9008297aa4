"""Was an outcome computed from the covariates? Then there is no chance in Y given X that could be compared."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from condmmd.backend import Array, sample_rows, to_host
from condmmd.data import Table
from condmmd.explain.row_checks import FIXED, NEARLY_FIXED

__all__ = ["Derived", "derived_outcomes"]

# Rows and covariates that are looked at, covariates that are tried together, and categories that count.
MAX_ROWS = 5_000
MAX_COLUMNS = 200
MAX_TRIED = 10
MAX_CATEGORIES = 20
# Rows for each column of a regression, below which it explains by its freedom alone.
ROWS_FOR_COLUMN = 10
# What a covariate explains at least that is told, where the outcome is not fixed altogether.
LOSS = 0.002


@dataclass(frozen=True)
class Derived:
    """An outcome that some covariates determine.

    Attributes
    ----------
    outcome, covariates
        By name; the covariates in the order in which they explain most.
    share
        Of the outcome's variation that they explain.
    how
        "linear", "product" (linear in logarithms) or "one covariate" (a cut, or rising or falling with it).
    """

    outcome: str
    covariates: tuple[str, ...]
    share: float
    how: str

    @property
    def exact(self) -> bool:
        """Whether nothing is left."""
        return self.share >= FIXED

    def sentence(self) -> str:
        """What was found."""
        words = {"linear": "a sum or difference", "product": "a product or ratio", "one covariate": "a function"}
        nearly = "" if self.exact else "nearly "
        return f"{self.outcome} is {nearly}{words[self.how]} of {', '.join(self.covariates)} ({self.share:.1%} of it)"


def derived_outcomes(x: Table, y: Table) -> tuple[Derived, ...]:
    """Outcomes that are sums, products or monotone functions of a few covariates, or nearly so."""
    rows = sample_rows(len(to_host(x.values)), MAX_ROWS)
    X, Y = to_host(x.values)[rows], to_host(y.values)[rows]
    blocks = {column.name: _block(X[:, j], column.categories) for j, column in enumerate(x.columns[:MAX_COLUMNS])}
    found = []
    for k, column in enumerate(y.columns):
        if np.ptp(Y[:, k]) == 0:
            continue
        ways = [_by_one(Y[:, k], x, X, column.name)]
        if column.categories is None:
            ways += [_by_sum(Y[:, k], blocks, column.name), _by_product(Y[:, k], x, X, column.name)]
        best = max((way for way in ways if way is not None), key=lambda way: way.share, default=None)
        if best is not None and best.share >= NEARLY_FIXED:
            found.append(best)
    return tuple(found)


def _block(values: Array, categories: tuple[str, ...] | None) -> Array:
    """A covariate as columns of a regression; none if it has too many categories."""
    if categories is None:
        return values[:, None]
    if len(categories) > MAX_CATEGORIES:
        return np.empty((len(values), 0))
    return (values[:, None] == np.arange(1, len(categories))).astype(np.float64)


def _by_sum(y: Array, blocks: dict[str, Array], outcome: str) -> Derived | None:
    names, share = _few(y, blocks)
    return Derived(outcome, names, share, "linear") if names else None


def _by_product(y: Array, x: Table, X: Array, outcome: str) -> Derived | None:
    if not (y > 0).all():
        return None
    positive = {x.names[j]: np.log(X[:, j])[:, None] for j in x.numeric[:MAX_COLUMNS] if (X[:, j] > 0).all()}
    names, share = _few(np.log(y), positive)
    return Derived(outcome, names, share, "product") if names else None


def _few(y: Array, blocks: dict[str, Array]) -> tuple[tuple[str, ...], float]:
    """The few covariates that explain the most together, and their share of y; of two, neither need explain much alone.

    Those that explain most of what the others leave are added, then those without which as much is explained are
    taken away.
    """
    names: list[str] = []
    left, share, columns = y - y.mean(), 0.0, 1
    while len(names) < MAX_TRIED and share < FIXED:
        allowed = len(y) / ROWS_FOR_COLUMN - columns
        tried = {
            name: _explained(left, block)
            for name, block in blocks.items()
            if name not in names and 0 < block.shape[1] <= allowed
        }
        best = max(tried, key=lambda name: tried[name], default=None)
        if best is None:
            break
        names.append(best)
        columns += blocks[best].shape[1]
        left = _left(y, np.column_stack([blocks[name] for name in names]))
        share = float(1 - np.mean(left**2) / np.var(y))
    if share < NEARLY_FIXED:
        return (), share
    return _fewest(y, blocks, names, share)


def _fewest(y: Array, blocks: dict[str, Array], names: list[str], share: float) -> tuple[tuple[str, ...], float]:
    enough = FIXED if share >= FIXED else max(NEARLY_FIXED, share - LOSS)
    while len(names) > 1:
        without = {
            name: _explained(y, np.column_stack([blocks[other] for other in names if other != name])) for name in names
        }
        least = max(without, key=lambda name: without[name])
        if without[least] < enough:
            break
        names, share = [name for name in names if name != least], without[least]
    alone = {name: _explained(y, blocks[name]) for name in names}
    return tuple(sorted(names, key=lambda name: -alone[name])), share


def _left(y: Array, Z: Array) -> Array:
    """What a regression of y on Z and a constant leaves."""
    centred, columns = y - y.mean(), Z - Z.mean(axis=0)
    scale = np.abs(columns).max(axis=0)
    columns = columns[:, scale > 0] / scale[scale > 0]
    if not columns.shape[1]:
        return centred
    rest: Array = centred - columns @ np.linalg.lstsq(columns, centred, rcond=None)[0]
    return rest


def _explained(y: Array, Z: Array) -> float:
    """The share of the variance of y that a regression on Z and a constant explains."""
    variance = float(np.var(y))
    return float(1 - np.mean(_left(y, Z) ** 2) / variance) if variance > 0 else 0.0


def _by_one(y: Array, x: Table, X: Array, outcome: str) -> Derived | None:
    """A class that one cut of a number sorts, or a number that rises or falls with another."""
    best: tuple[float, str] = (0.0, "")
    kinds = np.unique(y)
    for j in x.numeric[:MAX_COLUMNS]:
        if len(np.unique(X[:, j])) < len(kinds):
            continue
        share = _cut_share(y, X[:, j]) if len(kinds) == 2 else _rank_share(y, X[:, j])
        best = max(best, (share, x.names[j]))
    return Derived(outcome, (best[1],), best[0], "one covariate") if best[1] else None


def _cut_share(y: Array, x: Array) -> float:
    """The part of the rarer class that the best cut of x sorts right, less what it sorts wrong."""
    order = np.argsort(x, kind="stable")
    high = (y[order] == y.max()).astype(np.float64)
    ends = np.append(x[order][1:] != x[order][:-1], True)  # rows of one value stay together
    wrong = (np.cumsum(high) + (np.sum(1 - high) - np.cumsum(1 - high)))[ends]
    least = min(float(wrong.min()), float(len(y) - wrong.max()))
    return 1 - least / min(float(high.sum()), float(len(y) - high.sum()))


def _rank_share(y: Array, x: Array) -> float:
    """The squared correlation of the ranks."""
    from scipy.stats import rankdata  # noqa: PLC0415 - a slow import that few runs need

    ranks = [rankdata(values) - (len(y) + 1) / 2 for values in (y, x)]
    norms = [float(np.sum(rank**2)) for rank in ranks]
    return float(np.sum(ranks[0] * ranks[1])) ** 2 / (norms[0] * norms[1]) if min(norms) > 0 else 0.0
