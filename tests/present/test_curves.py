"""Conditional quantiles of each group."""

import numpy as np
import pytest

from condmmd import cmmd_test
from condmmd.present.curves import MAX_ROWS, group_curves


def result_of(n, seed=0):
    rng = np.random.default_rng(seed)
    x, group = rng.uniform(-1, 1, size=2 * n), np.repeat([1, 0], n)
    y = np.sin(2 * x) + group + 0.2 * rng.normal(size=2 * n)
    return cmmd_test(x, y, group, propensity=None, n_resamples=19, rng=0)


def test_curves_are_near_the_true_quantiles():
    of_p, of_q = group_curves(result_of(400).evidence)
    inside = np.abs(of_p.grid) < 0.8
    for curve, shift in ((of_p, 1.0), (of_q, 0.0)):
        truth = np.sin(2 * curve.grid) + shift
        np.testing.assert_allclose(curve.middle[inside], truth[inside], atol=0.2)
        assert np.all(curve.lower <= curve.middle)
        assert np.all(curve.middle <= curve.upper)
        assert 0.2 < np.median(curve.upper - curve.lower) < 0.8  # 0.51 is right


def test_they_are_fitted_once_and_on_some_rows():
    evidence = result_of(MAX_ROWS + 50).evidence
    curves = group_curves(evidence)
    assert group_curves(evidence) is curves
    assert len(curves[0].x) == MAX_ROWS


def test_where_x_has_one_value_there_is_no_grid():
    x = np.concatenate([np.zeros(40), np.linspace(-1, 1, 40)])
    group = np.repeat([1, 0], 40)
    result = cmmd_test(x, x + group, group, propensity=None, n_resamples=19, rng=0)
    of_p, of_q = group_curves(result.evidence)
    assert len(of_p.grid) == 0
    assert len(of_q.grid) > 10
    with pytest.raises(ValueError, match="needs one numeric covariate"):
        group_curves(cmmd_test(np.column_stack([x, x]), x, group, propensity=None, n_resamples=19, rng=0).evidence)
