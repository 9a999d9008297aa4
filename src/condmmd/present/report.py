"""One self-contained HTML file: the verdict, what it rests on, what moved, pictures, and how to repeat it."""

from __future__ import annotations

import sys
from base64 import b64encode
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from hashlib import sha256
from importlib.metadata import version
from importlib.resources import files
from importlib.util import find_spec
from typing import Any

import numpy as np

from condmmd.backend import to_host
from condmmd.data import Table
from condmmd.explain.windows import span
from condmmd.present.figures import course_figures, other_figures
from condmmd.present.reading import answer, kinds, meaning, next_steps
from condmmd.present.shown import MarginalTest, Shown

__all__ = ["ReportContext", "check_extras", "contradictions", "page", "render"]

MAX_COLUMNS = 100


@dataclass(frozen=True)
class ReportContext:
    """What a report tells beside the test itself.

    Attributes
    ----------
    title
        Of the page.
    repeat
        The command or call that repeats it.
    notes
        Lines about the data that a reader must know: what was left out, what speaks against an assumption.
    marginal
        Tests of X and of Y alone, by their names; may be empty.
    with_where
        Whether to ask where it differs.
    alarms
        How often the test cries wolf, in a sentence; empty if that was not asked.
    outlook
        What the p-value leaves open, in a sentence.
    source
        Where the data are from.
    words
        How advice is worded for whoever reads it: the arguments of Python, or the options of a command.
    """

    title: str
    repeat: str
    notes: tuple[str, ...] = ()
    marginal: Mapping[str, MarginalTest] = field(default_factory=dict)
    with_where: bool = True
    alarms: str = ""
    outlook: str = ""
    source: str = ""
    words: Callable[[str], str] = str


def check_extras() -> None:
    """Refuse before any work what would fail after it: the report needs jinja2 and matplotlib."""
    missing = [name for name in ("jinja2", "matplotlib") if find_spec(name) is None]
    if missing:
        raise ImportError(f"the report needs {' and '.join(missing)}: pip install 'condmmd[report]'")


def page(template: str, **values: Any) -> str:
    """A template with the values that it names, and with the versions of what made it."""
    check_extras()
    from jinja2 import Environment, PackageLoader, StrictUndefined  # noqa: PLC0415 - an extra

    environment = Environment(
        loader=PackageLoader("condmmd.present", "templates"), autoescape=True, undefined=StrictUndefined,
        trim_blocks=True, lstrip_blocks=True,
    )  # fmt: skip
    python = ".".join(map(str, sys.version_info[:3]))
    return environment.get_template(template).render(
        **values, version=version("condmmd"), python=python, numpy=np.__version__
    )


def render(result: Shown, context: ReportContext) -> str:
    """The page as text."""
    check_extras()
    where = result.where() if context.with_where and result.evidence.samples.gram_x is None else None
    checks = result.diagnostics()
    effect = result.effect() if result.has_outcomes else None
    script = files("condmmd.present").joinpath("templates/report.js").read_text(encoding="utf-8")
    return page(
        "report.html",
        result=result,
        script=script,
        script_hash=b64encode(sha256(script.encode()).digest()).decode(),
        answer=answer(result, effect, context.outlook),
        kinds=kinds(result),
        context=replace(
            context, notes=tuple(dict.fromkeys((*context.notes, *contradictions(result, context.marginal))))
        ),
        effect=effect,
        where=where,
        checks=checks,
        meaning=meaning(result, context.marginal),
        steps=next_steps(result, where, checks),
        courses=[] if where is None else course_figures(where),
        figures=list(other_figures(result, where)),
        columns=_columns(result),
        hidden=max(0, sum(len(t.columns) for t in _tables(result)) - MAX_COLUMNS),
    )


def contradictions(result: Shown, marginal: Mapping[str, MarginalTest]) -> tuple[str, ...]:
    """What the data say against the assumption of the test."""
    x = next(iter(marginal.values()), None)
    if x is None or result.propensity_summary["source"] != "equal marginals" or x.pvalue > result.significance:
        return ()
    note = (
        f"The test assumes that X has the same distribution in both samples, but X differs (p = {x.pvalue:.3g}): do "
        "not rely on it; let the propensity be estimated."
    )
    return (note,)


def _tables(result: Shown) -> tuple[Table, Table]:
    return result.evidence.samples.x, result.evidence.samples.y


def _columns(result: Shown) -> list[dict[str, str]]:
    """A line about each column: what it is and how it is distributed in the two groups."""
    t = result.evidence.t
    lines = []
    for role, table in zip(("covariate", "outcome"), _tables(result), strict=True):
        gram = result.evidence.samples.gram_x if role == "covariate" else result.evidence.samples.gram_y
        for j, column in enumerate(table.columns if gram is None else ()):
            groups = [to_host(table.values)[t == group, j] for group in (1, 0)]
            if column.dates:
                kind, shown = "date", [span(g.min(), g.max(), dates=True).removeprefix("from ") for g in groups]
            elif column.categories is None:
                kind, shown = "number", [f"{g.mean():.4g} ± {g.std():.3g}" for g in groups]
            else:
                kind = f"category ({len(column.categories)} values)"
                shown = [_top(g, column.categories) for g in groups]
            lines.append({"name": column.name or "(no name)", "role": role, "kind": kind, "p": shown[0], "q": shown[1]})
    return lines[:MAX_COLUMNS]


def _top(codes: Any, categories: tuple[str, ...]) -> str:
    """The three most frequent categories."""
    shares = np.bincount(codes.astype(int), minlength=len(categories)) / len(codes)
    return ", ".join(f"{categories[k]} {shares[k]:.0%}" for k in np.argsort(-shares)[:3] if shares[k] > 0)
