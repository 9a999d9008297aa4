"""The shop window: `cmmd_test` asks whether Y given X is the same in two samples."""

from __future__ import annotations

import inspect
import warnings
from collections.abc import Sequence
from functools import partial
from typing import Any, Literal, NamedTuple

import numpy as np

from condmmd.arguments import check_choice, check_count, check_embedding, check_mixture, is_number
from condmmd.arrays import n_rows, to_host
from condmmd.closed_form import gamma_pvalues
from condmmd.combining import combine, pvalue, pvalues
from condmmd.design import Design, SchemeName, design_labels, needs_regression
from condmmd.embedding import Embedding, Solver, affordable_rank
from condmmd.further import gather, marginal_tests
from condmmd.kernels import KernelLike, check_kernel, lengthscales, resolve_kernel
from condmmd.moments import observed as observed_labels
from condmmd.notices import SmallSampleWarning
from condmmd.nuisance import PooledRegression, regress_pooled
from condmmd.outcome_models import OutcomeOptions, check_outcome_options
from condmmd.problem import (
    Estimator,
    Problem,
    check_blocks_of_rows,
    embed_outcome_side,
    embed_samples,
    pose,
    pose_doubly_robust,
)
from condmmd.propensity import PropensityLike, check_propensity
from condmmd.regularization import Regularization, check_reg
from condmmd.residuals import Residualization, check_residualize
from condmmd.residuals import residualize as take_residuals
from condmmd.result import CMMDTestResult, LevelResult, listed
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
    outcome_model: Any = None,
    outcome_reg: float | tuple[float, float] | None = None,
    outcome_fit: Any = "all",
    refit: bool = True,
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
        The probability of P at x in the pooled sample. "estimate": by logistic regression on main effects, squares, and
        the features of X on which the outcomes depend; or, where X takes few values, no model at all (labels are
        shuffled among rows of equal X). None: X has the same
        distribution in both samples, and labels are shuffled. Or a function of X, one probability a row, or a
        scikit-learn classifier.
    level
        A number, several, or "adaptive": levels 0, 0.5, 1, 1.5 and 2 joined in one p-value, exact given the propensity.
    kernel_x, kernel_y
        As in `cmmd`. A list for ``kernel_x`` joins the kernels in one exact p-value.
    reg
        Ridge lambda as in `cmmd`; None: 0.1 in units of the mean of k(x, x). A list joins the lambdas.
    estimator
        "plugin"; "joint" (only with equal distributions of X; levels from 2 on); "orthogonal" (linear in the labels);
        "doubly_robust".
    residualize
        True: compare the residuals of a pooled regression of the outcomes' features on X. False: the features. Or a
        scikit-learn regressor for that regression, which is then cross-fitted.
    outcome_model, outcome_reg, outcome_fit
        Doubly robust: as in `cmmd`; a number of folds or "all" (training rows would change with the labels).
    refit
        Doubly robust: fit the ridge embeddings anew for every label vector, which keeps the p-value exact given the
        propensity. False keeps those of the observed labels, as the paper does, and so does any other outcome model:
        the statistic then knows the observed labels, and the p-value is approximate.
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
        Workers (through joblib; for rows in NumPy), label vectors held at once (in units of 64), and a progress line on
        standard error. None of them changes the result.
    tol, max_rank, solver
        As in `cmmd`, looser: an approximate kernel costs power at most. None for ``max_rank`` is 128 up to 20,000 rows,
        and falls to 48 for many more.

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
    given = dict(locals())
    kernels = kernel_x if isinstance(kernel_x, list) else [kernel_x]
    for kernel in kernels:
        check_kernel(kernel, "kernel_x")
    if not kernels or (isinstance(reg, list) and not reg):
        raise ValueError("`kernel_x` and `reg` must not be empty lists.")
    check_kernel(kernel_y, "kernel_y")
    check_propensity(propensity)
    check_choice(estimator, "estimator", ("plugin", "joint", "orthogonal", "doubly_robust"))
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
    options = check_outcome_options(outcome_model, outcome_reg, outcome_fit, refit=refit, estimator=estimator)
    if options is not None and options.train is not None:
        raise ValueError("`outcome_fit` with training rows is for cmmd(); a test takes 'all' or a number of folds.")
    batch_size = None if batch_size is None else check_count(batch_size, "batch_size")
    entropy = entropy_of(rng)

    precomputed = ["precomputed" if isinstance(kernel, str) and kernel == "precomputed" else "" for kernel in kernels]
    if len(set(precomputed)) > 1:
        raise ValueError("`kernel_x`: a precomputed Gram matrix cannot be joined with kernels of columns.")
    check_residualize(residualize, gram=bool(precomputed[0]))
    samples = read_samples(
        X, Y, group, precomputed_x=bool(precomputed[0]),
        precomputed_y=isinstance(kernel_y, str) and kernel_y == "precomputed",
    )  # fmt: skip
    check_blocks_of_rows(
        samples, options=options, propensity=propensity, blocks=blocks, trim=trim, null=null == "gamma" or None,
        residualize=None if isinstance(residualize, bool) else residualize,
    )  # fmt: skip
    few = n_rows(samples.x.values) < 3 * MAX_RANK  # then Gram matrices cost no more than that many features
    affordable = affordable_rank(n_rows(samples.x.values), MAX_RANK)
    limit = None if solver == "dual" or (few and max_rank is None) else int(max_rank or affordable)
    label_scheme: SchemeName = "bernoulli" if null == "gamma" else scheme
    estimated = needs_regression(samples, propensity, label_scheme, blocks)
    y, pooled = _outcomes(samples, kernel_y, tol, limit, regress=estimated or residualize is True)
    design = design_labels(samples, X, propensity, scheme=label_scheme, blocks=blocks, trim=trim, pooled=pooled)
    if design.trimmed:
        samples = design.samples
        y, pooled = _outcomes(samples, kernel_y, tol, limit, regress=residualize is True)
    residualization: Residualization | None = None
    if residualize is not False:
        y, residualization = take_residuals(y, samples, pooled, residualize)
    problems, told = _problems(samples, y, kernels, regs, estimator, mixture, design, tol, limit, solver, options)

    _warn_small(design, significance)
    drawn = design.scheme()
    if null == "gamma":
        found = _by_gamma(problems[0], samples, levels)
    else:
        found = _by_resampling(
            evaluate_labels(
                problems, levels, drawn, samples.groups.t, n_resamples=n_resamples, entropy=entropy, n_jobs=n_jobs,
                batch_size=batch_size, progress=progress,
            )
        )  # fmt: skip

    columns = [(problem, words, s) for problem, words in zip(problems, told, strict=True) for s in levels]
    by_level = tuple(
        LevelResult(float(s), float(observed), float(single), words, *_kernel_names(problem))
        for (problem, words, s), observed, single in zip(columns, found.observed, found.single, strict=True)
    )
    first = problems[0]
    return CMMDTestResult(
        statistic=found.statistic,
        pvalue=found.pvalue,
        null_distribution=found.null,
        levels=tuple(float(s) for s in levels),
        by_level=by_level,
        n_obs=(samples.groups.n, samples.groups.m),
        labels=(samples.groups.p_label, samples.groups.q_label),
        n_resamples=0 if null == "gamma" else n_resamples,
        scheme="gamma approximation to independent labels" if null == "gamma" else drawn.name,
        assumption=design.propensity.assumption + _about_models(options),
        estimator=estimator,
        propensity_summary=design.propensity.summary(),
        embeddings={
            name: {"kernel": repr(e.kernel), "rank": e.rank, "residual": e.residual, "method": e.method}
            for name, e in (("x", first.x), ("y", first.y))
        },
        reg="; ".join(dict.fromkeys(told)),
        lengthscales={"x": lengthscales(first.x.kernel), "y": lengthscales(first.y.kernel)},
        residualization=None
        if residualization is None
        else {"model": residualization.model, "explained": residualization.explained},
        trimmed=design.trimmed,
        significance=float(significance),
        rng_state=entropy,
        call=_call_text(given, entropy),
        spaces=tuple(  # type: ignore[arg-type]
            table.argument if gram is not None else listed(table.names)
            for table, gram in ((samples.x, samples.gram_x), (samples.y, samples.gram_y))
        ),
        _gather=partial(
            gather, given, design, first, pooled, 0 if null == "gamma" else n_resamples, entropy, cmmd_test
        ),
        _marginal=partial(marginal_tests, given, samples, entropy, MAX_RANK),
    )


