"""The values of `tests/data/family.json`: methods that the paper cites, run or written out."""

import json
from pathlib import Path

import numpy as np

FAMILY = json.loads((Path(__file__).parent / "data" / "family.json").read_text())
CASES = {case["id"]: case for case in FAMILY["cases"]}


def case(name):
    """Settings, values and the relative error that is allowed."""
    found = CASES[name]
    return found["settings"], found["values"], found["rtol"]


def rows(name):
    """X, Y and the labels of a data set of two samples, and its other arrays."""
    data = {key: np.asarray(values) for key, values in FAMILY["datasets"][name].items() if key != "description"}
    return data["X"], data["Y"].reshape(len(data["X"]), -1), data["group"].astype(float), data


def gaussian(A, B, lengthscale):
    """``exp(-|a - b|^2 / (2 l^2))``, literally."""
    return np.exp(-((A[:, None, :] - B[None, :, :]) ** 2).sum(-1) / (2 * lengthscale**2))
