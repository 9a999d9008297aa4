"""The doubly robust estimator: reference values, formulas, outcome models, and double robustness itself."""

from dataclasses import replace

import numpy as np
import pytest
from sklearn.linear_model import LinearRegression, LogisticRegression

from condmmd import CMMD, DoublyRobust, Gaussian, Linear, PerGroup, Polynomial, cmmd, cmmd_test, pool
from condmmd.data import read_samples
from condmmd.nuisance import Learned
from tests import gold, oracle

RNG = np.random.default_rng(0)


@pytest.mark.parametrize("case", gold.cases("dr_scalar"), ids=lambda case: case["id"])
@pytest.mark.parametrize("solver", ["primal", "dual"])
def test_reference_values_with_given_models(case, solver):
    X, Y, group = pool(*gold.arrays(case))
    statistic = CMMD(
        gold.package_kernel(case["kernel_x"]), "linear", reg=case["lam"], solver=solver, tol=0.0,
        estimator=DoublyRobust(model=PerGroup(case["mu_Y"], case["mu_Z"])),
    )  # fmt: skip
    d = cmmd(X, Y, group, statistic=statistic, propensity=np.asarray(case["e"]))
    np.testing.assert_allclose(d.pseudo_outcomes[:, 0], case["pseudo_outcome"], rtol=1e-9)
    for stat in case["stats"]:
        np.testing.assert_allclose(d.level(stat["level"]), float(stat["paper_40"]), rtol=1e-9)


@pytest.mark.parametrize("case", gold.cases("dr_general"), ids=lambda case: case["id"])
def test_reference_values_with_ridge_embeddings(case):
    train = case["cme_train"]
    kernels = gold.package_kernel(case["kernel_x"]), gold.package_kernel(case["kernel_y"])

    def statistic(**options):
        estimator = DoublyRobust(reg=PerGroup(train["lam_p"], train["lam_q"]), **options)
        return CMMD(*kernels, tol=0.0, reg=case["lam"], estimator=estimator)

    X, Y, group = pool(*gold.arrays(case))
    e = np.asarray(case["e"])
    if train["X_P"] == case["X_P"]:
        d = cmmd(X, Y, group, statistic=statistic(), propensity=e)
    else:  # separate training rows, put behind the others; their propensity is not used
        X_t, Y_t, group_t = pool(*gold.arrays(train))
        d = cmmd(
            np.concatenate([X, X_t]), np.concatenate([Y, Y_t]), np.concatenate([group, group_t]),
            propensity=np.concatenate([e, np.full(len(X_t), 0.5)]),
            statistic=statistic(train=np.arange(len(X) + len(X_t)) >= len(X)),
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
    robust = DoublyRobust(reg=PerGroup(0.02, 0.03))
    d = cmmd(x, y, t, statistic=CMMD(Gaussian(0.4), Gaussian(0.8), reg=0.05, estimator=robust, tol=0.0), propensity=e)
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

    def measured(**options):
        return cmmd(
            x, y, t, statistic=CMMD(Polynomial(2), Linear(), reg=0.01, estimator=DoublyRobust(**options)), propensity=e
        )

    inside = measured(reg=0.02)
    K = Polynomial(2)(x)
    mu = [(y[t == k] @ oracle.cme_weights(K[np.ix_(t == k, t == k)], K[t == k], 0.02)) for k in (1, 0)]
    given = measured(model=PerGroup(*mu))
    np.testing.assert_allclose(given.level([0, 1, 2]), inside.level([0, 1, 2]), rtol=1e-8)


@pytest.mark.parametrize("model", [None, LinearRegression()], ids=["ridge", "regressor"])
def test_cross_fitted_models_do_not_see_their_fold(model):
    x, y, t, e = sample(50, RNG)
    settings = {
        "statistic": CMMD(Gaussian(0.3), Linear(), reg=0.1, estimator=DoublyRobust(model=model, folds=5)),
        "propensity": e,
    }
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
    common = {"statistic": CMMD(kernel_y="linear", reg=0.01, estimator="doubly_robust")}
    exact = cmmd(x, y, t, propensity=lambda X: 1 / (1 + X**-0.5 * (1 - X) ** -0.5 / np.pi), **common).level(1)
    for propensity in ("estimate", LogisticRegression(), None):
        assert 0.3 * exact < cmmd(x, y, t, propensity=propensity, **common).level(1) < 3 * exact
    assert cmmd(np.round(3 * x), y, t, **common).level(1) > 0  # few values: shares in strata


def difference_at(x_new, n, e_kind, mu_kind, rng):
    """Estimated mean difference at x with right or wrong nuisances, for a linear outcome kernel."""
    x, y, t, e = sample(n, rng)
    right = np.cos(4 * np.pi * x)
    mu = (right + 0.5 * x**2, right) if mu_kind == "right" else (np.full(2 * n, 0.7), np.full(2 * n, -0.4))
    statistic = CMMD(Polynomial(2), "linear", reg=1e-6, estimator=DoublyRobust(model=PerGroup(*mu)))
    d = cmmd(x, y, t, statistic=statistic, propensity=e if e_kind == "right" else np.clip(1.3 * e**2, 0.05, 0.95))
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
    [{}, {"refit": False}, {"folds": 3}, {"model": LinearRegression()}, {"reg": PerGroup(0.1, 0.2)}],
    ids=["refit", "frozen", "folds", "regressor", "lambdas"],
)
def test_in_the_test(settings):
    x, y, t, e = sample(120, np.random.default_rng(5))
    estimator = DoublyRobust(**settings)
    common = {"statistic": CMMD(estimator=estimator), "propensity": e, "n_resamples": 99, "rng": 0}
    changed = cmmd_test(x, y + 0.7 * t, t, **common)
    assert changed.pvalue <= 0.02
    same = cmmd_test(x, y - 0.5 * t * x**2, t, **common)
    assert same.pvalue > 0.02
    frozen = settings.get("refit") is False or "model" in settings
    assert estimator.approximate == frozen
    assert ("approximate, as the outcome models" in same.assumption) == frozen


