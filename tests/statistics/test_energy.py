"""The energy kernel and the conditional energy distance, against distances and against public implementations."""

import json
from pathlib import Path

import numpy as np
import pytest
from scipy.spatial.distance import cdist

from condmmd import CMMD, Energy, EnergyKernel, Gaussian, cmmd, cmmd_test, mmd
from condmmd.kernels import Kernel

HERE = Path(__file__).parent.parent
BESIDE = HERE.parent.parent / "shared" / "gold" / "family.json"
FAMILY = json.loads((BESIDE if BESIDE.exists() else HERE / "data" / "family.json").read_text())
CASES = {case["id"]: case for case in FAMILY["cases"]}
DATA = FAMILY["datasets"]["two_sample"]
X, Y = np.array(DATA["X"]), np.array(DATA["Y"]).reshape(-1, 1)
GROUP = np.repeat([1, 0], [40, 50])
P, Q = np.flatnonzero(GROUP == 1), np.flatnonzero(GROUP == 0)


PROFILES = {
    "normal": lambda u: np.exp(-0.5 * u**2) / np.sqrt(2 * np.pi),
    "order 4": lambda u: (3 - u**2) / 2 * np.exp(-0.5 * u**2) / np.sqrt(2 * np.pi),
    "Epanechnikov": lambda u: 0.75 * np.maximum(1 - u**2, 0.0),
}


def smoothing(A, B, h, profile="normal"):
    """``G(a_i - b_j)``: products of densities with one width a column."""
    return np.prod(PROFILES[profile]((A[:, None, :] - B[None, :, :]) / h) / h, axis=2)


def local(K, h_p, h_q, x0):
    """The U-statistic over i != j of P and l != m of Q, weighted around one point (family.md, section c)."""
    g_p, g_q = smoothing(X[P], x0[None], h_p)[:, 0], smoothing(X[Q], x0[None], h_q)[:, 0]
    others_p, others_q = g_p * (g_p.sum() - g_p), g_q * (g_q.sum() - g_q)

    def within(rows, weights):
        W = np.outer(weights, weights)
        np.fill_diagonal(W, 0.0)
        return (W * K[np.ix_(rows, rows)]).sum() / W.sum()

    between = others_p @ K[np.ix_(P, Q)] @ others_q / (others_p.sum() * others_q.sum())
    return within(P, g_p) + within(Q, g_q) - 2 * between


def overall(K, h_p, h_q, profile):
    """The statistic T of section c, over all points."""
    n, m = len(P), len(Q)
    own_p, own_q = smoothing(X[P], X[P], h_p, profile), smoothing(X[Q], X[Q], h_q, profile)
    G1, G2 = smoothing(X[P], X[Q], h_p, profile), smoothing(X[P], X[Q], h_q, profile)
    a, b = G2.sum(axis=1), G1.sum(axis=0)
    A, B = a**2 - (G2**2).sum(axis=1), b**2 - (G1**2).sum(axis=0)
    np.fill_diagonal(own_p, 0.0)
    np.fill_diagonal(own_q, 0.0)
    total = (K[np.ix_(P, P)] * own_p * A[:, None]).sum() + (K[np.ix_(Q, Q)] * own_q * B[:, None]).sum()
    total -= (K[np.ix_(P, Q)] * (G1 + G2) * (b[None, :] - G1) * (a[:, None] - G2)).sum()
    return total / (n * (n - 1) * m * (m - 1))


def test_its_mmd_is_the_energy_distance():
    D = cdist(Y, Y)
    literal = 2 * D[np.ix_(P, Q)].mean() - D[np.ix_(P, P)].mean() - D[np.ix_(Q, Q)].mean()
    assert mmd(Y, GROUP, kernel="energy") == pytest.approx(literal, rel=1e-9)
    wide = np.column_stack([Y, X])
    D = cdist(wide, wide)
    literal = 2 * D[np.ix_(P, Q)].mean() - D[np.ix_(P, P)].mean() - D[np.ix_(Q, Q)].mean()
    assert mmd(wide, GROUP, kernel=EnergyKernel()) == pytest.approx(literal, rel=1e-9)


def test_the_base_point_is_the_mean_of_the_pooled_rows_and_the_kernel_is_positive():
    d = cmmd(X, Y, GROUP, statistic=Energy(reg=0.1))
    assert d.kernel_y.centre == pytest.approx((float(Y.mean()),))
    eigenvalues = np.linalg.eigvalsh(EnergyKernel(centre=(0.3,))(Y))
    assert eigenvalues[0] > -1e-9 * eigenvalues[-1]
    with pytest.raises(ValueError, match="no centre yet"):
        EnergyKernel()(Y)
    with pytest.raises(ValueError, match="2 numbers for 1 column"):
        cmmd(X, Y, GROUP, statistic=CMMD(kernel_y=EnergyKernel((0.0, 1.0))))


