"""Who could have got which label: the rows that take part, their propensity, and the scheme that draws null labels."""

from __future__ import annotations

import warnings
from dataclasses import dataclass, replace
from typing import Any, Literal, TypeAlias

import numpy as np
import numpy.typing as npt
from scipy.special import gammaln
from scipy.stats import mannwhitneyu

from condmmd.arrays import first_rows, is_lazy, matching, n_rows, take, to_host
from condmmd.notices import OverlapWarning
from condmmd.nuisance import PooledRegression
from condmmd.propensity import Propensity, propensity_design, read_propensity, warn_overlap
from condmmd.resampling import TABLE_ROWS, Bernoulli, FixedSize, InBlocks, Permutation, Scheme, tilt
from condmmd.samples import Array, Samples, select_rows

__all__ = [
    "Blocks", "Design", "SchemeName", "Strata", "design_labels", "needs_regression", "propensity_of_rows",
    "read_blocks",
]  # fmt: skip

SchemeName: TypeAlias = Literal["auto", "permutation", "bernoulli", "fixed-size"]

# Covariates with this many rows for each distinct value are strata.
STRATUM_ROWS = 10


@dataclass(frozen=True, eq=False)
class Blocks:
    """Rows that share a label: the number of each row's block, and each block's label and size."""

    of_row: npt.NDArray[np.int64]
    labels: Array

    @property
    def sizes(self) -> npt.NDArray[np.int64]:
        """Rows of each block."""
        return np.bincount(self.of_row)

    def mean(self, values: Array) -> Array:
        """Mean of each column over the rows of each block."""
        sums = [np.bincount(self.of_row, weights=column) for column in values.T]
        return np.stack(sums, axis=1) / self.sizes[:, None] if sums else np.empty((len(self.labels), 0))


@dataclass(frozen=True, eq=False)
class Strata:
    """In place of a propensity: rows of equal number are alike, and labels are shuffled among them."""

    of_row: npt.NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Design:
    """The rows, the propensity, and what is needed to draw null labels."""

    samples: Samples
    propensity: Propensity
    kind: str
    strata: npt.NDArray[np.int64] | None = None
    blocks: Blocks | None = None
    block_e: Array | None = None
    trimmed: int = 0

    @property
    def centre(self) -> Array:
        """The mean of each row's label under the scheme; it knows no more of the observed labels than that does."""
        if self.kind == "bernoulli":
            return self.propensity.e
        if self.strata is not None:
            t = to_host(self.samples.groups.t)
            shares = np.bincount(self.strata, weights=t) / np.maximum(np.bincount(self.strata), 1)
            return matching(shares[self.strata], self.samples.groups.t)
        if self.blocks is None or self.block_e is None:
            return self.propensity.at_prevalence
        log_odds = np.log(self.block_e) - np.log1p(-self.block_e)
        return tilt(log_odds, int(self.blocks.labels.sum()))[self.blocks.of_row]

    def log_labelings(self) -> float:
        """Logarithm of the number of label vectors that the scheme can draw."""
        if self.blocks is None and self.strata is None:
            N, n = n_rows(self.samples.groups.t), self.samples.groups.n
            if self.kind == "bernoulli":
                return N * float(np.log(2))
            return float(gammaln(N + 1) - gammaln(n + 1) - gammaln(N - n + 1))
        t = to_host(self.samples.groups.t) if self.blocks is None else self.blocks.labels
        if self.kind == "bernoulli":
            return len(t) * float(np.log(2))
        strata = np.zeros(len(t), dtype=np.int64) if self.strata is None else self.strata
        sizes, ones = np.bincount(strata), np.bincount(strata, weights=t)
        return float(np.sum(gammaln(sizes + 1) - gammaln(ones + 1) - gammaln(sizes - ones + 1)))

    def scheme(self) -> Scheme:
        """How null labels are drawn."""
        t = self.samples.groups.t if self.blocks is None else self.blocks.labels
        # The law given the sum knows odds up to a factor only; of many rows the sum is right already.
        few = n_rows(self.samples.groups.t) <= TABLE_ROWS
        whole = self.propensity.e if few or self.kind == "bernoulli" else self.propensity.at_prevalence
        e = whole if self.block_e is None else self.block_e
        inner: Scheme
        if self.kind == "permutation":
            inner = Permutation(t, self.strata)
        elif self.kind == "bernoulli":
            inner = Bernoulli(e)
        else:
            inner = FixedSize.of(e, t)
        return inner if self.blocks is None else InBlocks(inner, self.blocks.of_row)


