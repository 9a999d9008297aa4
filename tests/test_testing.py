"""The test as a user calls it: right labels, right p-values, the same whatever the workers, clear errors."""

import json
import pickle
import warnings

import numpy as np
import pandas as pd
import pytest
from sklearn.ensemble import RandomForestRegressor
from sklearn.linear_model import LogisticRegression

from condmmd import CMMDTestResult, Gaussian, Laplacian, Linear, OverlapWarning, cmmd_test, pool
from condmmd.inference.joining import combine, pvalue
from condmmd.statistics.contrasts import Joint, PlugIn
from condmmd.labels.plan import read_blocks
from condmmd.kernels import median_distance
from condmmd.statistics.problem import Problem, embed_outcome_side, embed_samples
from condmmd.data import read_samples
from tests import gold

RNG = np.random.default_rng(0)
N = 160
X = np.concatenate([RNG.normal(-0.5, 1, N // 2), RNG.normal(0.5, 1, N // 2)])
GROUP = np.repeat([1, 0], N // 2)
SAME = np.sin(X) + 0.3 * RNG.normal(size=N)
OTHER = SAME + 1.2 * GROUP * np.cos(2 * X)
E = 1 / (1 + np.exp(X))


@pytest.mark.parametrize("case", gold.VECTORS["algorithms"], ids=lambda case: case["id"])
def test_algorithms_of_the_paper_with_its_labels(case):
    """The same labels give the same statistics and, with the paper's strict inequality, the same p-value."""
    pooled = pool(*gold.arrays(case))
    kernel = Gaussian(case["bandwidth"] ** -0.5)
    samples = read_samples(*pooled)
    y = embed_outcome_side(samples, kernel_y=kernel, tol=0.0, max_rank=None)
    features = embed_samples(samples, y, kernel_x=kernel, tol=0.0, max_rank=None, solver="auto")
    contrast = Joint() if case["estimator"] == "jmmd" else PlugIn((case["lam_p"], case["lam_q"]))
    T = np.concatenate([pooled[2][None], np.asarray(case["labels_T"])]).astype(float)
    level = float(case["stat"][-1])
    values = Problem(features.x, features.sigma, features.y, contrast).levels(T, np.array([level]))[:, 0]
    np.testing.assert_allclose(values[0], case["stat_value"], rtol=1e-9)
    np.testing.assert_allclose(values[1:], case["boot_stats"], rtol=1e-9)
    strict = (1 + np.sum(values[1:] > values[0] * (1 + 1e-10))) / len(values)
    assert strict == pytest.approx(case["p_value"])
    assert pvalue(values[0], values[1:]) >= case["p_value"]


@pytest.mark.parametrize(
    "settings",
    [
        {},
        {"propensity": E},
        {"propensity": lambda x: 1 / (1 + np.exp(x))},
        {"propensity": LogisticRegression()},
        {"propensity": E, "scheme": "bernoulli"},
        {"propensity": None},
        {"estimator": "orthogonal"},
        {"estimator": "orthogonal", "null": "gamma"},
        {"estimator": "joint", "propensity": None},
        {"level": 1},
        {"level": [0, 2]},
        {"reg": [0.1, 0.01]},
        {"reg": (0.1, 0.2)},
        {"reg": np.float64(0.1)},
        {"reg": "loo", "residualize": False},
        {"kernel_x": [Gaussian(0.5), Gaussian(2.0), None], "kernel_y": Laplacian()},
        {"residualize": RandomForestRegressor(20, random_state=0)},
        {"mixture": 0.5},
        {"solver": "dual"},
        {"trim": 0.1},
    ],
)
def test_finds_a_difference_and_not_where_there_is_none(settings):
    common = {"n_resamples": 99, "rng": 1}
    assert cmmd_test(X, OTHER, GROUP, **common, **settings).pvalue <= 0.02
    if settings.get("propensity", 0) is not None:  # which would assert that X did not move
        assert cmmd_test(X, SAME, GROUP, **common, **settings).pvalue > 0.05


def test_the_result_says_everything():
    result = cmmd_test(X, SAME, np.where(GROUP == 1, "new", "old"), rng=7, n_resamples=99)
    assert isinstance(result, CMMDTestResult)
    statistic, p = result
    assert (statistic, p) == (result.statistic, result.pvalue)
    assert result.levels == (0.0, 0.5, 1.0, 1.5, 2.0)
    assert [r.level for r in result.by_level] == list(result.levels)
    assert len(result.null_distribution) == result.n_resamples == 99
    assert result.n_obs == (80, 80)
    assert result.lengthscales == {"x": [median_distance(X)], "y": [median_distance(SAME)]}
    assert "estimated propensity" in result.assumption
    assert result.propensity_summary["effective_size"] < N
    text = result.summary()
    for word in (
        "p-value",
        "rests on",
        "fixed-size",
        "logistic regression",
        "pooled ridge",
        "rng=7",
        "P (old: 80 rows)",
    ):
        assert word in text
    assert len(text.splitlines()) < 25
    there = json.loads(json.dumps(result.to_dict()))
    assert there["pvalue"] == result.pvalue
    assert there["by_level"][0]["level"] == 0
    assert "pvalue=" in repr(result)
    assert pickle.loads(pickle.dumps(result)).pvalue == result.pvalue  # noqa: S301 - our own bytes
    again = cmmd_test(X, SAME, np.where(GROUP == 1, "new", "old"), rng=result.rng_state, n_resamples=99)
    np.testing.assert_array_equal(again.null_distribution, result.null_distribution)


def test_each_assumption_is_named():
    said = {
        "equal": cmmd_test(X, SAME, GROUP, propensity=None, n_resamples=19, rng=0).assumption,
        "known": cmmd_test(X, SAME, GROUP, propensity=E, n_resamples=19, rng=0).assumption,
        "strata": cmmd_test(X > 0, SAME, GROUP, n_resamples=19, rng=0).assumption,
    }
    assert "same distribution in both samples" in said["equal"]
    assert "given propensity" in said["known"]
    assert "nothing beyond independent rows" in said["strata"]


def test_workers_and_batches_do_not_change_the_result(capsys):
    settings = {"n_resamples": 200, "rng": 3}
    one = cmmd_test(X, SAME, GROUP, **settings)
    for other in ({"batch_size": 1}, {"batch_size": 1000}, {"n_jobs": 2}, {"progress": True}):
        same = cmmd_test(X, SAME, GROUP, **settings, **other)
        assert same.pvalue == one.pvalue
        np.testing.assert_allclose(same.null_distribution, one.null_distribution, rtol=1e-8, atol=1e-9)
    assert "null labels 200/200" in capsys.readouterr().err


def test_units_of_labels_differ():
    null = cmmd_test(X, SAME, GROUP, n_resamples=192, rng=3).null_distribution
    assert len(np.unique(null)) > 180


def test_a_generator_moves_on_and_none_is_fresh():
    generator = np.random.default_rng(0)
    states = [cmmd_test(X, SAME, GROUP, rng=generator, n_resamples=19).rng_state for _ in range(2)]
    assert states[0] != states[1]
    assert cmmd_test(X, SAME, GROUP, n_resamples=19).rng_state != cmmd_test(X, SAME, GROUP, n_resamples=19).rng_state


def test_ties_count():
    assert pvalue(1.0, np.array([1.0, 0.5, 1.0 - 1e-13])) == 0.75
    assert pvalue(0.0, np.zeros(9)) == 1.0


def test_the_combined_statistic_is_symmetric_in_the_rows():
    """Exchangeable rows must stay so: permuting them permutes the statistic."""
    S = RNG.chisquare(3, size=(50, 4))
    order = RNG.permutation(50)
    np.testing.assert_allclose(combine(S[order]), combine(S)[order], atol=1e-9)
    np.testing.assert_allclose(combine(S * [1, 10, 1e5, 1e-9]), combine(S), atol=1e-9)
    assert np.isfinite(combine(np.zeros((10, 2)))).all()


def test_data_frames_with_categories():
    frame = pd.DataFrame({"x": X, "kind": RNG.choice(["a", "b"], N)})
    outcome = pd.DataFrame({"y": SAME, "z": np.where(RNG.random(N) < 0.3 + 0.4 * GROUP, "u", "v")})
    assert cmmd_test(frame, outcome, GROUP, n_resamples=99, rng=0).pvalue <= 0.02
    assert cmmd_test(frame, outcome["y"], GROUP, n_resamples=99, rng=0).pvalue > 0.05


def test_gram_matrices():
    K, L = Gaussian(1.0)(X), Gaussian(0.5)(OTHER)
    result = cmmd_test(K, L, GROUP, kernel_x="precomputed", kernel_y="precomputed", n_resamples=99, rng=0)
    assert result.pvalue <= 0.02
    precomputed = {"kernel_x": "precomputed", "kernel_y": "precomputed", "n_resamples": 19, "rng": 0}
    assert cmmd_test(K, L, GROUP, trim=0.2, **precomputed).trimmed > 0
    same = cmmd_test(K, Gaussian(0.5)(SAME), GROUP, **precomputed)
    assert same.propensity_summary["effective_size"] > N / 2
    for bad in ({"propensity": LogisticRegression()}, {"residualize": RandomForestRegressor()}):
        with pytest.raises(TypeError, match="not a Gram matrix"):
            cmmd_test(K, L, GROUP, **precomputed, **bad)


def test_discrete_covariates_are_strata():
    x = RNG.integers(0, 4, size=N)
    y = x + RNG.normal(size=N)
    result = cmmd_test(x, y, GROUP, n_resamples=99, rng=0)
    assert result.scheme == "permutation within strata"
    assert cmmd_test(x, y + 2 * GROUP * (x == 1), GROUP, n_resamples=99, rng=0).pvalue <= 0.02


def test_trimming_is_symmetric_and_told():
    result = cmmd_test(X, SAME, GROUP, propensity=E, trim=0.2, n_resamples=19, rng=0)
    kept = (E >= 0.2) & (E <= 0.8)
    assert result.trimmed == int((~kept).sum())
    assert result.n_obs == (int(kept[GROUP == 1].sum()), int(kept[GROUP == 0].sum()))
    assert "trimmed" in result.summary()


def test_little_overlap_is_warned_about_with_the_region():
    with pytest.warns(OverlapWarning, match=r"almost only P in \d+ of 160 rows, with x0 from"):
        cmmd_test(X + 4.0 * GROUP, SAME, GROUP, n_resamples=19, rng=0)


def test_unequal_sizes_alone_are_no_lack_of_overlap():
    x = RNG.normal(size=420)
    result = cmmd_test(x, np.sin(x), np.repeat([1, 0], [20, 400]), n_resamples=19, rng=0)  # warnings are errors here
    assert result.propensity_summary["effective_size"] > 380


def test_blocks_keep_rows_together():
    subject = np.repeat(np.arange(40), 4)
    result = cmmd_test(X, SAME, GROUP, blocks=subject, propensity=None, n_resamples=19, rng=0)
    assert result.scheme == "permutation of blocks"
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # 40 blocks are few to estimate a propensity from
        estimated = cmmd_test(X, SAME, GROUP, blocks=subject, n_resamples=19, rng=0)
    assert estimated.scheme == "fixed-size of blocks"
    by_subject = np.repeat(np.linspace(0.3, 0.7, 40), 4)
    assert cmmd_test(X, SAME, GROUP, blocks=subject, propensity=by_subject, n_resamples=19, rng=0).pvalue > 0
    blocks = read_blocks(["b", "a", "b", "c", "d"], np.array([1.0, 0, 1, 0, 1]))
    assert blocks.of_row.tolist() == [1, 0, 1, 2, 3]
    assert blocks.labels.tolist() == [0, 1, 0, 1]
    assert blocks.sizes.tolist() == [1, 2, 1, 1]


def test_blocks_of_other_sizes_are_told_apart():
    sizes = np.repeat([1, 8], 30)
    subject = np.repeat(np.arange(60), sizes)
    labels = np.repeat(np.repeat([1, 0], 30), sizes)
    x = RNG.normal(size=len(subject))
    with pytest.warns(OverlapWarning, match="valid only if their sizes have the same distribution"):
        cmmd_test(x, x, labels, blocks=subject, propensity=None, n_resamples=19, rng=0)
    with pytest.raises(ValueError, match="no overlap"):
        cmmd_test(x, x, labels, blocks=subject, n_resamples=19, rng=0)


@pytest.mark.parametrize(
    ("settings", "error", "words"),
    [
        ({"propensity": 1.2 * np.ones(N)}, ValueError, r"strictly between 0 and 1; got 160 value\(s\) outside"),
        ({"propensity": np.ones(3) / 2}, ValueError, r"one probability a row, 160; got 3"),
        ({"propensity": lambda x: x * np.nan}, ValueError, r"160 NaN or infinite probabilities"),
        ({"propensity": "guess"}, ValueError, r"`propensity` must be 'estimate', None"),
        ({"propensity": LogisticRegression}, TypeError, r"is a class.*LogisticRegression\(\)"),
        ({"propensity": np.where(GROUP == 1, 1 - 1e-9, 1e-9)}, ValueError, r"no overlap"),
        ({"propensity": E, "scheme": "permutation"}, ValueError, r"use propensity=None"),
        ({"propensity": E, "trim": 0.499}, ValueError, r"`trim` leaves"),
        ({"n_resamples": 9}, ValueError, r"no p-value below 0.1.*at 0.05. Use at least 19"),
        ({"n_resamples": 99, "significance": 0.001}, ValueError, r"Use at least 999"),
        ({"n_resamples": 0}, ValueError, r"`n_resamples` must be a positive integer"),
        ({"significance": 0}, ValueError, r"`significance`"),
        ({"level": -1}, ValueError, r"`level` must be at least 0"),
        ({"level": "best"}, ValueError, r"`level` must be one of"),
        ({"level": []}, ValueError, r"`level`"),
        ({"level": 1, "estimator": "joint"}, ValueError, r"`level` must be at least 2 with the joint"),
        ({"null": "gamma"}, ValueError, r"needs estimator='orthogonal'"),
        ({"reg": (0.1, 0.2), "estimator": "orthogonal"}, ValueError, r"`reg` must be one number here"),
        ({"trim": 0.7}, ValueError, r"`trim` must be between"),
        ({"trim": 0.1, "propensity": None}, ValueError, r"`trim` needs a propensity"),
        ({"kernel_x": []}, ValueError, r"must not be empty"),
        ({"reg": []}, ValueError, r"must not be empty"),
        ({"kernel_x": ["precomputed", None]}, ValueError, r"cannot be joined"),
        ({"residualize": RandomForestRegressor}, TypeError, r"`residualize` must be"),
        ({"blocks": np.zeros(3)}, ValueError, r"`blocks` must have one value a row, 160"),
        ({"blocks": np.arange(N) % 7}, ValueError, r"7 block\(s\) have rows of both groups, such as"),
        ({"blocks": GROUP}, ValueError, r"at least 2 blocks"),
        ({"blocks": np.arange(N) // 4, "propensity": E}, ValueError, r"the same for all rows of a block"),
        ({"rng": "seed"}, TypeError, r"`rng` must be None"),
        ({"residualize": "yes"}, TypeError, r"`residualize` must be True, False"),
        ({"batch_size": 0}, ValueError, r"`batch_size`"),
        ({"scheme": "bootstrap"}, ValueError, r"`scheme` must be one of"),
    ],
)
def test_bad_settings(settings, error, words):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        with pytest.raises(error, match=words):
            cmmd_test(X, SAME, GROUP, **{"n_resamples": 19} | settings)


def test_missing_values_are_an_error_not_a_small_pvalue():
    spoiled = SAME.copy()
    spoiled[5] = np.nan
    for arguments in ((spoiled, SAME, GROUP), (X, spoiled, GROUP)):
        with pytest.raises(ValueError, match="1 NaN"):
            cmmd_test(*arguments)


def test_linear_outcomes_see_means_only():
    noise = np.where(GROUP == 1, 2.0, 0.2) * RNG.normal(size=N)
    assert cmmd_test(X, noise, GROUP, n_resamples=99, rng=0).pvalue <= 0.02
    assert cmmd_test(X, noise, GROUP, kernel_y=Linear(), n_resamples=99, rng=0, propensity=E).pvalue > 0.02
