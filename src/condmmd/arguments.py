"""Checks of arguments that the measure and the test share. They come before any data is read."""

from __future__ import annotations

from numbers import Real
from typing import Any

__all__ = ["check_choice", "check_count", "check_embedding", "check_mixture", "is_number"]


def check_choice(value: Any, argument: str, choices: tuple[str, ...]) -> None:
    """One of some words."""
    if value not in choices:
        raise ValueError(f"`{argument}` must be one of {list(choices)}; got {value!r}.")


def check_count(value: Any, argument: str) -> int:
    """A positive integer."""
    if not (is_number(value) and value >= 1 and float(value).is_integer()):
        raise ValueError(f"`{argument}` must be a positive integer; got {value!r}.")
    return int(value)


def check_mixture(mixture: Any) -> None:
    """A weight, or None."""
    if mixture is not None and not (is_number(mixture) and 0 <= mixture <= 1):
        raise ValueError(f"`mixture` must be between 0 and 1, or None for the pooled sample; got {mixture!r}.")


def check_embedding(tol: Any, max_rank: Any, solver: Any) -> None:
    """How accurate the features are, and how they are solved for."""
    check_choice(solver, "solver", ("auto", "primal", "dual"))
    if not (is_number(tol) and 0 <= tol < 1):
        raise ValueError(f"`tol` must be at least 0 and below 1; got {tol!r}.")
    if max_rank is not None:
        check_count(max_rank, "max_rank")
        if solver == "dual":
            raise ValueError("`max_rank` does not apply to solver='dual', which takes the full Gram matrix.")


def is_number(value: Any) -> bool:
    """A real number that is not a boolean."""
    return isinstance(value, Real) and not isinstance(value, bool)
