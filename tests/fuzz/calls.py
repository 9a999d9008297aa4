"""Options, right and wrong, and the functions that they go to."""

import numpy as np
from sklearn.linear_model import LinearRegression, LogisticRegression

from condmmd import (
    CMMD,
    Asymptotic,
    Compute,
    Delta,
    DoublyRobust,
    Energy,
    Family,
    Gaussian,
    Laplacian,
    Linear,
    Matern,
    PerGroup,
    Polynomial,
    PooledRidge,
    Resampling,
    cmmd,
    cmmd_test,
    mmd,
    mmd_test,
    screen,
)
from tests.fuzz.inputs import Draws, pick, samples

KERNELS = (None, None, Gaussian(), Gaussian(0.8), Laplacian(), Matern(nu=1.5), Polynomial(2), Linear(), Delta(),
           "gaussian", "energy", Linear() + Gaussian(1.0))  # fmt: skip
BAD_KERNELS = ("precomputed", "no such kernel", 3, Gaussian, Gaussian(1e-200), Gaussian(1e200), lambda a, b: None)
ESTIMATORS = ("plugin", "joint", "orthogonal", "doubly_robust", "overlap", DoublyRobust(folds=2))
REGS = (None, 0.1, 1e-6, "loo", "gcv", PerGroup(0.1, 1.0), 10)
BAD_REGS = (0, -1, np.nan, np.inf, "best", PerGroup(0, 1), 1e-300, 1e300, True, [])
BAD_NUMBERS = (0, -1, 1.5, np.nan, np.inf, "many", None, True, 10**400, [19])


class Odd:
    """A regressor or classifier whose predictions are of no use."""

    def __init__(self, value=np.nan):
        self.value = value

    def get_params(self, deep=True):
        return {"value": self.value}

    def set_params(self, **_):
        return self

    def fit(self, X, y):
        self.classes_ = np.unique(y)
        return self

    def predict(self, X):
        return np.full(len(X), self.value)

    def predict_proba(self, X):
        return np.column_stack([np.full(len(X), self.value)] * 2)


def probabilities(rng, rows, *, bad):
    values = rng.uniform(0.3, 0.7, size=rows)
    if bad:
        values[int(rng.integers(rows))] = pick(rng, (0.0, 1.0, np.nan, -0.5, 1e-300, 2.0, 1 - 1e-17))
        if rng.random() < 0.2:
            values = pick(rng, (values[:-1], values.astype(str), values[:, None] * [1, 1], None, "guess", 0.5))
    return values


def statistic(rng):
    kind = pick(rng, ("CMMD", "CMMD", "Energy", "Family"))
    if kind == "Energy":
        return Energy()
    if kind == "Family":
        return Family()
    level = pick(rng, ("adaptive", 0, 1, 2, 0.5, (0, 2)), (-1, 60, np.nan, "high", [], 1e9), 0.1)
    return CMMD(
        kernel_x=pick(rng, KERNELS, BAD_KERNELS, 0.06), kernel_y=pick(rng, KERNELS, BAD_KERNELS, 0.06), level=level,
        reg=pick(rng, REGS, BAD_REGS, 0.08), estimator=pick(rng, ESTIMATORS, ("none", 3), 0.03),
        mixture=pick(rng, (None, None, 0.3, 0, 1), (-1, np.nan, "half"), 0.05),
    )  # fmt: skip


def options_of_a_test(rng, rows):
    chosen = {"n_resamples": pick(rng, (19,), BAD_NUMBERS, 0.03), "rng": pick(rng, (0, 7), (-1, "seed", 1.5), 0.03)}
    parts = {
        "statistic": lambda: statistic(rng),
        "propensity": lambda: pick(
            rng,
            (None, "estimate", probabilities(rng, rows, bad=False), LogisticRegression(), lambda X: [0.4] * len(X)),
            (probabilities(rng, rows, bad=True), Odd(), Odd(1e-300), lambda X: None, lambda X: [np.nan] * len(X)),
            0.25,
        ),
        "residualize": lambda: pick(
            rng, (False, True, LinearRegression(), PooledRidge()), (Odd(), Odd(np.inf), Odd(1e300), "yes", 3), 0.2
        ),
        "null": lambda: pick(rng, (Resampling(), Resampling("bernoulli"), Asymptotic()), ("permute", Resampling), 0.1),
        "blocks": lambda: pick(
            rng,
            (np.arange(rows), np.arange(rows) // 2),
            (np.zeros(rows), [None] * rows, np.full(rows, np.nan), np.arange(3), "day", 5),
            0.3,
        ),
        "trim": lambda: pick(rng, (0.05, 0.1), (0, 0.5, -1, np.nan, "some", 0.49), 0.3),
        "significance": lambda: pick(rng, (0.05, 0.2), (0, 1, 0.01, np.nan, "high"), 0.3),
        "compute": lambda: pick(rng, (Compute(batch_size=64), Compute(keep_fits=True)), ("fast", Compute), 0.2),
    }  # fmt: skip
    for name, make in parts.items():
        if rng.random() < (0.5 if name == "statistic" else 0.2):
            chosen[name] = make()
    return chosen


def of_a_test(rng, X, Y, group, rows):
    result = cmmd_test(X, Y, group, **options_of_a_test(rng, rows))
    found = [result.statistic, result.pvalue, result.null_distribution, result.to_dict(), result.summary()]
    if rng.random() < 0.1:
        found.append(result.where().to_dict())
    if rng.random() < 0.1:
        found.append({name: test.pvalue for name, test in result.marginal().items()})
    return found


def of_a_measurement(rng, X, Y, group, rows):
    chosen = {"statistic": statistic(rng)} if rng.random() < 0.7 else {}
    if isinstance(chosen.get("statistic"), Family):
        chosen = {}
    d = cmmd(X, Y, group, **chosen)
    lowest = 2.0 if d.estimator == "joint" else 0.0
    return [d.level(lowest), d.level([lowest, 2.0]), d.to_dict(), d.witness(X)]


def of_a_sample(rng, X, Y, group, rows):
    chosen = {"kernel": pick(rng, KERNELS, BAD_KERNELS, 0.1), "unbiased": pick(rng, (False, True), ("no",), 0.03)}
    if rng.random() < 0.4:
        return [mmd(X, group, **chosen)]
    result = mmd_test(X, group, n_resamples=19, rng=0, **chosen)
    return [result.statistic, result.pvalue, result.null_distribution]


def of_many_outcomes(rng, X, Y, group, rows):
    chosen = {"propensity": None} if rng.random() < 0.3 else {}
    result = screen(X, Y, group, **chosen)
    return [result.pvalues, result.adjusted, result.summary()]


DOORS = {"cmmd_test": of_a_test, "cmmd": of_a_measurement, "mmd": of_a_sample, "screen": of_many_outcomes}


def make_call(seed, number):
    """The name of a function, what goes in, and a function of nothing that runs it."""
    rng = Draws(seed, number)
    X, Y, group, rows = samples(rng)
    door = pick(rng, ("cmmd_test", "cmmd_test", "cmmd_test", "cmmd", "mmd", "screen"))
    return door, (X, Y, group), lambda: DOORS[door](rng, X, Y, group, rows)
