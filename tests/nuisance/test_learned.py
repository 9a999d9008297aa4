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
