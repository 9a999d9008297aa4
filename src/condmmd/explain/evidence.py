"""What a test looked at, in memory, for whoever asks where the difference is."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from condmmd.backend import Array, n_rows, pick_rows, sample_rows, to_host
from condmmd.data import Samples
from condmmd.embedding import Embedding
from condmmd.inference import Plan, Trained
from condmmd.labels import LabelPlan
from condmmd.nuisance import PooledRegression
from condmmd.statistics import ConditionalFit

__all__ = ["Evidence", "evidence_of"]

# Of rows in chunks, so many are brought into memory.
EVIDENCE_ROWS = 50_000


@dataclass(frozen=True, eq=False)
class Evidence:
    """The rows of a test in NumPy, with their features, their regression and the law of their labels.

    Attributes
    ----------
    plan
        The test.
    labels
        The law of the labels; it has the rows.
    x, y
        Features of the covariates, and of the outcomes as they were compared.
    pooled
        The pooled regression, where there was one.
    e
        The mean of each row's label over null labels.
    """

    plan: Plan
    labels: LabelPlan
    x: Embedding
    y: Embedding
    pooled: PooledRegression | None
    e: Array

    @property
    def samples(self) -> Samples:
        """The rows."""
        return self.labels.samples

    @property
    def t(self) -> Array:
        """Their labels."""
        return to_host(self.labels.samples.groups.t)

    @property
    def blocks(self) -> npt.NDArray[np.int64]:
        """The block of each row; without blocks each row is its own."""
        blocks = self.labels.blocks
        return np.arange(len(self.e)) if blocks is None else blocks.of_row

    @property
    def assumption(self) -> str:
        """What the propensity rests on, where it was estimated."""
        propensity = self.labels.propensity
        return propensity.assumption if propensity.source == "estimated" else ""


def evidence_of(plan: Plan, trained: Trained, fitted: ConditionalFit) -> Evidence:
    """Bring what was compared into memory: all rows, or some where they are in chunks."""
    labels, pooled = trained.labels, trained.pooled
    whole, count = labels.samples, n_rows(labels.samples.groups.t)
    rows = sample_rows(count, EVIDENCE_ROWS if whole.chunked else count)

    def here(array: Any) -> Any:
        return to_host(pick_rows(array, rows))

    groups = replace(whole.groups, t=here(whole.groups.t))
    samples = replace(whole, x=whole.x.at(here(whole.x.values)), y=whole.y.at(here(whole.y.values)), groups=groups)
    fit = None if labels.propensity.fit is None else replace(labels.propensity.fit, Z=here(labels.propensity.fit.Z))
    propensity = replace(labels.propensity, e=here(labels.propensity.e), n=groups.n, fit=fit)
    labels = replace(labels, samples=samples, propensity=propensity)
    x, y = replace(fitted.covariates, phi=here(fitted.covariates.phi), gram=None), fitted.outcomes
    if pooled is not None:
        shrink = to_host(pooled.shrink) * (count / len(rows))
        pooled = replace(pooled, fitted=here(pooled.fitted), features=here(pooled.features), shrink=shrink)
    return Evidence(plan, labels, x, replace(y, phi=here(y.phi)), pooled, to_host(labels.centre))
