"""CMMD as a statistic: kernels, lambdas, levels and an estimator become columns."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar, Literal

import numpy as np

from condmmd.backend import Array, LabelBatch, Rows, n_rows, to_host
from condmmd.data import Samples
from condmmd.data.checks import PerGroup, check_embedding, check_mixture
from condmmd.embedding import Embedding, Solver, affordable_rank, embed_covariates, embed_outcomes
from condmmd.kernels import KernelLike, check_kernel, is_precomputed, resolve_kernel
from condmmd.nuisance import Learned
from condmmd.regression.regularization import read_reg
from condmmd.statistics.base import Joining, Need, StatisticColumn, centre_of
from condmmd.statistics.comparison import Comparison, Estimator, Ingredients
from condmmd.statistics.doubly_robust import DoublyRobust
from condmmd.statistics.joint import Joint
from condmmd.statistics.mmd import MMD
from condmmd.statistics.orthogonal import Orthogonal
from condmmd.statistics.overlap import Overlap, OverlapContrast
from condmmd.statistics.plugin import PlugIn
from condmmd.statistics.products import Products

__all__ = ["CMMD", "FittedCMMD"]

ADAPTIVE_LEVELS = (0.0, 0.5, 1.0, 1.5, 2.0)
# Features beyond these have eigenvalues far below lambda: they change a statistic that is ranked against its like by
# nothing that matters, and validity not at all.
TEST_TOL = 1e-6
TEST_RANK = 128
MEASURE_TOL = 1e-12
NAMED: dict[str, Estimator] = {e.name: e for e in (PlugIn(), Joint(), Orthogonal(), DoublyRobust(), Overlap())}


@dataclass(frozen=True)
class CMMD:
    """The conditional maximum mean discrepancy: what is compared, and how finely.

    Parameters
    ----------
    kernel_x, kernel_y
        A `Kernel`; a name ("gaussian", "laplacian", "matern", "polynomial", "linear", "delta", "energy"); a function
        ``k(A, B) -> matrix``; "precomputed", where X or Y is the Gram matrix of all rows; or None: Gaussian on the
        numeric columns, each in units of its spread, times delta on the others. A lengthscale that is not given is the
        median distance between rows. Several for ``kernel_x``, in any sequence: a test joins them in one exact p-value.
    level
        A number, several, or "adaptive": levels 0, 0.5, 1, 1.5 and 2 joined in one p-value, exact given the propensity.
        A measurement has every level.
    reg
        Ridge lambda; the ridge is lambda times the rows of the group. A number; ``PerGroup(p, q)``; chosen on the
        pooled rows by "loo" (leave-one-out), "gcv" (generalised cross-validation), of which rows that are copies of
        others make too little, or "marginal likelihood"; or several of these, in any sequence, which a test joins.
        None: in a test 0.1 in units of the mean of k(x, x), in a measurement "loo".
    estimator
        `PlugIn`, `Joint`, `Orthogonal`, `DoublyRobust` or `Overlap`, or the name of one: "plugin", "joint",
        "orthogonal", "doubly_robust", "overlap".
    mixture
        Weight of P, between 0 and 1, in the distribution of X that the levels refer to; None: n / (n + m).
    tol
        Share of each kernel's trace that its features may leave out. None: 1e-12 in a measurement; in a test 1e-6, or
        what an affordable number of features leaves out (128 up to 20,000 rows, then fewer, down to 48). An
        approximate kernel costs a test power at most. If ``tol`` is given and cannot be kept, that is warned about.
    max_rank
        Most features for each kernel; the share that they leave out is in the result.
    solver
        Two ways to the same number: "primal" from moments of features, "dual" from Gram matrices. "auto" takes the one
        with fewer operations.

    Examples
    --------
    >>> from condmmd import CMMD, Gaussian
    >>> CMMD(kernel_x=Gaussian(0.5), level=[0, 1], reg=0.01).levels
    array([0., 1.])
    """

    kernel_x: KernelLike | Sequence[KernelLike] = None
    kernel_y: KernelLike = None
    level: float | Sequence[float] | Literal["adaptive"] = "adaptive"
    reg: float | PerGroup | str | Sequence[float | PerGroup | str] | None = None
    estimator: Estimator | str = field(default_factory=PlugIn)
    mixture: float | None = None
    tol: float | None = None
    max_rank: int | None = None
    solver: Solver = "auto"

    def __post_init__(self) -> None:
        for name in ("kernel_x", "level", "reg"):  # several of them, in any sequence, are one value
            object.__setattr__(self, name, _frozen(getattr(self, name)))
        for kernel in self.kernels:
            check_kernel(kernel, "kernel_x")
        if not self.kernels or not self.regs:
            raise ValueError("`kernel_x` and `reg` must not be empty.")
        if len({is_precomputed(kernel) for kernel in self.kernels}) > 1:
            raise ValueError("`kernel_x`: a precomputed Gram matrix cannot be joined with kernels of columns.")
        check_kernel(self.kernel_y, "kernel_y")
        object.__setattr__(self, "estimator", _estimator(self.estimator))
        _ = [read_reg(reg) for reg in self.regs]
        _ = self.levels
        check_embedding(self.tol, self.max_rank, self.solver)
        check_mixture(self.mixture)
        if self._estimator.one_lambda and any(isinstance(reg, PerGroup) and reg.p != reg.q for reg in self.regs):
            raise ValueError(
                f"`reg` must be one number with the {self._estimator.name} estimator, the lambda of the difference; "
                "that of DoublyRobust(reg=...) may be a PerGroup."
            )
        if self.mixture is not None and isinstance(self._estimator, Overlap):
            raise ValueError(
                "`mixture` does not apply to the overlap estimator, which has a weighting of its own; leave it out."
            )

    @property
    def kernels(self) -> tuple[KernelLike, ...]:
        """The kernels of X."""
        return _several(self.kernel_x)

    @property
    def regs(self) -> tuple[Any, ...]:
        """The lambdas, or the rules by which they are chosen."""
        return _several(self.reg)

    @property
    def levels(self) -> Array:
        """The levels of a test."""
        lowest = float(self._estimator.lowest_level)
        if isinstance(self.level, str):
            if self.level != "adaptive":
                raise ValueError(f"`level` must be a number, several, or 'adaptive'; got {self.level!r}.")
            return np.array([s for s in ADAPTIVE_LEVELS if s >= lowest])
        try:
            levels = np.atleast_1d(np.asarray(self.level, dtype=np.float64))
        except (TypeError, ValueError):
            raise TypeError(f"`level` must be a number, several numbers or 'adaptive'; got {self.level!r}.") from None
        if levels.ndim > 1 or not len(levels) or not np.isfinite(levels).all() or levels.min() < lowest:
            raise ValueError(
                f"`level` must be at least {lowest:g} with the {self._estimator.name} estimator; got {self.level!r}."
            )
        return levels

    @property
    def _estimator(self) -> Estimator:
        return _estimator(self.estimator)

    @property
    def name(self) -> str:
        """That of the estimator."""
        return self._estimator.name

    @property
    def remark(self) -> str:
        """Whether outcome models make the p-value approximate."""
        models = isinstance(self.estimator, DoublyRobust) and self.estimator.approximate
        return "; approximate, as the outcome models are those of the observed labels" if models else ""

    @property
    def needs_memory(self) -> bool:
        """Outcome models other than ridge on all rows do."""
        return isinstance(self.estimator, DoublyRobust) and self.estimator.needs_memory

    @property
    def needs(self) -> frozenset[Need]:
        """Covariates, and what the estimator needs."""
        own: frozenset[Need] = frozenset({"covariates"})
        return own | self._estimator.needs

    @property
    def precomputed(self) -> tuple[bool, bool]:
        """Whether X, and whether Y, is a Gram matrix."""
        return is_precomputed(self.kernels[0]), is_precomputed(self.kernel_y)

    def margins(self) -> tuple[MMD, MMD]:
        """The statistics of X alone and of Y alone, with the same kernels."""
        return MMD(self.kernels[0], max_rank=TEST_RANK), MMD(self.kernel_y, max_rank=TEST_RANK)

    def embed_outcomes(self, samples: Samples) -> Embedding:
        """Fix the kernel of the outcomes and their features from the pooled rows. The labels are not looked at."""
        return self._embed_outcomes(samples, self._test_rank(samples), TEST_TOL)

    def fit(self, samples: Samples, learned: Learned) -> FittedCMMD:
        """A comparison for each kernel and lambda, with every level."""
        rank = self._test_rank(samples)
        comparisons = [
            self._compare(samples, learned, (kernel, reg), rank, TEST_TOL)
            for kernel in self.kernels
            for reg in self.regs
        ]
        return FittedCMMD(tuple(comparisons), self.levels)

    def measure(self, samples: Samples, learned: Learned) -> Comparison:
        """The one comparison of a measurement."""
        if len(self.kernels) > 1 or len(self.regs) > 1:
            raise ValueError("a measurement takes one `kernel_x` and one `reg`; several are joined by a test only.")
        given = (self.kernels[0], "loo" if self.reg is None else self.regs[0])
        return self._compare(samples, learned, given, self.max_rank, MEASURE_TOL)

    def embed_measured(self, samples: Samples) -> Embedding:
        """Features of the outcomes of a measurement."""
        return self._embed_outcomes(samples, self.max_rank, MEASURE_TOL)

    def _embed_outcomes(self, samples: Samples, rank: int | None, tol: float) -> Embedding:
        kernel = resolve_kernel(self.kernel_y, samples.y, samples.gram_y)
        return embed_outcomes(kernel, samples.y, tol=self._tol(tol), max_rank=rank, warn=self._warns)

    def _compare(
        self, samples: Samples, learned: Learned, given: tuple[KernelLike, Any], rank: int | None, tol: float
    ) -> Comparison:
        kernel, y = resolve_kernel(given[0], samples.x, samples.gram_x), learned.outcomes
        covariates = embed_covariates(
            kernel, samples.x, tol=self._tol(tol), max_rank=rank, solver=self.solver, outcomes=y.rank, warn=self._warns
        )
        x, sigma = covariates.principal()
        weight = None if self.mixture is None else float(self.mixture)
        ingredients = Ingredients(x, sigma, y, samples, learned, read_reg(given[1]), weight)
        return self._estimator.compare(ingredients)

    def _tol(self, default: float) -> float:
        return default if self.tol is None else float(self.tol)

    @property
    def _warns(self) -> bool:
        """Whether a cap of the rank that leaves out more than ``tol`` is worth a warning: it was not asked for."""
        return self.tol is not None and self.max_rank is None

    def _test_rank(self, samples: Samples) -> int | None:
        """Features at most, in a test."""
        count = n_rows(samples.x.values)
        few = count < 3 * TEST_RANK  # then Gram matrices cost no more than that many features
        if self.solver == "dual" or (few and self.max_rank is None):
            return None
        return int(self.max_rank or affordable_rank(count, TEST_RANK))


def _frozen(value: Any) -> Any:
    if isinstance(value, np.ndarray):
        value = value.tolist()
    return tuple(value) if isinstance(value, list | tuple) else value


def _several(value: Any) -> tuple[Any, ...]:
    return value if isinstance(value, tuple) else (value,)


def _estimator(estimator: Estimator | str) -> Estimator:
    if isinstance(estimator, str):
        if estimator not in NAMED:
            raise ValueError(f"`estimator` must be one of {list(NAMED)} or an object; got {estimator!r}.")
        return NAMED[estimator]
    if isinstance(estimator, type):
        raise TypeError(f"`estimator` is a class; make an object of it, as in {estimator.__name__}().")
    if not hasattr(estimator, "compare"):
        raise TypeError(f"`estimator` must be one of {list(NAMED)} or an object such as PlugIn(); got {estimator!r}.")
    return estimator


@dataclass(frozen=True, eq=False)
class FittedCMMD:
    """Every level of every comparison."""

    comparisons: tuple[Comparison, ...]
    levels: Array
    joining: ClassVar[Joining] = "logarithms"

    @property
    def columns(self) -> tuple[StatisticColumn, ...]:
        """A level of a comparison each, in order."""
        return tuple(
            StatisticColumn(
                f"level {s:g}", float(s), "none" if c.reg is None else str(c.reg), repr(c.x.kernel), repr(c.y.kernel)
            )
            for c in self.comparisons
            for s in self.levels
        )

    @property
    def covariates(self) -> Embedding:
        """Features of the covariates, of the first kernel."""
        return self.comparisons[0].x

    @property
    def outcomes(self) -> Embedding:
        """Features of the outcomes."""
        return self.comparisons[0].y

    @property
    def centre(self) -> Rows | None:
        """That of the estimator, where it is one of residual labels."""
        return centre_of(self.comparisons[0].contrast)

    @property
    def products(self) -> tuple[Products, ...]:
        """The sums of squares that the columns are, with the overlap estimator."""
        contrasts = [c.contrast for c in self.comparisons if isinstance(c.contrast, OverlapContrast)]
        if len(contrasts) < len(self.comparisons):
            raise TypeError("only with estimator='overlap' is every column a sum of squares that are linear in labels.")
        return tuple(
            replace(contrast.products, weights=to_host(c.sigma) ** self.levels[:, None] * contrast.shrinkage**2)
            for c, contrast in zip(self.comparisons, contrasts, strict=True)
        )

    def __call__(self, T: LabelBatch) -> Array:
        """Every column at every vector."""
        return np.concatenate([comparison.levels(T, self.levels) for comparison in self.comparisons], axis=1)