def needs_regression(samples: Samples, propensity: Any, scheme: SchemeName, blocks: Any) -> bool:
    """Whether the propensity is to be estimated, which needs the pooled regression."""
    estimated = isinstance(propensity, str)  # not Strata, which need no model
    return estimated and (scheme != "auto" or blocks is not None or find_strata(samples) is None)


def design_labels(
    samples: Samples,
    X: Any,
    propensity: Any,
    *,
    scheme: SchemeName = "auto",
    blocks: Any = None,
    trim: float | None = None,
    pooled: PooledRegression | None = None,
) -> Design:
    """Read or estimate the propensity, choose the scheme, leave out what is to be trimmed."""
    t = samples.groups.t
    grouped = None if blocks is None else read_blocks(blocks, to_host(t))
    strata = find_strata(samples) if scheme == "auto" and isinstance(propensity, str) and grouped is None else None
    if isinstance(propensity, Strata):
        strata = propensity.of_row
    if propensity is None:
        if trim is not None:
            raise ValueError("`trim` needs a propensity; with propensity=None there is nothing to trim by.")
        return _equal_marginals(samples, scheme, grouped)
    if scheme == "permutation":
        raise ValueError("scheme='permutation' asserts that X has the same distribution in both: use propensity=None.")
    if trim is not None and grouped is not None:
        raise ValueError("`trim` and `blocks` cannot be used together; leave the blocks out beforehand.")
    block_e = None
    if strata is not None:
        found = _strata_shares(strata, t)
    else:
        found, block_e = _row_propensity(samples, X, propensity, grouped, pooled)
    trimmed = 0
    if trim is not None:
        balanced = to_host(found.balanced)
        keep = (balanced >= trim) & (balanced <= 1 - trim)
        trimmed = int((~keep).sum())
        samples = select_rows(samples, keep)
        found = replace(found, e=take(found.e, np.flatnonzero(keep)), n=samples.groups.n)
        strata = None if strata is None else strata[keep]
    warn_overlap(found, samples.x, samples.groups.t, stacklevel=4)
    kind = "permutation" if strata is not None else "fixed-size" if scheme == "auto" else scheme
    return Design(samples, found, kind, strata, grouped, block_e, trimmed)


def _equal_marginals(samples: Samples, scheme: SchemeName, blocks: Blocks | None) -> Design:
    t = samples.groups.t
    known = read_propensity(None, None, samples.x, None, t)
    kind = "permutation" if scheme == "auto" else scheme
    if blocks is None:
        return Design(samples, known, kind)
    p_sizes, q_sizes = blocks.sizes[blocks.labels == 1], blocks.sizes[blocks.labels == 0]
    if len(np.unique(blocks.sizes)) > 1 and mannwhitneyu(p_sizes, q_sizes).pvalue < 0.001:
        warnings.warn(
            f"the blocks of P have {p_sizes.mean():.3g} rows on average and those of Q {q_sizes.mean():.3g}. Shuffling "
            "blocks is valid only if their sizes have the same distribution; propensity='estimate' takes sizes into "
            "account.",
            OverlapWarning,
            stacklevel=5,
        )
    return Design(samples, known, kind, None, blocks, np.full(len(blocks.labels), blocks.labels.mean()))


