"""Null laws: what each refuses, and what comes of it."""

import numpy as np
import pytest

from condmmd import CMMD, MMD, Compute, Gamma, Gaussian, Resampling, cmmd_test
from condmmd.inference import Settings
from condmmd.inference.joining import join, pvalue
from condmmd.labels import LabelRules
from condmmd.nuisance.propensity import EqualMarginals
from tests.doors.samples import GROUP, OTHER, SAME, E, X


def settings(n_resamples=99, significance=0.05):
    return Settings(n_resamples, 0, significance, Compute())


def test_too_few_label_vectors_are_refused_by_resampling_only():
    rules = LabelRules(EqualMarginals())
    with pytest.raises(ValueError, match="Use at least 19"):
        Resampling().check(CMMD(), rules, settings(9))
    Gamma().check(CMMD(estimator="orthogonal"), rules, settings(9))
    with pytest.raises(ValueError, match="`scheme` must be one of"):
        Resampling("bootstrap")


@pytest.mark.parametrize(
    ("statistic", "blocks"),
    [
        (CMMD(), None),
        (MMD(), None),
        (CMMD(estimator="orthogonal", reg=[0.1, 0.2]), None),
        (CMMD(estimator="orthogonal", kernel_x=[None, Gaussian(1.0)]), None),
        (CMMD(estimator="orthogonal"), np.arange(4)),
    ],
)
def test_the_gamma_law_is_for_one_statistic(statistic, blocks):
    with pytest.raises(ValueError, match=r"null=Gamma\(\) needs CMMD\(estimator='orthogonal'\)"):
        Gamma().check(statistic, LabelRules(EqualMarginals(), blocks=blocks), settings())


def test_one_column_is_ranked_and_several_are_joined():
    one = cmmd_test(X, OTHER, GROUP, statistic=CMMD(level=1), n_resamples=99, rng=1)
    assert one.statistic == one.by_level[0].statistic
    assert one.pvalue == one.by_level[0].pvalue == pvalue(one.statistic, one.null_distribution)
    several = cmmd_test(X, OTHER, GROUP, statistic=CMMD(level=[1, 2]), n_resamples=99, rng=1)
    columns = [cmmd_test(X, OTHER, GROUP, statistic=CMMD(level=s), n_resamples=99, rng=1) for s in (1, 2)]
    statistics = np.array([[c.statistic, *c.null_distribution] for c in columns]).T
    np.testing.assert_allclose([several.statistic, *several.null_distribution], join(statistics), rtol=1e-6)


@pytest.mark.parametrize("Y", [SAME, OTHER], ids=["same", "other"])
def test_the_gamma_law_is_near_resampling_with_independent_labels(Y):
    statistic = CMMD(estimator="orthogonal", level=1)
    law = cmmd_test(X, Y, GROUP, statistic=statistic, propensity=E, null=Gamma())
    drawn = cmmd_test(X, Y, GROUP, statistic=statistic, propensity=E, null=Resampling("bernoulli"), rng=0)
    assert law.statistic == pytest.approx(drawn.statistic, rel=1e-9)
    assert law.pvalue == pytest.approx(drawn.pvalue, abs=0.05)
    assert law.scheme == "gamma approximation to independent labels"
    assert law.n_resamples == 0
    assert len(law.null_distribution) == 0


def test_several_levels_of_the_gamma_law_are_joined_by_bonferroni():
    found = cmmd_test(X, SAME, GROUP, statistic=CMMD(estimator="orthogonal"), propensity=E, null=Gamma())
    alone = [row.pvalue for row in found.by_level]
    assert found.pvalue == pytest.approx(min(1.0, 5 * min(alone)))
