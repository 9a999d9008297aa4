"""The family of columns: what each is, by hand; what it finds; the same in chunks."""

import numpy as np
import pandas as pd
import pytest

from condmmd import CMMD, ConstantColumnWarning, Family, Forests, Gaussian, PooledRidge, cmmd_test
from condmmd.backend import HeldLabels
from condmmd.data import read_samples
from condmmd.inference import Compute, Plan, Resampling, Settings
from condmmd.labels import LabelRules
from condmmd.nuisance import propensity_model, residual_model
from condmmd.nuisance.residuals import NoResiduals
from condmmd.statistics.family import bent_squares
from condmmd.statistics.outcome_scale import outcome_scale

RNG = np.random.default_rng(0)
N = 160
X = np.column_stack([np.concatenate([RNG.normal(-0.4, 1, 80), RNG.normal(0.4, 1, 80)]), RNG.normal(size=(N, 3))])
GROUP = np.repeat([1.0, 0.0], 80)
NOISE = RNG.normal(size=N)
Y = X[:, 0] + NOISE
E = 1 / (1 + np.exp(0.8 * X[:, 0]))
FAST = {"n_resamples": 199, "rng": 0}


def trained(residualize, propensity=E):
    rules = LabelRules(propensity_model(propensity))
    residuals = residual_model(residualize, PooledRidge(), gram=False)
    plan = Plan(Family(), rules, residuals, Resampling(), Settings(99, 0, 0.05, Compute()))
    return plan.train(read_samples(X, Y, GROUP))


def test_the_coarsest_column_is_the_overlap_weighted_difference_of_means():
    found = trained(False)
    values = found.fitted(found.labels.multipliers.observed)[0]
    names = [column.name for column in found.fitted.columns]
    e = found.learned.centre
    samples = read_samples(X, Y, GROUP)
    u = outcome_scale(samples.y)(samples.y.values)[:, 0]
    w = e * (1 - e)
    by_hand = ((GROUP - e) @ u / w.sum()) ** 2
    assert values[names.index("the mean of y0, over all rows")] == pytest.approx(by_hand, rel=1e-10)
    features = found.fitted.outcomes.phi
    by_hand = (((GROUP - e) @ features / w.sum()) ** 2).sum()
    assert values[names.index("the distribution of y0, over all rows")] == pytest.approx(by_hand, rel=1e-10)


def test_its_levels_along_the_covariates_are_those_of_the_overlap_estimator():
    """The same features of the outcomes, residualised by a regression that has the outcome itself beside them."""
    found = trained(False)
    T = np.stack([GROUP, RNG.permutation(GROUP)]) - found.learned.centre
    names = [column.name for column in found.fitted.columns]
    fine = found.fitted(HeldLabels(T))[:, names.index("the distribution of y0, along the covariates (level 0)") :]
    rules = LabelRules(propensity_model(E))
    plan = Plan(
        CMMD(level=(0, 1, 2), estimator="overlap"), rules, NoResiduals(), Resampling(),
        Settings(99, 0, 0.05, Compute()),
    )  # fmt: skip
    same = plan.train(read_samples(X, Y, GROUP)).fitted(HeldLabels(T))
    np.testing.assert_allclose(fine, same, rtol=1e-9)


@pytest.mark.parametrize(
    ("change", "kind"),
    [
        (1.2 * GROUP, "the mean of y0, over all rows"),
        (1.2 * GROUP * X[:, 1], "the mean of y0, along the covariates' main effects"),
        (1.8 * GROUP * NOISE, "the spread of y0, over all rows"),
    ],
)
def test_it_says_what_kind_of_difference_it_is(change, kind):
    result = cmmd_test(X, Y + change, GROUP, statistic=Family(), **FAST)
    assert result.pvalue <= 0.02
    alone = {column.name: column.pvalue for column in result.by_level}
    assert alone[kind] == min(alone.values())
    assert kind in str(result.to_dict())
    assert cmmd_test(X, Y, GROUP, statistic=Family(), **FAST).pvalue > 0.05


