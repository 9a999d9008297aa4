"""``result.effect()`` beside least squares, DoubleML and dte-adj on the same tables; what is not installed is left out.

``python -m benchmarks.effects_beside [--tables 3] [--rows 500] [--quantiles]``

Simulated: five covariates, a smooth outcome, a constant effect of 0.4. DoubleML's partially linear model (partialling
out) has the estimand of our default, its interactive model (ATE) that of ``population="all"``, both with forests of 200
trees with leaves of 10 for outcomes and labels. Real: the LaLonde data, if they are at hand (about 1,794 dollars in
the trial); after trimming all get the same rows. ``--quantiles``: of the trial, beside dte-adj, whose bootstrap takes
many minutes.
"""

import argparse
import warnings
from importlib.util import find_spec

import numpy as np
import pandas as pd

from condmmd import cmmd_test
from experiments.lalonde import CATEGORICAL, COVARIATES, samples

NOT_HERE = "not installed"


def simulated(seed, n):
    rng = np.random.default_rng([seed, 7])
    x = rng.normal(size=(2 * n, 5))
    t = (rng.random(2 * n) < 1 / (1 + np.exp(-0.6 * x[:, 0] - 0.4 * x[:, 1]))).astype(int)
    y = np.sin(x[:, 0]) + 0.5 * x[:, 1] + 0.3 * x[:, 2] ** 2 + 0.4 * t + rng.normal(size=2 * n)
    return pd.DataFrame(x, columns=[f"x{j}" for j in range(5)]), y, t


def lalonde(other):
    groups = samples()
    table = pd.concat([groups["treated"], groups[other]], ignore_index=True)
    t = np.repeat([1, 0], [len(groups["treated"]), len(groups[other])])
    return table[COVARIATES], table["re78"].to_numpy(dtype=float), t


def ours(x, y, t, **options):
    kinds = {name: "category" for name in CATEGORICAL if name in x}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        result = cmmd_test(x.astype(kinds), y, t, n_resamples=99, rng=0, **options)
        return result.effect()["mean"], result


def least_squares(x, y, t):
    """With all covariates as they are; errors by HC2."""
    if find_spec("statsmodels") is None:
        return None
    import statsmodels.api as sm  # noqa: PLC0415 - may be missing

    fitted = sm.OLS(y, np.column_stack([t, np.ones(len(t)), x.to_numpy(dtype=float)])).fit(cov_type="HC2")
    return float(fitted.params[0]), float(fitted.bse[0])


def double_ml(x, y, t, model):
    if find_spec("doubleml") is None:
        return None
    import doubleml as dml  # noqa: PLC0415 - may be missing
    from sklearn.ensemble import RandomForestClassifier, RandomForestRegressor  # noqa: PLC0415

    forest = {"n_estimators": 200, "min_samples_leaf": 10, "random_state": 0}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        data = dml.DoubleMLData.from_arrays(x.to_numpy(dtype=float), y, t.astype(float))
        np.random.seed(0)  # noqa: NPY002 - which its folds are drawn by
        learners = RandomForestRegressor(**forest), RandomForestClassifier(**forest)
        if model == "plr":
            fitted = dml.DoubleMLPLR(data, *learners, n_folds=5).fit()
        else:
            fitted = dml.DoubleMLIRM(data, *learners, n_folds=5, score="ATE").fit()
    return float(fitted.coef[0]), float(fitted.se[0])


def quantiles_by_dte(x, y, t, shares=(0.25, 0.5, 0.75)):
    """Quantile effects of dte-adj, which supposes a trial: labels that do not depend on x."""
    if find_spec("dte_adj") is None:
        return None
    from dte_adj import AdjustedDistributionEstimator  # noqa: PLC0415 - may be missing
    from sklearn.linear_model import LogisticRegression  # noqa: PLC0415

    estimator = AdjustedDistributionEstimator(LogisticRegression(max_iter=1000), folds=3)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        estimator.fit(x.to_numpy(dtype=float), t, y)
        np.random.seed(0)  # noqa: NPY002
        return estimator.predict_qte(1, 0, quantiles=np.array(shares), n_bootstrap=100)


def show(name, found):
    text = NOT_HERE if found is None else f"{found[0]:12.4g} {found[1]:10.3g}"
    print(f"  {name:<46} {text}", flush=True)


def beside(title, x, y, t, **options):
    _, result = ours(x, y, t, **options)
    rows = result.evidence.samples  # those left by trim
    x, y, t = pd.DataFrame(rows.x.values), rows.y.values[:, 0], rows.groups.t  # noqa: PD011 - of our tables
    print(f"{title}: {result.n_obs[0]} + {result.n_obs[1]} rows{' ' * 18} estimate      error")
    for population, model, label in (("overlap", "plr", "partially linear"), ("all", "irm", "interactive, ATE")):
        try:
            mean = result.effect(population)["mean"]
            show(f"condmmd, {population}", (mean.estimate, mean.error))
        except ValueError as refused:
            print(f"  condmmd, {population}: {refused}")
        show(f"DoubleML, {label}", double_ml(x, y, t, model))
    show("statsmodels, least squares (HC2)", least_squares(x, y, t))


def trial_quantiles():
    """Deciles that both have, in the trial."""
    x, y, t = lalonde("controls")
    _, result = ours(x, y, t)
    effects = [e for e in result.effect().of("quantile") if e.share in {0.5, 0.7, 0.9}]
    theirs = quantiles_by_dte(x, y, t, [e.share for e in effects])
    print("NSW trial, quantile effects: share, condmmd and its interval, dte-adj and its interval")
    for k, effect in enumerate(effects):
        low, high = effect.interval
        other = NOT_HERE if theirs is None else " ".join(f"{float(np.ravel(part)[k]):9.0f}" for part in theirs[:3])
        print(f"  {effect.share:.1f} {effect.estimate:9.0f} ({low:.0f} to {high:.0f})   {other}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tables", type=int, default=3, help="simulated ones")
    parser.add_argument("--rows", type=int, default=500, help="rows a group of them, about")
    parser.add_argument("--quantiles", action="store_true", help="beside dte-adj too, which is slow")
    options = parser.parse_args()
    for seed in range(options.tables):
        beside(f"simulated {seed}, effect 0.4", *simulated(seed, options.rows))
    if samples() is None:
        print("the LaLonde data are not at hand")
        return
    beside("NSW treated / randomised controls (1,794)", *lalonde("controls"))
    beside("NSW treated / CPS", *lalonde("CPS"))
    beside("NSW treated / CPS, trim=0.05", *lalonde("CPS"), trim=0.05)
    if options.quantiles:
        trial_quantiles()


if __name__ == "__main__":
    main()
