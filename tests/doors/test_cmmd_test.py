"""The test as a user calls it: right p-values, the same whatever the workers, clear errors."""

import re
import warnings

import numpy as np
import pandas as pd
import pytest
from sklearn.ensemble import RandomForestRegressor
from sklearn.linear_model import LogisticRegression

from condmmd import (
    CMMD,
    Asymptotic,
    Compute,
    Energy,
    Gaussian,
    Laplacian,
    Linear,
    OverlapWarning,
    PerGroup,
    Resampling,
    cmmd_test,
)
from tests.doors.samples import GROUP, OTHER, SAME, E, N, X

RNG = np.random.default_rng(1)


@pytest.mark.parametrize(
    "settings",
    [
        {},
        {"propensity": E},
        {"propensity": lambda x: 1 / (1 + np.exp(x))},
        {"propensity": LogisticRegression()},
        {"propensity": E, "null": Resampling("bernoulli")},
        {"propensity": None},
        {"statistic": CMMD(estimator="orthogonal"), "propensity": E},
        {"statistic": CMMD(estimator="overlap"), "null": Asymptotic()},
        {"statistic": CMMD(estimator="joint"), "propensity": None},
        {"statistic": CMMD(level=1)},
        {"statistic": CMMD(level=[0, 2])},
        {"statistic": CMMD(reg=[0.1, 0.01])},
        {"statistic": CMMD(reg=(0.1, "loo", PerGroup(0.1, 0.2)))},
        {"statistic": CMMD(reg=PerGroup(0.1, 0.2))},
        {"statistic": CMMD(reg=np.float64(0.1))},
        {"statistic": CMMD(reg=0.1), "residualize": False},
        {"statistic": CMMD(kernel_x=[Gaussian(0.5), Gaussian(2.0), None], kernel_y=Laplacian())},
        {"statistic": Energy()},
        {"residualize": RandomForestRegressor(20, random_state=0)},
        {"statistic": CMMD(mixture=0.5)},
        {"statistic": CMMD(solver="dual")},
        {"trim": 0.1},
    ],
)
def test_finds_a_difference_and_not_where_there_is_none(settings):
    common = {"n_resamples": 99, "rng": 1}
    assert cmmd_test(X, OTHER, GROUP, **common, **settings).pvalue <= 0.02
    if settings.get("propensity", 0) is not None:  # which would assert that X did not move
        assert cmmd_test(X, SAME, GROUP, **common, **settings).pvalue > 0.05


def test_workers_and_batches_do_not_change_the_result(capsys):
    settings = {"n_resamples": 200, "rng": 3}
    one = cmmd_test(X, SAME, GROUP, **settings)
    for other in (
        Compute(batch_size=1),
        Compute(batch_size=1000),
        Compute(n_jobs=2, batch_size=64),
        Compute(progress=True),
    ):
        same = cmmd_test(X, SAME, GROUP, **settings, compute=other)
        assert same.pvalue == one.pvalue
        np.testing.assert_allclose(same.null_distribution, one.null_distribution, rtol=1e-8, atol=1e-9)
    assert "null draws 200/200" in capsys.readouterr().err


def test_units_of_labels_differ():
    null = cmmd_test(X, SAME, GROUP, n_resamples=192, rng=3).null_distribution
    assert len(np.unique(null)) > 180


def test_a_generator_moves_on_and_none_is_fresh():
    generator = np.random.default_rng(0)
    states = [cmmd_test(X, SAME, GROUP, rng=generator, n_resamples=19).rng_state for _ in range(2)]
    assert states[0] != states[1]
    assert cmmd_test(X, SAME, GROUP, n_resamples=19).rng_state != cmmd_test(X, SAME, GROUP, n_resamples=19).rng_state


