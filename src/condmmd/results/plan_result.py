"""The answer to how many rows a test needs: rows of each group, and the power of tables of other sizes."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

from condmmd.data.frames import frame_of
from condmmd.data.on_screen import on_screen
from condmmd.effects.planning import Needed, PowerPoint
from condmmd.present import plot_power

__all__ = ["PlanResult"]

# Beyond so many times the rows of the pilot the answer is a guess.
FAR = 10


@dataclass(frozen=True)
class PlanResult:
    """How many rows of each group show an effect? Made by `plan`.

    Attributes
    ----------
    rows
        Of P and of Q; None: more than a hundred times the pilot.
    effect, kind, words
        The size of the effect in its units, its kind, and both in words.
    deviations
        The size in residual standard deviations; None for a ratio.
    power, significance
        How often the test is to reject, and at which significance.
    curve
        The power of tables of several sizes, each with its 95 % interval.
    pilot, labels
        Rows of P and of Q in the pilot, and what the groups are called.
    draws
        Label vectors behind each power.
    assumption
        What the test will rest on.
    """

    rows: tuple[int, int] | None
    effect: float
    kind: str
    words: str
    deviations: float | None
    power: float
    significance: float
    curve: tuple[PowerPoint, ...]
    pilot: tuple[int, int]
    labels: tuple[str, str]
    draws: int
    assumption: str

    @classmethod
    def of(cls, needed: Needed, **test: Any) -> PlanResult:
        """From what the pilot said, and from what the test is to be."""
        return cls(**vars(needed), **test)

    def sentence(self) -> str:
        """The answer."""
        p, q = self.labels
        wanted = f"to see {self.words} in {p}, with a power of {self.power:.0%} at {self.significance:g}"
        if self.rows is None:
            return f"Not even a hundred times the rows of the pilot are enough {wanted}."
        return f"{self.rows[0]} rows of {p} and {self.rows[1]} of {q} are needed {wanted}."

    def summary(self) -> str:
        """Return a screenful that a person can read."""
        lines = [self.sentence()]
        if self.deviations is not None:
            lines.append(f"  effect      {self.deviations:.2f} residual standard deviations")
        lines += [
            f"  pilot       {self.pilot[0]} + {self.pilot[1]} rows; {self.draws} draws of labels on them",
            f"  rests on    {self.assumption}",
            "  rows            power   95 % interval",
        ]
        lines += [
            f"  {point.rows[0]:>6} + {point.rows[1]:<6} {point.power:>6.0%}   {point.low:.0%} to {point.high:.0%}"
            for point in self.curve
        ]
        if self.rows is not None and sum(self.rows) > FAR * sum(self.pilot):
            lines.append("  so far beyond the pilot this is a guess: models of more rows may need fewer of them")
        return "\n".join(lines)

    def plot(self, ax: Any = None) -> Any:
        """Draw the power by the number of rows and return the axes; needs matplotlib."""
        rows = [sum(point.rows) for point in self.curve]
        needed = None if self.rows is None else sum(self.rows)
        powers = [(point.low, point.power, point.high) for point in self.curve]
        return plot_power(rows, powers, self.power, needed, self.words, ax)

    def to_frame(self) -> Any:
        """A line for each size of table, with its power, as a pandas data frame; needs pandas."""
        lines = [
            {"rows_p": point.rows[0], "rows_q": point.rows[1], "power": point.power, "low": point.low,
             "high": point.high}
            for point in self.curve
        ]  # fmt: skip
        return frame_of(lines, "to_dict()['curve']")

    def to_dict(self) -> dict[str, Any]:
        """All of it, in types that JSON has."""
        plain = asdict(self)
        sides = {"pilot": self.pilot, "labels": self.labels, "rows": self.rows}
        plain |= {name: None if pair is None else dict(zip("PQ", pair, strict=True)) for name, pair in sides.items()}
        plain["curve"] = [
            {"rows": dict(zip("PQ", point.rows, strict=True)), "power": point.power, "low": point.low,
             "high": point.high}
            for point in self.curve
        ]  # fmt: skip
        return plain

    def __repr__(self) -> str:
        return on_screen(f"PlanResult({self.sentence()[:-1]}); .summary() says more")
