"""P-values without resampling: near those of resampling, far beyond them, and refused where they would be wrong."""

import numpy as np
import pytest
from scipy.stats import norm

from condmmd import CMMD, MMD, ApproximationWarning, Asymptotic, Compute, Family, Overlap, Resampling, Signs, cmmd_test
from condmmd.inference import Settings
from condmmd.inference.joining import cauchy_combination
from condmmd.labels import LabelRules
from condmmd.nuisance.propensity import EqualMarginals
from tests.doors.samples import GROUP, OTHER, SAME, E, X

SETTINGS = Settings(9, 0, 0.05, Compute())


@pytest.mark.parametrize(
    "statistic", [CMMD(), MMD(), CMMD(estimator="orthogonal")], ids=["plug-in", "mmd", "orthogonal"]
)
def test_it_is_for_statistics_linear_in_the_labels(statistic):
    with pytest.raises(ValueError, match=r"Family\(\) or CMMD\(estimator='overlap'\).*Use null=Resampling\(\)"):
        Asymptotic().check(statistic, LabelRules(EqualMarginals()), SETTINGS)


def test_what_else_is_refused():
    with pytest.raises(ValueError, match="not for `blocks`"):
        Asymptotic().check(Family(), LabelRules(EqualMarginals(), blocks=np.arange(4)), SETTINGS)
    with pytest.raises(ValueError, match="`scheme` must be one of"):
        Asymptotic("bootstrap")
    Asymptotic().check(Family(), LabelRules(EqualMarginals()), SETTINGS)


@pytest.mark.parametrize("Y", [SAME, OTHER], ids=["same", "other"])
@pytest.mark.parametrize(
    ("propensity", "scheme"),
    [("estimate", "auto"), (None, "auto"), (E, "auto"), (E, "bernoulli")],
    ids=["estimated", "equal", "given", "independent"],
)
def test_every_column_is_near_what_draws_say(Y, propensity, scheme):
    """Within a fifth, and four standard errors of 1999 random signs, or of labels where their law is known."""
    options = {"statistic": Family(level=[0, 1]), "propensity": propensity}
    law = cmmd_test(X, Y, GROUP, null=Asymptotic(scheme), **options)
    null = Signs() if isinstance(propensity, str) else Resampling(scheme)
    drawn = cmmd_test(X, Y, GROUP, null=null, rng=0, n_resamples=1999, **options)
    for one, other in zip(law.by_level, drawn.by_level, strict=True):
        assert one.statistic == pytest.approx(other.statistic, rel=1e-9)
        error = 4 * np.sqrt(other.pvalue * (1 - other.pvalue) / 2000) + 2 / 2000
        assert abs(one.pvalue - other.pvalue) <= 0.2 * other.pvalue + error, one.name


def test_shuffles_within_strata():
    rng = np.random.default_rng(3)
    x = rng.integers(0, 4, size=200).astype(float)
    group = (rng.random(200) < 0.2 + 0.2 * x).astype(int)
    y = x + rng.normal(size=200) + 0.2 * group
    options = {"statistic": CMMD(estimator=Overlap(), level=1)}
    law = cmmd_test(x, y, group, null=Asymptotic(), **options)
    drawn = cmmd_test(x, y, group, rng=0, n_resamples=1999, **options)
    assert drawn.scheme == "permutation within strata"
    assert law.pvalue == pytest.approx(drawn.pvalue, rel=0.25, abs=0.005)


def test_what_the_result_says():
    law = cmmd_test(X, OTHER, GROUP, statistic=Family(), null=Asymptotic())
    assert law.n_resamples == 0
    assert len(law.null_distribution) == 0
    assert law.scheme.startswith("nothing drawn: sums of chi-squares")
    alone = np.array([row.pvalue for row in law.by_level])
    counts = np.array([1.0 + (row.name == "the mean of y0, over all rows") for row in law.by_level])
    assert law.pvalue == pytest.approx(1.1 * float(cauchy_combination(alone, counts)), rel=1e-6, abs=0.0)
    assert law.pvalue < 1e-6
    assert "nothing drawn" in law.summary()
    one = cmmd_test(X, OTHER, GROUP, statistic=CMMD(estimator="overlap", level=1), null=Asymptotic())
    assert one.pvalue == one.by_level[0].pvalue
    assert "Cauchy" not in one.scheme


def test_one_direction_is_a_squared_normal():
    """The mean over all rows with shuffled labels: z^2 by the variance of a sample drawn without replacement."""
    rng = np.random.default_rng(1)
    y, group = rng.normal(size=100), np.repeat([1, 0], [30, 70])
    options = {"propensity": None, "residualize": False, "null": Asymptotic()}
    found = cmmd_test(np.linspace(0, 1, 100), y, group, statistic=Family(), **options).by_level[0]
    assert found.name == "the mean of y0, over all rows"
    z = (y[:30].sum() - 30 * y.mean()) / (30 * 70 / 100 * y.var(ddof=1)) ** 0.5
    assert found.pvalue == pytest.approx(2 * norm.sf(abs(z)), rel=1e-6)


def test_few_rows_are_warned_about():
    y = np.append(np.zeros(40), [50.0, -50.0]) + 0.01 * np.arange(42)
    with pytest.warns(ApproximationWarning, match="rests on about . rows, too few for the normal law"):
        cmmd_test(
            np.linspace(0, 1, 42), y, np.arange(42) % 2, propensity=None, null=Asymptotic(), residualize=False,
            statistic=CMMD(kernel_y="linear", estimator="overlap"),
        )  # fmt: skip


@pytest.mark.filterwarnings("ignore::condmmd.CondmmdWarning")
def test_constant_covariates_have_no_main_effects():
    """Their column has no features; it neither fails nor takes part."""
    rng = np.random.default_rng(0)
    t = np.arange(120) % 2
    X, y = np.ones((120, 2)), rng.normal(size=120) + 0.5 * t
    found, drawn = (cmmd_test(X, y, t, null=null, rng=0).pvalue for null in (Asymptotic(), Resampling()))
    assert found == pytest.approx(drawn, abs=0.03)
    assert found < 0.1
