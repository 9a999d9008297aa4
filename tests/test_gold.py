"""The package against the 40-digit values, and the paper's toy table."""

import numpy as np
import pytest

from condmmd import CMMD, Delta, Gaussian, PerGroup, cmmd, pool
from condmmd.backend import HeldLabels
from condmmd.data import read_samples
from condmmd.inference.joining import pvalue
from condmmd.kernels import median_distance
from condmmd.nuisance import Learned
from tests import gold, oracle

# lambda of 1e-6, and the degree-2 polynomial with lambda 1e-3: the conditioning allows no more than this in general.
ILL_CONDITIONED = {"g08_lam_zeroish", "p10_poly2_linear"}


@pytest.mark.parametrize("settings", [{}, {"tol": 0.0}], ids=["default tol", "tol 0"])
@pytest.mark.parametrize("solver", ["auto", "primal", "dual", "dual refined"])
@pytest.mark.parametrize("case", gold.cases("naive"), ids=lambda case: case["id"])
def test_every_level_of_both_estimators(case, solver, settings, monkeypatch):
    if solver == "dual refined":  # single precision and refinement, which is for more rows than these
        monkeypatch.setattr("condmmd.backend.linear_algebra.MIN_REFINED", 1)
    X, Y, group = pool(*gold.arrays(case))
    kernels = {
        "kernel_x": gold.package_kernel(case["kernel_x"]),
        "kernel_y": gold.package_kernel(case["kernel_y"]),
        "solver": solver.split()[0],
        **settings,
    }
    plugin = cmmd(X, Y, group, statistic=CMMD(reg=PerGroup(case["lam_p"], case["lam_q"]), **kernels))
    joint = cmmd(X, Y, group, statistic=CMMD(estimator="joint", **kernels))
    rtol = 1e-6 if case["id"] in ILL_CONDITIONED else 1e-9
    for stat in case["stats"]:
        found = (joint if stat["estimator"] == "jmmd" else plugin).level(stat["level"])
        np.testing.assert_allclose(found, float(stat["paper_40"]), rtol=rtol, atol=1e-18)


@pytest.mark.parametrize("name", ["Q1", "Q2", "Q3"])
def test_toy_table(name):
    """Section "Illustrative Example", from a sample with exactly those proportions."""
    cells = [(x, y) for x in range(3) for y in range(2)]

    def sample(table):
        counts = [round(1000 * oracle.TOY_MU_X[x] * table[y, x]) for x, y in cells]
        rows = np.repeat(np.array(cells), counts, axis=0)
        return rows[:, 0], rows[:, 1]

    X, Y, group = pool(*sample(oracle.TOY_P), *sample(oracle.TOY_Q[name]))
    found = cmmd(X, Y, group, statistic=CMMD(Delta(), Delta(), reg=1e-10)).level([0, 1, 2])
    published = [gold.VECTORS["toy_table"][name][f"CMMD{s}_sq"][1] for s in (0, 1, 2)]
    np.testing.assert_allclose(found, published, rtol=0, atol=1e-6)
    np.testing.assert_allclose(found, published, rtol=1e-6)


@pytest.mark.parametrize("few", [0, 128], ids=["halved", "listed"])
def test_median_heuristic(few, monkeypatch):
    monkeypatch.setattr("condmmd.kernels.stationary.FEW_ROWS", few)
    for entry in gold.VECTORS["median_heuristic"]:
        np.testing.assert_allclose(median_distance(entry["X"]) ** -2, entry["h"], rtol=1e-12)


@pytest.mark.parametrize("case", gold.VECTORS["algorithms"], ids=lambda case: case["id"])
def test_algorithms_of_the_paper_with_its_labels(case):
    """The same labels give the same statistics and, with the paper's strict inequality, the same p-value."""
    pooled = pool(*gold.arrays(case))
    kernel = Gaussian(case["bandwidth"] ** -0.5)
    samples = read_samples(*pooled)
    settings = (
        {"estimator": "joint"} if case["estimator"] == "jmmd" else {"reg": PerGroup(case["lam_p"], case["lam_q"])}
    )
    statistic = CMMD(kernel, kernel, tol=0.0, **settings)
    comparison = statistic.measure(samples, Learned(statistic.embed_measured(samples)))
    T = np.concatenate([pooled[2][None], np.asarray(case["labels_T"])]).astype(float)
    level = float(case["stat"][-1])
    values = comparison.levels(HeldLabels(T), np.array([level]))[:, 0]
    np.testing.assert_allclose(values[0], case["stat_value"], rtol=1e-9)
    np.testing.assert_allclose(values[1:], case["boot_stats"], rtol=1e-9)
    strict = (1 + np.sum(values[1:] > values[0] * (1 + 1e-10))) / len(values)
    assert strict == pytest.approx(case["p_value"])
    assert pvalue(values[0], values[1:]) >= case["p_value"]
