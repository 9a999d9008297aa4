"""A test as a frozen value: the same plan on the same rows, within strata, and what it needs in memory."""

import dask.array as da
import numpy as np
import pytest
from sklearn.linear_model import LinearRegression, LogisticRegression

from condmmd import CMMD, Compute, DoublyRobust, Resampling, SmallSampleWarning, cmmd_test
from condmmd.data import read_samples
from condmmd.inference import Plan, Settings, check_in_memory
from condmmd.labels import LabelRules
from condmmd.nuisance import propensity_model, residual_model
from condmmd.nuisance.propensity import EqualMarginals, Known, Logistic
from condmmd.nuisance.residuals import NoResiduals, PooledRidge
from tests.doors.samples import GROUP, OTHER, SAME, E, N, X


def plan(rules=None, residuals=None, **statistic):
    settings = Settings(99, 3, 0.05, Compute())
    return Plan(CMMD(**statistic), rules or LabelRules(Logistic()), residuals or PooledRidge(), Resampling(), settings)


def test_a_plan_gives_what_the_door_gives():
    run = plan().run(read_samples(X, OTHER, GROUP))
    door = cmmd_test(X, OTHER, GROUP, statistic=CMMD(), residualize=PooledRidge(), n_resamples=99, rng=3)
    assert run.outcome.pvalue == door.pvalue
    np.testing.assert_array_equal(run.outcome.null, door.null_distribution)
    again = plan().run(read_samples(X, OTHER, GROUP))
    np.testing.assert_array_equal(run.outcome.null, again.outcome.null)


def test_what_is_learned_is_learned_on_the_rows_that_are_left():
    """Trimming leaves rows out before the outcomes are embedded and regressed on X."""
    trained = plan(LabelRules(Known(E), trim=0.2)).train(read_samples(X, SAME, GROUP))
    kept = int(((E >= 0.2) & (E <= 0.8)).sum())
    assert trained.labels.trimmed == N - kept
    assert trained.learned.outcomes.phi.shape[0] == trained.pooled.fitted.shape[0] == kept
    assert trained.fitted.covariates.phi.shape[0] == kept


def test_nothing_is_regressed_that_is_not_needed():
    samples = read_samples(X, SAME, GROUP)
    assert plan(LabelRules(Known(E)), NoResiduals()).train(samples).pooled is None
    assert plan(LabelRules(Known(E))).train(samples).pooled is not None
    assert plan(LabelRules(Logistic()), NoResiduals()).train(samples).pooled is not None
    assert plan(LabelRules(Known(E))).train(samples).learned.centre is None
    centred = plan(LabelRules(Known(E)), estimator="orthogonal").train(samples)
    np.testing.assert_allclose(centred.learned.centre, centred.labels.centre)


def test_the_same_test_within_some_rows():
    """Independent labels are drawn given how many there are of each group; the propensity is that of the whole."""
    own = plan(LabelRules(Known(E), "bernoulli"))
    trained = own.train(read_samples(X, OTHER, GROUP))
    rows = X > 0
    run = own.run_within(trained.labels, trained.learned, rows, 59)
    assert run.outcome.scheme == "fixed-size"
    assert run.outcome.n_resamples == 59
    assert run.trained.labels.samples.groups.n == int(GROUP[rows].sum())
    np.testing.assert_array_equal(run.trained.labels.propensity.e, E[rows])


def test_too_few_ways_to_label():
    with pytest.warns(SmallSampleWarning, match=r"3 \+ 2 rows allow 10 different null draw"):
        plan(LabelRules(EqualMarginals()), NoResiduals()).run(read_samples(X[:5], SAME[:5], [1, 1, 1, 0, 0]))


def test_what_needs_all_rows_in_memory():
    chunked = read_samples(*(da.from_array(a, chunks=50) for a in (X, SAME, GROUP)))
    rules, statistic = LabelRules(Logistic()), CMMD()
    check_in_memory(chunked, statistic, rules, PooledRidge())
    check_in_memory(read_samples(X, SAME, GROUP), statistic, LabelRules(Logistic(), trim=0.1), None)
    for other, name in (
        ({"rules": LabelRules(Logistic(), blocks=np.arange(N))}, "`blocks`"),
        ({"rules": LabelRules(Logistic(), trim=0.1)}, "`trim`"),
        ({"rules": LabelRules(propensity_model(LogisticRegression()))}, "`propensity"),
        ({"residuals": residual_model(LinearRegression(), PooledRidge(), gram=False)}, "`residualize"),
        ({"statistic": CMMD(estimator=DoublyRobust(folds=2))}, "`statistic"),
    ):
        given = {"statistic": statistic, "rules": rules, "residuals": None} | other
        with pytest.raises(TypeError, match=rf"{name}.*: this needs all rows in memory"):
            check_in_memory(chunked, **given)
