"""One self-contained HTML file: the verdict, what it rests on, what moved, pictures, and how to repeat it."""

from __future__ import annotations

import base64
import io
import sys
import warnings
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from importlib.metadata import version
from importlib.util import find_spec
from typing import Any

import numpy as np

from condmmd.backend import to_host
from condmmd.data import Table
from condmmd.explain import Where
from condmmd.present.pictures import plot_result, plot_where
from condmmd.present.reading import meaning, next_steps
from condmmd.present.shown import MarginalTest, Shown

__all__ = ["ReportContext", "check_extras", "contradictions", "render"]

THEMES = {"light": "default", "dark": "dark_background"}
CAPTIONS = {
    "null": "The statistic of the test (line) among its values when the groups are drawn anew as if nothing differed.",
    "levels": "Each way of looking by itself, and all together (line).",
    "where": "The difference along the covariate where it stands out most, the other covariates as they are; dotted: "
    "over all rows.",
    "map": "Where in covariate and outcome one group has more rows than the other.",
    "curves": "The outcome given the covariate, for each group.",
    "overlap": "Where only one of the two groups is, nothing can be said about the difference.",
}
MAX_COLUMNS = 100
MAX_PROFILES = 6


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


def render(result: Shown, context: ReportContext) -> str:
    """The page as text."""
    check_extras()
    from jinja2 import Environment, PackageLoader, StrictUndefined  # noqa: PLC0415 - an extra

    environment = Environment(
        loader=PackageLoader("condmmd.present", "templates"), autoescape=True, undefined=StrictUndefined,
        trim_blocks=True, lstrip_blocks=True,
    )  # fmt: skip
    where = result.where() if context.with_where and result.evidence.samples.gram_x is None else None
    checks = result.diagnostics()
    return environment.get_template("report.html").render(
        result=result,
        context=replace(
            context, notes=tuple(dict.fromkeys((*context.notes, *contradictions(result, context.marginal))))
        ),
        effect=result.effect() if result.has_outcomes else None,
        where=where,
        checks=checks,
        meaning=meaning(result, context.marginal),
        steps=next_steps(result, where, checks),
        pictures=_pictures(result, where),
        columns=_columns(result),
        hidden=max(0, sum(len(t.columns) for t in _tables(result)) - MAX_COLUMNS),
        version=version("condmmd"),
        python=".".join(map(str, sys.version_info[:3])),
        numpy=np.__version__,
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


def _pictures(result: Shown, where: Where | None) -> list[dict[str, str]]:
    """Every picture that this result can have, in both themes."""
    found = []
    for kind in ("where", "map", "curves", "null", "levels", "overlap"):
        if (kind == "where" and where is None) or (kind == "map" and (where is None or not where.anything)):
            continue  # colours for what is chance alone would be read as findings
        try:
            images = {theme: _image(result, kind, style) for theme, style in THEMES.items()}
        except ValueError:  # this result has no such picture: several outcomes, a categorical covariate
            continue
        found.append({"kind": kind, "caption": CAPTIONS[kind], **images})
    if where is not None and len(where.profiles) > 1:
        images = {theme: _profiles_image(where, style) for theme, style in THEMES.items()}
        position = 1 + sum(picture["kind"] == "map" for picture in found)
        found.insert(position, {"kind": "profiles", "caption": "The same along the other covariates.", **images})
    return found


def _image(result: Shown, kind: str, style: str) -> str:
    import matplotlib.pyplot as plt  # noqa: PLC0415

    with plt.style.context(style):
        fig, ax = plt.subplots(figsize=(5.6, 3.6), layout="constrained")
        try:
            plot_result(result, kind, ax)
            return _encode(fig)
        finally:
            plt.close(fig)


def _profiles_image(where: Where, style: str) -> str:
    import matplotlib.pyplot as plt  # noqa: PLC0415

    shown = where.profiles[1 : 1 + MAX_PROFILES]
    rows = -(-len(shown) // 2)
    with plt.style.context(style):
        fig, axes = plt.subplots(rows, 2, figsize=(11.2, 3 * rows), layout="constrained", squeeze=False)
        try:
            for ax, profile in zip(axes.ravel(), shown, strict=False):
                plot_where(where, ax, profile.covariate)
                ax.set_title("")
                ax.get_legend().remove()
            for ax in axes.ravel()[len(shown) :]:
                ax.remove()
            return _encode(fig)
        finally:
            plt.close(fig)


def _encode(fig: Any) -> str:
    buffer = io.BytesIO()
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="Glyph .* missing")
        fig.savefig(buffer, format="png", dpi=120)
    return base64.b64encode(buffer.getvalue()).decode()


def _columns(result: Shown) -> list[dict[str, str]]:
    """A line about each column: what it is and how it is distributed in the two groups."""
    t = result.evidence.t
    lines = []
    for role, table in zip(("covariate", "outcome"), _tables(result), strict=True):
        gram = result.evidence.samples.gram_x if role == "covariate" else result.evidence.samples.gram_y
        for j, column in enumerate(table.columns if gram is None else ()):
            groups = [to_host(table.values)[t == group, j] for group in (1, 0)]
            if column.categories is None:
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
