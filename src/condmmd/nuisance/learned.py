"""Everything that a statistic may use beside the rows: all of it fixed before any null label is drawn."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from condmmd.backend import Rows, take
from condmmd.embedding import Embedding
from condmmd.nuisance.pooled import PooledRegression
from condmmd.nuisance.propensity import Propensity
from condmmd.nuisance.residuals import Residualization, less_mean

__all__ = ["Learned"]


@dataclass(frozen=True, eq=False)
class Learned:
    """What was learned of the rows of a test or a measurement.

    Attributes
    ----------
    outcomes
        Features of the outcomes, residualised if that was asked for.
    propensity
        The probability of P at each row; None where the statistic has no use for it.
    centre
        The mean of each row's label under the null hypothesis; None likewise.
    pooled
        The pooled regression of the outcomes on X; None where nothing needed it.
    residualization
        How the outcomes were residualised; None if they were not.
    further
        The same for other columns with the same rows, whatever they are.
    anew
        The same by models that are grown for these columns, where they predict them better; None: there are none.
    """

    outcomes: Embedding
    propensity: Propensity | None = None
    centre: Rows | None = None
    pooled: PooledRegression | None = None
    residualization: Residualization | None = None
    further: Callable[[Rows], Rows] = less_mean
    anew: Callable[[Rows], Rows] | None = None

    def on_rows(self, index: npt.NDArray[np.int64], propensity: Propensity, centre: Rows | None) -> Learned:
        """The same at some of the rows in memory, whose labels have a law of their own; nothing is learned anew."""
        pooled = None if self.pooled is None else self.pooled.on_rows(index)
        outcomes = replace(self.outcomes, phi=take(self.outcomes.phi, index), gram=None)
        further = less_mean if pooled is None else pooled.less_fitted  # trees would need the columns of all rows
        own = replace(self, outcomes=outcomes, propensity=propensity, centre=centre)
        return replace(own, pooled=pooled, further=further, anew=None)

    def law_of_labels(self, statistic: str) -> tuple[Rows, Propensity]:
        """The mean of each label under the null hypothesis, and the propensity, for a statistic that needs them."""
        if self.centre is None or self.propensity is None:
            raise ValueError(f"{statistic} needs a propensity.")
        return self.centre, self.propensity
