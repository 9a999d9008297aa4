"""Who could have got which label: the rows that take part, their propensity, and the scheme that draws null labels."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, Literal, TypeAlias

import numpy as np
import numpy.typing as npt
from scipy.special import gammaln

from condmmd.backend import Array, Rows, cached_property, map_rows, move_to, n_rows, to_host, total
from condmmd.data import Samples, select_rows
from condmmd.labels.blocks import Blocks, read_blocks, warn_block_sizes
from condmmd.labels.fits import ByColumns, ByGroups, Fit
from condmmd.labels.schemes import Bernoulli, ByBlock, FixedSize, Permutation, Scheme
from condmmd.labels.signs import Multipliers
from condmmd.labels.strata import find_strata, shares_in_strata, strata_propensity
from condmmd.nuisance import PooledRegression, Propensity, PropensityModel, regress_pooled
from condmmd.nuisance.overlap import warn_overlap
from condmmd.nuisance.propensity import EqualMarginals, Logistic
from condmmd.nuisance.regressors import propensity_regressors
from condmmd.regression.odds import log_odds, overlap, tilt

__all__ = ["LabelPlan", "LabelRules", "SchemeName", "propensity_of_rows"]

SchemeName: TypeAlias = Literal["auto", "permutation", "bernoulli", "fixed-size"]


@dataclass(frozen=True, eq=False)
class LabelPlan:
    """The rows, the propensity, and what is needed to draw null labels; and which rows ``trim`` has kept.

    Where the propensity was estimated, ``signs`` is the law that its fit leaves of the residual labels.
    """

    samples: Samples
    propensity: Propensity
    kind: str
    strata: npt.NDArray[np.int64] | None = None
    blocks: Blocks | None = None
    block_e: Array | None = None
    trimmed: int = 0
    kept: npt.NDArray[np.bool_] | None = None
    signs: Multipliers | None = None

    @property
    def centre(self) -> Rows:
        """The mean of each row's label under the scheme; it knows no more of the observed labels than that does."""
        if self.kind == "bernoulli" or self.signs is not None:  # some rows of an estimate have its residuals
            return self.propensity.e
        if self.strata is not None:
            return shares_in_strata(self.strata, self.samples.groups.t)
        if self.blocks is None or self.block_e is None:
            return self.propensity.at_prevalence
        by_block = to_host(tilt(log_odds(self.block_e), int(self.blocks.labels.sum())))
        return by_block[self.blocks.of_row]

    @property
    def estimated(self) -> bool:
        """Whether the labels' law is not known, but fitted to them."""
        return self.propensity.source == "estimated"

    @cached_property
    def multipliers(self) -> Multipliers:
        """The residual labels of rows, or of blocks, and the random signs that stand for their chance."""
        if self.signs is not None:
            return self.signs
        t, e, of_row = self.samples.groups.t, self.centre, None
        if self.blocks is not None:
            t, e, of_row = self.blocks.labels, self._of_blocks(e), self.blocks.of_row
        return Multipliers(map_rows(_residuals, t, e), self._fit(e), of_row)

    @cached_property
    def noise(self) -> Multipliers:
        """The same for sums whose law is wanted if nothing differs: by the variance of labels, where that is known."""
        own = self.multipliers
        if self.estimated:
            return own
        sizes: Any = n_rows(own.a) if self.strata is None else np.bincount(self.strata)[self.strata]
        fixed = 1.0 if self.kind == "bernoulli" else np.sqrt(sizes / np.maximum(sizes - 1, 1))
        e = self.centre if own.of_row is None else self._of_blocks(self.centre)
        return replace(own, deviation=np.sqrt(to_host(overlap(to_host(e)))) * fixed)

    def _of_blocks(self, e: Rows) -> Array:
        if self.blocks is None:
            raise ValueError("there are no blocks.")
        return np.asarray(to_host(e)[np.unique(self.blocks.of_row, return_index=True)[1]])

    def _fit(self, e: Rows) -> Fit | None:
        """What the estimate, or a fixed number of labels, takes from their residuals."""
        w = map_rows(overlap, e)
        if self.propensity.fit is not None:
            return ByColumns.of(self.propensity.fit, w)
        if self.kind == "bernoulli":
            return None
        if self.strata is not None:
            return ByGroups(self.strata, to_host(w))
        return ByColumns(map_rows(_no_columns, e, columns=0), w, np.array([[1 / max(float(total(w)), 1e-300)]]))

    def log_labelings(self) -> float:
        """Logarithm of the number of label vectors that the scheme can draw."""
        if self.blocks is None and self.strata is None:
            count, n = n_rows(self.samples.groups.t), self.samples.groups.n
            return count * float(np.log(2)) if self.kind == "bernoulli" else float(_log_choose(count, n))
        t = to_host(self.samples.groups.t) if self.blocks is None else self.blocks.labels
        if self.kind == "bernoulli":
            return len(t) * float(np.log(2))
        strata = np.zeros(len(t), dtype=np.int64) if self.strata is None else self.strata
        return float(np.sum(_log_choose(np.bincount(strata), np.bincount(strata, weights=t))))

    def scheme(self) -> Scheme:
        """How null labels are drawn."""
        t = self.samples.groups.t if self.blocks is None else self.blocks.labels
        e = self.propensity.e if self.block_e is None else self.block_e
        inner: Scheme
        if self.kind == "permutation":
            inner = Permutation(t, self.strata)
        elif self.kind == "bernoulli":
            inner = Bernoulli(e)
        else:
            inner = FixedSize.of(e, t)
        return inner if self.blocks is None else ByBlock(inner, self.blocks.labels, self.blocks.of_row)

    def on_rows(self, keep: npt.NDArray[np.bool_], argument: str) -> LabelPlan:
        """The same law of labels on some of the rows, given how many of each group they have."""
        if self.blocks is not None:
            raise TypeError(f"`{argument}` and `blocks` cannot be used together; leave the blocks out beforehand.")
        samples = select_rows(self.samples, keep, argument=argument)
        index, strata = np.flatnonzero(keep), self.strata
        if strata is not None:
            strata = np.unique(strata[keep], return_inverse=True)[1]
        propensity, signs = self.propensity, None
        if self.estimated:
            propensity, signs = replace(propensity, e=self.centre), self.multipliers.on_rows(index)
        propensity = propensity.on_rows(index, samples.groups.n)
        return replace(self, samples=samples, propensity=propensity, strata=strata, signs=signs)


