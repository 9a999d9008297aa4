"""A statistic of one's own, from outside the package, goes through the same test, result, pictures and report."""

import pickle
from dataclasses import dataclass

import numpy as np
import pytest

from condmmd import MMD, cmmd_test
from condmmd.backend import HeldLabels, to_host
from condmmd.embedding import embed_covariates
from condmmd.kernels import resolve_kernel
from condmmd.statistics import ConditionalStatistic, Statistic
from condmmd.statistics.base import StatisticColumn

RNG = np.random.default_rng(0)
X = RNG.normal(size=(200, 2))
GROUP = np.repeat([1, 0], 100)
Y = X[:, 0] + RNG.normal(size=200)


@dataclass(frozen=True, eq=False)
class FittedMeans:
    covariates: object
    outcomes: object
    e: np.ndarray
    joining = "logarithms"

    @property
    def columns(self):
        return (StatisticColumn("difference of mean features", 0.0, "none", "none", repr(self.outcomes.kernel)),)

    def __call__(self, T):
        sums = T.sum(lambda labels, psi: (to_host(labels) - self.e) @ psi, self.outcomes.phi)
        return (sums**2).sum(axis=1, keepdims=True)


@dataclass(frozen=True)
class Means(ConditionalStatistic):
    """The squared difference of the mean features, which a user may write in a file of their own."""

    needs = frozenset({"covariates", "propensity"})

    def fit(self, samples, learned):
        x = embed_covariates(
            resolve_kernel(None, samples.x), samples.x, tol=1e-6, max_rank=50, solver="primal", outcomes=1
        )
        return FittedMeans(x.principal()[0], learned.outcomes, learned.centre)


def test_it_is_a_statistic_and_finds_what_it_looks_for(tmp_path):
    assert isinstance(Means(), Statistic)
    assert cmmd_test(X, Y, GROUP, statistic=Means(), n_resamples=99, rng=0).pvalue > 0.05
    result = cmmd_test(X, Y + 0.8 * GROUP, GROUP, statistic=Means(), n_resamples=99, rng=0)
    assert result.pvalue == 0.01
    assert result.estimator == "Means"
    assert result.where().pvalue <= 0.05
    assert set(result.marginal()) == {"X", "Y"}
    assert all(stratum.pvalue is not None for stratum in result.by_stratum("x0", bins=2))
    result.report(tmp_path / "report.html")
    assert "Means()" in result.call
    assert pickle.loads(pickle.dumps(result)).where().pvalue == result.where().pvalue  # noqa: S301 - our own bytes


def test_its_value_is_what_it_says():
    result = cmmd_test(X, Y, GROUP, statistic=Means(), propensity=None, residualize=False, n_resamples=19, rng=0)
    psi = Means().embed_outcomes(result.evidence.samples).phi
    assert result.statistic == pytest.approx((((GROUP - 0.5) @ psi) ** 2).sum(), rel=1e-9)
    assert HeldLabels(GROUP[None]).held.shape == (1, 200)


def test_one_that_does_not_condition_is_refused():
    with pytest.raises(TypeError, match="must compare Y given X"):
        cmmd_test(X, Y, GROUP, statistic=MMD())
