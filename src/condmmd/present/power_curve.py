"""The power of a test by the number of rows, drawn."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from condmmd.present.labelling import label
from condmmd.present.pictures import new_axes

__all__ = ["plot_power"]


def plot_power(
    rows: Sequence[int],
    powers: Sequence[tuple[float, float, float]],
    goal: float,
    needed: int | None,
    words: str,
    ax: Any = None,
) -> Any:
    """Power by rows in all, with its interval, and where it reaches the goal; returns the axes."""
    axes = new_axes(ax)
    low, middle, high = (list(part) for part in zip(*powers, strict=True))
    axes.fill_between(rows, low, high, color="C0", alpha=0.2, linewidth=0, label="95 % interval")
    axes.plot(rows, middle, "o-", color="C0", label="power")
    axes.axhline(goal, color="0.5", linestyle=":", label=f"wanted: {goal:.0%}")
    if needed is not None:
        axes.axvline(needed, color="C3", label=f"{needed} rows")
    axes.set(xlabel="rows in all", ylabel="how often the test rejects", ylim=(0, 1.02), title=label(words, 60))
    axes.legend(fontsize="small")
    return axes
