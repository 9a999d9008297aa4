"""A result carries its plan and its data once: it can be repeated, copied, pickled, and asked more."""

import copy
import pickle
import warnings

import numpy as np
import pandas as pd
import pytest
from sklearn.ensemble import HistGradientBoostingRegressor, RandomForestRegressor
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from condmmd import (
    CMMD,
    Asymptotic,
    Compute,
    Delta,
    DoublyRobust,
    Energy,
    Gaussian,
    Linear,
    PerGroup,
    Resampling,
    cmmd,
    cmmd_test,
)
from condmmd.backend import for_each

RNG = np.random.default_rng(0)
N = 160
X = np.column_stack([np.concatenate([RNG.normal(-0.5, 1, N // 2), RNG.normal(0.5, 1, N // 2)]), RNG.normal(size=N)])
GROUP = np.repeat([1, 0], N // 2)
Y = np.sin(X[:, 0]) + 0.3 * RNG.normal(size=N)
E = 1 / (1 + np.exp(X[:, 0]))
BLOCKS = np.arange(N) // 4
FRAME = pd.DataFrame({"age": X[:, 0], "kind": RNG.choice(["a", "b"], N)})
SETTINGS = {"n_resamples": 39, "rng": 5}


def rbf(A, B):
    """A kernel of the user's own, at the top of a module."""
    return np.exp(-((A[:, None, :] - B[None, :, :]) ** 2).sum(axis=2))


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"propensity": None},
        {"propensity": E},
        {"propensity": LogisticRegression(C=0.5)},
        {"propensity": lambda x: 1 / (1 + np.exp(x[:, 0]))},
        {"statistic": CMMD(kernel_x=Gaussian(1.23456789012345), kernel_y=Linear(), level=[0, 1.5], reg=0.01)},
        {"statistic": CMMD(kernel_x=[None, Gaussian((0.5, 2.0))], reg=PerGroup(0.1, 0.2))},
        {"statistic": CMMD(kernel_x=rbf)},
        {"statistic": CMMD(kernel_x=lambda A, B: A @ B.T + 1)},
        {"statistic": CMMD(estimator=DoublyRobust(reg=0.2, folds=3), mixture=0.3)},
        {"statistic": CMMD(estimator="overlap", level=1), "null": Asymptotic()},
        {"statistic": Energy(level=1)},
        {"blocks": BLOCKS, "propensity": None, "significance": 0.1},
        {"trim": 0.1, "null": Resampling("bernoulli"), "residualize": False},
        {"residualize": RandomForestRegressor(5, random_state=0), "compute": Compute(batch_size=64)},
    ],
    ids=lambda options: ", ".join(options) or "default",
)
def test_the_call_repeats_the_run_when_it_is_executed(options):
    result = cmmd_test(X, Y, GROUP, **SETTINGS, **options)
    names = {"X": X, "Y": Y, "group": GROUP, "blocks": BLOCKS, "propensity": options.get("propensity")}
    names["kernel_x"] = getattr(options.get("statistic"), "kernel_x", None)
    exec(result.call, names)  # noqa: S102 - our own text
    again = names["result"]
    assert again.pvalue == result.pvalue
    np.testing.assert_array_equal(again.null_distribution, result.null_distribution)
    assert again.call == result.call


def test_a_result_is_about_as_large_as_the_data():
    rng = np.random.default_rng(1)
    x, group = rng.normal(size=(2000, 5)), np.repeat([1, 0], 1000)
    y = rng.normal(size=2000)
    result = cmmd_test(x, y, group, n_resamples=39, rng=0)
    size = len(pickle.dumps(result))
    data = x.nbytes + y.nbytes + 8 * len(group)
    assert size < data + 20_000
    result.where()
    result.marginal()
    assert len(pickle.dumps(result)) == size  # what was derived from the data is not pickled
    assert len(pickle.dumps(result.without_data())) < 20_000


@pytest.mark.parametrize("copied", [copy.deepcopy, lambda result: pickle.loads(pickle.dumps(result))])  # noqa: S301
def test_a_copy_can_be_asked_the_same(copied):
    result = cmmd_test(FRAME, Y, GROUP, **SETTINGS)
    same = copied(result)
    assert same.to_dict() == result.to_dict()
    assert same.where().to_dict() == result.where().to_dict()
    assert same.by_stratum("kind") == result.by_stratum("kind")
    assert same.marginal()["X"].pvalue == result.marginal()["X"].pvalue


def test_a_function_that_cannot_be_pickled_costs_the_data_alone():
    result = cmmd_test(X, Y, GROUP, statistic=CMMD(kernel_x=lambda A, B: A @ B.T + 1), **SETTINGS)
    there = pickle.loads(pickle.dumps(result))  # noqa: S301 - our own bytes
    assert there.pvalue == result.pvalue
    with pytest.raises(ValueError, match=r"could not be pickled.*Run the test again"):
        there.where()
    assert copy.deepcopy(result).where().pvalue == result.where().pvalue


def test_without_data_a_result_says_what_it_cannot_do():
    small = cmmd_test(X, Y, GROUP, **SETTINGS).without_data()
    assert "p-value" in small.summary()
    for ask in (small.where, small.marginal, lambda: small.by_stratum("x0")):
        with pytest.raises(ValueError, match=r"no data to ask further: it was made by without_data\(\)"):
            ask()


def test_kept_fits_give_the_same_answers():
    plain = cmmd_test(X, Y, GROUP, **SETTINGS)
    kept = cmmd_test(X, Y, GROUP, compute=Compute(keep_fits=True), **SETTINGS)
    assert "_trained" in kept.__dict__
    assert "_trained" not in plain.__dict__
    assert kept.where().to_dict() == plain.where().to_dict()
    assert len(pickle.dumps(kept)) < len(pickle.dumps(plain)) + 100


def test_threads_may_ask_one_result():
    result = cmmd_test(X, Y, GROUP, **SETTINGS)
    found = for_each(lambda _: result.where().pvalue, range(4))
    assert len(set(found)) == 1


def test_a_gram_matrix_with_trimmed_rows_can_be_asked_further(tmp_path):
    """It raised: the margins took the whole matrix with the labels that were left."""
    K = Gaussian(1.0)(X)
    result = cmmd_test(K, Y, GROUP, statistic=CMMD(kernel_x="precomputed"), trim=0.25, **SETTINGS)
    assert result.trimmed > 0
    margins = result.marginal()
    assert margins["X"].n_obs == margins["Y"].n_obs == result.n_obs
    result.report(tmp_path / "report.html")
    assert "p-value" in (tmp_path / "report.html").read_text()


def test_outcomes_by_a_gram_matrix_are_tested_within_strata():
    """Every p-value was None: the rows of a stratum were read as a Gram matrix of their own."""
    L = Gaussian(0.5)(Y + 1.0 * GROUP)
    result = cmmd_test(FRAME, L, GROUP, statistic=CMMD(kernel_y="precomputed"), n_resamples=99, rng=0)
    strata = result.by_stratum("kind")
    columns = cmmd_test(
        FRAME, Y + 1.0 * GROUP, GROUP, statistic=CMMD(kernel_y=Gaussian(0.5)), n_resamples=99, rng=0
    ).by_stratum("kind")
    assert [s.pvalue for s in strata] == [s.pvalue for s in columns]
    assert all(s.pvalue <= 0.05 for s in strata)


def test_a_measurement_is_small_and_can_be_pickled():
    d = cmmd(FRAME, Y, GROUP, statistic=CMMD(kernel_x=Gaussian(1.0).on("age") * Delta().on("kind"), reg=0.1))
    there = pickle.loads(pickle.dumps(d))  # noqa: S301 - our own bytes
    new = pd.DataFrame({"age": [0.0, 1.0], "kind": ["a", "b"]})
    np.testing.assert_array_equal(there.witness(new), d.witness(new))
    assert there.level(1) == d.level(1)
    robust = cmmd(X, Y, GROUP, statistic=CMMD(estimator=DoublyRobust(), reg=0.1), propensity=E)
    assert robust.pseudo_outcomes.shape[0] == N
    with pytest.raises(TypeError, match="not pickled"):
        _ = pickle.loads(pickle.dumps(robust)).pseudo_outcomes  # noqa: S301


def test_an_empty_group_of_independent_labels_is_no_crash():
    """With few rows Bernoulli labels may put every row into one group, which the dual solver could not take."""
    x, group = np.array([0.0, 1.0, 2.0, 3.0]), np.array([1, 1, 0, 0])
    for solver in ("primal", "dual"):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            result = cmmd_test(
                x, x**2, group, statistic=CMMD(solver=solver, reg=0.1), null=Resampling("bernoulli"),
                propensity=np.full(4, 0.5), n_resamples=199, rng=0,
            )  # fmt: skip
        assert np.isfinite(result.null_distribution).all()


def test_what_the_user_changes_later_does_not_change_an_answer():
    """Small arrays are copied; X and Y are not, and a result says that they were changed."""
    blocks, e, x = BLOCKS.copy(), E.copy(), X.copy()
    first = cmmd_test(X, Y, GROUP, blocks=blocks, propensity=None, **SETTINGS)
    second = cmmd_test(X, Y, GROUP, propensity=e, **SETTINGS)
    third = cmmd_test(x, Y, GROUP, **SETTINGS)
    before = [result.where().pvalue for result in (copy.copy(first), copy.copy(second))]
    blocks[:], e[:] = 0, 7.0
    assert [first.where().pvalue, second.where().pvalue] == before
    x[0, 0] += 1.0
    with pytest.raises(ValueError, match="changed in place"):
        third.where()


def test_what_a_result_hands_out_cannot_change_it():
    result = cmmd_test(X, Y, GROUP, statistic=CMMD(kernel_x=lambda A, B: A @ B.T + 1), **SETTINGS)
    result.to_dict()["propensity_summary"]["source"] = "changed"
    assert result.propensity_summary["source"] == "estimated"
    with pytest.raises(ValueError, match="read-only"):
        result.null_distribution[:] = 0
    assert copy.copy(result).where().pvalue == result.where().pvalue


@pytest.mark.parametrize(
    "model",
    [
        make_pipeline(StandardScaler(), Ridge(alpha=0.5)),
        HistGradientBoostingRegressor(max_iter=5, random_state=0),
        RandomForestRegressor(3, random_state=np.random.RandomState(0)),
        RandomForestRegressor(3),
    ],
    ids=["pipeline", "private module", "a state", "no seed"],
)
def test_models_that_are_no_code_are_named_and_the_others_run(model):
    y = np.column_stack([Y])
    result = cmmd_test(X, y, GROUP, statistic=CMMD(kernel_y="linear"), residualize=model, **SETTINGS)
    names = {"X": X, "Y": y, "group": GROUP, "residualize": model}
    exec(result.call, names)  # noqa: S102 - our own text
    if getattr(model, "random_state", 0) == 0:
        assert names["result"].pvalue == result.pvalue
        assert "as in this run" not in result.call
    else:
        assert "residualize: as in this run" in result.call
