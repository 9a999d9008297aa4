"""The published curves, and what counts as agreement with them."""

import json
from dataclasses import dataclass
from math import sqrt
from pathlib import Path

ROOT = Path(__file__).parent.parent
_PLACES = (ROOT.parent / "shared" / "gold" / "figures.json", ROOT / "tests" / "data" / "figures.json")
PUBLISHED_TRIALS = 200  # of the rule for rejection rates; the figures have 200 or 250


def figures():
    """Every figure of the paper as numbers, by file name."""
    return json.loads(next(path for path in _PLACES if path.exists()).read_text())


@dataclass(frozen=True)
class Target:
    """A published number, and the largest difference that still counts as agreement with it."""

    value: float
    kind: str  # "rate", "mean" or "exact"
    error: float = 0.0  # of a mean: its standard error; of an exact value: the tolerance
    trials: int = PUBLISHED_TRIALS  # behind a rate, there and here

    def bound(self, standard_error=0.0):
        if self.kind == "rate":
            return 3 * sqrt(2 * self.value * (1 - self.value) / self.trials) + 0.01
        if self.kind == "mean":
            return 3 * sqrt(self.error**2 + standard_error**2)
        return self.error


def rates(figure):
    """The rejection rates of a figure: {curve: {x: Target}}."""
    curves = figures()[figure]["curves"]
    return {
        name: {x: Target(y, "rate") for x, y in zip(curve["x"], curve["y"], strict=True)}
        for name, curve in curves.items()
        if not name.startswith("_")
    }
