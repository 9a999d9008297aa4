"""From a model, in any of the ways in which users have one, to rows with an outcome and what is said of it."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np

from condmmd.backend import (
    Array,
    Rows,
    as_float,
    host_floats,
    kind_of,
    map_rows,
    move_to,
    n_rows,
    namespace,
    take,
    to_host,
    together,
)
from condmmd.data import Column, Table
from condmmd.data.checks import is_number
from condmmd.data.forecasts import (
    Mixture,
    Normals,
    Quantiles,
    class_codes,
    class_probabilities,
    first_bad,
    read_law,
)
from condmmd.embedding.models import ClassRows, DrawRows, LawRows, cumulative_basis, sum_zero_basis
from condmmd.embedding.rowwise import ComparedRows, differences_of, some_rows

__all__ = ["Forecast", "rows_of_model", "rows_of_predictions"]

# Rows of probabilities sum to one, or are wrong by so much that somebody wants to be told.
NEAR_ONE = 0.1
Forecast = Any  # Normals, Mixture, Quantiles, (mean, sd), draws, probabilities, or an object that gives one of these


def rows_of_model(
    model: Forecast, X: Any, x: Table, y: Table, *, classes: Any = None, n_draws: int = 20, seed: int = 0
) -> ComparedRows:
    """Outcomes given X beside a model of them; ``X`` as the model, if it is an object, is to be asked with."""
    law = _asked(model, X, y, classes, n_draws, seed)
    if isinstance(law, _WithClasses):
        law, classes = law.probabilities, law.classes
    rows, _ = _read(law, y, "model", classes)
    return _given(rows, x)


def rows_of_predictions(
    predictions: Forecast, y: Table, given: Table | None, *, classes: Any = None, whole: bool = False
) -> ComparedRows:
    """Outcomes beside predictions, given these predictions or, with ``given``, something else.

    ``whole`` keeps the probabilities of both of two classes, as a kernel that was given for them wants.
    """
    rows, own = _read(predictions, y, "predictions", classes)
    if given is None and not whole and isinstance(rows, ClassRows) and len(own.columns) == 2:
        own = own.select((1,))
    return _given(rows, own if given is None else given)


def _given(rows: Any, x: Table) -> ComparedRows:
    """The same rows conditioned on something else, all in the same chunks or on the same device."""
    found: ComparedRows = replace(rows, x=x.at(together([x.values, rows.y.values])[0]))
    return found


@dataclass(frozen=True, eq=False)
class _WithClasses:
    """Probabilities, and the classes that a classifier knows them to be of."""

    probabilities: Any
    classes: Any


def _asked(model: Any, X: Any, y: Table, classes: Any, n_draws: int, seed: int) -> Any:
    """What a model says, if it is an object that has to be asked; else the model as it is."""
    if isinstance(model, type):
        raise TypeError(f"`model` is the class {model.__name__}; make a model of it and fit it.")
    if callable(getattr(model, "predict_proba", None)):
        return _WithClasses(model.predict_proba(X), getattr(model, "classes_", classes))
    if callable(getattr(model, "sample", None)) and not isinstance(model, np.ndarray) and kind_of(model) != "device":
        return model.sample(X, n_draws)
    if callable(getattr(model, "rvs", None)):
        drawn = np.asarray(model.rvs(size=(n_draws, n_rows(y.values)), random_state=np.random.default_rng(seed)))
        return np.moveaxis(drawn, 0, 1)
    if callable(getattr(model, "predict", None)):
        try:
            return Normals(*model.predict(X, return_std=True))
        except TypeError:
            raise TypeError(
                "`model` predicts one number a row, which says nothing of the distribution. Give it as Normals(mean, "
                "sd), as draws, or as an object with sample(X, n), rvs(size, random_state), predict_proba(X) or "
                "predict(X, return_std=True)."
            ) from None
    return model


def _read(law: Any, y: Table, argument: str, classes: Any) -> tuple[Any, Table]:
    """Rows of the kind that this is, and a table of what it says by which rows can be told apart."""
    if isinstance(law, tuple) and len(law) == 2:
        law = Normals(*law)
    if isinstance(law, Normals):
        return _normals(law, y, argument)
    if isinstance(law, Mixture):
        return _mixtures(law, y, argument)
    if isinstance(law, Quantiles):
        return _quantiles(law, y, argument)
    if _is_probabilities(law, y, argument, classes):
        return _classes(law, y, argument, classes)
    return _draws(law, y, argument)


def _is_probabilities(law: Any, y: Table, argument: str, classes: Any) -> bool:
    """Whether these are probabilities of classes: outcomes are categories, or as few whole numbers as columns.

    By most rows, which sum to one; or by all of them, which are shares: what does not sum to one is to be refused, and
    not to be taken for draws.
    """
    if classes is not None or y.categorical:
        return True
    if len(y.columns) != 1 or getattr(law, "ndim", 2) > 2:
        return False
    table = read_law(law, argument)
    some, own = some_rows(table.values, 1000), some_rows(y.values, 1000)
    if some.shape[1] == 1:
        return bool(np.isin(own, (0.0, 1.0)).all())
    few = bool((own == np.floor(own)).all()) and len(np.unique(own)) <= some.shape[1]
    shares = bool(((some >= 0) & (some <= 1)).all()) and not bool((some == np.floor(some)).all())
    codes = bool((own >= 0).all()) and bool((own < some.shape[1]).all())
    return few and ((shares and codes) or float(np.median(np.abs(some.sum(axis=1) - 1.0))) <= NEAR_ONE)


def _classes(law: Any, y: Table, argument: str, classes: Any) -> tuple[ClassRows, Table]:
    table = class_probabilities(law, argument, y)
    codes, names = class_codes(y, table, classes)
    own = Table(
        map_rows(_both, table.values, columns=2) if len(table.columns) == 1 else table.values,
        tuple(Column(f"probability of {name}") for name in names), argument,
    )  # fmt: skip
    values, P = together([codes.values, own.values])
    return ClassRows(own, codes.at(values), P, names, sum_zero_basis(len(names))), own


def _both(p: Rows) -> Rows:
    both: Rows = namespace(p).concat([1.0 - p, p], axis=1)
    return both


def _numeric(y: Table, argument: str) -> Table:
    if y.categorical:
        raise TypeError(f"`{argument}` is for numbers, and `{y.argument}` has categories; give class probabilities.")
    return y


def _normals(law: Normals, y: Table, argument: str) -> tuple[LawRows, Table]:
    _numeric(y, argument)
    mean = read_law(law.mean, f"{argument}.mean", y)
    sd = read_law(_full(law.sd, mean), f"{argument}.sd", y)
    width = len(y.columns)
    for table in (mean, sd):
        if len(table.columns) != width:
            raise ValueError(
                f"`{table.argument}` must have a column for each of the {width} of `{y.argument}`; it has "
                f"{len(table.columns)}."
            )
    _check_spread(sd)
    values, means, deviations = together([y.values, mean.values, sd.values])
    laws = map_rows(_laws, means, deviations, columns=1 + 2 * width)
    of = [""] if width == 1 else [f" of {name}" for name in y.names]
    columns = tuple(Column(f"predicted {what}{name}") for what in ("mean", "sd") for name in of)
    own = Table(laws[:, 1:], columns, argument)
    return LawRows(own, y.at(values), laws, 1), own


def _full(sd: Any, mean: Table) -> Any:
    """One number for all rows, as a column of it."""
    return np.full(tuple(mean.values.shape), float(sd)) if is_number(sd) else sd


def _check_spread(sd: Table) -> None:
    row = first_bad(_not_positive, sd.values)
    if row is not None:
        seen = to_host(take(sd.values, [row]))[0]
        raise ValueError(f"`{sd.argument}` must be positive; row {row} has {seen.min():.4g}.")


def _not_positive(sd: Rows) -> Any:
    return namespace(sd).any(sd <= 0, axis=1)


def _laws(means: Rows, deviations: Rows) -> Rows:
    laws: Rows = namespace(means).concat([means[:, :1] * 0.0 + 1.0, means, deviations], axis=1)
    return laws


def _mixtures(law: Mixture, y: Table, argument: str) -> tuple[LawRows, Table]:
    if len(_numeric(y, argument).columns) != 1:
        raise ValueError(f"a Mixture is for one column, and `{y.argument}` has {len(y.columns)}; give draws instead.")
    weights = class_probabilities(law.weights, f"{argument}.weights", y)
    mean, sd = read_law(law.mean, f"{argument}.mean", y), read_law(law.sd, f"{argument}.sd", y)
    count = len(weights.columns)
    for table in (mean, sd):
        if len(table.columns) != count:
            raise ValueError(
                f"`{table.argument}` must have a column for each of the {count} components; it has "
                f"{len(table.columns)}."
            )
    _check_spread(sd)
    values, *parts = together([y.values, weights.values, mean.values, sd.values])
    laws = map_rows(_side_by_side, *parts, columns=3 * count)
    told = map_rows(partial(_mean_and_sd, count=count), laws, columns=2)
    own = Table(told, (Column("predicted mean"), Column("predicted sd")), argument)
    return LawRows(own, y.at(values), laws, count), own


def _mean_and_sd(laws: Rows, count: int) -> Rows:
    xp = namespace(laws)
    weights, means, deviations = (laws[:, k * count : (k + 1) * count] for k in range(3))
    mean = xp.sum(weights * means, axis=1)
    variance = xp.sum(weights * (deviations**2 + means**2), axis=1) - mean**2
    told: Rows = xp.stack([mean, xp.sqrt(xp.clip(variance, min=0.0))], axis=1)
    return told


def _side_by_side(*parts: Rows) -> Rows:
    joined: Rows = namespace(parts[0]).concat(list(parts), axis=1)
    return joined


def _quantiles(law: Quantiles, y: Table, argument: str) -> tuple[ClassRows, Table]:
    """Between which two quantiles an outcome is: a class, whose probability the levels give."""
    if len(_numeric(y, argument).columns) != 1:
        raise ValueError(f"Quantiles are for one column, and `{y.argument}` has {len(y.columns)}; give draws instead.")
    levels = np.atleast_1d(host_floats(law.levels))
    if levels.ndim != 1 or not (np.all(levels > 0) and np.all(levels < 1) and np.all(np.diff(levels) > 0)):
        raise ValueError(f"`levels` of Quantiles must rise strictly between 0 and 1; got {law.levels!r}.")
    table = read_law(law.values, f"{argument}.values", y)
    if len(table.columns) != len(levels):
        raise ValueError(
            f"`{table.argument}` must have a column for each of the {len(levels)} levels; it has {len(table.columns)}."
        )
    row = first_bad(_falling, table.values)
    if row is not None:
        raise ValueError(f"`{table.argument}`: the quantiles of a row must not fall with the level; row {row} does.")
    columns = tuple(Column(f"predicted {level:g} quantile") for level in levels)
    values, quantiles = together([y.values, table.values])
    codes = map_rows(_bins, values, quantiles, columns=1)
    P = map_rows(partial(_same, row=np.diff([0.0, *levels, 1.0])), quantiles, columns=len(levels) + 1)
    own = Table(quantiles, columns, argument)
    names = tuple(f"bin {k}" for k in range(len(levels) + 1))
    coded = Table(codes, (Column(y.columns[0].name, names),), y.argument)
    below = some_rows(values) <= some_rows(quantiles)
    name = y.columns[0].name or "y"
    told = [
        (name, f"share of {name} up to the {level:g} quantile", "share", 1.0 * below[:, k], np.full(len(below), level))
        for k, level in enumerate(levels)
    ]
    lead = 0 if len(levels) == 1 else None
    return ClassRows(own, coded, P, names, cumulative_basis(levels), told=differences_of(told, lead)), own


def _falling(quantiles: Rows) -> Any:
    xp = namespace(quantiles)
    return xp.any(quantiles[:, 1:] < quantiles[:, :-1], axis=1)


def _bins(values: Rows, quantiles: Rows) -> Rows:
    found: Rows = as_float(namespace(values).sum(as_float(values > quantiles), axis=1))[:, None]
    return found


def _same(rows: Rows, row: Array) -> Rows:
    own: Rows = rows[:, :1] * 0.0 + move_to(row, rows)[None, :]
    return own


def _draws(law: Any, y: Table, argument: str) -> tuple[DrawRows, Table]:
    """Draws of shape (rows, draws), or (rows, draws, columns) of several outcomes."""
    _numeric(y, argument)
    width = len(y.columns)
    values = law if hasattr(law, "ndim") else np.asarray(law)
    if values.ndim == 3:
        if values.shape[2] != width:
            raise ValueError(
                f"`{argument}` must have shape (rows, draws, {width}), as `{y.argument}` has {width} column(s); got "
                f"{tuple(values.shape)}."
            )
        values = namespace(values).reshape(values, (values.shape[0], -1))
    elif width > 1:
        raise ValueError(
            f"`{argument}` must have shape (rows, draws, {width}), as `{y.argument}` has {width} columns; got "
            f"{tuple(values.shape)}."
        )
    table = read_law(values, argument, y)
    if len(table.columns) < 2 * width:
        raise ValueError(f"`{argument}` must have at least 2 draws for each row; it has 1.")
    outcomes, draws = together([y.values, table.values])
    of = [""] if width == 1 else [f" of {name}" for name in y.names]
    columns = tuple(Column(f"{what} of the draws{name}") for what in ("mean", "sd") for name in of)
    told = Table(map_rows(partial(_moments, width=width), draws, columns=2 * width), columns, argument)
    return DrawRows(told, y.at(outcomes), draws), told


def _moments(draws: Rows, width: int) -> Rows:
    xp = namespace(draws)
    own = xp.reshape(draws, (draws.shape[0], -1, width))
    told: Rows = xp.concat([xp.mean(own, axis=1), xp.std(own, axis=1)], axis=1)
    return told