def _residuals(t: Rows, e: Rows) -> Rows:
    return t - e


def _no_columns(e: Rows) -> Rows:
    return e[:, None][:, :0]


def _log_choose(total: Any, chosen: Any) -> Any:
    return gammaln(total + 1) - gammaln(chosen + 1) - gammaln(total - chosen + 1)


@dataclass(frozen=True, eq=False)
class LabelRules:
    """How a plan of labels is made from the rows: the model of the propensity, the scheme, blocks and trimming."""

    model: PropensityModel
    scheme: SchemeName = "auto"
    blocks: Any = None
    trim: float | None = None

    def __post_init__(self) -> None:
        if isinstance(self.model, EqualMarginals):
            if self.trim is not None:
                raise ValueError("`trim` needs a propensity; with propensity=None there is nothing to trim by.")
        elif self.scheme == "permutation":
            raise ValueError(
                "scheme='permutation' asserts that X has the same distribution in both: use propensity=None."
            )
        if self.trim is not None and self.blocks is not None:
            raise ValueError("`trim` and `blocks` cannot be used together; leave the blocks out beforehand.")

    def strata(self, samples: Samples) -> npt.NDArray[np.int64] | None:
        """Strata of equal covariates, if labels are to be shuffled within them in place of an estimate."""
        estimated = isinstance(self.model, Logistic) and self.scheme == "auto" and self.blocks is None
        return find_strata(samples) if estimated else None

    def make(
        self, samples: Samples, pooled: PooledRegression | None, strata: npt.NDArray[np.int64] | None
    ) -> LabelPlan:
        """Read or estimate the propensity, choose the scheme, leave out what is to be trimmed."""
        t = samples.groups.t
        blocks = None if self.blocks is None else read_blocks(self.blocks, to_host(t))
        if isinstance(self.model, EqualMarginals):
            return self._equal_marginals(samples, blocks)
        block_e = None
        if strata is not None:
            found = strata_propensity(strata, t)
        else:
            found, block_e = _row_propensity(self.model, samples, blocks, pooled)
        kind = "permutation" if strata is not None else "fixed-size" if self.scheme == "auto" else self.scheme
        plan = LabelPlan(samples, found, kind, strata, blocks, block_e)
        if self.trim is not None:
            balanced = to_host(found.balanced)
            keep = (balanced >= self.trim) & (balanced <= 1 - self.trim)
            plan = replace(plan.on_rows(keep, "trim"), trimmed=int((~keep).sum()), kept=keep)
        named = plan.samples.x if samples.gram_x is None else plan.samples.x.select(())  # row numbers are no covariate
        warn_overlap(plan.propensity, named, plan.samples.groups.t)
        return plan

    def _equal_marginals(self, samples: Samples, blocks: Blocks | None) -> LabelPlan:
        known = self.model.fit(samples.x, None, samples.groups.t)
        kind = "permutation" if self.scheme == "auto" else self.scheme
        if blocks is None:
            return LabelPlan(samples, known, kind)
        warn_block_sizes(blocks)
        return LabelPlan(samples, known, kind, None, blocks, np.full(len(blocks.labels), blocks.labels.mean()))


def propensity_of_rows(model: PropensityModel, samples: Samples, psi: Rows) -> Propensity:
    """The propensity for a measurement: as given, or estimated as a test would, by features ``psi`` of the outcomes."""
    rules = LabelRules(model)
    strata = rules.strata(samples)
    pooled = regress_pooled(psi, samples) if strata is None and model.needs_regressors else None
    return rules.make(samples, pooled, strata).propensity


def _row_propensity(
    model: PropensityModel, samples: Samples, blocks: Blocks | None, pooled: PooledRegression | None
) -> tuple[Propensity, Array | None]:
    """The propensity at the rows, and at the blocks if there are any."""
    t, x = samples.groups.t, samples.x
    if samples.gram_x is not None:  # its table holds row numbers, which say nothing about X
        x = x.select(())
    regressors = None
    if model.needs_regressors:
        if pooled is None:
            raise ValueError("the pooled regression is missing.")
        regressors = propensity_regressors(x, pooled)
    if blocks is None:
        return model.fit(x, regressors, t), None
    if model.learns:
        size = np.log(blocks.sizes)
        columns = [] if regressors is None else [blocks.mean(to_host(regressors))]
        table = x.at(blocks.mean(to_host(x.values)))
        by_block = model.fit(table, np.column_stack([*columns, (size - size.mean())[:, None]]), blocks.labels)
        block_e = to_host(by_block.e)
        return replace(by_block, e=move_to(block_e[blocks.of_row], t), n=samples.groups.n), block_e
    found = model.fit(x, regressors, t)
    of_rows = to_host(found.e)
    block_e = blocks.mean(of_rows[:, None])[:, 0]
    if np.abs(block_e[blocks.of_row] - of_rows).max() > 1e-9:
        raise ValueError("`propensity` must be the same for all rows of a block, whose label is one draw.")
    return found, block_e