def test_a_constant_shift_on_a_mixed_table_is_seen():
    """A kernel over six mixed columns leaves nearly every row alone; the mean of the residuals does not care."""
    rng = np.random.default_rng(3)
    frame = pd.DataFrame({
        "age": rng.normal(45, 12, 400), "education": rng.integers(8, 18, 400).astype(float),
        "region": rng.choice(list("ABCDEFGH"), 400), "income": rng.lognormal(10, 0.6, 400),
        "children": rng.poisson(1.2, 400).astype(float), "sex": rng.choice(["f", "m"], 400),
    })  # fmt: skip
    group = np.repeat([1, 0], 200)
    y = 0.03 * frame["age"] + 0.2 * frame["education"] + rng.normal(size=400) + 0.5 * group
    assert cmmd_test(frame, y, group, statistic=Family(), **FAST).pvalue <= 0.01
    assert cmmd_test(frame, y, group, statistic=CMMD(), residualize=PooledRidge(), **FAST).pvalue > 0.01


def test_the_two_sides_of_an_outcome_with_many_zeros_have_columns_of_their_own():
    zero = np.random.default_rng(1).random(N) < np.where(GROUP == 1, 0.25, 0.65)
    spent = pd.Series(np.where(zero, 0.0, np.exp(8 + NOISE)), name="spent")
    columns = cmmd_test(X, spent, GROUP, statistic=Family(), propensity=E, **FAST).by_level
    alone = {column.name: column.pvalue for column in columns}
    assert alone["the share of zeros of spent, over all rows"] <= 0.01
    assert alone["the mean of log(spent) of the rest, over all rows"] > 0.05


def test_a_share_has_no_spread_and_many_outcomes_are_not_all_named():
    share = cmmd_test(X, (Y > 0).astype(float), GROUP, statistic=Family(), **FAST)
    words = {column.name.split(",")[0] for column in share.by_level}
    assert words == {"the share of y0 = 1", "the distribution of y0"}
    many = cmmd_test(X, np.column_stack([Y > 0, RNG.normal(size=(N, 9))]), GROUP, statistic=Family(), **FAST)
    names = [column.name for column in many.by_level]
    assert "the share of y0 = 1, the mean of y1, the mean of y2 and 7 more, over all rows" in names
    assert "the spread of y1, y2, y3 and 6 more, over all rows" in names
    assert "the distribution of y0, y1, y2 and 7 more, over all rows" in names


@pytest.mark.parametrize(
    "outcome",
    [
        Y > 0,
        pd.Series(np.where(Y > 0.5, "a", np.where(Y > -0.5, "b", "c"))),
        np.column_stack([Y, NOISE]),
        np.exp(4 * Y),
    ],
    ids=["binary", "classes", "two", "heavy"],
)
def test_outcomes_of_every_kind(outcome):
    result = cmmd_test(X, outcome, GROUP, statistic=Family(), **FAST)
    assert 0 < result.pvalue <= 1
    assert all(np.isfinite(column.statistic) for column in result.by_level)
    result.where()


def test_gram_matrices_and_one_covariate():
    L = Gaussian(1.0)(Y)
    result = cmmd_test(X, L, GROUP, statistic=Family(kernel_y="precomputed"), **FAST)
    assert {column.name.split(",")[0] for column in result.by_level} == {"the distribution of Y"}
    one = cmmd_test(X[:, 0], Y, GROUP, statistic=Family(), **FAST)
    assert not any("main effects" in column.name for column in one.by_level)


def test_in_chunks_the_same():
    da = pytest.importorskip("dask.array")
    statistic = Family(max_rank=60)  # few rows in memory would have all features, and rows in chunks those above `tol`
    one = cmmd_test(X, Y, GROUP, statistic=statistic, n_resamples=99, rng=3)
    chunked = [da.from_array(a, chunks=50 if a.ndim == 1 else (50, -1)) for a in (X, Y, GROUP)]
    same = cmmd_test(*chunked, statistic=statistic, n_resamples=99, rng=3)
    assert same.pvalue == one.pvalue
    np.testing.assert_allclose(same.null_distribution, one.null_distribution, rtol=1e-6)


