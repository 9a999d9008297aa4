"""The same test within strata, with Holm's correction."""

import numpy as np
import pandas as pd
import pytest

from condmmd import CMMD, Family, OverlapWarning, cmmd_test
from condmmd.explain import Stratum
from condmmd.explain.strata import _holm
from tests.explain.planted import planted


def test_strata_hold_holm():
    X, y, group = planted(5, n=400)
    X["half"] = np.where(X.x1 > 0.5, "upper", "lower")
    result = cmmd_test(X, y, group, n_resamples=199, rng=0)
    strata = {s.name: s for s in result.by_stratum("half")}
    assert strata["half is upper"].holm_pvalue <= 0.05 < strata["half is lower"].holm_pvalue
    binned = result.by_stratum("x1", bins=4)
    assert [s.holm_pvalue <= 0.05 for s in binned] == [False, False, True, True]
    assert sum(sum(s.n_obs) for s in binned) == 800
    with pytest.raises(ValueError, match=r"X has no column 'colour'; it has 'x1', 'x2', 'x3', 'half'\. For any other"):
        result.by_stratum("colour")


def test_holm():
    strata = [Stratum(name, (9, 9), p, None) for name, p in (("a", 0.04), ("b", 0.01), ("c", None), ("d", 0.03))]
    assert [s.holm_pvalue for s in _holm(strata)] == [
        pytest.approx(0.06),
        pytest.approx(0.03),
        None,
        pytest.approx(0.06),
    ]


def test_strata_are_told_apart_and_keep_their_scheme():
    rng = np.random.default_rng(0)
    X = pd.DataFrame({"day": 20240101.0 + np.arange(400), "cell": rng.choice(list("abcdef"), 400)})
    group = rng.integers(2, size=400)
    result = cmmd_test(X, rng.normal(size=400), group, n_resamples=99, rng=0)
    names = [s.name for s in result.by_stratum("day", bins=4)]
    assert len(set(names)) == 4
    assert names[0] == "day from 20240101 to 20240200"
    cells = pd.DataFrame({"cell": X["cell"], "size": np.where(np.arange(400) < 360, "big", "rare")})
    result = cmmd_test(cells, rng.normal(size=400), group, n_resamples=99, rng=0)
    assert result.scheme == "permutation within strata"
    evidence = result.evidence
    again = evidence.plan.run_within(evidence.labels, evidence.learned, (cells["size"] == "rare").to_numpy(), 99)
    assert again.outcome.scheme == "permutation within strata"
    assert again.trained.labels.samples.groups.n == group[360:].sum()


def test_one_stratum_without_overlap_does_not_stop_the_others():
    rng = np.random.default_rng(1)
    part = np.repeat(["mixed", "apart"], 100)
    x = rng.normal(size=200)
    group = np.where(part == "mixed", rng.integers(2, size=200), x > 0).astype(int)
    e = np.where(part == "mixed", 0.5, np.where(x > 0, 1 - 1e-9, 1e-9))
    X = pd.DataFrame({"x": x, "part": part})
    with pytest.warns(OverlapWarning, match="part in"):
        result = cmmd_test(X, rng.normal(size=200), group, propensity=e, rng=0)
    strata = {s.name: s for s in result.by_stratum("part")}
    assert strata["part is mixed"].holm_pvalue is not None
    assert "no overlap" in strata["part is apart"].note


def test_small_strata_and_gram_matrices():
    X, y, group = planted(0, n=60)
    X["kind"] = np.where(np.arange(120) < 3, "rare", "usual")
    result = cmmd_test(X, y, group, n_resamples=99, rng=0)
    rare = {s.name: s for s in result.by_stratum("kind")}["kind is rare"]
    assert rare.note == "fewer than 2 rows of a group"
    assert rare.pvalue is rare.holm_pvalue is None
    frame = result.by_stratum("kind").to_frame()
    assert frame["stratum"].tolist() == ["kind is rare", "kind is usual"]
    assert (frame["rows_p"] + frame["rows_q"]).tolist() == [3, 117]
    assert frame["note"].tolist() == [rare.note, ""]
    assert frame["holm_pvalue"].isna().tolist() == [True, False]
    with pytest.raises(ValueError, match="`bins` must be a positive integer"):
        result.by_stratum("x1", bins=0)
    K = np.exp(-0.5 * np.subtract.outer(X["x1"].to_numpy(), X["x1"].to_numpy()) ** 2)
    grams = cmmd_test(K, y, group, statistic=CMMD("precomputed"), propensity=None, n_resamples=19, rng=0)
    with pytest.raises(TypeError, match=r"by_stratum.* needs the columns of X"):
        grams.by_stratum("row")


