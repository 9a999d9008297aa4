"""The oracle itself is held against the 40-digit values, so that the package may be held against the oracle."""

import numpy as np
import pytest

from tests import gold, oracle


@pytest.mark.parametrize("case", gold.cases("naive"), ids=lambda case: case["id"])
def test_naive_estimators(case):
    X, Y, Xq, Z = gold.arrays(case)
    k, l = gold.oracle_kernel(case["kernel_x"]), gold.oracle_kernel(case["kernel_y"])
    naive = oracle.Naive(X, Y, Xq, Z, k, l, case["lam_p"], case["lam_q"])
    # Inverses of ill-conditioned Gram matrices lose digits: the polynomial kernel most of all (errata 13).
    rtol = 1e-6 if case["id"] in ("p10_poly2_linear", "g08_lam_zeroish") else 1e-9
    for stat in case["stats"]:
        level, value = stat["level"], float(stat["paper_40"])
        if stat["estimator"] == "jmmd":
            found = [naive.joint()]
        else:
            found = [naive.cmmd_s(level)]
            if level in (0, 1, 2):
                found.append((naive.cmmd0, naive.cmmd1, naive.cmmd2)[level]())
            if level == 1:
                found.append(naive.cmmd1_as_mean())
        np.testing.assert_allclose(found, value, rtol=rtol, atol=1e-14)


@pytest.mark.parametrize("case", gold.cases("dr_scalar"), ids=lambda case: case["id"])
def test_doubly_robust_scalar(case):
    X, Y, Xq, Z = gold.arrays(case)
    t = np.repeat([1.0, 0.0], [case["n"], case["m"]])
    w = np.concatenate([Y, Z])[:, 0]
    e, mu_Y, mu_Z = (np.asarray(case[key]) for key in ("e", "mu_Y", "mu_Z"))
    pseudo = oracle.pseudo_outcomes_scalar(t, e, w, mu_Y, mu_Z)
    np.testing.assert_allclose(pseudo, case["pseudo_outcome"], rtol=1e-9)
    K = gold.oracle_kernel(case["kernel_x"])(np.concatenate([X, Xq]), np.concatenate([X, Xq]))
    for stat in case["stats"]:
        value = oracle.cmmd_s_dr(stat["level"], np.outer(pseudo, pseudo), K, case["lam"])
        np.testing.assert_allclose(value, float(stat["paper_40"]), rtol=1e-7)


@pytest.mark.parametrize("case", gold.cases("dr_general"), ids=lambda case: case["id"])
def test_doubly_robust_expansion_with_the_sign_corrected(case):
    X, Y, Xq, Z = gold.arrays(case)
    train = case["cme_train"]
    X1, Y1, X2, Z2 = gold.arrays(train)
    k, l = gold.oracle_kernel(case["kernel_x"]), gold.oracle_kernel(case["kernel_y"])
    k_model = gold.oracle_kernel(train["kernel_x"])
    Xt, Wt = np.concatenate([X, Xq]), np.concatenate([Y, Z])
    a = oracle.cme_weights(k_model(X1, X1), k_model(X1, Xt), train["lam_p"])
    b = oracle.cme_weights(k_model(X2, X2), k_model(X2, Xt), train["lam_q"])
    gram = oracle.pseudo_gram(
        np.repeat([1.0, 0.0], [case["n"], case["m"]]), np.asarray(case["e"]),
        l(Wt, Wt), l(Wt, Y1) @ a, l(Wt, Z2) @ b, a.T @ l(Y1, Y1) @ a, a.T @ l(Y1, Z2) @ b, b.T @ l(Z2, Z2) @ b,
    )  # fmt: skip
    np.testing.assert_allclose(np.trace(gram), case["pseudo_gram_trace"], rtol=1e-9)
    for stat in case["stats"]:
        value = oracle.cmmd_s_dr(stat["level"], gram, k(Xt, Xt), case["lam"])
        np.testing.assert_allclose(value, float(stat["paper_40"]), rtol=1e-9)
        assert abs(value / stat["as_printed_with_I_plus_E"] - 1) > 0.01


def test_median_heuristic():
    for entry in gold.VECTORS["median_heuristic"]:
        np.testing.assert_allclose(oracle.median_heuristic(np.asarray(entry["X"], dtype=float)), entry["h"], rtol=1e-12)


def test_mmd_estimators_on_a_case_done_by_hand():
    # k(x, x') = x x' on {1, 3} and {2, 4}: means 2 and 3, so the biased value is 1;
    # without the diagonal 3 - 2 * 6 + 8 = -1.
    K_pp, K_pq, K_qq = np.outer([1, 3], [1, 3]), np.outer([1, 3], [2, 4]), np.outer([2, 4], [2, 4])
    assert oracle.mmd_biased(K_pp, K_pq, K_qq) == 1
    assert oracle.mmd_unbiased(K_pp, K_pq, K_qq) == -1
