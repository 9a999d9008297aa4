"""The answer of a command as JSON: which schema it keeps, what is left out of it unless all is asked for."""

from __future__ import annotations

from typing import Any

__all__ = ["answer_as", "compacted"]

# What one number for each null label vector, each feature or each point along a covariate takes.
LONG = ("null_distribution", "eigenvalues", "energies")
LONG_IN_WHERE = ("profiles", "points", "courses")


def answer_as(command: str, answer: dict[str, Any], *, full: bool) -> dict[str, Any]:
    """An answer under the name of its schema, which is in ``app/schemas``.

    Parameters
    ----------
    command
        Whose answer it is.
    answer
        In types that JSON has.
    full
        Whether with the numbers that are many.
    """
    return {"schema": f"condmmd/{command}/1", **(answer if full else compacted(answer))}


def compacted(answer: dict[str, Any]) -> dict[str, Any]:
    """Without the numbers that are many."""
    kept = {key: value for key, value in answer.items() if key not in LONG}
    if kept.get("where") is not None:
        kept["where"] = {key: value for key, value in kept["where"].items() if key not in LONG_IN_WHERE}
    return kept
