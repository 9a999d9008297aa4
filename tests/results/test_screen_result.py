"""The result of a screening by itself."""

import numpy as np

from condmmd import ScreenResult

RESULT = ScreenResult(
    names=tuple(f"y{j}" for j in range(12)),
    pvalues=np.linspace(0.9, 0.001, 12),
    adjusted=np.linspace(0.95, 0.012, 12),
    effects=np.linspace(-1, 1, 12),
    kinds=("mean",) * 12,
    n_obs=(5, 6),
    labels=("a", "b"),
    significance=0.05,
    assumption="something",
    propensity_summary={"model": "constant"},
)


def test_the_smallest_come_first():
    assert RESULT.found == ("y11",)
    lines = RESULT.summary().splitlines()
    assert lines[6].split()[0] == "y11"
    assert lines[-1] == "  ... and 2 more"


def test_plain_types():
    plain = RESULT.to_dict()
    assert plain["n_obs"] == {"P": 5, "Q": 6}
    assert plain["labels"] == {"P": "a", "Q": "b"}
    assert plain["pvalues"] == RESULT.pvalues.tolist()


def test_a_frame_has_the_smallest_first():
    frame = RESULT.to_frame()
    assert frame["outcome"].tolist() == [f"y{j}" for j in range(11, -1, -1)]
    assert frame.loc[0, ["pvalue", "adjusted", "effect", "kind"]].tolist() == [0.001, 0.012, 1.0, "mean"]
