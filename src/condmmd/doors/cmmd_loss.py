"""`cmmd_loss` trains a generator of Y given X: how far are its draws from the outcomes, with a gradient."""

from __future__ import annotations

from math import inf
from typing import Any

import numpy as np

from condmmd.backend import Rows, kind_of, move_to, n_rows, namespace, on_processor, place_of, to_host
from condmmd.data import Table, read_table
from condmmd.data.checks import is_number
from condmmd.kernels import KernelLike, check_kernel, is_precomputed, resolve_kernel
from condmmd.regression.regularization import DEFAULT_REG
from condmmd.statistics.loss import joint_weights, kernel_score, ridge_weights, weighted_distance

__all__ = ["cmmd_loss"]


def cmmd_loss(
    X: Any, Y: Any, Z: Any, *, level: int = 1, kernel_x: KernelLike = None, kernel_y: KernelLike = None,
    reg: float | None = None, unbiased: bool = True, X_z: Any = None,
) -> Any:  # fmt: skip
    """How far generated outcomes are from observed ones given X: a loss for a batch of rows, with a gradient.

    Parameters
    ----------
    X, Y
        Covariates and outcomes of n rows, as in `cmmd`.
    Z
        What the generator made for these covariates: for each row as many numbers as ``Y`` has, or R draws of them.
        With one outcome its shape is n, or n x R; with q outcomes n x q, or n x R x q. Where and in which precision Z
        is, the loss is computed; a gradient runs back through it (PyTorch's; of NumPy's arrays there is the value).
    level
        1: the kernel score, ``mean_i [mean_{a != b} l(z_ia, z_ib) - 2 mean_a l(y_i, z_ia)]``. It needs two draws a row
        or more, no lambda and no kernel of X; its expectation is least for the true distribution of Y given X, and for
        no other where the kernel is characteristic. Of one draw a row, or with ``reg``, CMMD of level 1 with ridge
        weights. 0: the distance of the conditional embedding operators, with ridge weights. 2: MMD of the joint
        distributions. The kernel score takes ``n R^2`` similarities, the others ``(n R)^2`` and level 0 a solve.
    kernel_x, kernel_y
        As in `CMMD`. What is left open, such as a lengthscale, is fixed on this batch of ``X`` or of ``Y``, never on Z,
        and has no gradient; ``Gaussian(median_distance(Y_of_all_rows))`` is the same for every batch.
        ``kernel_y="energy"`` makes level 1 the energy score, twice.
    reg
        Lambda of the ridge weights; None: 0.1 times the mean of k(x, x).
    unbiased
        A draw is not compared with itself, nor at level 2 a row with itself. Without this a generator gains by draws
        that are too much alike. Ridge weights of one draw a row have to compare it with its own outcome all the same.
    X_z
        Covariates of the rows of Z, if they are not those of ``X``: for levels 0 and 2, and 1 with ridge weights.

    Returns
    -------
    float or array
        A number where Z is of NumPy, else an array without dimensions that the library can differentiate. It may be
        negative: the kernel score lacks a term without Z, and the others are unbiased estimates of what may be 0.

    Examples
    --------
    >>> import numpy as np
    >>> from condmmd import cmmd_loss
    >>> rng = np.random.default_rng(0)
    >>> x = rng.normal(size=500)
    >>> y = x + rng.normal(size=500)
    >>> right, narrow = (x[:, None] + sd * rng.normal(size=(500, 8)) for sd in (1.0, 0.5))
    >>> cmmd_loss(x, y, right) < cmmd_loss(x, y, narrow)
    True
    """
    _check_options(level, kernel_x, kernel_y, reg)
    x, y = _read(X, "X"), _read(Y, "Y")
    others = x if X_z is None else _read(X_z, "X_z", like=x)
    z = _read_draws(Z, n_rows(others.values), y)
    _check_rows(x, y)
    similarity, outcomes = resolve_kernel(kernel_y, y), _beside(y, z)
    if level == 1 and reg is None and X_z is None and z.shape[1] > 1:
        if kernel_x is not None:
            raise ValueError(
                "`kernel_x` has no part in level 1 of several draws a row, which are compared with their own outcome. "
                "Leave it out, or give `reg` to smooth over X."
            )
        return _number(kernel_score(similarity, outcomes, z, unbiased=unbiased))
    if min(n_rows(outcomes), n_rows(z)) < 2:
        raise ValueError(f"`level`={level} compares rows with one another and needs two or more; got one.")
    k, covariates = resolve_kernel(kernel_x, x), _beside(x, z)
    x_z = None if X_z is None else _beside(others, z)
    if level == 2:
        weights = joint_weights(k, covariates, x_z, unbiased=unbiased)
    else:
        lam = DEFAULT_REG * float(to_host(k.diagonal(covariates)).mean()) if reg is None else float(reg)
        weights = ridge_weights(k, covariates, x_z, lam=lam, level=level)
    return _number(weighted_distance(weights, similarity, outcomes, z, unbiased=unbiased))


