"""What was found: regions in words, the signed map, and everything as JSON."""

import json
from dataclasses import replace

import numpy as np
import pytest

from condmmd import cmmd_test
from tests.explain.planted import planted


@pytest.fixture(scope="module")
def where():
    X, y, group = planted(2)
    return cmmd_test(X, y, group, n_resamples=99, rng=0).where()


def test_map_is_signed(where):
    _, y, _ = planted(2)
    profile, outcomes, values = where.map("x1")
    right = profile.middle > 0.6
    high, low = outcomes > np.quantile(y, 0.8), outcomes < np.quantile(y, 0.2)
    assert values[np.ix_(right, high)].mean() > 0 > values[np.ix_(right, low)].mean()


def test_everything_is_told_and_is_json(where):
    there = json.loads(json.dumps(where.to_dict(), allow_nan=False))
    assert there["pvalue"] == where.pvalue
    assert [p["covariate"] for p in there["profiles"]] == [p.covariate for p in where.profiles]
    assert there["regions"][0]["condition"] == where.regions[0].condition
    assert there["points"]["row"] == where.points.tolist()
    text = where.summary()
    assert "Where does y0 differ, given the covariates? Differences are 1 less 0" in text
    assert "along x1:" in text
    assert "further apart than they are" in text
    assert "weak control" in where._repr_html_()
    assert there["contrasts"][0]["parts"][1]["condition"] == where.contrasts[0].parts[1].condition
    assert "x1" in repr(where)
    assert "<li>" in where._repr_html_()


def test_profiles_by_name_and_their_shares(where):
    assert where.profile() is where.profiles[0]
    assert where.profile("x2").covariate == "x2"
    leading = where.profiles[0]
    assert leading.share_outside == pytest.approx(leading.n_obs[leading.outside].sum() / 2000)
    with pytest.raises(ValueError, match="no covariate 'colour'; there are"):
        where.profile("colour")


def test_nothing_found_is_said_so():
    rng = np.random.default_rng(0)
    x, group = rng.normal(size=100), np.repeat([1, 0], 50)
    nothing = cmmd_test(x, rng.normal(size=100), group, propensity=None, n_resamples=99, rng=0).where()
    assert not nothing.anything
    assert nothing.carriers == ()
    assert nothing.statements()[-1] == "no part of the table stands out at 0.05"
    assert nothing.cautions() == []
    assert len(nothing.statements()) == 3


def test_regions_as_a_frame(where):
    frame = where.to_frame()
    assert frame["condition"].tolist() == [region.condition for region in where.regions]
    first = where.regions[0]
    assert frame.loc[0, ["low", "high", "shift", "error"]].tolist() == [first.low, first.high, first.shift, first.error]
    assert tuple(frame.loc[0, ["rows_p", "rows_q"]]) == first.n_obs
    none = replace(where, profiles=()).to_frame()
    assert len(none) == 0
    assert list(none.columns) == list(frame.columns)
