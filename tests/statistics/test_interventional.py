"""The interventional statistic, against its definition and what was published as DATE and DETT."""

import numpy as np
import pandas as pd
import pytest

from condmmd import Gaussian, Interventional, PooledRidge, cmmd_test
from condmmd.backend import HeldLabels
from condmmd.regression.populations import POPULATIONS
from condmmd.statistics import pseudo_outcomes
from tests.two_sample_gold import case, gaussian, rows

RNG = np.random.default_rng(0)
N = 80
X = RNG.normal(size=(N, 2))
E = 1 / (1 + np.exp(-X[:, 0]))
GROUP = (RNG.random(N) < E).astype(int)
Y = X[:, 0] * (2 * GROUP - 1) + 0.5 * RNG.normal(size=N)


def fitted(population, **options):
    result = cmmd_test(
        X, Y, GROUP, statistic=Interventional(population, **options), propensity=E, residualize=PooledRidge(),
        n_resamples=19, rng=0,
    )  # fmt: skip
    return result._trained


@pytest.mark.parametrize("population", POPULATIONS)
def test_it_is_the_mean_of_pseudo_outcomes_whose_models_have_not_seen_the_row(population):
    """Ridge regressions of the difference on the other rows, one after another, in place of sums over rows."""
    trained = fitted(population)
    statistic, t = trained.fitted, trained.labels.samples.groups.t
    e, psi, phi = statistic.centre, statistic.contrast.rho, statistic.covariates.phi
    w, total = e * (1 - e), {"overlap": (e * (1 - e)).sum(), "all": N, "p": t.sum(), "q": N - t.sum()}[population]
    ridge = 0.1 * np.sum(w[:, None] * phi**2)
    tau = np.empty_like(psi)
    for i in range(N):
        others = np.arange(N) != i
        A = (phi[others] * w[others, None]).T @ phi[others] + ridge * np.eye(phi.shape[1])
        tau[i] = phi[i] @ np.linalg.solve(A, (phi[others] * (t - e)[others, None]).T @ psi[others])
    models = (1 - e[:, None]) * tau, -e[:, None] * tau  # psi are residuals of the pooled regression
    literal = pseudo_outcomes(t, e, psi, models, population).sum(axis=0) / total
    found = statistic.embeddings(HeldLabels(np.array([t, 1 - t]) - e))
    np.testing.assert_allclose(found[0], literal, rtol=1e-9, atol=1e-12)
    plain = fitted(population, doubly_robust=False).fitted.embeddings(HeldLabels((t - e)[None, :]))[0]
    assert np.linalg.norm(plain - literal) > 1e-3 * np.linalg.norm(literal)


@pytest.mark.parametrize("robust", [True, False])
def test_columns_are_views_of_the_difference_in_units_of_its_variance(robust):
    trained = fitted("all", doubly_robust=robust)
    statistic, t = trained.fitted, trained.labels.samples.groups.t
    assert [column.name for column in statistic.columns] == [
        "the mean of y0", "the spread of y0", "the distribution of y0",
    ]  # fmt: skip
    e, psi = statistic.centre, statistic.contrast.rho
    T = HeldLabels(np.array([t, RNG.integers(0, 2, size=N)]) - e)
    for tau, of_labels, found in zip(T.held, statistic.embeddings(T) * N, statistic(T), strict=True):
        added = tau[:, None] * psi / (e * (1 - e))[:, None]
        if robust:
            phi, S = statistic.covariates.phi, np.diag(statistic.correction.shrinkage)
            h, w = np.einsum("ij,jk,ik->i", phi, S, phi), e * (1 - e)
            others = (phi @ S @ (phi.T @ (tau[:, None] * psi)) - (tau * h)[:, None] * psi) / (1 - w * h)[:, None]
            added -= ((1 - 2 * e) / w * tau)[:, None] * others
        np.testing.assert_allclose(added.sum(axis=0), of_labels, rtol=1e-9, atol=1e-12)
        views = [slice(0, 1), slice(1, 2), slice(2, None)]
        expected = [(of_labels[view] ** 2).sum() / (added[:, view] ** 2).sum() for view in views]
        np.testing.assert_allclose(found, expected, rtol=1e-9)


def test_classes_have_no_spread_and_gram_matrices_only_a_distribution():
    kinds = pd.DataFrame({"y0": np.where(Y > 0.5, "high", np.where(Y > -0.5, "middle", "low"))})
    shares = cmmd_test(X, kinds, GROUP, statistic=Interventional(), propensity=E, n_resamples=19, rng=0)
    assert [row.name for row in shares.by_level] == ["the shares of y0", "the distribution of y0"]
    K, L = gaussian(X, X, 1.0), gaussian(Y[:, None], Y[:, None], 1.0)
    statistic = Interventional(kernel_x="precomputed", kernel_y="precomputed")
    of_grams = cmmd_test(K, L, GROUP, statistic=statistic, propensity=E, n_resamples=19, rng=0)
    assert [row.name for row in of_grams.by_level] == ["the distribution of Y"]


def test_what_is_refused():
    with pytest.raises(ValueError, match="`population` must be one of"):
        Interventional("everybody")
    with pytest.raises(TypeError, match="`doubly_robust` must be True or False"):
        Interventional(doubly_robust=1)
    with pytest.raises(ValueError, match="`kernel_x`"):
        Interventional(kernel_x="sigmoid")
    with pytest.raises(ValueError, match="takes one `kernel_x`"):
        Interventional(kernel_x=("gaussian", "linear"))


# ---- the literature -------------------------------------------------------------------------------------------------


def _ridge(X, psi, at, ridge, lengthscale):
    return gaussian(at, X, lengthscale) @ np.linalg.solve(gaussian(X, X, lengthscale) + ridge * np.eye(len(X)), psi)


def _features(Y, lengthscale):
    return Gaussian(lengthscale), gaussian(Y, Y, lengthscale)


def _norm2(coefficients, L):
    """Of ``sum_j c_j psi_j``."""
    return float(coefficients @ L @ coefficients)


def test_date_and_dett():
    """Fawkes et al. 2024: models on even rows, the effect on odd ones."""
    settings, values, rtol = case("dr_distributional/date_dett")
    X, Y, t, data = rows("two_sample")
    train, test = np.arange(0, len(t), 2), np.arange(1, len(t), 2)
    L, psi = gaussian(Y, Y, 0.7), np.eye(len(t))  # features by their coefficients on all rows
    models = []
    for label in (1, 0):
        own = train[t[train] == label]
        models.append(_ridge(X[own], psi[own], X[test], settings["ridge"], 0.9))
    e = data["e"][test]
    date = pseudo_outcomes(t[test], e, psi[test], (models[0], models[1]), "all").mean(axis=0)
    dett = pseudo_outcomes(t[test], e, psi[test], (models[0], models[1]), "q").sum(axis=0) / (1 - t[test]).sum()
    assert _norm2(date, L) == pytest.approx(values["DATE"], rel=rtol)
    assert _norm2(dett, L) == pytest.approx(values["DETT"], rel=rtol)