class _Found(NamedTuple):
    """For each problem and level the observed statistic and its own p-value; then those of all, joined."""

    observed: Array
    single: Array
    statistic: float
    pvalue: float
    null: Array


def _by_resampling(statistics: Array) -> _Found:
    """From the statistics at the observed labels, the first row, and at the null labels."""
    joined = statistics[:, 0] if statistics.shape[1] == 1 else combine(statistics)
    statistic, null = float(joined[0]), joined[1:]
    return _Found(statistics[0], pvalues(statistics), statistic, pvalue(statistic, null), null)


def _by_gamma(problem: Problem, samples: Samples, levels: Array) -> _Found:
    """Without null labels; levels joined by Bonferroni's inequality."""
    observed = problem.levels(observed_labels(samples.groups.t), levels)[0]
    single = gamma_pvalues(problem, observed, levels)
    smallest = int(np.argmin(single))
    overall = min(1.0, float(single[smallest]) * len(levels))
    return _Found(observed, single, float(observed[smallest]), overall, np.empty(0))


def _warn_small(design: Design, significance: float) -> None:
    if design.log_labelings() < -np.log(significance):
        n, m = design.samples.groups.n, design.samples.groups.m
        count = round(float(np.exp(design.log_labelings())))
        warnings.warn(
            f"{n} + {m} rows can be labelled in {count} way(s) only, so no p-value can be below {1 / count:.2g} and "
            f"nothing can be significant at {significance:g}. More rows are needed.",
            SmallSampleWarning,
            stacklevel=3,
        )


