"""The shop window: `cmmd_test` asks whether Y given X is the same in two samples."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal

import numpy as np

from condmmd.arguments import check_choice, check_count, check_embedding, check_mixture, is_number
from condmmd.closed_form import gamma_pvalues
from condmmd.combining import combine, pvalue, pvalues
from condmmd.design import SchemeName, design_labels
from condmmd.embedding import Solver
from condmmd.kernels import KernelLike, check_kernel
from condmmd.problem import Estimator, Features, Problem, embed_samples, pose
from condmmd.propensity import Propensity, PropensityLike, check_propensity
from condmmd.regularization import Regularization, check_reg
from condmmd.resampling import tilt
from condmmd.residuals import Residualization, residualize
from condmmd.result import CMMDTestResult, LevelResult
from condmmd.running import entropy_of, evaluate_labels
from condmmd.samples import Array, Samples, read_samples

__all__ = ["cmmd_test"]

ADAPTIVE_LEVELS = (0.0, 0.5, 1.0, 1.5, 2.0)
# Lambda in units of the mean of k(x, x), as in the paper.
DEFAULT_REG = 0.1
# Features beyond these have eigenvalues far below lambda: they change a statistic that is ranked against its like by
# nothing that matters, and validity not at all.
TOL = 1e-6
MAX_RANK = 128


def cmmd_test(
    X: Any,
    Y: Any,
    group: Any,
    *,
    propensity: PropensityLike = "estimate",
    level: float | Sequence[float] | Literal["adaptive"] = "adaptive",
    kernel_x: KernelLike | list[KernelLike] = None,
    kernel_y: KernelLike = None,
    reg: float | tuple[float, float] | Literal["loo", "gcv"] | list[float] | None = None,
    estimator: Estimator = "plugin",
    residualize: Any = True,
    scheme: SchemeName = "auto",
    blocks: Any = None,
    trim: float | None = None,
    null: Literal["resampling", "gamma"] = "resampling",
    mixture: float | None = None,
    n_resamples: int = 999,
    significance: float = 0.05,
    rng: Any = None,
    n_jobs: int | None = None,
    batch_size: int | None = None,
    progress: bool = False,
    tol: float = TOL,
    max_rank: int | None = None,
    solver: Solver = "auto",
) -> CMMDTestResult:
    """Test whether the distribution of Y given X is the same in two samples.

    Parameters
    ----------
    X, Y, group
        As in `cmmd`.
    propensity
        The probability of P at x in the pooled sample. "estimate": by logistic regression on features of X, or, where X
        takes few values, no model at all (labels are shuffled among rows of equal X). None: X has the same
        distribution in both samples, and labels are shuffled. Or a function of X, one probability a row, or a
        scikit-learn classifier.
    level
        A number, several, or "adaptive": levels 0, 0.5, 1, 1.5 and 2 in one exact p-value.
    kernel_x, kernel_y
        As in `cmmd`. A list for ``kernel_x`` joins the kernels in one exact p-value.
    reg
        Ridge lambda as in `cmmd`; None: 0.1 in units of the mean of k(x, x). A list joins the lambdas.
    estimator
        "plugin"; "joint" (only with equal distributions of X; levels from 2 on); "orthogonal" (linear in the labels).
    residualize
        True: compare the residuals of a pooled regression of the outcomes' features on X. False: the features. Or a
        scikit-learn regressor for that regression, which is then cross-fitted.
    scheme
        "permutation" (Algorithm 1), "bernoulli" (Algorithm 2; the propensity must be for the sample's prevalence), or
        "fixed-size", Bernoulli labels given the sizes of the groups. "auto": permutation if ``propensity`` is None,
        within strata if X takes few values, else fixed-size.
    blocks
        One value a row: rows with the same value (a subject, a day) keep one label. With a propensity, it must be the
        same for all rows of a block; the estimate is made on block means.
    trim
        Leave out rows, whatever their group, whose propensity (as it would be with samples of one size) is below
        ``trim`` or above ``1 - trim``.
    null
        "resampling", or "gamma": no resampling, an approximation for screening with ``estimator="orthogonal"``; several
        levels are then joined by Bonferroni's inequality.
    mixture
        As in `cmmd`.
    n_resamples
        Null label vectors.
    significance
        The level at which a decision is wanted; too few resamples for it are refused.
    rng
        None, a seed or a `numpy.random.Generator`.
    n_jobs, batch_size, progress
        Workers (through joblib), label vectors held at once, and a progress line on standard error. None of them
        changes the result.
    tol, max_rank, solver
        As in `cmmd`, looser: an approximate kernel costs power at most. None for ``max_rank`` is 128.

    Returns
    -------
    CMMDTestResult

    Examples
    --------
    >>> import numpy as np
    >>> from condmmd import cmmd_test
    >>> rng = np.random.default_rng(0)
    >>> x = np.concatenate([rng.normal(-0.5, 1, 150), rng.normal(0.5, 1, 150)])  # X moved
    >>> group = np.repeat([1, 0], 150)
    >>> y = np.sin(x) + 0.3 * rng.normal(size=300)                               # Y given X did not
    >>> bool(cmmd_test(x, y, group, rng=1).pvalue > 0.05)
    True
    >>> cmmd_test(x, y + 0.5 * group * (x > 0), group, rng=1).pvalue             # now it did
    0.001
    """
    kernels = kernel_x if isinstance(kernel_x, list) else [kernel_x]
    for kernel in kernels:
        check_kernel(kernel, "kernel_x")
    check_kernel(kernel_y, "kernel_y")
    check_propensity(propensity)
    check_choice(estimator, "estimator", ("plugin", "joint", "orthogonal"))
    check_choice(scheme, "scheme", ("auto", "permutation", "bernoulli", "fixed-size"))
    check_choice(null, "null", ("resampling", "gamma"))
    check_embedding(tol, max_rank, solver)
    check_mixture(mixture)
    levels = _check_levels(level, estimator)
    regs = [None if r is None else check_reg(r) for r in (reg if isinstance(reg, list) else [reg])]
    n_resamples = _check_resamples(n_resamples, significance, null)
    _check_gamma(null, estimator, scheme, blocks, len(kernels) * len(regs))
    if trim is not None and not (is_number(trim) and 0 < trim < 0.5):
        raise ValueError(f"`trim` must be between 0 and 0.5, or None; got {trim!r}.")
    entropy = entropy_of(rng)

    samples = read_samples(X, Y, group, precomputed_x="precomputed" in kernels, precomputed_y=kernel_y == "precomputed")
    design = design_labels(samples, X, propensity, scheme, blocks, trim)
    samples = design.samples
    problems, told, residualization = _problems(
        samples, kernels, kernel_y, regs, estimator, mixture, residualize, design.propensity, tol, max_rank, solver
    )
    columns = [(problem, s) for problem in range(len(problems)) for s in levels]

    if null == "gamma":
        observed = problems[0].levels(samples.groups.t[None, :], levels)[0]
        single = gamma_pvalues(problems[0], observed, levels)
        overall = min(1.0, float(single.min()) * len(levels))
        statistic, null_distribution = float(observed[np.argmin(single)]), np.empty(0)
    else:
        statistics = evaluate_labels(
            problems,
            levels,
            design.scheme(entropy),
            samples.groups.t,
            n_resamples=n_resamples,
            entropy=entropy,
            n_jobs=n_jobs,
            batch_size=None if batch_size is None else check_count(batch_size, "batch_size"),
            progress=progress,
        )
        observed, single = statistics[0], pvalues(statistics)
        joined = statistics[:, 0] if len(columns) == 1 else combine(statistics)
        statistic, null_distribution = float(joined[0]), joined[1:]
        overall = pvalue(statistic, null_distribution)

    by_level = tuple(
        LevelResult(float(s), float(observed[c]), float(single[c]), told[p], *_kernel_names(problems[p]))
        for c, (p, s) in enumerate(columns)
    )
    first = problems[0]
    return CMMDTestResult(
        statistic=statistic,
        pvalue=overall,
        null_distribution=null_distribution,
        levels=tuple(float(s) for s in levels),
        by_level=by_level,
        n_obs=(samples.groups.n, samples.groups.m),
        labels=(samples.groups.p_label, samples.groups.q_label),
        n_resamples=0 if null == "gamma" else n_resamples,
        scheme="gamma approximation to independent labels" if null == "gamma" else design.name,
        assumption=design.propensity.assumption,
        estimator=estimator,
        propensity_summary=design.propensity.summary(),
        embeddings={
            name: {"kernel": repr(e.kernel), "rank": e.rank, "residual": e.residual, "method": e.method}
            for name, e in (("x", first.x), ("y", first.y))
        },
        reg="; ".join(dict.fromkeys(told)),
        lengthscales={"x": _kernel_names(first)[0], "y": _kernel_names(first)[1]},
        residualization=None
        if residualization is None
        else {"model": residualization.model, "explained": residualization.explained},
        trimmed=design.trimmed,
        rng_state=entropy,
    )


def _check_levels(level: Any, estimator: Estimator) -> Array:
    lowest = 2.0 if estimator == "joint" else 0.0
    if isinstance(level, str):
        check_choice(level, "level", ("adaptive",))
        return np.array([s for s in ADAPTIVE_LEVELS if s >= lowest])
    try:
        levels = np.atleast_1d(np.asarray(level, dtype=np.float64))
    except (TypeError, ValueError):
        raise TypeError(f"`level` must be a number, a sequence of numbers or 'adaptive'; got {level!r}.") from None
    if levels.ndim > 1 or not len(levels) or not np.isfinite(levels).all() or levels.min() < lowest:
        raise ValueError(f"`level` must be at least {lowest:g} with the {estimator} estimator; got {level!r}.")
    return levels


def _check_resamples(n_resamples: Any, significance: Any, null: str) -> int:
    if not (is_number(significance) and 0 < significance < 1):
        raise ValueError(f"`significance` must be between 0 and 1; got {significance!r}.")
    count = check_count(n_resamples, "n_resamples")
    if null == "resampling" and 1 / (1 + count) > significance:
        needed = int(np.ceil(1 / significance)) - 1
        raise ValueError(
            f"`n_resamples` of {count} gives no p-value below {1 / (1 + count):.3g}, so nothing can be significant at "
            f"{significance:g}. Use at least {needed}; 999 is a good number."
        )
    return count


def _check_gamma(null: str, estimator: str, scheme: str, blocks: Any, n_problems: int) -> None:
    if null == "gamma" and (
        estimator != "orthogonal" or blocks is not None or n_problems > 1 or scheme == "permutation"
    ):
        raise ValueError(
            "null='gamma' needs estimator='orthogonal', one kernel and lambda, no `blocks`, and independent labels; "
            "use null='resampling' otherwise."
        )


def _problems(
    samples: Samples,
    kernels: list[KernelLike],
    kernel_y: KernelLike,
    regs: list[Regularization | Literal["loo", "gcv"] | None],
    estimator: Estimator,
    mixture: float | None,
    model: Any,
    propensity: Propensity,
    tol: float,
    max_rank: int | None,
    solver: Solver,
) -> tuple[list[Problem], list[str], Residualization | None]:
    """One problem for each kernel and lambda; their lambdas in words; the pooled regression."""
    problems, told = [], []
    residualization: Residualization | None = None
    few = len(samples.x.values) < 3 * MAX_RANK  # then Gram matrices cost no more than that many features
    limit = None if solver == "dual" or (few and max_rank is None) else max_rank or MAX_RANK
    e = tilt(np.log(propensity.e / (1 - propensity.e)), samples.groups.n) if estimator == "orthogonal" else None
    y = None
    for kernel in kernels:
        features = embed_samples(samples, kernel_x=kernel, kernel_y=kernel_y, tol=tol, max_rank=limit, solver=solver)
        if y is None:
            y = features.y
            if model is not False:
                y, residualization = residualize(y, samples.x, features.x.kernel, model)
        features = Features(features.x, features.sigma, y)
        for reg in regs:
            lam = DEFAULT_REG * float(features.sigma.sum())
            problem, chosen = pose(
                features,
                reg=reg or Regularization(lam, lam, "default"),
                estimator=estimator,
                mixture=mixture,
                e=e,
            )
            problems.append(problem)
            told.append("none" if chosen is None else str(chosen))
    return problems, told, residualization


def _kernel_names(problem: Problem) -> tuple[str, str]:
    return repr(problem.x.kernel), repr(problem.y.kernel)
