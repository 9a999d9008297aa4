"""What the results of all tests have in common."""

import numpy as np
import pytest

from condmmd import cmmd_test, mmd_test, paired_test, ratio_test

RNG = np.random.default_rng(0)
X, Y, GROUP = RNG.normal(size=80), RNG.normal(size=80), np.repeat([1, 0], 40)
FEW = {"n_resamples": 19, "rng": 3}
RESULTS = {
    "cmmd": cmmd_test(X, Y, GROUP, **FEW),
    "paired": paired_test(X, Y, Y + RNG.normal(size=80), **FEW),
    "ratio": ratio_test(X, Y, GROUP, np.ones(80), **FEW),
    "mmd": mmd_test(X, GROUP, **FEW),
}


@pytest.mark.parametrize("name", list(RESULTS))
def test_it_unpacks_and_names_itself(name):
    result = RESULTS[name]
    assert tuple(result) == (result.statistic, result.pvalue)
    assert repr(result).startswith(f"{type(result).__name__}(statistic=")
    assert (result.n_resamples, result.rng_state) == (19, 3)
    assert f"n_obs={result.n_obs}" in " ".join(repr(result).split())


@pytest.mark.parametrize("name", ["cmmd", "paired"])
def test_its_dictionary_is_a_copy_of_its_public_fields(name):
    result = RESULTS[name]
    plain = result.to_dict()
    assert not any(key.startswith("_") for key in plain)
    assert plain["null_distribution"] == result.null_distribution.tolist()
    assert [row["pvalue"] for row in plain["by_level"]] == [row.pvalue for row in result.by_level]
    plain["embeddings"]["x"]["kernel"] = "another"
    assert result.embeddings["x"]["kernel"] != "another"


def test_what_was_drawn_cannot_be_changed():
    with pytest.raises(ValueError, match="read-only"):
        RESULTS["cmmd"].null_distribution[0] = 0.0
