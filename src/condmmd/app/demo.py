"""Real data for a worked example: ``condmmd demo``.

The data are 442 patients of Efron, Hastie, Johnstone and Tibshirani (Least Angle Regression, 2004), shipped with
scikit-learn: covariates at the start, and how far diabetes had progressed a year later.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np

__all__ = ["COVARIATES", "OUTCOME", "question", "write_table"]

# Age, body-mass index, blood pressure, and six measurements of the blood, as scikit-learn's documentation names them.
COVARIATES = ("age", "bmi", "bp", "tc", "ldl", "hdl", "tch", "ltg", "glu")
IN_THE_FILE = ("age", "bmi", "bp", "s1", "s2", "s3", "s4", "s5", "s6")
OUTCOME = "progression"


def question() -> str:
    """What the example asks."""
    return (
        "Is the progression of diabetes, given nine measurements at the start, the same for both sexes?\n"
        "442 patients of Efron, Hastie, Johnstone and Tibshirani (2004), shipped with scikit-learn."
    )


def write_table(path: Path) -> None:
    """Write the patients as CSV: the nine measurements, sex (1 and 2, not named), and the progression."""
    from sklearn.datasets import load_diabetes  # noqa: PLC0415 - a slow import for the demo alone

    data = load_diabetes(scaled=False)
    names = zip((*COVARIATES, "sex"), (*IN_THE_FILE, "sex"), strict=True)
    columns = {name: data.data[:, data.feature_names.index(in_the_file)] for name, in_the_file in names}
    columns[OUTCOME] = data.target
    rows = np.column_stack(list(columns.values()))
    text = "\n".join([",".join(columns), *(",".join(f"{value:.10g}" for value in row) for row in rows)]) + "\n"
    if path.exists() and path.read_text(errors="replace") != text:
        raise FileExistsError(f"{path} exists already and holds something else; name another --folder.")
    path.write_text(text)
