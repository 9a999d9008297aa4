"""The doubly robust estimator: reference values, formulas, outcome models, and double robustness itself."""

import numpy as np
import pytest
from sklearn.linear_model import LinearRegression, LogisticRegression

from condmmd import Gaussian, Linear, Polynomial, cmmd, cmmd_test, pool
from tests import gold, oracle

RNG = np.random.default_rng(0)


@pytest.mark.parametrize("case", gold.cases("dr_scalar"), ids=lambda case: case["id"])
@pytest.mark.parametrize("solver", ["primal", "dual"])
def test_reference_values_with_given_models(case, solver):
    X, Y, group = pool(*gold.arrays(case))
    d = cmmd(
        X, Y, group, estimator="doubly_robust", kernel_x=gold.package_kernel(case["kernel_x"]), kernel_y="linear",
        reg=case["lam"], propensity=np.asarray(case["e"]), outcome_model=(case["mu_Y"], case["mu_Z"]), solver=solver,
        tol=0.0,
    )  # fmt: skip
    np.testing.assert_allclose(d.pseudo_outcomes[:, 0], case["pseudo_outcome"], rtol=1e-9)
    for stat in case["stats"]:
        np.testing.assert_allclose(d.level(stat["level"]), float(stat["paper_40"]), rtol=1e-9)


@pytest.mark.parametrize("case", gold.cases("dr_general"), ids=lambda case: case["id"])
def test_reference_values_with_ridge_embeddings(case):
    train = case["cme_train"]
    kernels = {
        "kernel_x": gold.package_kernel(case["kernel_x"]), "kernel_y": gold.package_kernel(case["kernel_y"]),
        "tol": 0.0, "estimator": "doubly_robust", "reg": case["lam"], "outcome_reg": (train["lam_p"], train["lam_q"]),
    }  # fmt: skip
    X, Y, group = pool(*gold.arrays(case))
    e = np.asarray(case["e"])
    if train["X_P"] == case["X_P"]:
        d = cmmd(X, Y, group, propensity=e, **kernels)
    else:  # separate training rows, put behind the others; their propensity is not used
        X_t, Y_t, group_t = pool(*gold.arrays(train))
        d = cmmd(
            np.concatenate([X, X_t]), np.concatenate([Y, Y_t]), np.concatenate([group, group_t]),
            propensity=np.concatenate([e, np.full(len(X_t), 0.5)]),
            outcome_fit=np.arange(len(X) + len(X_t)) >= len(X), **kernels,
        )  # fmt: skip
        assert d.n_obs == (case["n"], case["m"])
    for stat in case["stats"]:
        np.testing.assert_allclose(d.level(stat["level"]), float(stat["paper_40"]), rtol=1e-9)
    np.testing.assert_allclose(np.sum(d.pseudo_outcomes**2), case["pseudo_gram_trace"], rtol=1e-9)


def sample(n, rng, kind="both right"):
    """The paper's doubly robust experiment with a difference of 0.5 x^2; e is for samples of one size."""
    x = np.clip(np.concatenate([rng.random(n), rng.beta(0.5, 0.5, n)]), 1e-6, 1 - 1e-6)
    t = np.repeat([1, 0], n)
    y = np.cos(4 * np.pi * x) + 0.5 * t * x**2 + 0.5 * rng.normal(size=2 * n)
    e = 1 / (1 + x**-0.5 * (1 - x) ** -0.5 / np.pi)
    return x, y, t, e


def test_agrees_with_the_literal_formula():
    x, y, t, e = sample(15, RNG)
    X, Y = x[:, None], y[:, None]
    d = cmmd(
        x, y, t, estimator="doubly_robust", propensity=e, kernel_x=Gaussian(0.4), kernel_y=Gaussian(0.8), reg=0.05,
        outcome_reg=(0.02, 0.03), tol=0.0,
    )  # fmt: skip
    k, l = oracle.gaussian(0.4**-2), oracle.gaussian(0.8**-2)
    a = oracle.cme_weights(k(X[:15], X[:15]), k(X[:15], X), 0.02)
    b = oracle.cme_weights(k(X[15:], X[15:]), k(X[15:], X), 0.03)
    P, Q = Y[:15], Y[15:]
    gram = oracle.pseudo_gram(
        t.astype(float), e, l(Y, Y), l(Y, P) @ a, l(Y, Q) @ b, a.T @ l(P, P) @ a, a.T @ l(P, Q) @ b, b.T @ l(Q, Q) @ b
    )
    expected = [oracle.cmmd_s_dr(s, gram, k(X, X), 0.05) for s in (0, 0.5, 1, 2)]
    np.testing.assert_allclose(d.level([0, 0.5, 1, 2]), expected, rtol=1e-9)
    np.testing.assert_allclose(d.pseudo_outcomes @ d.pseudo_outcomes.T, gram, atol=1e-9 * np.abs(gram).max())


