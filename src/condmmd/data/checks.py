"""Checks of arguments, and small values that arguments may be. They come before any data is read."""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil
from numbers import Real
from typing import Any

__all__ = [
    "PerGroup", "check_choice", "check_count", "check_embedding", "check_mixture", "check_resamples",
    "check_significance", "is_number",
]  # fmt: skip


@dataclass(frozen=True, eq=False)
class PerGroup:
    """Something for P and the same for Q, such as two lambdas.

    Examples
    --------
    >>> from condmmd import PerGroup
    >>> PerGroup(0.1, 0.2).pair
    (0.1, 0.2)
    """

    p: Any
    q: Any

    @property
    def pair(self) -> tuple[Any, Any]:
        """P, then Q."""
        return self.p, self.q


def check_choice(value: Any, argument: str, choices: tuple[str, ...]) -> None:
    """One of some words."""
    if value not in choices:
        raise ValueError(f"`{argument}` must be one of {list(choices)}; got {value!r}.")


def check_count(value: Any, argument: str) -> int:
    """A positive integer."""
    if not (is_number(value) and value >= 1 and value % 1 == 0):
        raise ValueError(f"`{argument}` must be a positive integer; got {value!r}.")
    return int(value)


def check_mixture(mixture: Any) -> None:
    """A weight, or None."""
    if mixture is not None and not (is_number(mixture) and 0 <= mixture <= 1):
        raise ValueError(f"`mixture` must be between 0 and 1, or None for the pooled sample; got {mixture!r}.")


def check_embedding(tol: Any, max_rank: Any, solver: Any) -> None:
    """How accurate the features are, and how they are solved for."""
    check_choice(solver, "solver", ("auto", "primal", "dual"))
    if tol is not None and not (is_number(tol) and 0 <= tol < 1):
        raise ValueError(f"`tol` must be at least 0 and below 1; got {tol!r}.")
    if max_rank is not None:
        check_count(max_rank, "max_rank")
        if solver == "dual":
            raise ValueError("`max_rank` does not apply to solver='dual', which takes the full Gram matrix.")


def is_number(value: Any) -> bool:
    """A real number that is not a boolean."""
    return isinstance(value, Real) and not isinstance(value, bool)


def check_significance(significance: Any) -> float:
    """A level of significance."""
    if not (is_number(significance) and 0 < significance < 1):
        raise ValueError(f"`significance` must be between 0 and 1; got {significance!r}.")
    return float(significance)


def check_resamples(
    n_resamples: int, significance: float, names: tuple[str, str] = ("`n_resamples`", "significance")
) -> None:
    """So many null draws must allow a p-value as small as the significance asked for."""
    if 1 / (1 + n_resamples) > significance * (1 + 1e-9):
        needed = ceil(1 / significance * (1 - 1e-9)) - 1
        raise ValueError(
            f"{names[0]} of {n_resamples} gives no p-value below {1 / (1 + n_resamples):.3g}, so nothing can be "
            f"significant at a {names[1]} of {significance:g}. Use at least {needed}; 999 is a good number."
        )