def test_the_statistic_is_cmmd_with_that_kernel_in_every_estimator():
    for estimator in ("plugin", "orthogonal", "doubly_robust"):
        mine = cmmd(X, Y, GROUP, statistic=Energy(reg=0.1, estimator=estimator))
        same = cmmd(X, Y, GROUP, statistic=CMMD(reg=0.1, estimator=estimator, kernel_y="energy"))
        np.testing.assert_array_equal(mine.level([0, 1, 2]), same.level([0, 1, 2]))
    shifted = cmmd_test(X, Y + 3 * GROUP[:, None], GROUP, statistic=Energy(), n_resamples=99, rng=0)
    assert shifted.pvalue == 0.01
    assert "energy" in Kernel.named


def test_literal_plug_in():
    """The difference of two ridge regressions, row by row, with the distance in place of features."""
    K = np.exp(-cdist(X, X, "sqeuclidean") / 2)
    c = Y.mean()
    L = np.abs(Y - c) + np.abs(Y - c).T - np.abs(Y - Y.T)
    lam, weights = 0.1, np.zeros((90, 90))
    for rows, sign in ((P, 1.0), (Q, -1.0)):
        own = K[np.ix_(rows, rows)] + lam * len(rows) * np.eye(len(rows))
        weights[np.ix_(rows, range(90))] = sign * np.linalg.solve(own, K[rows])
    literal = np.einsum("ij,ik,jk->", L, weights, weights) / 90  # level 1: the mean over pooled rows of |D(x)|^2
    found = cmmd(X, Y, GROUP, statistic=Energy(kernel_x=Gaussian(1.0), reg=lam)).level(1)
    assert found == pytest.approx(literal, rel=1e-8)


def widths(case):
    return [np.array(CASES[case]["values"][f"h_group{g}"]) for g in (1, 0)]


def test_smoothed_energy_at_a_point_of_the_public_implementation():
    """The kernel in place of minus the distance gives the values of KDist, whatever the base point is."""
    case = CASES["tcdt/cged_local"]
    for centre in (0.7, -20.0):
        K = EnergyKernel(centre=(centre,))(Y)
        found = local(K, *widths("tcdt/cged_local"), np.array(case["settings"]["x0"]))
        assert found == pytest.approx(case["values"]["statistic"], rel=case["rtol"])


@pytest.mark.parametrize(
    ("name", "of_widths", "profile"),
    [
        ("tcdt/cged_global_epanechnikov", "tcdt/cmmd_global", "Epanechnikov"),
        ("tcdt/cged_global_order4", "tcdt/cged_global_order4", "order 4"),
    ],
)
def test_smoothed_energy_overall_of_the_public_implementation(name, of_widths, profile):
    """Here the weights of a row with the others of its group and with the other group differ: minus the distance."""
    D = cdist(Y, Y)
    c = 0.7
    K = EnergyKernel(centre=(c,))(Y) - np.abs(Y - c) - np.abs(Y - c).T
    np.testing.assert_allclose(K, -D, atol=1e-14)
    found = overall(K, *widths(of_widths), profile)
    assert found == pytest.approx(CASES[name]["values"]["statistic"], rel=CASES[name]["rtol"])


def test_operators_of_another_implementation():
    """Level 0 is the squared distance of Ren et al.; the joint estimator at level 2 is the MMD of the joints."""
    case = CASES["loss/ren_cmmd0"]["values"]
    kernels = {"kernel_x": Gaussian(0.9), "kernel_y": Gaussian(0.7)}
    assert cmmd(X, Y, GROUP, statistic=CMMD(reg=0.05, **kernels)).level(0) == pytest.approx(case["squared"], rel=1e-9)
    joint = cmmd(X, Y, GROUP, statistic=CMMD(estimator="joint", **kernels)).level(2)
    assert joint == pytest.approx(case["joint_mmd2"], rel=1e-9)


def test_categories_are_refused():
    pd = pytest.importorskip("pandas")
    with pytest.raises(TypeError, match="EnergyKernel needs numbers"):
        cmmd_test(X, pd.Series(np.where(Y[:, 0] > 0, "a", "b")), GROUP, statistic=Energy(), n_resamples=19)
