"""The pooled regression finds structure of several kinds, blind to labels; the residuals are what it leaves."""

import numpy as np
import pandas as pd
import pytest
from sklearn.linear_model import LinearRegression

from condmmd import Gaussian, Linear
from condmmd.embedding import embed
from condmmd.nuisance.pooled import Scores, regress_pooled
from condmmd.nuisance.residuals import check_residualize, residualize
from condmmd.data import read_samples, read_table

RNG = np.random.default_rng(0)
N = 400


@pytest.mark.parametrize(
    ("X", "signal", "word"),
    [
        (x := RNG.uniform(-2, 2, size=(N, 1)), np.sin(4 * x[:, 0]), "Gaussian"),
        (x := RNG.standard_cauchy(size=(N, 2)), np.tanh(x[:, 0]), ""),
        (x := RNG.normal(size=(N, 20)), x[:, 0] ** 2, ""),
        (x := RNG.normal(size=(N, 10)), x[:, 0] * x[:, 1], ""),
        (x := RNG.normal(size=(N, 20)), 2 * x.mean(axis=1), ""),
        (100 * RNG.integers(0, 3, size=(N, 1)) + (z := RNG.normal(size=(N, 1))), np.tanh(2 * z[:, 0]), "columns"),
    ],
    ids=["wave", "heavy tails", "one square of 20", "a product", "a mean of 20", "three far clusters"],
)
def test_structure_of_many_kinds_is_found(X, signal, word):
    Y = signal + 0.3 * signal.std() * RNG.normal(size=N)
    found = regress_pooled(embed(Linear(), Y[:, None], tol=0.0, max_rank=5).phi, read_table(X, "X"))
    assert np.corrcoef(found.fitted[:, 0], signal)[0, 1] > 0.9
    assert found.explained > 0.7
    assert word in found.model
    assert np.abs(np.corrcoef(found.prognostic()[:, 0], signal)[0, 1]) > 0.9


def test_categories_alone_and_with_numbers():
    frame = pd.DataFrame({"kind": RNG.choice(["a", "b", "c"], N), "flag": RNG.random(N) < 0.5})
    signal = (frame["kind"] == "a").to_numpy() + 2.0 * frame["flag"].to_numpy()
    psi = (signal + 0.1 * RNG.normal(size=N))[:, None]
    assert regress_pooled(psi, read_table(frame, "X")).explained > 0.9
    assert regress_pooled(psi, read_table(frame.assign(x=RNG.normal(size=N)), "X")).explained > 0.9


def test_nothing_is_explained_where_nothing_is_there():
    found = regress_pooled(RNG.normal(size=(N, 1)), read_table(RNG.normal(size=(N, 3)), "X"))
    assert abs(found.explained) < 0.05
    constant = regress_pooled(np.ones((N, 2)), read_table(RNG.normal(size=(N, 3)), "X"))
    np.testing.assert_array_equal(constant.fitted, 1.0)


def test_many_rows_select_on_some_and_fit_on_all():
    x = RNG.uniform(-2, 2, size=(3000, 1))
    psi = np.sin(3 * x) + 0.1 * RNG.normal(size=(3000, 1))
    found = regress_pooled(psi, read_table(x, "X"))
    assert len(found.fitted) == 3000
    assert found.explained > 0.95


def test_normal_scores():
    values = np.array([[1e9], [0.0], [-5.0], [0.0]])
    scores = Scores.of(read_table(values, "X"))(values)
    assert scores[0] > scores[1] == scores[3] > scores[2]
    np.testing.assert_allclose(scores.sum(), 0, atol=1e-12)


def test_residuals_are_what_the_regression_leaves():
    X, group = RNG.normal(size=(N, 1)), np.arange(N) % 2
    Y = np.sin(2 * X) + 0.1 * RNG.normal(size=(N, 1))
    samples = read_samples(X, Y, group)
    y = embed(Gaussian(1.0), Y, tol=1e-6, max_rank=50)
    pooled = regress_pooled(y.phi, samples.x)
    residual, told = residualize(y, samples, pooled, model=True)
    np.testing.assert_allclose(residual.phi, y.phi - pooled.fitted)
    assert told.model.startswith("pooled ridge")
    crossed, told = residualize(y, samples, None, model=LinearRegression())
    assert "cross-fitted" in told.model
    in_sample = y.phi - LinearRegression().fit(X, y.phi).predict(X)
    assert np.sum(crossed.phi**2) > np.sum(in_sample**2)
    np.testing.assert_allclose(crossed.phi, in_sample, atol=0.1)


def test_what_is_no_regressor():
    for model in (3, "yes", LinearRegression):
        with pytest.raises(TypeError, match="`residualize`"):
            check_residualize(model, gram=False)
