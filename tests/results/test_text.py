"""What a result says to a person."""

import numpy as np
import pandas as pd

from condmmd import CMMD, cmmd_test
from condmmd.data import read_samples
from condmmd.results.text import MAX_NAMED, listed, shortened, spaces_of
from tests.doors.samples import GROUP, SAME, X
from tests.present.hostile import hostile_result


def test_notebook_display():
    html = hostile_result()._repr_html_()
    assert "<strong>" in html
    assert "<script" not in html
    assert "<i>treated" not in html


def test_columns_in_a_sentence():
    assert listed(("a", "", "c")) == "a, (no name), c"
    assert listed(tuple("abcdefghij")) == f"a, b, c, d, e, f, g, h and {10 - MAX_NAMED} more"
    frame = pd.DataFrame({"age": X, "bmi": X})
    assert spaces_of(read_samples(frame, SAME, GROUP)) == ("age, bmi", "y0")
    assert spaces_of(read_samples(np.eye(len(X)), SAME, GROUP, precomputed_x=True)) == ("X", "y0")


def test_numbers_in_as_many_digits_as_a_person_reads():
    assert shortened("Gaussian(lengthscale=1.23456789012)") == "Gaussian(lengthscale=1.235)"
    assert shortened("Gaussian(lengthscale=1.5)") == "Gaussian(lengthscale=1.5)"
    assert shortened("x" * 100) == "x" * 84 + " ..."


def test_many_levels_are_not_all_shown():
    result = cmmd_test(X, SAME, GROUP, statistic=CMMD(level=np.linspace(0, 2, 13)), n_resamples=19, rng=0)
    assert "... and 3 more" in result.summary()
    assert result._repr_html_().split("p-value alone")[1].count("<tr>") == 10
