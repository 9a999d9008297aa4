"""What can be said of two samples before a test: overlap, copies of rows, rows for the covariates, derived outcomes."""

from __future__ import annotations

import warnings
from dataclasses import dataclass

from condmmd.backend import sample_rows, to_host
from condmmd.data import Samples, select_rows
from condmmd.data.warning_types import CondmmdWarning
from condmmd.explain.derived import Derived, derived_outcomes
from condmmd.explain.diagnostics import Finding
from condmmd.explain.row_checks import duplicate_rows, enough_rows, overlap_of_groups
from condmmd.labels import LabelPlan, LabelRules
from condmmd.nuisance import propensity_model
from condmmd.nuisance.overlap import separating
from condmmd.nuisance.pooled import regress_pooled
from condmmd.statistics import Family

__all__ = ["Preflight", "preflight"]

# Rows that are looked at.
MAX_ROWS = 5_000


@dataclass(frozen=True, eq=False)
class Preflight:
    """What speaks for and against a test of these samples, without making it.

    Attributes
    ----------
    rows
        That were looked at.
    effective_rows
        Rows' worth of random labels, of those; None if the propensity cannot be estimated.
    separating
        Covariates that tell the samples apart best, with the share of rows that each alone sorts into its sample.
    findings
        Overlap, rows for each column, copies.
    derived
        Outcomes that were computed from covariates.
    """

    rows: int
    effective_rows: float | None
    separating: tuple[tuple[str, float], ...]
    findings: tuple[Finding, ...]
    derived: tuple[Derived, ...]


def preflight(samples: Samples) -> Preflight:
    """Look at samples in memory, or at some of their rows where these are many. The propensity is that of a test."""
    count = len(to_host(samples.groups.t))
    if count > MAX_ROWS:
        keep = to_host(samples.groups.t) < 0
        keep[sample_rows(count, MAX_ROWS)] = True
        samples = select_rows(samples, keep, argument="rows")
    apart = tuple((samples.x.names[j], share) for j, share in separating(samples.x, to_host(samples.groups.t)))
    derived = derived_outcomes(samples.x, samples.y)
    rows = samples.groups.n + samples.groups.m
    try:
        labels = _labels(samples)
    except ValueError as error:
        finding = Finding("overlap", "warning", str(error))
        return Preflight(rows, None, apart, (finding,), derived)
    findings = (overlap_of_groups(labels), enough_rows(labels), duplicate_rows(labels))
    return Preflight(rows, labels.propensity.effective_size, apart, findings, derived)


def _labels(samples: Samples) -> LabelPlan:
    """Who could have had which label, as a test of these rows would have it."""
    rules = LabelRules(propensity_model("estimate"))
    strata = rules.strata(samples)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", CondmmdWarning)  # of overlap, which the findings tell
        pooled = regress_pooled(Family().embed_outcomes(samples).phi, samples) if strata is None else None
        return rules.make(samples, pooled, strata)
