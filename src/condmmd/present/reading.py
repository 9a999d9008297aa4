"""What a result means, and what to do next, for a reader who knows neither tests nor kernels."""

from __future__ import annotations

from collections.abc import Mapping

from condmmd.effects import Effects
from condmmd.explain import Diagnostics, Where
from condmmd.present.shown import MarginalTest, Shown

__all__ = ["MOST_WORDS", "answer", "kinds", "meaning", "next_steps"]

# Words in an answer, at most, and in a line of it where the names in it are whole sentences.
MOST_WORDS, MOST_IN_LINE = 120, 40
# Ways of looking at an outcome, by how their names begin.
KINDS = {"mean": "the mean of", "spread": "the spread of", "whole distribution": "the distribution of"}
# By whether the relationship differs, the covariates do, and the outcomes do: what to say beside the answer.
PATTERNS = {
    (True, True): "The covariates are distributed differently too; that is adjusted for, and is not the reason.",
    (True, False): "The covariates themselves are distributed alike, as far as can be seen.",
    (False, True, True): "The outcomes differ overall, and the covariates, which differ as well, can account for that.",
    (False, False, True): "The outcomes differ overall, so this table may be too small to see it given the covariates.",
    (False, True, False): "The covariates are distributed differently, which changes nothing in the relationship.",
    (False, False, False): "Neither do the covariates or the outcomes differ by themselves.",
}


def answer(result: Shown, effect: Effects | None, outlook: str) -> list[str]:
    """The verdict, the effect with its interval, the rows behind it, and what it leaves open: 120 words at most."""
    (n, m), (p, q) = result.n_obs, result.labels
    lines = [result.sentence()]
    if effect is not None:
        told = effect.sentence()
        lines.append(f"{told[:1].upper()}{told[1:]}.")
    out = f"; {result.trimmed} were left out, where one group is rare" if result.trimmed else ""
    lines.append(f"It rests on {n} rows of {p} and {m} of {q}{out}.")
    if outlook and _words([*lines, outlook]) <= MOST_WORDS:
        lines.append(outlook)
    if _words(lines) <= MOST_WORDS:
        return lines
    return [_shortened(line) for line in lines[:3]]


def _words(lines: list[str]) -> int:
    return sum(len(line.split()) for line in lines)


def _shortened(line: str) -> str:
    words = line.split()
    return line if len(words) <= MOST_IN_LINE else " ".join([*words[: MOST_IN_LINE - 1], "…"])


def kinds(result: Shown) -> str:
    """What differs: the smallest p-value of the ways of looking at mean, spread and distribution; empty if unknown."""
    found = []
    for kind, start in KINDS.items():
        values = [row.pvalue for row in result.by_level if row.name.startswith(start)]
        if values:
            found.append((min(values), kind))
    if len(found) < 2 or result.pvalue > result.significance:
        return ""
    told = ", ".join(f"{kind} p = {value:.3g}" for value, kind in sorted(found))
    return f"What differs, each by itself and not corrected for there being several: {told}."


def meaning(result: Shown, marginal: Mapping[str, MarginalTest]) -> str:
    """The pattern of what moved (covariates, outcomes, outcomes given covariates) in one or two sentences."""
    p, q = result.labels
    differs = bool(result.pvalue <= result.significance)
    moved = tuple(bool(test.pvalue <= result.significance) for test in marginal.values())
    if result.population is not None:
        return _of_population(result, differs=differs)
    if differs:
        first = f"Rows of {p} and of {q} with the same covariates have different outcomes."
    else:
        first = f"Between rows of {p} and of {q} with the same covariates no difference of the outcomes was seen."
    return f"{first} {PATTERNS.get((differs, *moved[: 1 if differs else 2]), '')}".strip()


def _of_population(result: Shown, *, differs: bool) -> str:
    """What is asked of everybody together, and what that leaves open."""
    p, q = result.labels
    if differs:
        return f"With the covariates held as they are, outcomes as in {p} and outcomes as in {q} differ over everybody."
    return (
        f"With the covariates held as they are, outcomes as in {p} and outcomes as in {q} were not seen to differ over "
        "everybody together. Parts of them may still differ, in ways that cancel: a test of Y given X looks for that."
    )


def next_steps(result: Shown, where: Where | None, checks: Diagnostics) -> list[str]:
    """What to do, the most urgent first."""
    steps = [finding.remedy for finding in checks.of("warning") if finding.remedy]
    if result.pvalue <= result.significance:
        if where is not None and where.contrasts:
            steps.append(
                f"Look at the parts of {where.contrasts[0].covariate} apart: the difference is not the same there."
            )
        if result.propensity_summary["source"] == "estimated":
            steps.append(
                "Ask whether a covariate is missing that moves both the group and the outcome: it could do this too."
            )
        return steps
    steps.append(
        "Read the interval of the effect: all values in it are still possible. No evidence is not evidence of none."
    )
    steps.append(
        "If a difference below some size would not matter to you, ask for that, in Python: result.closer_than(that "
        "size). If you need to see a smaller one, `condmmd plan` says how many rows it takes."
    )
    return steps
