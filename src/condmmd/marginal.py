"""The marginal discrepancy: did X move, or Y? The same features and moments, with nothing to condition on."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from condmmd.arguments import check_count, check_embedding
from condmmd.combining import pvalue
from condmmd.design import read_blocks
from condmmd.embedding import Embedding, embed_outcomes
from condmmd.kernels import KernelLike, check_kernel, resolve_kernel
from condmmd.resampling import InBlocks, Permutation, Scheme
from condmmd.result import MMDTestResult
from condmmd.running import draw_units, entropy_of
from condmmd.samples import Array, Groups, Weights, read_gram, read_group, read_table

__all__ = ["mmd", "mmd_test"]


def mmd(
    X: Any, group: Any, *, kernel: KernelLike = None, unbiased: bool = False, tol: float = 1e-12,
    max_rank: int | None = None,
) -> float:  # fmt: skip
    """Squared maximum mean discrepancy between the two samples' distributions of X (paper, equation mmd).

    Parameters
    ----------
    X
        An array or data frame, as in `cmmd`; pass the outcomes to compare those.
    group
        As in `cmmd`.
    kernel
        As ``kernel_x`` in `cmmd`.
    unbiased
        Leave out the similarity of each row with itself; the result may be negative.
    tol, max_rank
        As in `cmmd`.

    Examples
    --------
    >>> from condmmd import Linear, mmd
    >>> mmd([1.0, 3.0, 2.0, 4.0], [1, 1, 0, 0], kernel=Linear())  # squared difference of the means
    1.0
    """
    check_kernel(kernel, "kernel")
    check_embedding(tol, max_rank, "auto")
    space, groups = _read(X, group, kernel, tol, max_rank)
    return float(space.statistics(groups.t[None, :], unbiased=unbiased)[0])


def mmd_test(
    X: Any, group: Any, *, kernel: KernelLike = None, unbiased: bool = False, blocks: Any = None,
    n_resamples: int = 999, rng: Any = None, tol: float = 1e-6, max_rank: int | None = None,
) -> MMDTestResult:  # fmt: skip
    """Test whether X has the same distribution in both samples, by shuffling labels (exact).

    Parameters
    ----------
    X, group, kernel, unbiased, tol, max_rank
        As in `mmd`.
    blocks, n_resamples, rng
        As in `cmmd_test`.

    Examples
    --------
    >>> import numpy as np
    >>> from condmmd import mmd_test
    >>> x = np.random.default_rng(0).normal(size=100)
    >>> group = np.repeat([1, 0], 50)
    >>> mmd_test(x + group, group, rng=1).pvalue
    0.001
    """
    check_kernel(kernel, "kernel")
    check_embedding(tol, max_rank, "auto")
    count = check_count(n_resamples, "n_resamples")
    entropy = entropy_of(rng)
    space, groups = _read(X, group, kernel, tol, max_rank)
    scheme: Scheme = Permutation(groups.t)
    if blocks is not None:
        grouped = read_blocks(blocks, groups.t)
        scheme = InBlocks(Permutation(grouped.labels), grouped.of_row)
    observed = float(space.statistics(groups.t[None, :], unbiased=unbiased)[0])
    parts = [space.statistics(T, unbiased=unbiased) for T in draw_units(scheme, count, entropy)]
    null = np.concatenate(parts)
    return MMDTestResult(observed, pvalue(observed, null), null, (groups.n, groups.m), count, scheme.name, entropy)


@dataclass(frozen=True, eq=False)
class _Space:
    """Features of one space and the similarity of each row with itself."""

    embedding: Embedding
    diagonal: Array

    def statistics(self, T: Weights, *, unbiased: bool) -> Array:
        """MMD^2 for each label vector: sums of features, and for the unbiased one of the diagonal."""
        phi = self.embedding.phi
        n = T.sum(axis=1)
        m = T.shape[1] - n
        T = T.astype(np.float64, copy=False)
        sum_p = T @ phi
        sum_q = phi.sum(axis=0) - sum_p
        if not unbiased:
            difference = sum_p / n[:, None] - sum_q / m[:, None]
            return np.einsum("bj,bj->b", difference, difference)
        own_p = T @ self.diagonal
        own_q = self.diagonal.sum() - own_p
        within_p = (np.einsum("bj,bj->b", sum_p, sum_p) - own_p) / (n * (n - 1))
        within_q = (np.einsum("bj,bj->b", sum_q, sum_q) - own_q) / (m * (m - 1))
        return within_p + within_q - 2 * np.einsum("bj,bj->b", sum_p, sum_q) / (n * m)


def _read(X: Any, group: Any, kernel: KernelLike, tol: float, max_rank: int | None) -> tuple[_Space, Groups]:
    precomputed = isinstance(kernel, str) and kernel == "precomputed"
    gram, table = read_gram(X, "X") if precomputed else (None, read_table(X, "X"))
    groups = read_group(group)
    if len(groups.t) != len(table.values):
        raise ValueError(f"`X` has {len(table.values)} rows and `group` has {len(groups.t)}; they must be the same.")
    resolved = resolve_kernel(kernel, table, gram)
    limit = None if max_rank is None else int(max_rank)
    return _Space(embed_outcomes(resolved, table, tol=tol, max_rank=limit), resolved.diagonal(table.values)), groups
