"""The methods of others reproduce the numbers of the published code, each to the tolerance of its case."""

import json

import numpy as np
import pytest

from benchmarks.leaderboard.methods import (
    acmmd,
    baselines,
    ci_conversion,
    conformal,
    density_ratio,
    drpt,
    ecmmd,
    gcm,
    kcd,
    lee,
    local_bootstrap,
    polya_tree,
    skce,
    smoothed,
    stein,
    xkte,
)
from benchmarks.leaderboard.problems import Pairs, TwoSamples
from condmmd import Gaussian
from tests import gold

FAMILY = json.loads((gold.HERE / "data" / "family.json").read_text())
CASES = {case["id"]: case for case in FAMILY["cases"]}
DATA = {name: {k: np.asarray(v) for k, v in d.items() if k != "description"} for name, d in FAMILY["datasets"].items()}
TWO, EQUAL, PAIRED, MODEL, BINARY = (
    DATA[name] for name in ("two_sample", "two_sample_equal", "paired", "gaussian_model", "binary")
)


def agrees(found, name, key, rtol=None):
    np.testing.assert_allclose(found, CASES[name]["values"][key], rtol=rtol or CASES[name]["rtol"], atol=0)


def named(prefix):
    """The ids of the cases of a kind, for which the file is searched: a case that is added is tested."""
    return [name for name in CASES if name.startswith(prefix)]


# ---- KCD ------------------------------------------------------------------------------------------------------------


def test_kcd_with_the_ridges_of_the_reference():
    settings, values = CASES["kcd/default"]["settings"], CASES["kcd/default"]["values"]
    (K, lx), (L, ly) = kcd.gram(TWO["X"]), kcd.gram(TWO["Y"][:, None])
    np.testing.assert_allclose([lx, ly], [settings["lengthscale_x"], settings["lengthscale_y"]], rtol=1e-12)
    found, ridges = kcd.statistic(K, L, TWO["group"], (values["ridge_group0"], values["ridge_group1"]))
    agrees(found, "kcd/default", "statistic")
    _, ridges = kcd.statistic(K, L, TWO["group"])
    np.testing.assert_allclose(ridges, [values["ridge_group0"], values["ridge_group1"]], rtol=1e-3)
    null = [kcd.statistic(K, L, t, r)[0] for t, r in zip(TWO["null_labels"], values["null_ridges"], strict=True)]
    agrees(null, "kcd/default", "null_statistics")
    e, C = kcd.propensity(K, TWO["group"])
    agrees(C, "kcd/default", "propensity_C", rtol=1e-3)
    agrees(e[:5], "kcd/default", "propensity_first5", rtol=1e-3)


# ---- ECMMD ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", named("ecmmd/"))
def test_ecmmd(name):
    k, linear = CASES[name]["settings"]["k"], "linear" in name
    edges = ecmmd.neighbours(PAIRED["Z"], k)
    y1 = PAIRED["y1"]
    seconds = PAIRED["y_draws"] if "derandomised" in name else [PAIRED["y2"]]
    H = np.mean([ecmmd.inner_products(y1, y, edges, None if linear else ecmmd.width(y1, y)) for y in seconds], axis=0)
    statistic, variance, z = ecmmd.studentised(H, edges, len(y1))
    agrees(statistic, name, "statistic")
    agrees(variance, name, "variance")
    agrees(z, name, "normalised")
    if "pvalue_upper" in CASES[name]["values"]:
        agrees(ecmmd.pvalue(z, two_sided=True), name, "pvalue_two_sided_as_shipped")
        agrees(ecmmd.pvalue(z, two_sided=False), name, "pvalue_upper")


# ---- smoothed -------------------------------------------------------------------------------------------------------


SMOOTHED = {
    "tcdt/cmmd_global": ("mmd", "gaussian"),
    "tcdt/cmmd_given_h": ("mmd", "gaussian"),
    "tcdt/cmmd_laplacian": ("laplacian", "gaussian"),
    "tcdt/cged_global_epanechnikov": ("energy", "epanechnikov"),
    "tcdt/cged_global_order4": ("energy", "gaussian of order 4"),
}
LOCAL = {"tcdt/cmmd_local": "mmd", "tcdt/cged_local": "energy"}


def by_group(function, *arguments):
    return [function(TWO["X"][TWO["group"] == label], *arguments) for label in (1, 0)]