def test_refitted_statistics_are_those_of_the_measure():
    """The test's statistic at the observed labels is the measure's, and so it is at any others."""
    x, y, t, e = sample(60, RNG)
    robust = DoublyRobust(reg=PerGroup(0.05, 0.02))
    settings = {
        "statistic": CMMD(Gaussian(0.3), Gaussian(1.0), reg=0.1, estimator=robust, tol=1e-12), "propensity": e
    }  # fmt: skip
    for labels in (t, RNG.permutation(t)):
        tested = cmmd_test(x, y, labels, n_resamples=19, rng=0, residualize=False, **settings)
        measured = cmmd(x, y, labels, **settings)
        np.testing.assert_allclose([r.statistic for r in tested.by_level], measured.level(tested.levels), rtol=1e-6)


@pytest.mark.parametrize(
    ("options", "error", "words"),
    [
        ({"model": PerGroup(np.zeros(3), np.zeros(3))}, ValueError, r"predictions of shape \(40, 1\)"),
        ({"model": "forest"}, TypeError, r"`model` must be None"),
        ({"reg": -1}, ValueError, r"`reg` of DoublyRobust must be a positive"),
        ({"reg": PerGroup(0.1, "b")}, ValueError, r"`reg` of DoublyRobust must be a positive"),
        ({"folds": "some"}, ValueError, r"`folds` must be a positive integer"),
        ({"folds": 1}, ValueError, r"`folds` must be at least 2"),
        ({"train": np.zeros(40)}, TypeError, r"`train` must be a boolean for each row"),
        ({"train": np.zeros(40, dtype=bool)}, ValueError, r"at least 2 rows of each group to fit on"),
        ({"train": np.ones(3, dtype=bool)}, ValueError, r"one value a row, 40; got 3"),
        ({"train": np.ones(40, dtype=bool), "folds": 3}, ValueError, r"leave out `folds`"),
        ({"train": np.ones(40, dtype=bool), "model": PerGroup(0, 0)}, ValueError, r"fitted already"),
    ],
)
def test_bad_settings(options, error, words):
    x, y, t, e = sample(20, RNG)
    with pytest.raises(error, match=words):
        cmmd(x, y, t, statistic=CMMD(kernel_y="linear", estimator=DoublyRobust(**options)), propensity=e)


def test_what_does_not_go_together():
    x, y, t, e = sample(20, RNG)
    predictions = DoublyRobust(model=PerGroup(np.zeros(40), np.zeros(40)))
    with pytest.raises(TypeError, match=r"needs kernel_y='linear'"):
        cmmd(x, y, t, statistic=CMMD(estimator=predictions), propensity=e)
    robust = CMMD(kernel_y="linear", estimator="doubly_robust")
    with pytest.raises(ValueError, match=r"`reg` must be one number with the"):
        cmmd(x, y, t, statistic=replace(robust, reg=PerGroup(0.1, 0.2)), propensity=e)
    with pytest.raises(ValueError, match=r"strictly between 0 and 1"):
        cmmd(x, y, t, statistic=robust, propensity=np.zeros(40))
    with pytest.raises(ValueError, match=r"`propensity` does not apply to the plugin"):
        cmmd(x, y, t, propensity=None)
    samples = read_samples(x, y, t)
    with pytest.raises(ValueError, match="needs a propensity"):
        robust.measure(samples, Learned(robust.embed_measured(samples)))


def test_only_the_doubly_robust_estimator_has_pseudo_outcomes():
    x, y, t, _ = sample(20, RNG)
    with pytest.raises(TypeError, match="no pseudo-outcomes"):
        _ = cmmd(x, y, t).pseudo_outcomes
    with pytest.raises(ValueError, match="`train` of DoublyRobust is for cmmd"):
        cmmd_test(x, y, t, statistic=CMMD(estimator=DoublyRobust(train=np.arange(40) < 20)), n_resamples=19)


def test_a_regressor_on_training_rows_is_that_fitted_by_hand():
    """One outcome, so that scikit-learn gets a vector; the training rows take no other part."""
    x, y, t, e = sample(30, RNG)
    train = np.arange(60) % 3 == 0
    robust = DoublyRobust(model=LinearRegression(), train=train)
    d = cmmd(x, y, t, statistic=CMMD(Polynomial(2), Linear(), reg=0.01, estimator=robust), propensity=e)
    mu = []
    for label in (1, 0):
        own = train & (t == label)
        mu.append(LinearRegression().fit(x[own, None], y[own]).predict(x[~train, None]))
    expected = oracle.pseudo_outcomes_scalar(t[~train], e[~train], y[~train], *mu)
    np.testing.assert_allclose(d.pseudo_outcomes[:, 0], expected, rtol=1e-9)
    assert d.n_obs == (int(t[~train].sum()), int((1 - t[~train]).sum()))


def test_what_must_be_in_memory():
    assert not DoublyRobust().needs_memory
    for other in ({"folds": 2}, {"refit": False}, {"model": LinearRegression()}, {"train": np.ones(4, dtype=bool)}):
        assert DoublyRobust(**other).needs_memory