def _check_options(level: Any, kernel_x: Any, kernel_y: Any, reg: Any) -> None:
    """What can be said before any data is read."""
    if not is_number(level) or level not in (0, 1, 2):
        raise ValueError(f"`level` must be 0, 1 or 2; got {level!r}.")
    for kernel, argument in ((kernel_x, "kernel_x"), (kernel_y, "kernel_y")):
        check_kernel(kernel, argument)
        if is_precomputed(kernel):
            raise ValueError(f"`{argument}` cannot be 'precomputed': draws are new points. Give a kernel.")
    if reg is None:
        return
    if level == 2:
        raise ValueError("`reg` does not apply to level 2, which has no lambda; leave it out.")
    if not (is_number(reg) and 0 < reg < inf):
        raise ValueError(f"`reg` must be a positive number; got {reg!r}. None takes 0.1 times the mean of k(x, x).")


def _read(data: Any, argument: str, like: Table | None = None) -> Table:
    """Rows in memory or on a device; outcomes are numbers."""
    if kind_of(data).startswith("chunked"):
        raise TypeError(f"`{argument}` is in chunks (dask); pass a batch of its rows, such as .compute() gives.")
    table = read_table(data, argument, like=like)
    if argument == "Y" and table.categorical:
        raise TypeError("`Y` has categories, between which no generator has a gradient; pass numbers (.astype(float)).")
    return table


def _read_draws(Z: Any, rows: int, y: Table) -> Rows:
    """Draws as rows x draws x columns, in their own precision."""
    if kind_of(Z).startswith("chunked"):
        raise TypeError("`Z` is in chunks (dask); pass a batch of its rows, such as .compute() gives.")
    draws = Z if kind_of(Z) == "device" else np.asarray(Z)
    xp, q, shape = namespace(draws), len(y.columns), tuple(draws.shape)
    if len(shape) == 1 or (len(shape) == 2 and q == 1):
        shape = (*shape, 1, 1)[:3]
    elif len(shape) == 2:
        shape = (shape[0], 1, shape[1])
    if len(shape) != 3 or shape[0] != rows or shape[1] == 0 or shape[2] != q:
        wanted = f"({rows},) or ({rows}, R)" if q == 1 else f"({rows}, {q}) or ({rows}, R, {q})"
        raise ValueError(f"`Z` must have shape {wanted} for R draws a row; got {tuple(draws.shape)}.")
    values = read_table(xp.reshape(draws, (-1, q)), "Z").values
    if not on_processor(draws):
        if draws.dtype not in (xp.float32, xp.float64):
            raise TypeError(f"`Z` must be of float32 or float64; got {draws.dtype}. Convert what the generator made.")
        values = xp.astype(values, draws.dtype, copy=False)
    found: Rows = xp.reshape(values, shape)
    return found


def _check_rows(x: Table, y: Table) -> None:
    if n_rows(x.values) != n_rows(y.values):
        raise ValueError(f"`X` has {n_rows(x.values)} rows and `Y` has {n_rows(y.values)}; they must be the same rows.")


def _beside(table: Table, z: Rows) -> Rows:
    """The rows of a table where the draws are, and in their precision."""
    values = move_to(table.values, z) if on_processor(table.values) else table.values
    if place_of(values) != place_of(z):
        raise TypeError(f"`{table.argument}` and `Z` are in different libraries or on different devices; move one.")
    found: Rows = namespace(z).astype(values, z.dtype, copy=False)
    return found


def _number(value: Any) -> Any:
    """A plain number of NumPy's."""
    return float(value) if on_processor(value) or isinstance(value, np.generic) else value
