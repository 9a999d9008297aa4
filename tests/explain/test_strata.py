"""The same test within strata, with Holm's correction."""

import numpy as np
import pandas as pd
import pytest

from condmmd import CMMD, OverlapWarning, cmmd_test
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
    with pytest.raises(ValueError, match="must be one of"):
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
    again = evidence.plan.run_within(evidence.labels, (cells["size"] == "rare").to_numpy(), 99)
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
    with pytest.raises(ValueError, match="`bins` must be a positive integer"):
        result.by_stratum("x1", bins=0)
    K = np.exp(-0.5 * np.subtract.outer(X["x1"].to_numpy(), X["x1"].to_numpy()) ** 2)
    grams = cmmd_test(K, y, group, statistic=CMMD("precomputed"), propensity=None, n_resamples=19, rng=0)
    with pytest.raises(TypeError, match=r"by_stratum.* needs the columns of X"):
        grams.by_stratum("row")
