"""How many rows a test needs."""

import numpy as np
import pytest

from condmmd import CMMD, cmmd_test, plan

RNG = np.random.default_rng(0)
X = RNG.normal(size=(120, 2))
Y = X[:, 0] + RNG.normal(size=120)


def test_the_rows_it_names_show_the_effect():
    """Whole tests of fresh tables of that size; the bound is three standard errors of so many trials."""
    rows = plan(X, Y, effect=0.7, propensity=None, rng=1).rows
    trials, found = 24, 0
    for trial in range(trials):
        rng = np.random.default_rng([trial, 2])
        x, group = rng.normal(size=(sum(rows), 2)), np.repeat([1, 0], rows)
        y = x[:, 0] + rng.normal(size=sum(rows)) + 0.7 * group
        found += cmmd_test(x, y, group, propensity=None, n_resamples=99, rng=trial).pvalue <= 0.05
    assert found / trials == pytest.approx(0.8, abs=3 * 0.4 / trials**0.5)


def test_a_pilot_with_groups_keeps_their_shares():
    group = np.repeat([1, 0], [30, 90])
    found = plan(X, Y, group, effect=0.6, rng=1)
    assert found.pilot == (30, 90)
    assert found.rows[1] / found.rows[0] == pytest.approx(3.0, rel=0.05)
    assert found.labels == ("1", "0")
    alike = plan(X, Y, effect=0.6, share=0.25, rng=1)
    assert alike.pilot == (30, 90)
    assert sum(alike.rows) == pytest.approx(sum(found.rows), rel=0.35)


def test_the_same_seed_gives_the_same_answer():
    assert plan(X, Y, effect=0.5, rng=3).rows == plan(X, Y, effect=0.5, rng=3).rows


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"power": 2}, ValueError, "`power` must be between"),
        ({"share": 0.0}, ValueError, "`share` must be between 0 and 1"),
        ({"kind": "much"}, ValueError, "`kind` must be one of"),
        ({"significance": 2}, ValueError, "`significance` must be"),
        ({"group": np.repeat([1, 0], 60), "share": 0.3}, ValueError, "`share` is for a pilot without `group`"),
        ({"statistic": CMMD()}, TypeError, "linear in the labels"),
        ({"rng": "x"}, TypeError, "`rng` must be"),
    ],
)
def test_arguments_that_are_wrong(options, error, message):
    with pytest.raises(error, match=message):
        plan(X, Y, effect=0.5, **options)


def test_chunks_are_refused():
    array = pytest.importorskip("dask.array")
    with pytest.raises(TypeError, match="in chunks"):
        plan(array.from_array(X), array.from_array(Y), effect=0.5)
    with pytest.raises(ValueError, match="at least 4"):
        plan(X[:3], Y[:3], effect=0.5)
