"""Null laws of residual features: which is taken, and that each gives the p-value it should."""

from dataclasses import replace
from itertools import product

import numpy as np
import pytest

from condmmd import Compute, Linear
from condmmd.data.pairs import read_pairs
from condmmd.embedding.rowwise import PairedRows
from condmmd.inference import Settings, Signs
from condmmd.inference.rowwise import RowwisePlan, by_normal_limit, by_redraws, redraw_units
from condmmd.labels import SignBatch
from condmmd.statistics.rowwise import Rowwise

RNG = np.random.default_rng(0)
X, A, B = RNG.normal(size=(3, 40))
SETTINGS = Settings(199, 1, 0.05, Compute())


def trained(rows=40, **options):
    pairs = read_pairs(X[:rows], A[:rows], B[:rows])
    return RowwisePlan(Rowwise(**options), None, "auto", SETTINGS).train(PairedRows(pairs))


def test_all_signs_where_they_are_few():
    fitted = trained(6, weights="kernel", level=1).fitted
    outcome = Signs().compare(fitted, fitted.multipliers, SETTINGS)
    every = fitted(SignBatch(fitted.multipliers, np.array(list(product([1.0, -1.0], repeat=6)))))[:, 0]
    assert outcome.n_resamples == 31
    assert outcome.pvalue == pytest.approx(np.mean(every >= every[0] * (1 - 1e-9)))


def test_all_signs_are_taken_once_whatever_the_batches():
    fitted, settings = trained(10, weights="kernel", level=1).fitted, replace(SETTINGS, n_resamples=999)
    outcomes = [
        Signs().compare(fitted, fitted.multipliers, replace(settings, compute=compute))
        for compute in (Compute(), Compute(batch_size=64), Compute(n_jobs=2))
    ]
    assert {(found.n_resamples, found.pvalue) for found in outcomes} == {(511, outcomes[0].pvalue)}


def test_several_columns_are_joined_in_one_p_value():
    fitted = trained().fitted
    outcome = Signs().compare(fitted, fitted.multipliers, SETTINGS)
    assert len(outcome.by_level) == 8
    assert outcome.null.shape == (199,)
    assert outcome.pvalue == pytest.approx((1 + np.sum(outcome.null >= outcome.statistic)) / 200)
    assert np.isfinite(outcome.null).all()


def test_the_normal_limit_is_that_of_neighbours_alone():
    outcome = by_normal_limit(trained(weights="neighbours").fitted)
    assert outcome.n_resamples == 0
    assert outcome.pvalue == outcome.by_level[0].pvalue
    with pytest.raises(ValueError, match="neighbours alone"):
        by_normal_limit(trained().fitted)


def test_redraws_are_compared_with_the_observed_outcomes():
    pairs = read_pairs(X, A, B)
    rows = PairedRows(pairs)
    residuals = rows.features(Linear(), 1e-6, None)
    fitted = Rowwise(weights="kernel", level=1).fit(rows.x, residuals)

    def redraw(rng, count):
        return 0.01 * rng.normal(size=(count, 40, 1))

    assert by_redraws(fitted, redraw, SETTINGS).pvalue == pytest.approx(1 / 200)
    with pytest.raises(ValueError, match="no model to draw outcomes from"):
        RowwisePlan(Rowwise(), None, "redraw", SETTINGS).train(rows)


def test_the_first_draws_are_the_same_however_many_are_asked_for():
    few, many = list(redraw_units(70, 3)), list(redraw_units(200, 3))
    assert [size for size, _ in many] == [64, 64, 64, 8]
    assert few[0][1].random() == many[0][1].random()
    parts = list(redraw_units(70, 3, at_once=30))
    assert [size for size, _ in parts] == [30, 30, 4, 6]
    assert parts[0][1] is parts[2][1]