def test_models_are_those_of_the_whole_table():
    """Neither residuals nor propensity are learned anew in a stratum."""
    X, y, group = planted(3, n=150)
    result = cmmd_test(X, y, group, statistic=Family(), n_resamples=19, rng=0)
    evidence, rows = result.evidence, (X.x1 > 0.5).to_numpy()
    run = evidence.plan.run_within(evidence.labels, evidence.learned, rows, 19)
    np.testing.assert_array_equal(run.trained.learned.outcomes.phi, evidence.learned.outcomes.phi[rows])
    np.testing.assert_array_equal(run.trained.labels.propensity.e, evidence.labels.propensity.e[rows])


def test_each_stratum_has_its_shift():
    X, y, group = planted(4, n=500, effect=2.0)
    lower, upper = cmmd_test(X, y, group, statistic=Family(), n_resamples=99, rng=0).by_stratum("x1", bins=2)
    assert lower.shift == pytest.approx(0.0, abs=3 * lower.error)
    assert upper.shift == pytest.approx(2.0, abs=3 * upper.error)
    assert 0.05 < upper.error < 0.2
    two = cmmd_test(X, np.column_stack([y, y**2]), group, n_resamples=99, rng=0).by_stratum("x1", bins=2)
    assert two[0].shift is two[0].error is None


def least_squares(X, y, group):
    """The coefficient of the group beside main effects, and its standard error."""
    Z = np.column_stack([np.ones(len(y)), X, group])
    found, (rest,), *_ = np.linalg.lstsq(Z, y, rcond=None)
    return found[-1], np.sqrt(rest / (len(y) - Z.shape[1]) * np.linalg.inv(Z.T @ Z)[-1, -1])


