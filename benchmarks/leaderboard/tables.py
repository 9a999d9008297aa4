"""What the records say: rates, their standard errors, whether a level is kept, and the order of the methods."""

from typing import NamedTuple

import numpy as np
from scipy.stats import binom

LEVEL = 0.05
FEW = 20  # trials that say too little for a place among the first
DOUBT = 0.01  # a level is not kept where so many rejections have a smaller probability, over all nulls together


class Rate(NamedTuple):
    """Rejections among the trials that gave a p-value."""

    hits: int
    trials: int

    @property
    def share(self):
        return self.hits / self.trials

    @property
    def error(self):
        return (self.share * (1 - self.share) / self.trials) ** 0.5


class Row(NamedTuple):
    """A method on the problems of a question: its rates by problem, the nulls whose level it does not keep, seconds."""

    method: object
    rates: dict
    broken: tuple
    seconds: float | None
    power: float | None
    failed: int


def fewest(row):
    """Trials of the problem with the fewest of them."""
    return min((rate.trials for rate in row.rates.values()), default=0)


def rate_of(cell):
    pvalues = [p for p in cell["pvalues"] if p is not None]
    return Rate(sum(p <= LEVEL for p in pvalues), len(pvalues)) if pvalues else None


def is_broken(rate, nulls):
    """Whether there are more rejections of a true null than chance gives, at 0.01 over all nulls of the method."""
    return bool(binom.sf(rate.hits - 1, rate.trials, LEVEL) < DOUBT / nulls)


def row_of(method, record, problems):
    cells = {p: record["problems"][p.name] for p in problems if p.name in record["problems"] and method.applies(p)}
    rates = {p: rate for p, cell in cells.items() if (rate := rate_of(cell))}
    nulls = [p for p in rates if p.null]
    broken = tuple(p.name for p in nulls if is_broken(rates[p], len(nulls)))
    times = [min(cell["seconds"]) for p, cell in cells.items() if p in rates]
    powers = [rate.share for p, rate in rates.items() if not p.null]
    return Row(
        method, rates, broken, float(np.median(times)) if times else None,
        float(np.mean(powers)) if powers else None, sum(p is None for cell in cells.values() for p in cell["pvalues"]),
    )  # fmt: skip


def is_merit(row, problem):
    """Whether the power on an alternative may be read as one: the null that it was made from keeps its level."""
    return not (problem.of in row.broken if problem.of else row.broken)


def ranked(rows):
    """Those that keep all levels first, by mean power; of the others likewise; those without power last.

    A mean over fewer alternatives than others have is of another kind, and comes after theirs; so does one with few
    trials somewhere.
    """
    asked = {row.method: sum(not problem.null for problem in row.rates) for row in rows}
    most = max(asked.values(), default=0)
    return sorted(
        rows,
        key=lambda row: (
            row.power is None,
            bool(row.broken),
            asked[row.method] < most or fewest(row) < FEW,
            -(row.power or 0),
        ),
    )
