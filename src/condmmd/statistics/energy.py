"""The conditional energy distance: CMMD with the kernel of a distance on the outcomes."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import numpy as np

from condmmd.backend import Rows, distances, move_to, n_rows, namespace, row_distances, to_host, total
from condmmd.data import Table
from condmmd.kernels import Kernel, KernelLike
from condmmd.statistics.cmmd import CMMD

__all__ = ["Energy", "EnergyKernel"]


@dataclass(frozen=True)
class EnergyKernel(Kernel, name="energy"):
    """``k(y, y') = |y - c| + |y' - c| - |y - y'|``, whose MMD is the energy distance.

    The ridge weights of a conditional embedding do not sum to one, so the base point c matters: it is the mean of the
    pooled rows. No lengthscale has to be chosen; columns count in their own units.

    Parameters
    ----------
    centre
        The base point, one number a column; None: the mean of the pooled rows.

    Examples
    --------
    >>> from condmmd import EnergyKernel
    >>> EnergyKernel(centre=(0.0,))([-1.0, 2.0])
    array([[2., 0.],
           [0., 4.]])
    """

    centre: tuple[float, ...] | None = None

    def __post_init__(self) -> None:
        if self.centre is not None:
            object.__setattr__(self, "centre", tuple(float(c) for c in np.atleast_1d(self.centre)))

    def gram(self, A: Rows, B: Rows) -> Rows:
        K: Rows = self._from_centre(A) + self._from_centre(B).T - distances(A, B, "euclidean")
        return K

    def diagonal(self, A: Rows) -> Rows:
        return 2 * self._from_centre(A)[:, 0]

    def pairs(self, A: Rows, B: Rows) -> Rows:
        to_centre = self._from_centre(A) + self._from_centre(B)
        similarities: Rows = to_centre[:, 0] - row_distances(A, B, "euclidean")
        return similarities

    def resolve(self, table: Table) -> Kernel:
        super().resolve(table)
        if self.centre is None:
            mean = to_host(total(table.values)) / n_rows(table.values)
            return replace(self, centre=tuple(float(c) for c in mean))
        if len(self.centre) != len(table.columns):
            raise ValueError(f"`centre` has {len(self.centre)} numbers for {len(table.columns)} column(s).")
        return self

    def _from_centre(self, A: Rows) -> Rows:
        if self.centre is None:
            raise ValueError("EnergyKernel() has no centre yet: give one, or let cmmd() take the mean of the rows.")
        centre = namespace(A).astype(move_to(np.array([self.centre]), A), A.dtype, copy=False)
        found: Rows = distances(A, centre, "euclidean")
        return found


@dataclass(frozen=True)
class Energy(CMMD):
    """The conditional energy distance; parameters as in `CMMD`, without a kernel of the outcomes.

    Examples
    --------
    >>> import numpy as np
    >>> from condmmd import Energy, cmmd_test
    >>> rng = np.random.default_rng(0)
    >>> x, group = rng.normal(size=200), np.repeat([1, 0], 100)
    >>> cmmd_test(x, x + rng.normal(size=200) * (1 + group), group, statistic=Energy(), rng=1).pvalue < 0.05
    True
    """

    kernel_y: KernelLike = field(default="energy", init=False)
