"""Real data for a worked example: ``condmmd demo``.

The data are 442 patients of Efron, Hastie, Johnstone and Tibshirani (Least Angle Regression, 2004), shipped with
scikit-learn: covariates at the start, and how far diabetes had progressed a year later.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np

__all__ = ["COVARIATES", "OUTCOME", "question", "write_table"]

COVARIATES = ("age", "bmi", "bp")
OUTCOME = "progression"


def question() -> str:
    """What the example asks."""
    return (
        "Is the progression of diabetes, given age, body-mass index and blood pressure, the same for both sexes?\n"
        "442 patients of Efron, Hastie, Johnstone and Tibshirani (2004), shipped with scikit-learn."
    )


def write_table(path: Path) -> None:
    """Write the patients as CSV: age, body-mass index, blood pressure, progression, and sex (1 and 2, not named)."""
    from sklearn.datasets import load_diabetes  # noqa: PLC0415 - a slow import for the demo alone

    data = load_diabetes(scaled=False)
    columns = {name: data.data[:, data.feature_names.index(name)] for name in (*COVARIATES, "sex")}
    columns[OUTCOME] = data.target
    rows = np.column_stack(list(columns.values()))
    text = "\n".join([",".join(columns), *(",".join(f"{value:.10g}" for value in row) for row in rows)]) + "\n"
    if path.exists() and path.read_text(errors="replace") != text:
        raise FileExistsError(f"{path} exists already and holds something else; name another --folder.")
    path.write_text(text)
