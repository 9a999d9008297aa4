"""Pictures of rows with two sides."""

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest

from condmmd import calibration_test, paired_test
from condmmd.present.rowwise import plot_rows

RNG = np.random.default_rng(0)
X = RNG.normal(size=200)
PAIRED = paired_test(X, X + RNG.normal(size=200), X + RNG.normal(size=200) + (X > 0), rng=1)
P = RNG.uniform(size=200)
CALIBRATION = calibration_test(P, RNG.uniform(size=200) < P**2, rng=1)


@pytest.mark.parametrize(("result", "kind"), [(r, k) for r in (PAIRED, CALIBRATION) for k in r.pictures])
def test_every_picture(result, kind):
    axes = result.plot(kind)
    assert axes.get_title()
    assert axes.get_xlabel()
    plt.close(axes.figure)


def test_groups_and_names_from_the_data_are_drawn_as_they_are():
    frame = pd.DataFrame({"$x$": np.where(X > 0, "a_$b", "c"), "one": X, "other": X + RNG.normal(size=200)})
    axes = paired_test("$x$", "one", "other", data=frame, rng=1).plot("where")
    assert axes.get_xlabel() == r"\$x\$"
    axes.figure.canvas.draw()
    plt.close(axes.figure)


def test_what_there_is_no_picture_of():
    with pytest.raises(ValueError, match="`kind` must be one of"):
        plot_rows(PAIRED, "reliability", None)
    with pytest.raises(ValueError, match="nothing to show"):
        paired_test(X, X, X + RNG.normal(size=200), weights="neighbours").plot("null")