@pytest.mark.parametrize("name", SMOOTHED)
def test_smoothed(name):
    kind, smoother = SMOOTHED[name]
    settings = CASES[name]["settings"]
    h = tuple(np.array(settings[f"h_group{g}"]) for g in (1, 0)) if "h_group1" in settings else None
    M = smoothed.pair_weights(TWO["X"], TWO["group"], smoother, h)
    agrees(np.sum(M * smoothed.similarity(TWO["Y"], kind, settings.get("bw"))), name, "statistic")
    if "h_group1" in CASES[name]["values"]:
        found = by_group(smoothed.bandwidth, smoother)
        agrees(found[0], name, "h_group1")
        agrees(found[1], name, "h_group0")


@pytest.mark.parametrize("name", LOCAL)
def test_smoothed_at_a_point(name):
    settings = CASES[name]["settings"]
    k = smoothed.similarity(TWO["Y"], LOCAL[name], settings["bw"])
    agrees(smoothed.statistic_at(np.array(settings["x0"]), TWO["X"], TWO["group"], k), name, "statistic")
    agrees([smoothed.bandwidth(TWO["X"][TWO["group"] == 1], local=True)][0], name, "h_group1")


def test_a_column_of_indicators_has_no_bandwidth():
    X = np.column_stack([TWO["X"], np.arange(90) % 7 == 0]).astype(float)
    with pytest.raises(ValueError, match="bandwidth is zero"):
        smoothed.two_sample_test(TwoSamples(X, TWO["Y"], TWO["group"]), 19, np.random.default_rng(0))


def test_local_bootstrap():
    """The weights exactly; the law of the statistic within four standard errors of 4000 and of 2000 draws."""
    name, X, group = "tcdt/cged_local_bootstrap", TWO["X"], TWO["group"]
    values = CASES[name]["values"]
    first = local_bootstrap.probabilities(X, group)[:3, 0]
    np.testing.assert_allclose(first, values["weights_column0_first3"], rtol=1e-12)
    agrees(by_group(local_bootstrap.bandwidth)[0], name, "h_boot_group1", rtol=1e-12)
    M, k = smoothed.pair_weights(X, group), smoothed.similarity(TWO["Y"], "energy")
    rows = local_bootstrap.rows(X, group, 2000, np.random.default_rng(0))
    null = np.array([np.sum(M * k[np.ix_(drawn, drawn)]) for drawn in rows])
    scale = values["sd_null"] * np.sqrt(1 / 2000 + 1 / 4000)
    assert abs(null.mean() - values["mean_null"]) < 4 * scale
    share, p = np.mean(null > np.sum(M * k)), values["pvalue"]
    assert abs(share - p) < 4 * np.sqrt(p * (1 - p) * (1 / 2000 + 1 / 4000))


def test_every_case_of_the_smoothed_statistics_is_tested():
    assert set(named("tcdt/")) == {*SMOOTHED, *LOCAL, "tcdt/cged_local_bootstrap"}


# ---- density ratios -------------------------------------------------------------------------------------------------


FIRST, LAST = np.arange(30), np.arange(30, 60)
HALVES = density_ratio.Halves(FIRST, FIRST + 60, LAST, LAST + 60)
EQUAL_Y = EQUAL["Y"][:, None]


def reference_ratios():
    return density_ratio.Ratios(
        *(np.array(CASES["density_ratio/logistic"]["values"][k]) for k in ("g_P", "g_Q", "v_P", "v_Q"))
    )


def pair_matrix(P, Q, r, scales):
    return lee.pair_matrix(EQUAL["X"][P], EQUAL_Y[P], EQUAL["X"][Q], EQUAL_Y[Q], r, scales)


def test_density_ratios():
    found = density_ratio.ratios(EQUAL["X"], EQUAL_Y, HALVES)
    for key in ("g_P", "g_Q", "v_P", "v_Q"):
        agrees(getattr(found, key.lower()), "density_ratio/logistic", key)


@pytest.mark.parametrize("name", [n for n in named("density_ratio_mmd/") if "true" not in n])
def test_density_ratio_mmd(name):
    settings = CASES[name]["settings"]
    H = pair_matrix(LAST, LAST + 60, 1 / reference_ratios().g_q, (settings["lengthscale_x"], settings["lengthscale_y"]))
    found = (
        lee.block(H, settings["block"]) if "block" in name else lee.linear(H) if "linear" in name else lee.quadratic(H)
    )
    agrees(found, name, "statistic")


