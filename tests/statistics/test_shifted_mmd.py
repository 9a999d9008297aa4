"""The shifted MMD, against the implementation of its authors and against its definition."""

import numpy as np
import pytest

from condmmd import Gaussian
from condmmd.backend import HeldLabels
from condmmd.data import read_samples
from condmmd.labels.laws import law_of_sum
from condmmd.nuisance import Learned
from condmmd.nuisance.propensity import Known
from condmmd.statistics import ShiftedMMD
from tests.two_sample_gold import case, gaussian, rows


def fitted(X, Y, t, ratio, statistic):
    samples = read_samples(X, Y, t.astype(int))
    propensity = Known(1 / (1 + ratio)).fit(samples.x, None, samples.groups.t)
    y = statistic.embed_outcomes(samples)
    return statistic.fit(samples, Learned(y, propensity, propensity.at_prevalence))


def test_it_is_that_of_the_authors():
    _, values, rtol = case("drpt/shifted_mmd")
    X, Y, t, data = rows("two_sample_equal")
    kernel = Gaussian(0.5**0.5)
    ratio = data["r_q_over_p"]
    found = fitted(X, Y, t, ratio, ShiftedMMD(kernel, kernel, tol=1e-15))
    assert found.unbiased(HeldLabels(t[None, :]))[0] == pytest.approx(values["statistic"], rel=rtol)
    odds = np.asarray(found.centre) / (1 - np.asarray(found.centre))
    np.testing.assert_allclose(1 / (odds * ratio), values["lam"], rtol=rtol)  # of groups of one size


def test_labels_have_the_null_law_of_the_authors():
    """The chance of being in Q given the sizes; their sampler has 0 and 1 for the first rows, which it never moves."""
    settings, values, rtol = case("drpt/null_law")
    p = 1 / (1 + np.exp(0.4 * np.array(settings["x"]) - 0.08))
    six = np.array([6])
    others = np.concatenate([law_of_sum(np.delete(p, i))(six) for i in range(12)])
    inclusion = (1 - p) * others / law_of_sum(p)(six)
    np.testing.assert_allclose(inclusion, values["inclusion_in_second"], rtol=rtol)


def test_columns_are_distances_of_the_weighted_samples():
    rng = np.random.default_rng(0)
    X, Y, t = rng.normal(size=(30, 1)), rng.normal(size=(30, 1)), np.repeat([1.0, 0.0], [12, 18])
    ratio = np.exp(X[:, 0] - 0.5 * Y[:, 0])
    found = fitted(X, Y, t, ratio, ShiftedMMD(Gaussian(1.0), Gaussian(0.7), tol=1e-14))
    tau = (t - found.centre) / 12
    K, L = gaussian(X, X, 1.0), gaussian(Y, Y, 0.7)
    columns = found(HeldLabels((t - found.centre)[None, :]))[0]
    np.testing.assert_allclose(columns, [tau @ G @ tau for G in (K, L, K * L)], rtol=1e-9)
    e, J = np.asarray(found.centre), K * L
    np.fill_diagonal(J, 0.0)
    a, b = t * (1 - e), (1 - t) * e * 18 / 12
    literal = a @ J @ a / (12 * 11) + b @ J @ b / (18 * 17) - 2 * a @ J @ b / (12 * 18)
    assert found.unbiased(HeldLabels(t[None, :]))[0] == pytest.approx(literal, rel=1e-9)
