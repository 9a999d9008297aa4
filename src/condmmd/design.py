"""Who could have got which label: the rows that take part, their propensity, and the scheme that draws null labels."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, Literal, TypeAlias

import numpy as np
import numpy.typing as npt

from condmmd.embedding import embed
from condmmd.kernels import resolve_kernel
from condmmd.propensity import Propensity, read_propensity, warn_overlap
from condmmd.resampling import Bernoulli, FixedSize, InBlocks, Permutation, Scheme
from condmmd.samples import Array, Samples, select_rows

__all__ = ["Design", "SchemeName", "design_labels", "read_blocks"]

SchemeName: TypeAlias = Literal["auto", "permutation", "bernoulli", "fixed-size"]

# Covariates with this many rows for each distinct value are strata.
STRATUM_ROWS = 10
# Features of X for the estimate: the leading ones are what the logistic regression takes.
TOL = 1e-6
MAX_RANK = 128


@dataclass(frozen=True, eq=False)
class Design:
    """Who could have got which label: the rows that take part, the propensity and the scheme."""

    samples: Samples
    propensity: Propensity
    kind: str
    strata: npt.NDArray[np.int64] | None
    block_of_row: npt.NDArray[np.int64] | None
    block_labels: Array | None
    block_e: Array | None
    trimmed: int

    @property
    def name(self) -> str:
        """What the result calls the scheme."""
        return self.scheme(0).name

    def scheme(self, entropy: int) -> Scheme:
        """How null labels are drawn. The seed of its own (pair swaps need one) is apart from those of the draws."""
        rng = np.random.default_rng(np.random.SeedSequence(entropy, spawn_key=(2**31,)))
        t = self.samples.groups.t if self.block_labels is None else self.block_labels
        e = self.propensity.e if self.block_e is None else self.block_e
        inner: Scheme
        if self.kind == "permutation":
            inner = Permutation(t, self.strata)
        elif self.kind == "bernoulli":
            inner = Bernoulli(e)
        else:
            inner = FixedSize.of(e, t, rng)
        return inner if self.block_of_row is None else InBlocks(inner, self.block_of_row)


def design_labels(
    samples: Samples,
    X: Any,
    propensity: Any,
    scheme: SchemeName,
    blocks: Any,
    trim: float | None,
) -> Design:
    """Read or estimate the propensity, choose the scheme, leave out what is to be trimmed."""
    t = samples.groups.t
    block_of_row, block_labels = (None, None) if blocks is None else read_blocks(blocks, t)
    strata = _strata(samples) if scheme == "auto" and isinstance(propensity, str) and blocks is None else None
    if strata is not None:
        # Away from 0 and 1, for the summary and the weights; the shuffling does not use it.
        share = (np.bincount(strata, weights=t) + 0.5) / (np.bincount(strata) + 1)
        estimated = Propensity(share[strata], "strata", f"shares of P in {len(share)} strata of equal X", t.mean())
        warn_overlap(estimated, samples.x, t, stacklevel=4)
        return Design(samples, estimated, "permutation", strata, None, None, None, 0)
    if propensity is None:
        known = read_propensity(None, X, samples.x, np.empty((len(t), 0)), t)
        kind = "permutation" if scheme in ("auto", "permutation") else scheme
        block_e = None if block_labels is None else np.full(len(block_labels), block_labels.mean())
        return Design(samples, known, kind, None, block_of_row, block_labels, block_e, 0)
    if scheme == "permutation":
        raise ValueError("scheme='permutation' asserts that X has the same distribution in both: use propensity=None.")
    found, block_e = _row_propensity(samples, X, propensity, block_of_row, block_labels)
    trimmed = 0
    if trim is not None:
        keep = (found.balanced >= trim) & (found.balanced <= 1 - trim)
        if block_of_row is not None:
            raise ValueError("`trim` and `blocks` cannot be used together; leave the blocks out beforehand.")
        trimmed = int((~keep).sum())
        samples = select_rows(samples, keep)
        found = replace(found, e=found.e[keep], prevalence=samples.groups.t.mean())
    warn_overlap(found, samples.x, samples.groups.t, stacklevel=4)
    kind = "fixed-size" if scheme == "auto" else scheme
    return Design(samples, found, kind, None, block_of_row, block_labels, block_e, trimmed)


def _row_propensity(
    samples: Samples,
    X: Any,
    propensity: Any,
    block_of_row: npt.NDArray[np.int64] | None,
    block_labels: Array | None,
) -> tuple[Propensity, Array | None]:
    t = samples.groups.t
    x, features = samples.x, np.empty((len(t), 0))
    if samples.gram_x is not None:  # its table holds row numbers, which say nothing about X
        if hasattr(propensity, "predict_proba"):
            raise TypeError("`propensity`: a classifier needs the columns of X, not a Gram matrix; give probabilities.")
        x = x.select(())
    if isinstance(propensity, str):
        kernel = resolve_kernel(None, samples.x, samples.gram_x)
        features = embed(kernel, samples.x.values, tol=TOL, max_rank=min(MAX_RANK, len(t))).principal()[0].phi
    if block_of_row is None or block_labels is None:
        return read_propensity(propensity, X, x, features, t), None
    counts = np.bincount(block_of_row)

    def mean(values: Array) -> Array:
        return np.stack([np.bincount(block_of_row, weights=column) / counts for column in values.T], axis=1)

    if isinstance(propensity, str) or hasattr(propensity, "predict_proba"):
        table = replace(x, values=mean(x.values)) if x.columns else x
        by_block = read_propensity(propensity, X, table, mean(features) if features.size else features, block_labels)
        return replace(by_block, e=by_block.e[block_of_row]), by_block.e
    found = read_propensity(propensity, X, x, features, t)
    e = mean(found.e[:, None])[:, 0]
    if np.abs(e[block_of_row] - found.e).max() > 1e-9:
        raise ValueError("`propensity` must be the same for all rows of a block, whose label is one draw.")
    return found, e


def read_blocks(blocks: Any, t: Array) -> tuple[npt.NDArray[np.int64], Array]:
    """Number of the block of each row, and the label of each block."""
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
    return block_of_row.reshape(-1), share


def _strata(samples: Samples) -> npt.NDArray[np.int64] | None:
    """Number of the stratum of each row, if X takes few values."""
    if samples.gram_x is not None:
        return None
    values = samples.x.values
    some = values[: 50 * STRATUM_ROWS]
    if len(np.unique(some, axis=0)) > len(some) // 2:
        return None
    distinct, strata = np.unique(values, axis=0, return_inverse=True)
    return strata.reshape(-1) if len(distinct) * STRATUM_ROWS <= len(values) else None
