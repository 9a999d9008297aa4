"""What was learned of the rows, for statistics that need it."""

import numpy as np
import pytest

from condmmd import CMMD
from condmmd.data import read_samples
from condmmd.nuisance import Learned, Propensity

SAMPLES = read_samples(np.arange(6.0), np.arange(6.0) ** 2, [1, 0, 1, 0, 1, 0])


def test_the_law_of_labels_is_there_or_missed_by_name():
    y = CMMD().embed_outcomes(SAMPLES)
    e = np.full(6, 0.5)
    propensity = Propensity(e, "known", "given probabilities", 3)
    centre, found = Learned(y, propensity, e).law_of_labels("a statistic")
    assert centre is e
    assert found is propensity
    with pytest.raises(ValueError, match="a statistic needs a propensity"):
        Learned(y).law_of_labels("a statistic")


def test_some_rows_learn_nothing_anew():
    y = CMMD().embed_outcomes(SAMPLES)
    e, rows = np.linspace(0.3, 0.7, 6), np.array([0, 1, 4])
    part = Propensity(e[rows], "known", "given probabilities", 2)
    found = Learned(y, Propensity(e, "known", "given probabilities", 3), e).on_rows(rows, part, e[rows])
    np.testing.assert_array_equal(found.outcomes.phi, y.phi[rows])
    assert found.propensity is part
    assert found.pooled is None
