"""Models that fit and models that do not, in every form in which they come."""

import array_api_strict as strict
import dask.array as da
import numpy as np
import pandas as pd
import pytest

from condmmd import Mixture, Normals, Quantiles, model_test

RNG = np.random.default_rng(5)
N = 300
X = RNG.normal(size=N)
SD = 0.3 + 0.6 * (X > 0)
Y = np.sin(X) + SD * RNG.normal(size=N)
FLAT = np.full(N, np.sqrt(np.mean(SD**2)))
LEVELS = np.array([0.1, 0.5, 0.9])
SCORES = np.array([-1.2815515655, 0.0, 1.2815515655])


def forms(sd):
    mean = np.sin(X)
    return {
        "pair": (mean, sd),
        "mixture": Mixture(np.full((N, 2), 0.5), np.stack([mean, mean], 1), np.stack([sd, sd], 1)),
        "quantiles": Quantiles(mean[:, None] + sd[:, None] * SCORES, LEVELS),
        "draws": mean[:, None] + sd[:, None] * np.random.default_rng(1).normal(size=(N, 30)),
    }


@pytest.mark.parametrize("form", list(forms(SD)))
def test_finds_a_spread_that_is_not_constant(form):
    assert model_test(X, Y, forms(FLAT)[form], rng=1).pvalue < 0.05
    right = model_test(X, Y, forms(SD)[form], rng=1)
    assert right.pvalue > 0.05
    assert right.sentence().startswith("No evidence")


@pytest.mark.parametrize("form", ["pair", "draws"])
def test_outcomes_drawn_anew(form):
    assert model_test(X, Y, forms(SD)[form], rng=1, null="redraw", n_resamples=199).pvalue > 0.05
    moved = model_test(X, Y + 0.5, forms(SD)[form], rng=1, null="redraw", n_resamples=199)
    assert moved.pvalue == 0.005
    assert moved.scheme == "outcomes redrawn from the model"


def test_rejects_a_true_model_at_its_level():
    """Redraws are exact: 300 nulls of 15 rows; the 99.9 % binomial interval of 0.1 is 0.047 to 0.163."""
    rejected = []
    for seed in range(300):
        rng = np.random.default_rng(seed)
        x = rng.normal(size=15)
        result = model_test(x, x + rng.normal(size=15), (x, 1.0), null="redraw", rng=seed, n_resamples=19)
        rejected.append(result.pvalue <= 0.1)
    assert 0.047 <= np.mean(rejected) <= 0.163


def test_where_and_by_how_much():
    result = model_test(X, Y + 1.0 * (X > 1), Normals(np.sin(X), SD), rng=1)
    region = result.where().regions[0]
    assert region.low > 0.3
    assert region.shift > 0
    effects = result.effect()
    assert effects["mean of y"].estimate == pytest.approx(np.mean(Y + (X > 1) - np.sin(X)))
    assert [effect.kind for effect in effects] == ["mean", "mean", "share"]
    assert "distributed as the model says" in result.summary()


def test_the_same_in_chunks_and_on_devices():
    here = model_test(X, Y, (np.sin(X), SD), rng=1, weights="kernel", n_resamples=99)
    for array in (strict.asarray, lambda a: da.from_array(a, chunks=40)):
        there = model_test(
            *map(array, (X, Y)), tuple(map(array, (np.sin(X), SD))), rng=1, weights="kernel", n_resamples=99
        )
        np.testing.assert_allclose(there.null_distribution, here.null_distribution, rtol=1e-6, atol=1e-7)
        assert there.pvalue == here.pvalue


def test_names_and_blocks():
    frame = pd.DataFrame({"x": X, "y": Y, "day": np.arange(N) // 2})
    result = model_test("x", "y", (np.sin(X), SD), data=frame, blocks="day", rng=1)
    assert result.spaces == ("x", "y")
    assert "model_test('x', 'y', model, data=data" in result.call
    assert result.scheme == "random signs of blocks"


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"n_draws": 0}, ValueError, "`n_draws` must be a positive integer"),
        ({"null": "guess"}, ValueError, "`null` must be one of"),
        ({"null": "redraw", "blocks": np.arange(N) // 2}, ValueError, "takes every row by itself"),
    ],
)
def test_what_cannot_be_answered_is_refused(options, error, message):
    with pytest.raises(error, match=message):
        model_test(X, Y, (X, SD), **options)


def test_redraws_of_rows_in_chunks_are_refused():
    with pytest.raises(TypeError, match="for rows in memory only"):
        model_test(da.from_array(X, chunks=50), Y, (X, SD), null="redraw")