def test_ridge_embeddings_as_given_predictions_are_the_same():
    x, y, t, e = sample(40, RNG)
    settings = {
        "estimator": "doubly_robust", "propensity": e, "kernel_x": Polynomial(2), "kernel_y": Linear(), "reg": 0.01,
    }  # fmt: skip
    inside = cmmd(x, y, t, outcome_reg=0.02, **settings)
    K = Polynomial(2)(x)
    mu = [(y[t == k] @ oracle.cme_weights(K[np.ix_(t == k, t == k)], K[t == k], 0.02)) for k in (1, 0)]
    given = cmmd(x, y, t, outcome_model=tuple(mu), **settings)
    np.testing.assert_allclose(given.level([0, 1, 2]), inside.level([0, 1, 2]), rtol=1e-8)


@pytest.mark.parametrize("model", [None, LinearRegression()], ids=["ridge", "regressor"])
def test_cross_fitted_models_do_not_see_their_fold(model):
    x, y, t, e = sample(50, RNG)
    settings = {
        "estimator": "doubly_robust", "propensity": e, "reg": 0.1, "outcome_model": model, "outcome_fit": 5,
        "kernel_x": Gaussian(0.3), "kernel_y": Linear(),
    }  # fmt: skip
    before = cmmd(x, y, t, **settings)
    changed = y.copy()
    changed[7] += 100.0  # row 7's own model must not move with its outcome
    after = cmmd(x, changed, t, **settings)
    moved = after.pseudo_outcomes[7, 0] - before.pseudo_outcomes[7, 0]
    np.testing.assert_allclose(moved, 100.0 / e[7], rtol=1e-6)
    others = np.abs(after.pseudo_outcomes - before.pseudo_outcomes)[:, 0] > 1e-6
    assert others.sum() > 40


def test_other_propensities():
    x, y, t, _ = sample(200, RNG)
    common = {"estimator": "doubly_robust", "reg": 0.01, "kernel_y": "linear"}
    exact = cmmd(x, y, t, propensity=lambda X: 1 / (1 + X**-0.5 * (1 - X) ** -0.5 / np.pi), **common).level(1)
    for propensity in ("estimate", LogisticRegression(), None):
        assert 0.3 * exact < cmmd(x, y, t, propensity=propensity, **common).level(1) < 3 * exact
    assert cmmd(np.round(3 * x), y, t, **common).level(1) > 0  # few values: shares in strata


def difference_at(x_new, n, e_kind, mu_kind, rng):
    """Estimated mean difference at x with right or wrong nuisances, for a linear outcome kernel."""
    x, y, t, e = sample(n, rng)
    right = np.cos(4 * np.pi * x)
    mu = (right + 0.5 * x**2, right) if mu_kind == "right" else (np.full(2 * n, 0.7), np.full(2 * n, -0.4))
    d = cmmd(
        x, y, t, estimator="doubly_robust", propensity=e if e_kind == "right" else np.clip(1.3 * e**2, 0.05, 0.95),
        outcome_model=mu, kernel_x=Polynomial(2), kernel_y="linear", reg=1e-6,
    )  # fmt: skip
    return d.witness(x_new, np.ones(len(x_new)))


@pytest.mark.parametrize("e_kind", ["right", "wrong"])
@pytest.mark.parametrize("mu_kind", ["right", "wrong"])
def test_one_right_model_is_enough(e_kind, mu_kind):
    """Bias over repetitions: towards zero unless both are wrong."""
    x_new = np.array([0.2, 0.5, 0.8])
    bias = {
        n: np.abs(
            np.mean(
                [difference_at(x_new, n, e_kind, mu_kind, np.random.default_rng([n, s])) for s in range(40)], axis=0
            )
            - 0.5 * x_new**2
        ).max()
        for n in (250, 4000)
    }
    if e_kind == mu_kind == "wrong":
        assert bias[4000] > 0.1
    else:
        assert bias[4000] < 0.02