def test_density_ratio_mmd_with_the_true_ratio():
    name = "density_ratio_mmd/true_ratio"
    P = np.arange(60)
    H = pair_matrix(P, P + 60, 1 / EQUAL["r_q_over_p"][P + 60], (1.0, 1.0))
    agrees(lee.linear(H), name, "linear")
    agrees(lee.block(H, 6), name, "block")
    agrees(lee.quadratic(H), name, "quadratic")
    null = lee.quadratic_null(H, 2000, np.random.default_rng(0))
    p = CASES[name]["values"]["quadratic_pvalue_R_seed3_B500"]
    assert abs(np.mean(null >= lee.quadratic(H)) - p) < 4 * np.sqrt(p * (1 - p) * (1 / 2000 + 1 / 500))


def test_classifier():
    statistic, right_P, right_Q = lee.classifier_statistic(EQUAL["X"], EQUAL_Y, HALVES)
    agrees(statistic, "classifier_test/logistic", "statistic")
    agrees(right_P, "classifier_test/logistic", "accuracy_P")
    agrees(right_Q, "classifier_test/logistic", "weighted_accuracy_Q")


def test_sizes_of_the_conversion():
    for case in CASES["ci_conversion/sizes"]["values"]["cases"]:
        found = ci_conversion.rows_kept(case["n1"], case["n2"])
        np.testing.assert_allclose(found, [case[k] for k in ("epsilon", "k", "tilde_n")], rtol=1e-9)


def test_gcm():
    agrees(gcm.statistics(EQUAL["X"], EQUAL_Y, 1 - EQUAL["group"]), "ci_conversion/gcm_linear", "statistic")
    agrees(gcm.pvalue(EQUAL["X"], EQUAL_Y, EQUAL["group"]), "ci_conversion/gcm_linear", "pvalue")


def test_conformal():
    U, under_P, under_Q, z = conformal.rank_sum(reference_ratios())
    for found, key in ((U, "U"), (under_P, "sigma1"), (under_Q, "sigma2"), (z, "z_hm")):
        agrees(found, "conformal/hu_lei", key)
    agrees(conformal.norm.cdf(np.median(z)), "conformal/hu_lei", "pvalue")


# ---- weighted samples, trees, effects -------------------------------------------------------------------------------


def test_drpt():
    X, r, t = np.column_stack([EQUAL["X"], EQUAL["Y"]]), EQUAL["r_q_over_p"], EQUAL["group"].astype(float)
    lam, a, b = drpt.bounded_weights(r, 60, 60)
    agrees(lam, "drpt/shifted_mmd", "lam")
    K = Gaussian(0.5**0.5).gram(X, X)
    agrees(drpt.shifted_mmd(K, t[None, :], a, b)[0], "drpt/shifted_mmd", "statistic")


def test_drpt_null_law():
    """Inclusion frequencies of 20,000 draws within 4.5 binomial standard errors of the exact law."""
    case = CASES["drpt/null_law"]
    r = np.exp(0.4 * np.array(case["settings"]["x"]) - 0.08)
    T = drpt.null_labels(r, np.repeat([1, 0], 6), 20_000, np.random.default_rng(0))
    p = np.array(case["values"]["inclusion_in_second"])
    assert np.all(np.abs(1 - T.mean(axis=0) - p) < 4.5 * np.sqrt(p * (1 - p) / 20_000))


@pytest.mark.parametrize("name", named("polya_tree/"))
def test_polya_tree(name):
    data = DATA[CASES[name]["dataset"]]
    found = polya_tree.log_bayes_factor(data["X"][:, 0], data["Y"], data["group"])
    agrees(found, name, "log_bayes_factor_H0_over_H1")
    if "posterior_H0" in CASES[name]["values"]:
        agrees(polya_tree.posterior(found), name, "posterior_H0")


def test_xkte():
    Y = TWO["Y"][:, None]
    L = Gaussian(0.7).gram(Y, Y)
    halves = np.arange(0, 90, 2), np.arange(1, 90, 2)
    arguments = TWO["X"], L, TWO["group"], TWO["e"], halves
    agrees(xkte.statistic(*arguments), "xkte/split_statistic", "aipw")
    agrees(xkte.statistic(*arguments, model=False), "xkte/split_statistic", "ipw")
    Kx = Gaussian(0.9).gram(TWO["X"], TWO["X"])
    agrees(xkte.statistic(*arguments, Kx=Kx), "xkte/conditional_smoothed", "statistic")


# ---- models and predictions -----------------------------------------------------------------------------------------


def test_acmmd():
    K = Gaussian(1.3).gram(MODEL["X"], MODEL["X"])
    H = acmmd.against_draws(MODEL["Y"], MODEL["draws"], 0.8)
    agrees(acmmd.unbiased(K * H), "acmmd/sampled_model", "squared")