def test_effects_in_each_stratum_are_as_least_squares_has_them():
    rng = np.random.default_rng(1)
    n = 800
    X = pd.DataFrame({"x": rng.normal(size=n), "part": np.tile(["a", "b"], n // 2)})
    group = (rng.random(n) < 1 / (1 + np.exp(-X["x"]))).astype(int)
    y = X["x"] + rng.normal(size=n) + np.where(X["part"] == "b", 1.0, 0.0) * group
    strata = cmmd_test(X, y, group, n_resamples=99, rng=0).by_stratum("part")
    for stratum, part in zip(strata, "ab", strict=True):
        own = (X["part"] == part).to_numpy()
        estimate, error = least_squares(X.loc[own, "x"], y[own], group[own])
        (mean,) = stratum.effects
        assert mean.estimate == pytest.approx(estimate, abs=1.5 * error)
        assert mean.error == pytest.approx(error, rel=0.3)
        assert (stratum.shift, stratum.error) == (mean.estimate, mean.error)
        assert mean.interval[0] < (part == "b") < mean.interval[1]
    frame = strata.to_frame()
    assert frame["low"].tolist() == [s.effects[0].interval[0] for s in strata]
    assert "part is b" in repr(strata)


def test_any_column_of_the_table():
    """One that goes with the groups, given X: a stratum has models of its own, as a test of its rows alone has."""
    rng = np.random.default_rng(2)
    n = 600
    table = pd.DataFrame({"x": rng.normal(size=n), "clinic": rng.choice(["north", "south"], n)})
    odds = np.where(table["clinic"] == "north", 2.0, -2.0) * table["x"]  # in one clinic the other way round
    table["group"] = np.where(rng.random(n) < 1 / (1 + np.exp(-odds)), "new", "old")
    table["y"] = 2 * table["x"] + rng.normal(size=n) + 0.8 * (table["clinic"] == "south") * (table["group"] == "new")
    result = cmmd_test("x", "y", "group", data=table, n_resamples=99, rng=0)
    strata = result.by_stratum("clinic", data=table)
    assert [s.name for s in strata] == ["clinic is north", "clinic is south"]
    assert strata == result.by_stratum(table["clinic"])
    for stratum, clinic in zip(strata, ("north", "south"), strict=True):
        alone = cmmd_test("x", "y", "group", data=table[table["clinic"] == clinic], n_resamples=99, rng=0)
        assert stratum.pvalue == alone.pvalue
        assert stratum.shift == alone.effect()["mean"].estimate
        assert stratum.n_obs == alone.n_obs
    assert strata[0].holm_pvalue > 0.05 >= strata[1].holm_pvalue


def test_columns_that_cannot_be_strata():
    X, y, group = planted(1, n=60)
    table = X.assign(y=y, group=group, clinic=np.arange(120) % 3)
    result = cmmd_test(["x1", "x2"], "y", "group", data=table, n_resamples=39, rng=0)
    with pytest.raises(ValueError, match=r"`column`: `data` has no column 'clinc'; did you mean 'clinic'\?"):
        result.by_stratum("clinc", data=table)
    with pytest.raises(ValueError, match="'y' is an outcome"):
        result.by_stratum("y", data=table)
    with pytest.raises(ValueError, match="one value for each row of the test, 120; got 119"):
        result.by_stratum("clinic", data=table.iloc[1:])
    with pytest.raises(ValueError, match="`column` must be one column"):
        result.by_stratum(table[["clinic", "x3"]])


def test_rows_that_trim_left_out_are_in_no_stratum():
    rng = np.random.default_rng(3)
    x = rng.normal(size=400)
    group, part = (rng.random(400) < 1 / (1 + np.exp(-2 * x))).astype(int), np.arange(400) % 2
    e = 1 / (1 + np.exp(-2 * x))
    result = cmmd_test(x, x + rng.normal(size=400), group, propensity=e, trim=0.2, n_resamples=39, rng=0)
    kept = result.evidence.labels.kept
    assert result.trimmed == (~kept).sum() > 0
    strata = result.by_stratum(part)
    assert [s.name for s in strata] == ["column0 = 0", "column0 = 1"]
    assert [s.n_obs for s in strata] == [
        (int(group[kept & (part == k)].sum()), int((1 - group)[kept & (part == k)].sum())) for k in (0, 1)
    ]


def test_a_class_that_a_stratum_does_not_have():
    rng = np.random.default_rng(0)
    X = pd.DataFrame({"x": rng.normal(size=300), "part": np.repeat(["a", "b", "c"], 100)})
    group, y = rng.integers(2, size=300), rng.choice(["low", "high", "rare"], 300)
    y[:100] = np.where(y[:100] == "rare", "low", y[:100])
    strata = cmmd_test(X, pd.Series(y), group, statistic=Family(), n_resamples=99, rng=0).by_stratum("part")
    assert all(s.pvalue is not None and s.note == "" for s in strata)


def test_either_sign_is_seen_in_a_stratum():
    """The statistic is centred there too: with moved covariates a shift up is found as often as one down."""
    found = dict.fromkeys((1, -1), 0)
    for seed in range(4):
        rng = np.random.default_rng(seed)
        x = rng.normal(size=(300, 2))
        group = (rng.random(300) < 1 / (1 + np.exp(-x[:, 0]))).astype(int)
        for sign in found:
            y = 2 * x[:, 0] + rng.normal(size=300) + 1.2 * sign * group
            result = cmmd_test(x, y, group, statistic=Family(), n_resamples=99, rng=seed)
            found[sign] += sum(s.pvalue <= 0.05 for s in result.by_stratum("x1", bins=2))
    assert min(found.values()) >= 6
