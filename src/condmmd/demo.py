"""A worked example on real data: ``python -m condmmd.demo``.

The data are 442 patients of Efron, Hastie, Johnstone and Tibshirani (Least Angle Regression, 2004), shipped with
scikit-learn: covariates at the start, and how far diabetes had progressed a year later.
"""

from __future__ import annotations

import sys
from itertools import pairwise
from pathlib import Path

import numpy as np

from condmmd.discrepancy import Discrepancy
from condmmd.marginal import mmd_test
from condmmd.measure import cmmd
from condmmd.samples import Array
from condmmd.testing import cmmd_test

__all__ = ["main", "report"]

COVARIATES = ("age", "bmi", "bp")


def load() -> tuple[Array, Array, Array]:
    """Age, body-mass index and blood pressure; progression of the disease; sex (1 and 2 in the file, not named)."""
    from sklearn.datasets import load_diabetes  # noqa: PLC0415 - a slow import for the demo alone

    data = load_diabetes(scaled=False)
    columns = [data.feature_names.index(name) for name in COVARIATES]
    return data.data[:, columns], data.target, data.data[:, data.feature_names.index("sex")]


def report() -> str:
    """Compute the example and write it as text."""
    X, Y, sex = load()
    group = np.where(sex == 1, "sex 1", "sex 2")
    test = cmmd_test(X, Y, group, rng=0)
    d = cmmd(X, Y, group)
    moved = {
        "age, body-mass index and blood pressure": mmd_test(X, group, rng=0).pvalue,
        "progression of the disease": mmd_test(Y, group, rng=0).pvalue,
        "progression given the three": test.pvalue,
    }
    parts = [
        "Is the progression of diabetes, given age, body-mass index and blood pressure, the same for both sexes?",
        f"{len(X)} patients. What differs between the sexes?\n"
        + "\n".join(f"  {name:<40} p = {p:.3g}" for name, p in moved.items()),
        test.summary(),
        repr(d),
        "Level profile: CMMD_s, from every covariate direction alike (0) to the most common ones (2)\n"
        + _bars([f"level {s:g}" for s in (0, 0.5, 1, 1.5, 2)], np.sqrt(d.level([0, 0.5, 1, 1.5, 2]))),
    ]
    parts += [_where(d, X, j, name) for j, name in enumerate(COVARIATES)]
    return "\n\n".join(parts) + "\n"


def _where(d: Discrepancy, X: Array, j: int, name: str) -> str:
    """Mean squared distance of the two conditional distributions by fifths of one covariate."""
    edges = np.quantile(X[:, j], np.linspace(0, 1, 6))
    fifth = np.clip(np.searchsorted(edges, X[:, j], side="right") - 1, 0, 4)
    witness = d.witness(X)
    labels = [f"{low:.0f} to {high:.0f} (n={np.sum(fifth == i)})" for i, (low, high) in enumerate(pairwise(edges))]
    return f"Where: mean squared distance of the two distributions, by fifths of {name}\n" + _bars(
        labels, np.array([witness[fifth == i].mean() for i in range(5)])
    )


def _bars(labels: list[str], values: Array) -> str:
    width = max(len(label) for label in labels)
    return "\n".join(
        f"  {label:<{width}}  {value:10.4g}  {'#' * round(40 * value / max(values))}"
        for label, value in zip(labels, values, strict=True)
    )


def main(arguments: list[str]) -> int:
    """Print the report and write it to a file."""
    text = report()
    print(text)
    target = Path(arguments[0] if arguments else "build/demo.txt")
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_text(text, encoding="utf-8")
    print(f"Written to {target}")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
