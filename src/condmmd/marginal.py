"""The marginal discrepancy: did X move, or Y? The same features and moments, with nothing to condition on."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from condmmd.arguments import check_count, check_embedding
from condmmd.arrays import Rows, as_float, map_rows, n_rows, namespace, row_slices, sum_rows, to_host
from condmmd.combining import pvalue
from condmmd.design import read_blocks
from condmmd.embedding import Embedding, embed_outcomes
from condmmd.kernels import KernelLike, check_kernel, resolve_kernel
from condmmd.moments import AnyWeights, observed
from condmmd.resampling import Drawn, InBlocks, Permutation, Scheme
from condmmd.result import MMDTestResult
from condmmd.running import draw_units, entropy_of, labels_at_once
from condmmd.samples import Array, Groups, Weights, pooled_rows, read_gram, read_group, read_table
from condmmd.threads import cached_property

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
    return float(space.statistics(observed(groups.t), unbiased=unbiased)[0])


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
        grouped = read_blocks(blocks, to_host(groups.t))
        scheme = InBlocks(Permutation(grouped.labels), grouped.of_row)
    found = float(space.statistics(observed(groups.t), unbiased=unbiased)[0])
    labels = draw_units(scheme, count, entropy, groups.t, labels_at_once(groups.t))
    parts = [space.statistics(T, unbiased=unbiased) for T in labels]
    null = np.concatenate(parts)
    return MMDTestResult(found, pvalue(found, null), null, (groups.n, groups.m), count, scheme.name, entropy)


@dataclass(frozen=True, eq=False)
class _Space:
    """Features of one space and the similarity of each row with itself."""

    embedding: Embedding
    diagonal: Rows

    @cached_property
    def _totals(self) -> tuple[Array, Array]:
        found: tuple[Array, Array] = sum_rows(_totals, self.embedding.phi, self.diagonal)
        return found

    def statistics(self, T: AnyWeights, *, unbiased: bool) -> Array:
        """MMD^2 for each label vector: sums of features, and for the unbiased one of the diagonal."""
        phi, diagonal = self.embedding.phi, self.diagonal
        sums = T.sum(_sums, phi, diagonal) if isinstance(T, Drawn) else _sums(T, phi, diagonal)
        (sum_p, own_p, n), (sum_all, own_all) = ([to_host(array) for array in part] for part in (sums, self._totals))
        m = n_rows(phi) - n
        sum_q = sum_all - sum_p
        if not unbiased:
            difference = sum_p / n[:, None] - sum_q / m[:, None]
            return np.einsum("bj,bj->b", difference, difference)
        own_q = own_all - own_p
        within_p = (np.einsum("bj,bj->b", sum_p, sum_p) - own_p) / (n * (n - 1))
        within_q = (np.einsum("bj,bj->b", sum_q, sum_q) - own_q) / (m * (m - 1))
        return within_p + within_q - 2 * np.einsum("bj,bj->b", sum_p, sum_q) / (n * m)


def _sums(T: Weights, phi: Rows, diagonal: Rows) -> tuple[Array, Array, Array]:
    """Sums of the features, of the diagonal and of the labels, for each label vector; some rows at a time."""
    total: tuple[Any, Any, Any] = (0.0, 0.0, 0.0)
    for part in row_slices(phi, T.shape[0] + phi.shape[1]):
        weights, xp = as_float(T[:, part]), namespace(phi)
        own = (weights @ phi[part, :], weights @ diagonal[part], xp.sum(weights, axis=1))
        total = (total[0] + own[0], total[1] + own[1], total[2] + own[2])
    return total


def _totals(phi: Rows, diagonal: Rows) -> tuple[Array, Array]:
    xp = namespace(phi)
    return xp.sum(phi, axis=0), xp.sum(diagonal)


def _read(X: Any, group: Any, kernel: KernelLike, tol: float, max_rank: int | None) -> tuple[_Space, Groups]:
    precomputed = isinstance(kernel, str) and kernel == "precomputed"
    gram, table = read_gram(X, "X") if precomputed else (None, read_table(X, "X"))
    groups = read_group(group)
    if n_rows(groups.t) != n_rows(table.values):
        counts = n_rows(table.values), n_rows(groups.t)
        raise ValueError(f"`X` has {counts[0]} rows and `group` has {counts[1]}; they must be the same.")
    if gram is None:
        together = pooled_rows(table, table, groups)
        table, groups = together.x, together.groups
    resolved = resolve_kernel(kernel, table, gram)
    limit = None if max_rank is None else int(max_rank)
    diagonal = map_rows(resolved.diagonal, table.values)
    return _Space(embed_outcomes(resolved, table, tol=tol, max_rank=limit), diagonal), groups