@pytest.mark.parametrize(
    "settings",
    [{}, {"refit": False}, {"outcome_fit": 3}, {"outcome_model": LinearRegression()}, {"outcome_reg": (0.1, 0.2)}],
    ids=["refit", "frozen", "folds", "regressor", "lambdas"],
)
def test_in_the_test(settings):
    x, y, t, e = sample(120, np.random.default_rng(5))
    common = {"estimator": "doubly_robust", "propensity": e, "n_resamples": 99, "rng": 0}
    changed = cmmd_test(x, y + 0.7 * t, t, **common, **settings)
    assert changed.pvalue <= 0.02
    same = cmmd_test(x, y - 0.5 * t * x**2, t, **common, **settings)
    assert same.pvalue > 0.02
    frozen = settings.get("refit") is False or "outcome_model" in settings
    assert ("approximate, as the outcome models" in same.assumption) == frozen


def test_refitted_statistics_are_those_of_the_measure():
    """The test's statistic at the observed labels is the measure's, and so it is at any others."""
    x, y, t, e = sample(60, RNG)
    settings = {
        "estimator": "doubly_robust", "propensity": e, "reg": 0.1, "outcome_reg": (0.05, 0.02), "tol": 1e-12,
        "kernel_x": Gaussian(0.3), "kernel_y": Gaussian(1.0),
    }  # fmt: skip
    for labels in (t, RNG.permutation(t)):
        tested = cmmd_test(x, y, labels, n_resamples=19, rng=0, residualize=False, **settings)
        measured = cmmd(x, y, labels, **settings)
        np.testing.assert_allclose([r.statistic for r in tested.by_level], measured.level(tested.levels), rtol=1e-6)


@pytest.mark.parametrize(
    ("settings", "error", "words"),
    [
        ({"outcome_model": (np.zeros(3), np.zeros(3))}, ValueError, r"predictions of shape \(40, 1\)"),
        ({"outcome_model": (np.zeros(40), np.zeros(40)), "kernel_y": None}, TypeError, r"needs kernel_y='linear'"),
        ({"outcome_model": "forest"}, TypeError, r"`outcome_model` must be None"),
        ({"outcome_reg": -1}, ValueError, r"`outcome_reg` must be a positive"),
        ({"outcome_fit": "some"}, TypeError, r"`outcome_fit` must be 'all'"),
        ({"outcome_fit": 1}, ValueError, r"at least 2 folds"),
        ({"outcome_fit": np.zeros(40)}, TypeError, r"`outcome_fit`"),
        ({"outcome_fit": np.zeros(40, dtype=bool)}, ValueError, r"at least 2 rows of each group to fit on"),
        ({"outcome_fit": np.ones(3, dtype=bool)}, ValueError, r"one value a row, 40; got 3"),
        ({"reg": (0.1, 0.2)}, ValueError, r"`reg` must be one number here"),
        ({"propensity": np.zeros(40)}, ValueError, r"strictly between 0 and 1"),
        ({"estimator": "plugin", "propensity": None}, ValueError, r"`propensity` does not apply"),
        (
            {"estimator": "plugin", "outcome_reg": 0.1, "propensity": "estimate"},
            ValueError,
            r"do not apply to the plugin",
        ),
    ],
)
def test_bad_settings(settings, error, words):
    x, y, t, e = sample(20, RNG)
    with pytest.raises(error, match=words):
        cmmd(x, y, t, **{"estimator": "doubly_robust", "kernel_y": "linear", "propensity": e} | settings)


def test_only_the_doubly_robust_estimator_has_pseudo_outcomes():
    x, y, t, _ = sample(20, RNG)
    with pytest.raises(TypeError, match="no pseudo-outcomes"):
        _ = cmmd(x, y, t).pseudo_outcomes
    with pytest.raises(ValueError, match="training rows is for cmmd"):
        cmmd_test(x, y, t, estimator="doubly_robust", outcome_fit=np.arange(40) < 20, n_resamples=19)
