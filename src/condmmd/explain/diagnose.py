"""Every check of a test, from the little of it that they need, so that they can be made without repeating it."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from condmmd.backend import Array, pick_rows, sample_rows, to_host
from condmmd.data import Samples
from condmmd.explain.diagnostics import Diagnostics, Finding
from condmmd.explain.evidence import Evidence
from condmmd.explain.row_checks import duplicate_rows, enough_rows, fixed_outcome, overlap_of_groups
from condmmd.explain.shared_structure import Left, Predicted, partitions
from condmmd.labels import LabelPlan

__all__ = ["Leftovers", "diagnose"]

# Of larger tests the little is not kept, and is found again when it is asked for.
KEPT_ROWS = 20_000
# Leading directions of the residuals, and rows, that are looked at.
DIRECTIONS = 3
MAX_ROWS = 3_000
# Chosen by `benchmarks/diagnostics.py`: a p-value from which both models are suspected of missing the same structure,
# and what that adds at least to a difference, in its standard errors; for each alone, standard errors and a share.
SUSPECT = 0.25
MIN_BIAS = 0.3
CLEARLY = 3.0
MIN_SHARE = 0.01


@dataclass(frozen=True, eq=False)
class Leftovers:
    """What the checks need of a test: its rows and the law of their labels; residuals in their leading directions."""

    labels: LabelPlan
    e: Array
    R: Array
    explained: float | None

    @classmethod
    def of(cls, evidence: Evidence) -> Leftovers:
        centred = evidence.compared - evidence.compared.mean(axis=0)
        V = np.linalg.eigh(centred.T @ centred)[1][:, ::-1][:, :DIRECTIONS]
        return cls(evidence.labels, evidence.e, centred @ V, evidence.explained)

    @staticmethod
    def kept_of(samples: Samples | None) -> bool:
        """Whether a test of these rows keeps them."""
        return samples is not None and not samples.chunked and samples.groups.n + samples.groups.m <= KEPT_ROWS


def diagnose(left: Leftovers) -> Diagnostics:
    """All checks that make sense for this test."""
    labels, samples = left.labels, left.labels.samples
    source, columns = labels.propensity.source, samples.gram_x is None
    findings = []
    if source != "equal marginals":
        findings.append(overlap_of_groups(labels))
    if columns and source != "strata":
        findings += [*_structure(left), enough_rows(labels)]
    if columns and samples.gram_y is None:
        findings += [duplicate_rows(labels), fixed_outcome(samples, left.explained)]
    return Diagnostics(tuple(findings))


def _structure(left: Leftovers) -> list[Finding]:
    """Whether X still predicts what it should not: the outcomes' residuals, the labels, and both in one place."""
    samples, blocks = left.labels.samples, left.labels.blocks
    rows = sample_rows(len(left.e), MAX_ROWS)
    x = samples.x.at(to_host(pick_rows(samples.x.values, rows)))
    parts = partitions(x)
    t = to_host(samples.groups.t)[rows]
    of_row = None if blocks is None else np.unique(blocks.of_row[rows], return_inverse=True)[1].reshape(-1)
    own = left.labels.multipliers
    if len(rows) < len(left.e):
        own = own.of_sample(rows) if own.of_row is None else replace(own, of_row=own.of_row[rows])
    found = Left.of(parts, t, left.e[rows], left.R[rows], of_row, own) if parts else None
    if found is None or not found.R.shape[1]:
        return []
    names = samples.x.names
    shared = found.shared()
    # Of fewer rows than the test has, a bias is that much smaller in standard errors.
    bias, observed = (value * (len(left.e) / len(rows)) ** 0.5 for value in (shared.bias, shared.observed))
    numbers = {"pvalue": shared.pvalue, "bias": round(bias, 2), "difference": round(observed, 2)}
    singles = [
        _predictable(found.predicted_outcomes(), "residuals", "what is left of the outcome", "`residualize`", names),
        _predictable(found.predicted_labels(), "propensity", "who is in which group", "`propensity`", names),
    ]
    if shared.pvalue > SUSPECT or bias < MIN_BIAS:
        words = "No structure of X was found that both the groups and the outcome follow and both models missed."
        return [Finding("confounding", "fine", words, "", numbers), *singles]
    numbers["covariates"] = [names[j] for j in shared.covariates]
    warning = Finding(
        "confounding", "warning",
        f"Do not trust a small p-value: {_listed(numbers['covariates'])} still predict both the group and the outcome "
        f"in ways that neither model has learned, and that alone makes a difference of about {bias:.1f} standard "
        f"errors (observed: {observed:.1f}).",
        "Add a column for what these covariates do together (a product, a category, an indicator), or pass models that "
        "learn it as `residualize` and `propensity`.", numbers,
    )  # fmt: skip
    return [warning, *singles]


def _predictable(found: Predicted, kind: str, what: str, argument: str, names: tuple[str, ...]) -> Finding:
    numbers = {"share": round(found.share, 4), "error": round(found.error, 4)}
    if found.share < CLEARLY * found.error or found.share < MIN_SHARE:
        return Finding(kind, "fine", f"X does not clearly predict {what} once its model is taken away.", "", numbers)
    covariates = [names[j] for j in found.covariates]
    return Finding(
        kind, "note",
        f"X still predicts {what}: cells of {_listed(covariates)} explain {found.share:.1%} (+- {found.error:.1%}) of "
        "it after its model. By itself this does no harm as long as the other model is right.",
        f"A better model can be passed as {argument}.", numbers | {"covariates": covariates},
    )  # fmt: skip


def _listed(names: list[str], at_most: int = 4) -> str:
    shown = [name or "(no name)" for name in names[:at_most]]
    return ", ".join(shown) + (f" and {len(names) - at_most} more" if len(names) > at_most else "")