def test_skce_of_normal_forecasts():
    M = skce.between_normals(MODEL["mu"], MODEL["sigma"]) * acmmd.against_gaussian(
        MODEL["Y"], MODEL["mu"], MODEL["sigma"], 1.0
    )
    agrees(acmmd.unbiased(M), "acmmd/reliability_skce", "unbiased")
    agrees(M.mean(), "acmmd/reliability_skce", "biased")
    agrees(skce.block(M), "acmmd/reliability_skce", "block2")


def test_skce_of_classes():
    P, labels = np.column_stack([1 - BINARY["p"], BINARY["p"]]), BINARY["label"].astype(int)
    # R's kernel is rounded: the second implementation of the file's authors is 2.5e-9 away from it as well.
    rounded = CASES["skce/nncdt_binary"]["independent_check"]["largest_relative_difference"]
    found = len(P) * np.mean(skce.between_predictions(P) * skce.label_matrix(P, labels))
    agrees(found, "skce/nncdt_binary", "n_biased", rtol=1.001 * rounded)
    case = CASES["skce/published_two_points"]
    P = np.array(case["settings"]["P"])
    K = Gaussian(1.0).gram(P, P)
    for labels, expected in zip(case["settings"]["labels_one_based"], case["values"]["unbiased"], strict=True):
        H = skce.label_matrix(P, np.array(labels) - 1)
        np.testing.assert_allclose(acmmd.unbiased(K * H), expected, rtol=case["rtol"], atol=1e-15)


def test_ckce():
    P, labels = DATA["classes"]["P"], DATA["classes"]["label"]
    weights = skce.covariance_weights(Gaussian(0.5).gram(P, P), 0.01)
    agrees(np.sum(weights * skce.label_matrix(P, labels)), "ckce/three_classes_0.01", "squared")


def test_kcsd():
    K = Gaussian(1.3).gram(MODEL["X"], MODEL["X"])
    H = stein.stein_matrix(MODEL["Y"], (MODEL["mu"] - MODEL["Y"]) / MODEL["sigma"] ** 2, 0.8)
    agrees((K * H)[0, 1], "kcsd/gaussian_model", "H_0_1")
    agrees(stein.statistic(K, H), "kcsd/gaussian_model", "n_times_U")


def test_kcsd_with_the_kernels_of_nncdt():
    case, X, y = CASES["kcsd/nncdt_median"], MODEL["X"], MODEL["Y"]
    sd = 0.5 + 0.5 / (1 + np.exp(-X[:, 1]))
    score = (X[:, 0] - 0.5 * X[:, 1] - y) / sd**2
    K = Gaussian(case["settings"]["lx"] / 2**0.5).gram(X, X)
    H = stein.stein_matrix(y, score, case["settings"]["ly"] / 2**0.5)
    agrees(stein.statistic(K, H), "kcsd/nncdt_median", "n_times_U")
    agrees((K * H).mean(), "kcsd/nncdt_median", "V")


# ---- baselines ------------------------------------------------------------------------------------------------------


def test_the_mean_and_variance_of_the_brier_score():
    """Those of 20,000 sets of labels drawn from the predictions, within five standard errors."""
    P = DATA["classes"]["P"][:6]
    above = np.random.default_rng(0).random((20_000, 6, 1)) > np.cumsum(P, axis=1)[:, :-1]
    found = np.array([baselines.spiegelhalter(P, labels) for labels in above.sum(axis=2)])
    assert abs(found.mean()) < 5 / 20_000**0.5
    assert abs(found.var() - 1) < 5 * np.sqrt(2 / 20_000)


def test_the_baseline_of_pairs_is_that_of_robust_least_squares():
    """White's errors with leverages, against the residuals left out one by one (which HC3 is, but for the centre)."""
    X, D = PAIRED["Z"], PAIRED["y1"] - PAIRED["y2"]
    Z = np.column_stack([np.ones(len(D)), X])
    beta = np.linalg.lstsq(Z, D, rcond=None)[0]
    without = np.array(
        [np.linalg.lstsq(np.delete(Z, i, 0), np.delete(D, i), rcond=None)[0] - beta for i in range(len(D))]
    )
    wald = beta @ np.linalg.solve(without.T @ without, beta) / 3
    data = Pairs(X, PAIRED["y1"], PAIRED["y2"])
    np.testing.assert_allclose(baselines.paired_test(data, 0, None), baselines.f.sf(wald, 3, len(D) - 3), rtol=1e-9)
