"""What a result says against itself: findings in plain words, each with its numbers and what to do about it."""

from __future__ import annotations

import textwrap
from dataclasses import dataclass, field
from typing import Any, Literal, TypeAlias

from condmmd.data.on_screen import on_screen

__all__ = ["Diagnostics", "Finding", "Severity"]

Severity: TypeAlias = Literal["fine", "note", "warning"]
SIGNS: dict[Severity, str] = {"fine": "ok", "note": "note", "warning": "WARNING"}
WIDTH = 110


@dataclass(frozen=True)
class Finding:
    """One check and what came of it.

    Attributes
    ----------
    kind
        Which check.
    severity
        "fine", "note" (worth knowing) or "warning" (the p-value may be wrong, or says little).
    message, remedy
        What was found, and what to do; the remedy is empty where nothing is to be done.
    numbers
        What the message rests on.
    """

    kind: str
    severity: Severity
    message: str
    remedy: str = ""
    numbers: dict[str, Any] = field(default_factory=dict)

    @property
    def words(self) -> str:
        """Message and remedy."""
        return f"{self.message} {self.remedy}".strip()

    def __repr__(self) -> str:
        return on_screen(f"Finding({self.severity}, {self.kind}: {self.words})")


@dataclass(frozen=True)
class Diagnostics:
    """What speaks against a result, made by ``result.diagnostics()``: the checks and what came of each.

    A check that finds nothing is no proof. Structure that is in no cell of up to three covariates is not seen.
    """

    findings: tuple[Finding, ...]

    @property
    def ok(self) -> bool:
        """Whether there is no warning."""
        return not self.of("warning")

    def __repr__(self) -> str:
        told = ", ".join(f"{finding.severity} of {finding.kind}" for finding in self.told) or "nothing to tell"
        return on_screen(f"Diagnostics({len(self.findings)} checks: {told}); .summary() says more")

    def of(self, severity: Severity) -> tuple[Finding, ...]:
        """The findings of one severity."""
        return tuple(finding for finding in self.findings if finding.severity == severity)

    @property
    def told(self) -> tuple[Finding, ...]:
        """Warnings, then notes."""
        return self.of("warning") + self.of("note")

    def summary(self) -> str:
        """Every check, warnings first."""
        lines = ["No check speaks against the result." if not self.told else "What speaks against the result:"]
        for finding in (*self.told, *self.of("fine")):
            text = f"{SIGNS[finding.severity]:<8} {finding.kind}: {finding.words}"
            lines += textwrap.wrap(text, WIDTH, initial_indent="  ", subsequent_indent=" " * 11)
        return "\n".join(lines)

    def to_dict(self) -> dict[str, Any]:
        """All of it, in types that JSON has."""
        keys = ("kind", "severity", "message", "remedy", "numbers")
        return {"ok": self.ok, "findings": [{key: getattr(finding, key) for key in keys} for finding in self.findings]}
