"""Models of the propensity: given, asserted, by a classifier or estimated; and what each gives."""

import array_api_strict as strict
import dask.array as da
import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression

from condmmd.backend import to_host
from condmmd.data import read_samples, read_table
from condmmd.nuisance import Propensity, propensity, propensity_model, regress_pooled
from condmmd.nuisance.propensity import Classifier, EqualMarginals, Known, Logistic, evaluated
from condmmd.nuisance.regressors import propensity_regressors

RNG = np.random.default_rng(0)
N = 600
X = RNG.normal(size=(N, 2))
E = 1 / (1 + np.exp(-X[:, 0]))
T = (RNG.random(N) < E).astype(float)
TABLE = read_table(X, "X")


def test_what_the_argument_says():
    assert isinstance(propensity_model(None), EqualMarginals)
    assert isinstance(propensity_model("estimate"), Logistic)
    assert isinstance(propensity_model(LogisticRegression()), Classifier)
    named = evaluated(propensity_model(lambda x: 1 / (1 + np.exp(-x[:, 0]))), X)
    np.testing.assert_allclose(named.fit(TABLE, None, T).e, E)
    assert "function <lambda>" in named.fit(TABLE, None, T).model
    with pytest.raises(ValueError, match="`propensity` must be 'estimate', None"):
        propensity_model("guess")
    with pytest.raises(TypeError, match=r"is a class.*LogisticRegression\(\)"):
        propensity_model(LogisticRegression)


def test_equal_marginals_and_classifiers():
    found = EqualMarginals().fit(TABLE, None, T)
    np.testing.assert_allclose(found.e, T.mean())
    assert found.effective_size == pytest.approx(N)
    fitted = Classifier(LogisticRegression()).fit(TABLE, None, T)
    np.testing.assert_allclose(fitted.e, LogisticRegression().fit(X, T).predict_proba(X)[:, 1])
    assert fitted.source == "estimated"
    with pytest.raises(TypeError, match="not a Gram matrix"):
        Classifier(LogisticRegression()).fit(TABLE.select(()), None, T)


def test_the_estimate_is_near_the_truth():
    y = np.sin(X[:, :1]) + RNG.normal(size=(N, 1))
    regressors = propensity_regressors(TABLE, regress_pooled(y, read_samples(X, y, T)))
    found = Logistic().fit(TABLE, regressors, T)
    assert np.abs(found.e - E).mean() < 0.07
    assert 0 < found.e.min() < found.e.max() < 1
    assert found.model.startswith(f"logistic regression on {regressors.shape[1]} features of X, C = ")
    with pytest.raises(ValueError, match="nothing to regress on"):
        Logistic().fit(TABLE, None, T)


@pytest.mark.parametrize(
    ("values", "words"),
    [
        (1.2 * np.ones(N), r"strictly between 0 and 1; got 600 value\(s\) outside, from 1.2 to 1.2"),
        (np.r_[0.0, E[1:]], r"got 1 value\(s\) outside"),
        (np.ones(3) / 2, "one probability a row, 600; got 3"),
        (np.full(N, np.nan), "600 NaN or infinite probabilities of 600"),
    ],
)
@pytest.mark.parametrize("kind", ["in memory", "device", "chunks"])
def test_probabilities_that_cannot_be(values, words, kind):
    place = {"in memory": np.asarray, "device": strict.asarray, "chunks": lambda a: da.from_array(a, chunks=250)}[kind]
    with pytest.raises(ValueError, match=words):
        Known(values).fit(TABLE, None, place(T))


def test_probabilities_go_where_the_labels_are():
    for place in (strict.asarray, lambda a: da.from_array(a, chunks=250)):
        found = Known(E).fit(TABLE, None, place(T))
        assert type(found.e) is type(place(T))
        np.testing.assert_array_equal(to_host(found.e), E)
        assert found.n == int(T.sum())


def test_another_prevalence_is_only_a_factor_in_the_odds():
    """A propensity for equally large samples stands for the one of these, and sums to n."""
    balanced = 1 / (1 + np.exp(-X[:, 0]))
    found = Propensity(balanced, "known", "given", 100)
    np.testing.assert_allclose(found.at_prevalence.sum(), 100, rtol=1e-9)
    assert found.share == pytest.approx(1 / 6)
    odds = found.at_prevalence / (1 - found.at_prevalence)
    ratio = odds / (balanced / (1 - balanced))
    np.testing.assert_allclose(ratio, ratio[0], rtol=1e-9)
    np.testing.assert_allclose(found.random_rows, np.sum(found.at_prevalence * (1 - found.at_prevalence)))
    summary = found.summary()
    assert summary["source"] == "known"
    assert summary["min"] <= summary["median"] <= summary["max"]
    assert "given propensity" in found.assumption


def test_beside_trees_the_regression_counts_as_much_as_in_the_mixture(monkeypatch):
    monkeypatch.setattr(propensity, "mixed_with_trees", lambda _x, _t, e: (e, 0.5, 0.75))
    found = Logistic().fit(TABLE, X, T)
    assert found.fit.share == 0.5
    assert found.model.endswith("and trees (60%)")
    assert found.e.sum() == pytest.approx(T.sum())
