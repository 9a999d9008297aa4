"""What is said of the size of a difference: estimates with intervals, in the groups' own names, and in words."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from html import escape
from typing import Any, Literal, NamedTuple, TypeAlias

import numpy as np

from condmmd.data.frames import frame_of
from condmmd.data.on_screen import on_screen

__all__ = ["Effect", "Effects", "Kind"]

Kind: TypeAlias = Literal["mean", "share", "rate", "spread", "quantile"]

ESTIMANDS = {
    "overlap": "weighted to where both groups are (overlap weights)",
    "p": "for covariates as in {0}",
    "q": "for covariates as in {1}",
    "all": "for covariates as in all rows",
}
# Of the quantiles a summary shows these, and so many lines in all.
SHOWN_SHARES = (0.1, 0.5, 0.9)
MAX_LINES = 12


@dataclass(frozen=True)
class Effect:
    """One difference of the groups after adjusting for X, P less Q; or a ratio, P over Q.

    Attributes
    ----------
    outcome, kind, name
        Of what it is: "mean", "share" (of a class), "quantile"; or, as ratios, "rate" (of two means, for counts) and
        "spread" (of the mean absolute deviations from what X says); and all of it in words.
    estimate
        The difference in the outcome's units, or the ratio.
    error
        Standard error of the difference, or of the logarithm of the ratio.
    interval
        Covers this number with the confidence asked for.
    simultaneous
        Cover all effects of this kind (means and shares, or quantiles, of all outcomes) at once.
    levels
        What is compared, in P and in Q.
    share
        Of a quantile: which.
    """

    outcome: str
    kind: Kind
    name: str
    estimate: float
    error: float
    interval: tuple[float, float]
    simultaneous: tuple[float, float]
    levels: tuple[float, float]
    share: float | None = None

    @property
    def is_ratio(self) -> bool:
        """Whether the two groups are divided, not subtracted."""
        return self.kind in {"rate", "spread"}

    def to_dict(self) -> dict[str, Any]:
        """All of it, in types that JSON has."""
        plain: dict[str, Any] = {
            "outcome": self.outcome, "kind": self.kind, "name": self.name, "share": self.share,
            "scale": "ratio" if self.is_ratio else "difference", "estimate": self.estimate, "error": self.error,
            "interval": list(self.interval), "simultaneous": list(self.simultaneous),
            "levels": dict(zip("PQ", self.levels, strict=True)),
        }  # fmt: skip
        return plain

    def __repr__(self) -> str:
        (low, high), what = self.interval, "ratio" if self.is_ratio else "difference"
        return on_screen(f"Effect({self.name}: {what} {self.estimate:.4g}, interval {low:.4g} to {high:.4g})")


class Line(NamedTuple):
    """One effect in a table, every number as text."""

    name: str
    difference: str
    interval: str
    simultaneous: str
    p: str
    q: str

    @property
    def short(self) -> tuple[str, str, str, str, str]:
        """Without the simultaneous interval."""
        return self.name, self.difference, self.interval, self.p, self.q


@dataclass(frozen=True, repr=False)
class Effects:
    """How large the difference of Y given X is, made by ``result.effect()``; a sequence of `Effect`.

    Attributes
    ----------
    entries
        One for each mean, share, rate, spread and quantile of each outcome.
    population
        Over whom the difference is averaged: "overlap" (rows count by how well they could be of either group), "p",
        "q" or "all".
    labels
        What the user called P and Q.
    n_obs, rows
        Rows of P and of Q in the test, and how many rows the estimates are from (of rows in chunks, some).
    effective_rows
        Rows of P and of Q of equal weight that would say as much.
    confidence
        Of the intervals.
    joint_pvalue
        For the hypothesis that no mean and no share differs, by the one farthest from 0 in its standard errors.
    df
        Degrees of freedom of the intervals.
    trimmed
        Rows left out by ``trim``, of which nothing is said.
    covariates
        What was adjusted for, in the user's names.

    Examples
    --------
    >>> import numpy as np
    >>> from condmmd import cmmd_test
    >>> rng = np.random.default_rng(0)
    >>> x, group = rng.normal(size=(400, 2)), np.repeat(["new", "old"], 200)
    >>> y = x[:, 0] + rng.normal(size=400) + 0.5 * (group == "old")
    >>> effects = cmmd_test(x, y, group, rng=1).effect()
    >>> mean = effects["mean"]
    >>> mean.interval[0] < 0.5 < mean.interval[1]
    True
    """

    entries: tuple[Effect, ...]
    population: str
    labels: tuple[str, str]
    n_obs: tuple[int, int]
    rows: int
    effective_rows: tuple[float, float]
    confidence: float
    joint_pvalue: float | None
    df: float
    trimmed: int = 0
    covariates: str = "X"

    def __iter__(self) -> Iterator[Effect]:
        return iter(self.entries)

    def __len__(self) -> int:
        return len(self.entries)

    def __getitem__(self, which: int | str) -> Effect:
        """By number, by name in words, or the first of a kind."""
        if isinstance(which, int | np.integer):
            return self.entries[which]
        for effect in self.entries:
            if which in {effect.name, effect.kind}:
                return effect
        raise KeyError(f"no effect '{which}'; there are {[effect.name for effect in self.entries]}.")

    @property
    def outcomes(self) -> tuple[str, ...]:
        """The outcomes, in their order."""
        return tuple(dict.fromkeys(effect.outcome for effect in self.entries))

    @property
    def estimand(self) -> str:
        """What is estimated, in words."""
        p, q = self.labels
        left = f", among the {sum(self.n_obs)} rows left by trim" if self.trimmed else ""
        return f"{p} less {q} given {self.covariates}, {ESTIMANDS[self.population].format(p, q)}{left}"

    def of(self, kind: Kind, outcome: str | None = None) -> tuple[Effect, ...]:
        """The effects of one kind, of all outcomes or of one."""
        return tuple(e for e in self.entries if e.kind == kind and outcome in {None, e.outcome})

    def sentence(self, effect: Effect | None = None) -> str:
        """One effect in words; without, the first."""
        effect = self.entries[0] if effect is None else effect
        p, low, high = self.labels[0], *self._shown(effect, effect.interval)
        size, moved = self._shown(effect, (abs(effect.estimate),))[0], _moved(effect)
        amount = f"{size} times as large" if effect.is_ratio else f"{size} {moved}" if moved else "the same"
        return f"{effect.name}: {amount} in {p} ({100 * self.confidence:g} % interval {low} to {high})"

    def table(self, *, every: bool = True) -> list[Line]:
        """A line for each effect, or for those that fit on a screen."""
        shown = [e for e in self.entries if every or e.share is None or round(e.share, 2) in SHOWN_SHARES]
        if not every and len(shown) > MAX_LINES:
            shown = [e for e in shown if e.kind in {"mean", "share"}][:MAX_LINES]
        return [self._line(effect) for effect in shown]

    def _line(self, effect: Effect) -> Line:
        sign = not effect.is_ratio
        estimate = self._shown(effect, (effect.estimate,), sign=sign)[0]
        ends = [" to ".join(self._shown(effect, pair, sign=sign)) for pair in (effect.interval, effect.simultaneous)]
        levels = self._shown(effect, effect.levels)
        return Line(effect.name, f"x {estimate}" if effect.is_ratio else estimate, *ends, *levels)

    @staticmethod
    def _shown(effect: Effect, values: tuple[float, ...], *, sign: bool = False) -> list[str]:
        """Numbers in as many digits as the interval is worth."""
        if effect.is_ratio:
            return [f"{value:.3g}" for value in values]
        width = effect.interval[1] - effect.interval[0]
        digits = 2 - int(np.floor(np.log10(width))) if width > 0 and np.isfinite(width) else 3
        places = int(np.clip(digits - 1, 0, 12))
        return [f"{round(value, digits):{'+' if sign else ''}.{places}f}" for value in values]

    def statements(self) -> list[str]:
        """A screenful in lines of equal columns."""
        p, q = self.labels
        head = ("", "difference", f"{100 * self.confidence:g} % interval", p, q)
        lines = [head, *(line.short for line in self.table(every=False))]
        widths = [max(map(len, cells)) for cells in zip(*lines, strict=True)]
        return ["  ".join(map(str.ljust, line, widths)).rstrip() for line in lines]

    def summary(self) -> str:
        """Return a screenful that a person can read."""
        n, m = self.n_obs
        lines = [self.estimand, *(f"  {line}" for line in self.statements())]
        hidden = len(self.entries) - len(self.table(every=False))
        if hidden:
            lines.append(f"  ... and {hidden} more: .to_frame() or .to_dict() has them, with simultaneous intervals")
        some = f", estimated from {self.rows} of them" if self.rows < n + m else ""
        a, b = self.effective_rows
        lines.append(f"  {n} + {m} rows{some}; worth {a:.0f} + {b:.0f} of equal weight")
        if self.joint_pvalue is not None and len(self.of("mean")) + len(self.of("share")) > 1:
            lines.append(f"  any mean or share differs: p = {self.joint_pvalue:.3g}")
        return "\n".join(lines)

    def _repr_html_(self) -> str:
        """What a notebook shows."""
        p, q = map(escape, self.labels)
        rows = "".join(
            "<tr>" + "".join(f"<td>{escape(cell)}</td>" for cell in line.short) + "</tr>"
            for line in self.table(every=False)
        )
        return (
            f"<table><caption>{escape(self.estimand)}</caption><thead><tr><th></th><th>difference</th>"
            f"<th>{100 * self.confidence:g} % interval</th><th>{p}</th><th>{q}</th></tr></thead>"
            f"<tbody>{rows}</tbody></table>"
        )

    def to_dict(self) -> dict[str, Any]:
        """All of it, in types that JSON has."""
        return {
            "estimand": self.estimand, "population": self.population, "confidence": self.confidence,
            "labels": dict(zip("PQ", self.labels, strict=True)), "outcomes": list(self.outcomes),
            "n_obs": dict(zip("PQ", self.n_obs, strict=True)), "rows": self.rows,
            "effective_rows": dict(zip("PQ", self.effective_rows, strict=True)), "joint_pvalue": self.joint_pvalue,
            "degrees_of_freedom": self.df, "trimmed": self.trimmed,
            "effects": [effect.to_dict() for effect in self.entries],
        }  # fmt: skip

    def to_frame(self) -> Any:
        """A line for each effect, as a data frame; needs pandas."""
        pairs = {"interval": ("low", "high"), "simultaneous": ("band_low", "band_high"), "levels": self.labels}
        lines = []
        for effect in self.entries:
            plain = effect.to_dict()
            plain["levels"] = effect.levels
            for key, names in pairs.items():
                plain |= dict(zip(names, plain.pop(key), strict=True))
            lines.append(plain)
        return frame_of(lines, "to_dict()['effects']")

    def __repr__(self) -> str:
        return on_screen(f"Effects({self.sentence()}; {len(self.entries)} in all); .summary() says more")


def _moved(effect: Effect) -> str:
    return "higher" if effect.estimate > 0 else "lower" if effect.estimate < 0 else ""
