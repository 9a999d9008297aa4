"""Null laws: what each refuses, and what comes of it."""

import numpy as np
import pytest

from condmmd import CMMD, Compute, Resampling, cmmd_test
from condmmd.inference import Settings
from condmmd.inference.joining import join, pvalue
from condmmd.labels import LabelRules
from condmmd.nuisance.propensity import EqualMarginals
from tests.doors.samples import GROUP, OTHER, X


def settings(n_resamples=99, significance=0.05):
    return Settings(n_resamples, 0, significance, Compute())


def test_too_few_label_vectors_are_refused():
    rules = LabelRules(EqualMarginals())
    with pytest.raises(ValueError, match="Use at least 19"):
        Resampling().check(CMMD(), rules, settings(9))
    with pytest.raises(ValueError, match="`scheme` must be one of"):
        Resampling("bootstrap")


def test_one_column_is_ranked_and_several_are_joined():
    one = cmmd_test(X, OTHER, GROUP, statistic=CMMD(level=1), n_resamples=99, rng=1)
    assert one.statistic == one.by_level[0].statistic
    assert one.pvalue == one.by_level[0].pvalue == pvalue(one.statistic, one.null_distribution)
    several = cmmd_test(X, OTHER, GROUP, statistic=CMMD(level=[1, 2]), n_resamples=99, rng=1)
    columns = [cmmd_test(X, OTHER, GROUP, statistic=CMMD(level=s), n_resamples=99, rng=1) for s in (1, 2)]
    statistics = np.array([[c.statistic, *c.null_distribution] for c in columns]).T
    np.testing.assert_allclose([several.statistic, *several.null_distribution], join(statistics), rtol=1e-6)
