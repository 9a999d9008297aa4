"""The result of a measurement: how different the two conditional distributions are, at every level, and where."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, overload

import numpy as np
import numpy.typing as npt

from condmmd.backend import (
    Array,
    Rows,
    cached_property,
    is_chunked,
    move_to,
    n_rows,
    namespace,
    observed_labels,
    to_host,
)
from condmmd.data import Samples, Table, encode, read_table, select_rows
from condmmd.data.on_screen import SCREEN
from condmmd.effects.sizes import Size, Sizes
from condmmd.embedding import Embedding
from condmmd.explain import evidence_of
from condmmd.inference import Plan
from condmmd.kernels import Kernel, Precomputed
from condmmd.regression.regularization import Regularization
from condmmd.results.text import shortened
from condmmd.statistics import (
    Comparison,
    DoublyRobustContrast,
    PlugInContrast,
    centre_of,
    residual_labels,
)
from condmmd.statistics.spectrum import level_values

__all__ = ["Discrepancy"]

# Characters of a kernel beside its rank, residual and method.
KERNEL = 42


@dataclass(frozen=True, eq=False, repr=False)
class Discrepancy:
    """Distance between P(Y|X) and Q(Y|X): ``CMMD_s^2 = sum_j eigenvalues_j^s energies_j``.

    Made by `cmmd`. One eigendecomposition holds every level: low levels count a difference wherever there are any
    covariates, high levels count it where most of them are.

    Attributes
    ----------
    eigenvalues
        Those of the covariance of the covariates' features, largest first.
    energies
        How much of the difference lies along each eigenvector.
    estimator
        "plugin", "joint" or "doubly_robust".
    reg
        The ridge lambdas and how they were chosen; None where the estimator has none.
    mixture
        Weight of P in the covariance; None: the pooled sample.
    n_obs
        Rows of P and of Q.
    labels
        What the user called P and Q.
    embedding_x, embedding_y
        Features of the covariates and of the outcomes: ``rank``, ``residual``, ``method``.
    lowest_level
        The lowest level that the estimator can give.
    spaces
        The covariates and the outcomes in the user's names.

    Examples
    --------
    >>> import numpy as np
    >>> from condmmd import cmmd
    >>> rng = np.random.default_rng(0)
    >>> x = rng.normal(size=400)
    >>> group = np.repeat([1, 0], 200)
    >>> d = cmmd(x, np.sin(x) + 0.5 * group * x + 0.1 * rng.normal(size=400), group)
    >>> bool(d.level(0) > d.level(1) > d.level(2) > 0)
    True
    >>> bool(d.witness([2.0])[0] > d.witness([0.0])[0])  # the two differ away from zero
    True
    """

    eigenvalues: Array
    energies: Array
    estimator: str
    reg: Regularization | None
    mixture: float | None
    n_obs: tuple[int, int]
    labels: tuple[str, str]
    embedding_x: Embedding
    embedding_y: Embedding
    lowest_level: int
    _difference: Array
    _columns: tuple[Table, Table]
    _doubly_robust: tuple[Comparison, Rows] | None = None
    _test: tuple[Plan, Samples, int] | None = None
    spaces: tuple[str, str] = ("X", "Y")
    _rows: tuple[Array, Array] | None = None

    @classmethod
    def of(cls, comparison: Comparison, samples: Samples, estimator: str, test: Plan | None = None) -> Discrepancy:
        """Evaluate a comparison at the observed labels; ``test`` has the models by which `size` is measured."""
        asked = None if test is None else (test, samples, samples.checksum())
        if comparison.rows is not None:
            samples = select_rows(samples, comparison.rows, argument="train")
        groups = samples.groups
        observed = residual_labels(observed_labels(groups.t), centre_of(comparison.contrast))
        sigma, energies, D = (to_host(part) for part in comparison.spectra(observed))
        if not (np.isfinite(sigma).all() and np.isfinite(energies).all()):
            raise ValueError(
                f"the difference by the {estimator} estimator is not finite: too large for double precision, or made "
                "of NaN. Scale X and Y down; a propensity near 0 or 1 is the weight of its row by its inverse."
            )
        contrast, rows = comparison.contrast, None
        if isinstance(contrast, PlugInContrast):
            coefficients = contrast.coefficients(groups.t, comparison.x, comparison.y)
            rows = None if coefficients is None else (to_host(samples.x.values), to_host(coefficients))
        robust = isinstance(contrast, DoublyRobustContrast)
        return cls(
            eigenvalues=sigma if sigma.ndim == 1 else sigma[0],
            energies=energies[0],
            estimator=estimator,
            reg=comparison.reg,
            mixture=comparison.mixture,
            n_obs=(groups.n, groups.m),
            labels=(groups.p_label, groups.q_label),
            embedding_x=comparison.x.without_rows(),
            embedding_y=comparison.y.without_rows(),
            lowest_level=contrast.power,
            _difference=D[0],
            _columns=(samples.x.head(), samples.y.head()),
            _doubly_robust=(comparison, groups.t) if robust else None,
            _test=asked,
            spaces=samples.spaces,
            _rows=rows,
        )

    def __getstate__(self) -> dict[str, Any]:
        """What is pickled: all but the rows, which pseudo-outcomes, `size` and the last digits of a witness need."""
        kept = {name: value for name, value in self.__dict__.items() if name != "_sizes"}
        return {**kept, "_doubly_robust": None, "_test": None, "_rows": None}

    @property
    def rank(self) -> int:
        """The number of features of the covariates, so of eigenvalues."""
        return len(self.eigenvalues)

    @property
    def residual(self) -> float:
        """Share of a kernel's trace that its features leave out: the larger of covariates' and outcomes'."""
        return max(self.embedding_x.residual, self.embedding_y.residual)

    @property
    def kernel_x(self) -> Kernel:
        """The kernel on the covariates, with every number fixed."""
        return self.embedding_x.kernel

    @property
    def kernel_y(self) -> Kernel:
        """The kernel on the outcomes, with every number fixed."""
        return self.embedding_y.kernel

    @property
    def pseudo_outcomes(self) -> Array:
        """Doubly robust: what is regressed on the covariates, a row for each row, in the outcomes' features.

        For one outcome with a linear kernel, in its units.
        """
        if self._doubly_robust is None:
            raise TypeError(
                f"this {self.estimator} measurement has no pseudo-outcomes: they are of DoublyRobust(), and are not "
                "pickled."
            )
        comparison, t = self._doubly_robust
        if is_chunked(t):
            raise TypeError("pseudo-outcomes are one a row, and these rows are in chunks (dask); pass some in memory.")
        assert isinstance(comparison.contrast, DoublyRobustContrast)  # noqa: S101 - as it was made above
        return to_host(comparison.contrast.pseudo_outcomes(t, comparison.x, comparison.y))

    def size(self, *, level: float = 1.0, confidence: float = 0.95) -> Size:
        """How large the difference is, with intervals: the same numbers as ``cmmd_test(X, Y, group).size()``.

        It is measured with the models of a test (propensity and pooled regression, which are fitted when this is first
        asked for), less what noise adds: `level` is what the estimator gives, noise and the bias of its ridge included.

        Parameters
        ----------
        level
            Of squared CMMD, at least 0. The share that the group explains has none.
        confidence
            The chance that an interval holds what it is for.
        """
        return self._sizes.size(level, confidence)

    @cached_property
    def _sizes(self) -> Sizes:
        if self._test is None:
            raise ValueError("this measurement has no rows to ask for a size: they are not pickled. Measure again.")
        plan, samples, checksum = self._test
        if samples.checksum() != checksum:
            raise ValueError("the arrays of this measurement were changed in place since. Measure again, on copies.")
        return Sizes(evidence_of(plan, plan.train(samples)))

    @overload
    def level(self, s: float) -> float: ...
    @overload
    def level(self, s: npt.ArrayLike) -> Array: ...
    def level(self, s: npt.ArrayLike) -> float | Array:
        """Squared CMMD of level ``s`` as the estimator gives it, noise included: see `size` for an interval.

        Parameters
        ----------
        s
            At least 0; with the joint estimator at least 2. Level 0 compares conditional mean operators, 1 the
            conditional mean embeddings averaged over the covariates, 2 the joint distributions.
        """
        try:
            levels = np.asarray(s, dtype=np.float64)
        except (TypeError, ValueError):
            raise TypeError(f"`level` must be a number or an array of numbers; got {s!r}.") from None
        lowest = self.lowest_level
        if not (np.isfinite(levels).all() and (levels >= lowest).all()):
            remedy = " Use PlugIn() for lower levels." if lowest else ""
            raise ValueError(
                f"`level` must be finite and at least {lowest} for the {self.estimator} estimator; got {s!r}.{remedy}"
            )
        values = to_host(level_values(self.eigenvalues, self.energies[None], levels.reshape(-1), lowest))[0]
        if not np.isfinite(values).all():
            raise ValueError(
                f"`level` of {s!r} is too high for double precision here; scale X down, or use a lower one."
            )
        return float(values[0]) if levels.ndim == 0 else values.reshape(levels.shape)

    def witness(self, X_new: Any, Y_new: Any = None) -> Array:
        """Where the two differ: at each row of ``X_new``, or of ``(X_new, Y_new)`` together.

        Parameters
        ----------
        X_new
            Covariates, with the columns of X, which in a data frame may be in any order. With a precomputed kernel:
            similarities with every pooled row.
        Y_new
            Outcomes, likewise; None to sum the difference up over all outcomes.

        Returns
        -------
        ndarray
            Without ``Y_new`` the squared norm of the difference of the two embeddings at each x. With it, a signed
            number: positive where P has more mass near (x, y) than Q, negative where it has less. (The joint
            estimator's difference is weighted by the density of x.) A row with a category that X did not have is
            similar to nothing, so nothing is known there and the answer is 0.
        """
        x = self._encode(X_new, "X_new", 0)
        difference = self._difference_at(x)
        if Y_new is None:
            return namespace(difference).vecdot(difference, difference)
        y = self._encode(Y_new, "Y_new", 1)
        if n_rows(x) != n_rows(y):
            raise ValueError(f"`X_new` has {n_rows(x)} rows and `Y_new` has {n_rows(y)}; they must be the same.")
        return namespace(difference).vecdot(difference, self.embedding_y.transform(y))

    def _difference_at(self, x: Rows) -> Rows:
        """The difference of the embeddings at each x, in the outcomes' features; from the rows, where these are few."""
        if self._rows is None:
            difference: Rows = self.embedding_x.transform(x) @ move_to(self._difference, x)
            return difference
        points, coefficients = (move_to(part, x) for part in self._rows)
        return self.kernel_x.gram(x, points) @ coefficients

    def to_dict(self) -> dict[str, Any]:
        """All numbers and settings, in types that JSON has."""
        reg = self.reg
        return {
            "estimator": self.estimator,
            "eigenvalues": self.eigenvalues.tolist(),
            "energies": self.energies.tolist(),
            "levels": {f"{s:g}": self.level(float(s)) for s in self._shown_levels()},
            "n_obs": {"P": self.n_obs[0], "Q": self.n_obs[1]},
            "labels": {"P": self.labels[0], "Q": self.labels[1]},
            "reg": None if reg is None else {"P": reg.lam_p, "Q": reg.lam_q, "rule": reg.rule},
            "mixture": self.mixture,
            "embedding_x": self.embedding_x.summary(),
            "embedding_y": self.embedding_y.summary(),
        }

    def _encode(self, data: Any, argument: str, side: int) -> Any:
        embedding = (self.embedding_x, self.embedding_y)[side]
        if isinstance(embedding.kernel, Precomputed):
            similarities = read_table(data, argument).values
            if similarities.shape[1] != sum(self.n_obs):
                raise ValueError(
                    f"`{argument}` must have a similarity with each of the {sum(self.n_obs)} pooled rows; got "
                    f"{similarities.shape[1]} columns."
                )
            return similarities
        return encode(self._columns[side], data, argument)

    def _shown_levels(self) -> Array:
        return self.lowest_level + np.arange(0.0, 2.01, 0.5)

    def __repr__(self) -> str:
        (n, m), (p, q), (x, y) = self.n_obs, self.labels, self.spaces
        shown = self._shown_levels()
        lines = [
            shortened(f"Discrepancy of {y} given {x}, {self.estimator} estimator", SCREEN),
            shortened(f"  between    {p} ({n} rows) and {q} ({m} rows)", SCREEN),
            "  level      " + "".join(f"{s:>11g}" for s in shown),
            "  raw CMMD^2 " + "".join(f"{value:>11.4g}" for value in self.level(shown)),
        ]
        lines += [
            f"  {name:<11}{shortened(repr(e.kernel), KERNEL)}; rank {e.rank}, residual {e.residual:.2g} ({e.method})"
            for name, e in (("covariates", self.embedding_x), ("outcomes", self.embedding_y))
        ]
        if self.reg is not None:
            lines.append(shortened(f"  lambda     {self.reg}", SCREEN))
        if self.mixture is not None:
            lines.append(f"  mixture    {self.mixture:g} of P in the distribution of X")
        return "\n".join(lines)
