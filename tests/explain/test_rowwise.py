"""Where two sides differ: found where it was put, and nothing marked more often than the band says."""

import json

import numpy as np
import pandas as pd
import pytest

from condmmd import paired_test

RNG = np.random.default_rng(0)


def table(rng, bump=0.0, n=240):
    x = pd.DataFrame({"age": rng.uniform(20, 80, n), "sex": np.tile(["f", "m"], n // 2)})
    a, b = (0.05 * x["age"] + rng.normal(size=n) for _ in range(2))
    return x, a, b + bump * ((x["age"] > 60) & (x["sex"] == "f"))


def test_finds_the_part_where_it_was_put():
    where = paired_test(*table(RNG, 2.0), rng=1).where()
    assert where.anything
    age = where.profile("age")
    assert (age.low[age.outside] > 50).all()
    assert {region.covariate for region in where.regions} == {"age", "sex"}
    sex = next(region for region in where.regions if region.covariate == "sex")
    assert sex.condition == "sex is f"
    assert sex.shift + 2 * sex.error < 0
    assert json.loads(json.dumps(where.to_dict()))["regions"][0]["n_obs"] > 0
    assert len(where.to_frame()) == len(where.regions)
    assert "age from" in where.summary()
    assert "<li>" in where._repr_html_()


def test_marks_nothing_more_often_than_it_says():
    """100 nulls at 0.1: the 99.9 % binomial interval is 0.02 to 0.21."""
    marked = []
    for seed in range(100):
        x, a, b = table(np.random.default_rng(seed), n=80)
        result = paired_test(x[["age"]], a, b, rng=seed, n_resamples=99, weights="kernel", level="joint")
        marked.append(result.where(significance=0.1).anything)
    assert 0.02 <= np.mean(marked) <= 0.21


def test_rows_of_blocks_and_of_several_outcomes():
    x, a, b = table(RNG, 2.0)
    both = paired_test(x, np.stack([a, -a], 1), np.stack([b, -b], 1), rng=1, blocks=np.arange(240) // 2)
    where = both.where()
    assert where.profile("age").shift is None
    assert where.outcome is None
    assert where.anything
    with pytest.raises(ValueError, match="no covariate 'height'"):
        where.profile("height")
