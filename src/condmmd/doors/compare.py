"""`compare` asks which of several candidates is nearest to a reference, in Y given X."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal

import numpy as np

from condmmd.backend import kind_of
from condmmd.data import by_value, pool, read_samples
from condmmd.data.frames import unknown
from condmmd.effects.common_ground import common_ground
from condmmd.effects.distances import distances_of, pairs_of
from condmmd.effects.sizes import check_confidence, share_of
from condmmd.kernels import KernelLike
from condmmd.nuisance import Forests, propensity_model, residual_model
from condmmd.nuisance.propensity import ASSUMPTIONS
from condmmd.results import CompareResult
from condmmd.results.compare_result import Candidate, CandidatePair
from condmmd.statistics import CMMD

__all__ = ["compare"]


def compare(
    reference: Any,
    candidates: Mapping[str, tuple[Any, Any]] | Sequence[Any] | None = None,
    *,
    X: Any = None,
    Y: Any = None,
    group: str | None = None,
    data: Any = None,
    kernel_x: KernelLike = None,
    kernel_y: KernelLike = None,
    propensity: Literal["estimate"] | None = "estimate",
    residualize: Any = True,
    confidence: float = 0.95,
) -> CompareResult:
    """Rank candidate samples (simulators, vendors, months) by how far Y given X is from that of a reference.

    The covariates may have moved between all of them: distances are over the one population in which all samples are.
    Kernels and the regression of Y on X are those of all rows together.

    Parameters
    ----------
    reference
        ``(X, Y)``, as in `cmmd_test`; rows in memory. With ``data``, a value of its column ``group``.
    candidates
        ``(X, Y)`` of each, by name, or in a sequence (then they are called "1", "2", ...). With ``data``, other values
        of the column; None: all others.
    X, Y, group, data
        Names of columns, as in `cmmd`, where all samples are in one data frame:
        ``compare("2019", X=["age"], Y="weight", group="year", data=df)``.
    kernel_x, kernel_y
        As in `CMMD`; no Gram matrices.
    propensity
        "estimate": the covariates may have moved. None: you know that they have the same distribution in all samples.
    residualize
        As in `cmmd_test`.
    confidence
        Of the intervals, and one less the significance by which the summary speaks.

    Returns
    -------
    CompareResult

    Examples
    --------
    >>> import numpy as np
    >>> from condmmd import compare
    >>> rng = np.random.default_rng(0)
    >>> def sample(shift):
    ...     x = rng.normal(size=150)
    ...     return x, np.sin(x) + shift + 0.5 * rng.normal(size=150)
    >>> result = compare(sample(0.0), {"near": sample(0.1), "far": sample(0.8)})
    >>> result.nearest, result.pair("near", "far").pvalue < 0.01
    ('near', True)
    """
    confidence = check_confidence(confidence)
    statistic = CMMD(kernel_x=kernel_x, kernel_y=kernel_y, estimator="overlap")
    if any(statistic.precomputed) or len(statistic.kernels) > 1:
        raise ValueError(
            "`kernel_x` and `kernel_y` must be one kernel each, of columns: compare() takes no Gram matrix."
        )
    if not (propensity is None or propensity == "estimate"):
        raise ValueError(f"`propensity` must be 'estimate' or None; got {propensity!r}.")
    model, residuals = propensity_model(propensity), residual_model(residualize, Forests(), gram=False)
    if data is not None:
        reference, named = _of_table(reference, candidates, by_value(data, X, Y, group))
    elif not (X is None and Y is None and group is None):
        raise TypeError("`X`, `Y` and `group` name columns of a table: pass data=frame, or pairs (X, Y) of rows.")
    else:
        named = _named(candidates)
    X, Y, sample = _stacked(reference, named)
    samples = read_samples(X, Y, (sample == 0).astype(int))
    ground = common_ground(samples, sample, statistic, model, residuals)
    distances = distances_of(ground)
    counts = np.bincount(sample)
    found = [
        Candidate(
            name, d.norm.estimate, d.norm.interval(confidence), share_of(d.norm.estimate, d.within), int(counts[1 + k])
        )
        for k, (name, d) in enumerate(zip(named, distances, strict=True))
    ]
    pairs = []
    for pair in pairs_of(distances):
        nearer, farther = (pair.first, pair.second)[:: 1 if pair.difference >= 0 else -1]
        names = found[nearer].name, found[farther].name
        pairs.append(CandidatePair(*names, abs(pair.difference), pair.pvalue, pair.adjusted))
    return CompareResult(
        ranking=tuple(sorted(found, key=lambda candidate: candidate.squared)),
        pairs=tuple(pairs),
        n_reference=int(counts[0]),
        confidence=confidence,
        overlap=ground.overlap,
        kernels=ground.kernels,
        assumption=ASSUMPTIONS["estimated" if propensity else "equal marginals"],
    )


def _of_table(
    reference: Any, candidates: Any, samples: dict[str, tuple[Any, Any]]
) -> tuple[tuple[Any, Any], dict[str, tuple[Any, Any]]]:
    """The reference and the candidates by their values of a column."""
    if candidates is None:
        wanted = [value for value in samples if value != str(reference)]
    elif isinstance(candidates, Sequence) and not isinstance(candidates, str):
        wanted = [str(value) for value in candidates]
    else:
        raise TypeError(f"`candidates` must be values of `group` in a list, or None; got {candidates!r}.")
    for argument, values in (("reference", [str(reference)]), ("candidates", wanted)):
        if missing := unknown(values, list(samples)):
            raise ValueError(f"`{argument}`: the column `group` has no value {missing}")
    if str(reference) in wanted or not wanted:
        raise ValueError(f"`candidates` must be some other values than the reference, {reference}; got {wanted}.")
    return samples[str(reference)], {value: samples[value] for value in wanted}


def _named(candidates: Any) -> dict[str, tuple[Any, Any]]:
    if isinstance(candidates, Mapping):
        named = {str(name): sample for name, sample in candidates.items()}
    elif isinstance(candidates, Sequence) and not isinstance(candidates, str):
        named = {str(k + 1): sample for k, sample in enumerate(candidates)}
    else:
        raise TypeError(f"`candidates` must be (X, Y) by name, or several in a list; got {type(candidates).__name__}.")
    if not named:
        raise ValueError("`candidates` must not be empty.")
    return named


def _stacked(reference: Any, candidates: dict[str, Any]) -> tuple[Any, Any, Any]:
    """All rows, and the number of the sample of each."""
    X, Y = _pair(reference, "reference")
    for data in (X, Y, *(part for one in candidates.values() if isinstance(one, tuple | list) for part in one)):
        if kind_of(data).startswith("chunked"):
            raise TypeError("compare() needs all rows in memory, and these are in chunks (dask); convert them first.")
    sample: list[int] = []
    for k, (name, one) in enumerate(candidates.items()):
        own_X, own_Y = _pair(one, f"candidates['{name}']")
        try:
            X, Y, group = pool(X, Y, own_X, own_Y)
        except (TypeError, ValueError) as error:
            raise type(error)(f"`candidates['{name}']` does not go with the reference: {error}") from error
        before = int(group.sum())
        sample = sample or [0] * before
        sample += [1 + k] * (len(group) - before)
    return X, Y, np.array(sample, dtype=np.int64)


def _pair(sample: Any, argument: str) -> tuple[Any, Any]:
    if not (isinstance(sample, tuple | list) and len(sample) == 2):
        raise TypeError(f"`{argument}` must be a pair (X, Y); got {type(sample).__name__}.")
    return sample[0], sample[1]