def propensity_of_rows(samples: Samples, X: Any, propensity: Any, pooled: PooledRegression | None) -> Propensity:
    """The propensity for a measurement: as given, or estimated as a test would."""
    t = samples.groups.t
    strata = find_strata(samples) if isinstance(propensity, str) else None
    if strata is not None:
        found = _strata_shares(strata, t)
    else:
        found = _row_propensity(samples, X, propensity, None, pooled)[0]
    warn_overlap(found, samples.x, t, stacklevel=4)
    return found


def _strata_shares(strata: npt.NDArray[np.int64], t: Array) -> Propensity:
    """Shares of P among rows of equal X, kept away from 0 and 1. Shuffling within strata does not use them."""
    labels = to_host(t)
    share = (np.bincount(strata, weights=labels) + 0.5) / (np.bincount(strata) + 1)
    told = f"shares of P in {len(share)} strata of equal X"
    return Propensity(matching(share[strata], t), "strata", told, int(labels.sum()))


def _row_propensity(
    samples: Samples, X: Any, propensity: Any, blocks: Blocks | None, pooled: PooledRegression | None
) -> tuple[Propensity, Array | None]:
    t, x = samples.groups.t, samples.x
    if samples.gram_x is not None:  # its table holds row numbers, which say nothing about X
        if hasattr(propensity, "predict_proba"):
            raise TypeError("`propensity`: a classifier needs the columns of X, not a Gram matrix; give probabilities.")
        x = x.select(())
    design = None
    if isinstance(propensity, str):
        if pooled is None:
            raise ValueError("the pooled regression is missing.")
        design = propensity_design(x, pooled)
    if blocks is None:
        return read_propensity(propensity, X, x, design, t), None
    if isinstance(propensity, str) or hasattr(propensity, "predict_proba"):
        size = np.log(blocks.sizes)
        columns = [] if design is None else [blocks.mean(to_host(design))]
        table = replace(x, values=blocks.mean(to_host(x.values)))
        regressors = np.column_stack([*columns, (size - size.mean())[:, None]])
        by_block = read_propensity(propensity, X, table, regressors, blocks.labels)
        e_rows = matching(by_block.e[blocks.of_row], t)
        return replace(by_block, e=e_rows, n=samples.groups.n), by_block.e
    found = read_propensity(propensity, X, x, design, t)
    host = to_host(found.e)
    e = blocks.mean(host[:, None])[:, 0]
    if np.abs(e[blocks.of_row] - host).max() > 1e-9:
        raise ValueError("`propensity` must be the same for all rows of a block, whose label is one draw.")
    return found, e


def read_blocks(blocks: Any, t: Array) -> Blocks:
    """Number the blocks and find the label of each."""
    values = np.asarray(blocks)
    if values.shape != t.shape:
        raise ValueError(f"`blocks` must have one value a row, {len(t)}; got shape {values.shape}.")
    names, block_of_row = np.unique(values, return_inverse=True)
    share = np.bincount(block_of_row, weights=t) / np.bincount(block_of_row)
    mixed = (share > 0) & (share < 1)
    if mixed.any():
        raise ValueError(
            f"`blocks`: {int(mixed.sum())} block(s) have rows of both groups, such as {names[mixed][0]!r}. Labels are "
            "resampled by whole blocks; split such a block in two, or leave `blocks` out."
        )
    if share.sum() < 2 or (1 - share).sum() < 2:
        raise ValueError("`blocks`: each group needs at least 2 blocks, or there is nothing to resample.")
    return Blocks(block_of_row.reshape(-1), share)


def find_strata(samples: Samples) -> npt.NDArray[np.int64] | None:
    """Number of the stratum of each row, if X takes few values."""
    if samples.gram_x is not None or is_lazy(samples.x.values):
        return None
    some = first_rows(samples.x.values, 50 * STRATUM_ROWS)
    if len(np.unique(some, axis=0)) > len(some) // 2:
        return None
    values = to_host(samples.x.values)
    distinct, strata = np.unique(values, axis=0, return_inverse=True)
    return strata.reshape(-1) if len(distinct) * STRATUM_ROWS <= len(values) else None