def test_the_labels_may_be_swapped():
    """Nothing but the names of the groups changes: the columns are the same."""
    first = cmmd_test(X, Y, GROUP, statistic=Family(), propensity=E, **FAST)
    second = cmmd_test(X, Y, 1 - GROUP, statistic=Family(), propensity=1 - E, **FAST)
    np.testing.assert_allclose([c.statistic for c in first.by_level], [c.statistic for c in second.by_level], rtol=1e-8)


def test_noise_is_no_alarm_where_the_propensity_is_wrong():
    """Labels by an interaction that the logistic regression cannot see; Y has nothing to do with X."""
    rejected = 0
    for seed in range(12):
        rng = np.random.default_rng([5, seed])
        x = rng.normal(size=(400, 5))
        group = (rng.random(400) < 1 / (1 + np.exp(-2 * np.sign(x[:, 0]) * np.sign(x[:, 1])))).astype(int)
        rejected += (
            cmmd_test(x, rng.normal(size=400), group, statistic=Family(), n_resamples=39, rng=seed).pvalue <= 0.05
        )
    assert rejected <= 3


def test_a_constant_outcome_is_never_a_difference():
    for residualize in (True, False, Forests(trees=5)):
        with pytest.warns(ConstantColumnWarning):
            result = cmmd_test(X, np.ones(N), GROUP, statistic=Family(), residualize=residualize, **FAST)
        assert result.pvalue == 1.0


def test_within_strata_it_is_centred_at_the_shares():
    x = RNG.integers(0, 5, N)
    rules = LabelRules(propensity_model("estimate"))
    plan = Plan(Family(), rules, PooledRidge(), Resampling(), Settings(99, 0, 0.05, Compute()))
    found = plan.train(read_samples(x, Y, GROUP))
    shares = np.array([GROUP[x == k].mean() for k in range(5)])[x]
    np.testing.assert_allclose(found.learned.centre, shares)


def test_several_kernels_are_refused_and_the_summary_is_in_words():
    with pytest.raises(ValueError, match="Family takes one `kernel_x`"):
        Family(kernel_x=["gaussian", "laplacian"])
    text = cmmd_test(X, Y + 0.7 * GROUP, GROUP, statistic=Family(), **FAST).summary()
    assert "the mean of y0, over all rows" in text
    assert "... and 6 more" in text


def test_the_spread_is_less_what_x_says_of_it():
    """Noise that is four times as large on one side of an edge: its square, as it is, would be the edge."""
    rng = np.random.default_rng(3)
    x = rng.normal(size=(400, 3))
    edge = x[:, 0] > 0
    y = 3.0 * edge + np.where(edge, 2.0, 0.5) * rng.normal(size=400)
    group = np.arange(400) % 2
    plan = Plan(Family(), LabelRules(propensity_model(None)), Forests(), Resampling(), Settings(99, 0, 0.05, Compute()))
    (view,) = [view for view in plan.train(read_samples(x, y, group)).fitted.views if view.kind == "spread"]
    spread = np.asarray(view.values)[:, 0]
    assert abs(np.corrcoef(spread, edge)[0, 1]) < 0.1
    np.testing.assert_allclose(spread.mean(), 0.0, atol=1e-12)


def test_main_effects_are_principal_directions_of_the_overlap():
    """Where labels are random they have mean 0, no correlation, and the variances that the ridge is made for."""
    found = trained(False)
    (side,) = [side for side in found.fitted.sides if "main effects" in side.words]
    e = found.learned.centre
    weight = e * (1 - e) / np.sum(e * (1 - e))
    np.testing.assert_allclose(weight @ side.phi, 0.0, atol=1e-12)
    np.testing.assert_allclose((side.phi * weight[:, None]).T @ side.phi, np.diag(side.sigma), atol=1e-12)


def test_squares_are_bent():
    rows = np.array([[0.0], [1.0], [3.0], [1e6]])
    np.testing.assert_allclose(bent_squares(rows, np.array([1.0]))[:, 0], [0.0, 0.5, 0.9, 1.0], atol=1e-9)


def test_the_mean_over_all_rows_counts_twice():
    weights = {column.name: column.weight for column in trained(False).fitted.columns}
    assert weights.pop("the mean of y0, over all rows") == 2.0
    assert set(weights.values()) == {1.0}