def _call_text(given: dict[str, Any], entropy: int) -> str:
    """The call with every argument that is not its default."""
    defaults = {name: p.default for name, p in inspect.signature(cmmd_test).parameters.items()}
    told = []
    for name, default in defaults.items():
        value = given[name]
        if name in {"X", "Y", "group"} or name == "rng" or value is default:
            continue
        brought = hasattr(value, "shape") or callable(value) or hasattr(value, "columns")
        shown = name if brought else repr(value)
        if isinstance(default, inspect._empty) or shown != repr(default):  # noqa: SLF001
            told.append(f"{name}={shown if len(shown) <= 200 else '...'}")
    return f"cmmd_test({', '.join(['X', 'Y', 'group', *told, f'rng={entropy}'])})"


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


def _outcomes(
    samples: Samples, kernel_y: KernelLike, tol: float, limit: int | None, *, regress: bool
) -> tuple[Embedding, PooledRegression | None]:
    """Features of the outcomes, and their pooled regression on X where it is needed."""
    y = embed_outcome_side(samples, kernel_y=kernel_y, tol=tol, max_rank=limit)
    gram = None if samples.gram_x is None else resolve_kernel(None, samples.x, samples.gram_x)
    return y, regress_pooled(y.phi, samples.x, gram) if regress else None


def _problems(
    samples: Samples,
    y: Embedding,
    kernels: list[KernelLike],
    regs: list[Regularization | Literal["loo", "gcv"] | None],
    estimator: Estimator,
    mixture: float | None,
    design: Design,
    tol: float,
    limit: int | None,
    solver: Solver,
    options: OutcomeOptions | None,
) -> tuple[list[Problem], list[str]]:
    """One problem for each kernel and lambda, and their lambdas in words."""
    problems, told = [], []
    e = design.centre if design.strata is None else design.propensity.at_prevalence
    for kernel in kernels:
        features = embed_samples(samples, y, kernel_x=kernel, tol=tol, max_rank=limit, solver=solver)
        for reg in regs:
            lam = DEFAULT_REG * float(to_host(features.sigma).sum())
            chosen: Regularization | None
            ridge = reg or Regularization(lam, lam, "default")
            if options is None:
                problem, chosen = pose(features, reg=ridge, estimator=estimator, mixture=mixture, e=e)
            else:
                problem, chosen, _ = pose_doubly_robust(
                    features, samples, reg=ridge, mixture=mixture, e=design.propensity.e, options=options
                )
            problems.append(problem)
            told.append("none" if chosen is None else str(chosen))
    return problems, told


def _about_models(options: OutcomeOptions | None) -> str:
    if options is None or (options.model is None and options.refit):
        return ""
    return "; approximate, as the outcome models are those of the observed labels"


def _kernel_names(problem: Problem) -> tuple[str, str]:
    return repr(problem.x.kernel), repr(problem.y.kernel)
