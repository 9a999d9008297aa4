"""What comes of a test, column by column."""

import numpy as np
import pytest

from condmmd.inference.outcome import LevelResult, level_results
from condmmd.statistics import StatisticColumn


def test_each_column_with_what_was_found_for_it():
    columns = tuple(StatisticColumn(f"level {s:g}", s, "0.1 (given)", "k", "l") for s in (0.0, 1.0))
    found = level_results(columns, np.array([3.0, 2.0]), np.array([0.1, 0.2]))
    assert found[1] == LevelResult(1.0, 2.0, 0.2, "0.1 (given)", "k", "l", "level 1")
    with pytest.raises(ValueError, match="zip"):
        level_results(columns, np.array([3.0]), np.array([0.1, 0.2]))
