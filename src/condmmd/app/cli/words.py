"""Remedies of the library in the words of the command line: ``trim=0.05`` is ``--trim 0.05`` here."""

from __future__ import annotations

import re
from typing import Any

__all__ = ["in_options", "said_in_options"]

# Arguments of the library and the options that set them.
OPTIONS = {
    "X": "--covariates", "Y": "--outcome", "group": "--group", "blocks": "--blocks", "trim": "--trim",
    "rng": "--seed", "n_resamples": "--resamples", "significance": "--significance", "propensity": "--propensity",
    "n_jobs": "--jobs", "level": "--level", "effect": "--effect", "kind": "--kind", "outcome": "--effect-on",
    "Y1": "--first", "Y2": "--second", "predictions": "--predictions", "given": "--given", "classes": "--classes",
    "along": "--along", "in_deviations": "--deviations", "power": "--power", "share": "--share",
    "population": "--population",
}  # fmt: skip
# Whole phrases: values that are called otherwise here, and what can be done in Python alone.
PHRASES = {
    "in cmmd_test, propensity='estimate'": "--propensity estimate",
    "propensity='estimate'": "--propensity estimate",
    "propensity=None": "--propensity equal",
    "population='overlap'": "--population overlap",
    "`propensity` must be 'estimate' or None": "--propensity must be estimate or equal",
    "between 0 and 0.5, or None": "between 0 and 0.5",
    "pass the number of the original row as `blocks`": "name the column of the original row's number with --blocks",
    "pass models that learn it as `residualize` and `propensity`":
        "pass models that learn it to cmmd_test in Python, as `residualize` and `propensity`",
    "A better model can be passed as `residualize`":
        "A better model can be passed to cmmd_test in Python, as `residualize`",
    "A better model can be passed as `propensity`":
        "A better model can be passed to cmmd_test in Python, as `propensity`",
    "A longer lengthscale, fewer columns or a larger `max_rank` leaves out less; giving `max_rank` accepts the "
    "approximation.": "Fewer columns leave out less.",
    "or pass arrays in memory": "or take some of the rows of the file",
    "result.diagnostics() makes them": "--report FILE makes them",
    "result.effect() estimates it": "--report FILE estimates it",
    "result.check()": "--check",
}  # fmt: skip
# Lines may have been broken between the words of a phrase.
PHRASE = "|".join(r"\s+".join(map(re.escape, phrase.split())) for phrase in PHRASES)
NAMES = "|".join(OPTIONS)
PATTERN = re.compile(
    rf"(?P<phrase>{PHRASE})|`(?P<name>{NAMES})`|"
    rf"(?<![\w`.-])(?P<set>{NAMES})=(?P<value>\d+(?:\.\d+)?)(?=[\s,;:)]|\.\s|\.?$)"
)


def in_options(text: str) -> str:
    """A message of the library with options in the place of arguments."""
    return PATTERN.sub(_translate, text)


def _translate(found: re.Match[str]) -> str:
    if found["phrase"] is not None:
        return PHRASES[" ".join(found["phrase"].split())]
    return OPTIONS[found["name"]] if found["name"] is not None else f"{OPTIONS[found['set']]} {found['value']}"


def said_in_options(plain: dict[str, Any]) -> dict[str, Any]:
    """What a result says of itself, as JSON has it, with options where it advises something."""
    checks = plain["diagnostics"]
    findings = [] if checks is None else checks["findings"]
    told = [finding | {key: in_options(finding[key]) for key in ("message", "remedy")} for finding in findings]
    return plain | {
        "assumption": in_options(plain["assumption"]),
        "diagnostics": None if checks is None else checks | {"findings": told},
    }
