"""What a result says to a person, on a screen or in a notebook."""

from __future__ import annotations

import re
from collections.abc import Sequence
from html import escape
from textwrap import wrap

from condmmd.effects import Effects
from condmmd.explain import Diagnostics
from condmmd.inference import LevelResult
from condmmd.present import Shown, ShownTest

__all__ = [
    "column_lines", "effect_lines", "html_of", "kernel_lines", "question_of", "shortened", "summary_of", "verdict_of",
]  # fmt: skip

# Levels, and columns of several kinds, that are shown.
MAX_LEVELS = 10
MAX_KINDS = 6
# A column that is a level is no wider.
SHORT = 8
# Characters in a line of a finding.
WIDTH = 110


def shortened(text: str, width: int = 88) -> str:
    """Numbers in as many digits as a person reads, and one line."""
    rounded = re.sub(r"\d+\.\d{3,}(?:e[-+]?\d+)?", lambda found: f"{float(found.group()):.4g}", text)
    return rounded if len(rounded) <= width else f"{rounded[: width - 4]} ..."


def question_of(result: Shown, *, with_rows: bool = False) -> str:
    """What was asked, in the user's names; ``with_rows`` says how many there were of each group."""
    x, y = result.spaces
    p, q = (
        f"{label} ({count} rows)" if with_rows else label
        for label, count in zip(result.labels, result.n_obs, strict=True)
    )
    if result.population is None:
        return f"Is {y} given {x} the same in {p} and {q}?"
    return f"Adjusted for {x}, is {y} distributed alike in {p} and {q}, over {_whom(result)}?"


def verdict_of(result: Shown) -> str:
    """The answer in a sentence."""
    (x, y), (p, q) = result.spaces, result.labels
    among = f" among the {sum(result.n_obs)} rows left by trim" if result.trimmed else ""
    what = f"{y} given {x}" if result.population is None else f"{y} over {_whom(result)}, adjusted for {x},"
    start = "The" if result.pvalue <= result.significance else "No evidence that the"
    return f"{start} distribution of {what} differs between {p} and {q}{among} (p = {result.pvalue:.3g})."


def _whom(result: Shown) -> str:
    """The population of an interventional test."""
    p, q = result.labels
    words = {
        "overlap": "rows that could be of either", "all": "all rows", "p": f"rows like those of {p}",
        "q": f"rows like those of {q}",
    }  # fmt: skip
    return words[result.population or "overlap"]


def summary_of(result: Shown, checks: Diagnostics | None, effect: Effects | None, sensitivity: str) -> str:
    """A screenful: how large the difference is first; of the checks what speaks against the result."""
    n, m = result.n_obs
    overlap = result.propensity_summary
    differs = "" if result.pvalue <= result.significance else "no "
    drawn = f", {result.n_resamples} draws" if result.n_resamples else ""
    lines = [
        question_of(result, with_rows=True),
        *effect_lines(effect, "result.effect() estimates it" if result.has_outcomes else ""),
        f"  p-value     {result.pvalue:.4g}  ({differs}evidence that it differs, at {result.significance:g})",
    ]
    if result.trimmed:
        lines.append(f"  left out    {result.trimmed} rows where one group is rare (trim)")
    if sensitivity:
        lines.append(f"  odds        {sensitivity}")
    lines += _check_lines(checks)
    lines += _column_lines(result)
    lines += [
        "How it was tested",
        f"  rests on    {result.assumption}",
        f"  null        {result.scheme}{drawn}",
        f"  propensity  {overlap['model']}",
        f"              {overlap['min']:.3g} to {overlap['max']:.3g}",
        f"              {overlap['effective_size']:.0f} of {n + m} rows count",
        f"  statistic   {result.estimator}, lambda {result.reg}",
    ]
    if result.residualization:
        model, explained = shortened(result.residualization["model"]), result.residualization["explained"]
        lines.append(f"  outcomes    residuals of {model}; explains {explained:.0%}")
    return "\n".join([*lines, *kernel_lines(result)])


def kernel_lines(result: ShownTest) -> list[str]:
    """The kernels, with the rank and the residual of what stands for them, and the seed."""
    lines = []
    for name in "xy":
        own = result.embeddings[name]
        rank = f"; rank {own['rank']}, residual {own['residual']:.2g}" if "rank" in own else ""
        lines.append(f"  kernel of {name.upper()} {shortened(own['kernel'])}{rank}")
    return [*lines, f"  repeat with rng={result.rng_state}"]


def column_lines(rows: Sequence[LevelResult], names: Sequence[str], least: int = 0) -> list[str]:
    """A table of some columns, each by itself; of short names they are levels."""
    width = max(least, *(len(name) for name in names))
    lines = [f"  {'looked at' if width > least else 'level':<{width}}  {'statistic':<10}  p-value alone"]
    return lines + [
        f"  {name:<{width}}  {row.statistic:<10.4g}  {row.pvalue:.4g}" for row, name in zip(rows, names, strict=True)
    ]


def effect_lines(effect: Effects | None, unknown: str = "") -> list[str]:
    """How large the difference is, or what there is to say if it is not known."""
    if effect is None:
        return [f"  effect      {unknown}"] if unknown else []
    return [f"  effect      {effect.estimand}", *(f"              {line}" for line in effect.statements())]


def _column_lines(result: Shown) -> list[str]:
    """Each way of looking, by itself."""
    shown = _shown_columns(result)
    lines = column_lines(shown, [_words(row) for row in shown], SHORT)
    if len(result.by_level) > len(shown):
        lines.append(f"  ... and {len(result.by_level) - len(shown)} more")
    return lines


def _check_lines(checks: Diagnostics | None) -> list[str]:
    if checks is None:
        return ["  checks      result.diagnostics() makes them"]
    lines = [] if checks.told else ["  checks      nothing was found that speaks against it"]
    for finding in checks.told:
        lines += wrap(finding.words, WIDTH, initial_indent=f"  {finding.severity:<11} ", subsequent_indent=" " * 14)
    return lines


def _words(row: LevelResult) -> str:
    """A level by its number, any other column by what it is."""
    return f"{row.level:g}" if row.name in {"", f"level {row.level:g}"} else row.name


def _shown_columns(result: Shown) -> tuple[LevelResult, ...]:
    """Levels in their order; of columns of several kinds those that speak most against the null first."""
    levels = all(_words(row) == f"{row.level:g}" for row in result.by_level)
    rows = result.by_level if levels else sorted(result.by_level, key=lambda row: row.pvalue)
    return tuple(rows[: MAX_LEVELS if levels else MAX_KINDS])


def html_of(result: Shown, checks: Diagnostics | None = None, effect: Effects | None = None) -> str:
    """What a notebook shows."""
    size = "" if effect is None else effect._repr_html_()
    warnings = () if checks is None else checks.of("warning")
    rows = "".join(
        f"<tr><td>{escape(_words(row))}</td><td>{row.statistic:.4g}</td><td>{row.pvalue:.4g}</td></tr>"
        for row in _shown_columns(result)
    )
    return (
        f"<p><strong>{escape(result.sentence())}</strong></p>{size}"
        f"<p>{result.n_obs[0]} + {result.n_obs[1]} rows; {escape(result.scheme)}, {result.n_resamples} null label "
        f"vectors. Rests on: {escape(result.assumption)}.</p>"
        + "".join(f"<p><strong>Warning:</strong> {escape(finding.words)}</p>" for finding in warnings)
        + "<table><thead><tr><th>column</th><th>statistic</th><th>p-value alone</th></tr></thead>"
        f"<tbody>{rows}</tbody></table>"
    )
