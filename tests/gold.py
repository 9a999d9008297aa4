"""The reference values: ../shared/gold where it lies beside the repository, else the copy under tests/data."""

import json
from pathlib import Path

import numpy as np

from condmmd import Delta, Gaussian, Linear, Polynomial
from tests import oracle

HERE = Path(__file__).parent
BESIDE = HERE.parent.parent / "shared" / "gold" / "vectors.json"
VECTORS = json.loads((BESIDE if BESIDE.exists() else HERE / "data" / "vectors.json").read_text())
FAMILY = json.loads((HERE / "data" / "family.json").read_text())
FAMILY_CASES = {case["id"]: case for case in FAMILY["cases"]}


def cases(*kinds):
    return [case for case in VECTORS["cases"] if case["kind"] in kinds]


def package_kernel(entry):
    name = entry["name"]
    if name == "gaussian":
        return Gaussian(entry["bandwidth"] ** -0.5)
    if name == "polynomial":
        return Polynomial(entry["degree"], entry["coef0"], entry["gamma"])
    return {"linear": Linear, "kronecker": Delta}[name]()


def oracle_kernel(entry):
    name = entry["name"]
    if name == "gaussian":
        return oracle.gaussian(entry["bandwidth"])
    if name == "polynomial":
        return oracle.polynomial(entry["degree"], entry["coef0"], entry["gamma"])
    return {"linear": oracle.linear, "kronecker": oracle.kronecker}[name]()


def arrays(entry):
    return tuple(np.asarray(entry[key], dtype=float).reshape(len(entry[key]), -1) for key in ("X_P", "Y", "X_Q", "Z"))