def test_data_frames_with_categories():
    frame = pd.DataFrame({"x": X, "kind": RNG.choice(["a", "b"], N)})
    outcome = pd.DataFrame({"y": SAME, "z": np.where(RNG.random(N) < 0.3 + 0.4 * GROUP, "u", "v")})
    assert cmmd_test(frame, outcome, GROUP, n_resamples=99, rng=0).pvalue <= 0.02
    assert cmmd_test(frame, outcome["y"], GROUP, n_resamples=99, rng=0).pvalue > 0.05


def test_gram_matrices():
    K, L = Gaussian(1.0)(X), Gaussian(0.5)(OTHER)
    grams = CMMD("precomputed", "precomputed")
    result = cmmd_test(K, L, GROUP, statistic=grams, n_resamples=99, rng=0)
    assert result.pvalue <= 0.02
    precomputed = {"statistic": grams, "n_resamples": 19, "rng": 0}
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
    assert f"left out    {result.trimmed} rows" in result.summary()


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
    assert estimated.scheme == "random signs of blocks"
    by_subject = np.repeat(np.linspace(0.3, 0.7, 40), 4)
    assert cmmd_test(X, SAME, GROUP, blocks=subject, propensity=by_subject, n_resamples=19, rng=0).pvalue > 0


def test_blocks_of_other_sizes_are_told_apart():
    sizes = np.repeat([1, 8], 30)
    subject = np.repeat(np.arange(60), sizes)
    labels = np.repeat(np.repeat([1, 0], 30), sizes)
    x = RNG.normal(size=len(subject))
    with pytest.warns(OverlapWarning, match="valid only if their sizes have the same distribution"):
        cmmd_test(x, x, labels, blocks=subject, propensity=None, n_resamples=19, rng=0)
    refused = 0
    for seed in range(6):  # the size of a block says its group: that is refused, or nearly so and warned of
        x = np.random.default_rng(seed).normal(size=len(subject))
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            try:
                cmmd_test(x, x, labels, blocks=subject, n_resamples=19, rng=0)
            except ValueError as error:
                assert "no overlap" in str(error)  # noqa: PT017 - either of two
                refused += 1
            else:
                assert re.search(r"(2\d|30) of 30 of P", str(caught[0].message))
    assert refused


def test_missing_values_are_an_error_not_a_small_pvalue():
    spoiled = SAME.copy()
    spoiled[5] = np.nan
    for arguments in ((spoiled, SAME, GROUP), (X, spoiled, GROUP)):
        with pytest.raises(ValueError, match="1 NaN"):
            cmmd_test(*arguments)


def test_linear_outcomes_see_means_only():
    noise = np.where(GROUP == 1, 2.0, 0.2) * RNG.normal(size=N)
    assert cmmd_test(X, noise, GROUP, n_resamples=99, rng=0).pvalue <= 0.02
    means = CMMD(kernel_y=Linear())
    assert cmmd_test(X, noise, GROUP, statistic=means, n_resamples=99, rng=0, propensity=E).pvalue > 0.02


def test_neither_the_order_of_the_rows_nor_the_names_of_the_groups_move_a_column():
    """With an estimated propensity, folds, bags and all: what is left to chance is the null labels."""
    rng = np.random.default_rng(5)
    x = rng.normal(size=(700, 3))
    group = (rng.random(700) < 1 / (1 + np.exp(-2.0 * (x[:, 0] > 0) + 1.0))).astype(int)
    y = np.sin(2 * x[:, 1]) + (x[:, 0] > 0) + rng.normal(size=700)
    order = rng.permutation(700)
    settings = {"n_resamples": 19, "rng": 0}
    first = [column.statistic for column in cmmd_test(x, y, group, **settings).by_level]
    swapped = cmmd_test(x, y, 1 - group, **settings)
    np.testing.assert_allclose([column.statistic for column in swapped.by_level], first, rtol=1e-6)
    moved = cmmd_test(x[order], y[order], group[order], **settings)  # lengthscales are medians over some of the rows
    np.testing.assert_allclose([column.statistic for column in moved.by_level], first, rtol=0.01)
