"""The result of a test of a ratio: words, JSON, pickles."""

import json
import pickle

import numpy as np
import pytest

from condmmd import ratio_test

RNG = np.random.default_rng(0)
X, GROUP = RNG.normal(size=80), np.repeat(["new", "old"], 40)


def test_it_says_what_was_asked_and_can_be_kept():
    result = ratio_test(X, X + RNG.normal(size=80), GROUP, np.exp(1.5 * X), n_resamples=99, rng=5)
    text = result.summary()
    assert text.startswith("Is the density of (x0, y0) in new (40 rows) the given ratio times that in old (40 rows)?")
    assert "exact" in text
    assert text.endswith("repeat with rng=5")
    assert result.sentence().startswith("The given ratio is not that of the densities of (x0, y0) in new and in old")
    assert result.ratio_range == pytest.approx(np.exp(1.5 * np.ptp(X)))
    assert 2 < min(result.effective_rows) < 40
    plain = json.loads(json.dumps(result.to_dict()))
    assert [row["name"] for row in plain["by_level"]] == [
        "the distribution of X", "the distribution of Y", "the distribution of (X, Y)",
    ]  # fmt: skip
    back = pickle.loads(pickle.dumps(result))  # noqa: S301 - our own bytes
    assert tuple(back) == tuple(result)
