"""Every method that is compared: one entry each, and all that is said of it on the page.

To add one: a function of the data of its question (`problems`), the number of resamples and a generator, which gives a
p-value; and a line here.
"""

from collections.abc import Callable
from functools import partial
from typing import NamedTuple

from benchmarks.leaderboard import ours
from benchmarks.leaderboard.methods import (
    acmmd,
    baselines,
    ci_conversion,
    conformal,
    drpt,
    ecmmd,
    gcm,
    kcd,
    lee,
    polya_tree,
    skce,
    smoothed,
    stein,
    xkte,
)
from benchmarks.leaderboard.packages import Package
from benchmarks.leaderboard.problems import CALIBRATION, MODEL, PAIRED, TWO_SAMPLES
from condmmd import CMMD, Asymptotic, Energy, PooledRidge

OURS, WRITTEN, PACKAGE, BASELINE = "condmmd", "written here", "package", "baseline"


class Method(NamedTuple):
    """A method for a question: a function or a `Package`, where it is from, and what it is in a few words.

    ``lacks`` names what it cannot do, by what a problem has: "covariates" or "outcomes" (more than one of them), or
    "propensity" (it must be told the true one).
    """

    name: str
    question: str
    call: Callable | Package
    origin: str
    about: str
    lacks: tuple = ()

    def applies(self, problem):
        if self.question != problem.question:
            return False
        several = {"covariates": problem.covariates > 1, "outcomes": problem.outcomes > 1}
        return not any(several.get(lack, not problem.known) for lack in self.lacks)


def two(name, call, origin, about, *lacks):
    return Method(name, TWO_SAMPLES, call, origin, about, lacks)


def cmmd(name, about, *lacks, **settings):
    return two(name, partial(ours.two_sample_test, **settings), OURS, about, *lacks)


TABLE_STACK = ("numpy==1.26.4", "scipy==1.15.3", "scikit-learn==1.7.2")
METHODS = [
    cmmd("condmmd", "`cmmd_test`, its defaults"),
    cmmd("condmmd, true propensity", "the same, told the propensity", "propensity", propensity="true"),
    cmmd("condmmd, asymptotic", "`null=Asymptotic()`: no resamples", null=Asymptotic()),
    cmmd("condmmd, energy", "`statistic=Energy()`", statistic=Energy()),
    cmmd(
        "condmmd, plug-in CMMD", "`statistic=CMMD(), residualize=PooledRidge()`: the paper's, residualised",
        statistic=CMMD(), residualize=PooledRidge(),
    ),
    two(
        "condmmd, interventional", ours.population_test, OURS,
        "`interventional_test`; asks for the population's outcomes, not for Y | X",
    ),
    two("KCD", kcd.two_sample_test, WRITTEN, "Park et al. 2021, as in pywhy-stats"),
    two("smoothed MMD", smoothed.two_sample_test, WRITTEN, "Yan, Li, Zhang 2024, local bootstrap"),
    two("smoothed energy", partial(smoothed.two_sample_test, kind="energy"), WRITTEN, "the same, energy distance"),
    two("density ratio, linear MMD", lee.linear_test, WRITTEN, "Lee, Cha, Kim 2024, logistic ratios from one half"),
    two("density ratio, block MMD", lee.block_test, WRITTEN, "the same"),
    two("density ratio, quadratic MMD", lee.quadratic_test, WRITTEN, "the same"),
    two("density ratio, classifier", lee.classifier_test, WRITTEN, "the same"),
    two("GCM on fewer rows", ci_conversion.two_sample_test, WRITTEN, "their conversion of an independence test"),
    two("GCM", gcm.two_sample_test, WRITTEN, "Shah and Peters 2020, linear and logistic"),
    two("conformal rank sum", conformal.two_sample_test, WRITTEN, "Hu and Lei 2024, logistic ratios from one half"),
    two("DRPT", drpt.two_sample_test, WRITTEN, "Bordino and Berrett 2025, logistic ratio from one half"),
    two("DRPT, true ratio", drpt.true_ratio_test, WRITTEN, "the same, told the ratio; all rows", "propensity"),
    two(
        "Polya tree", polya_tree.two_sample_test, WRITTEN, "Boeken and Mooij 2021, P(H0) < 0.05", "covariates",
        "outcomes",
    ),
    two("xKTE", xkte.two_sample_test, WRITTEN, "Martinez-Taboada et al. 2023; asks for the population's outcomes"),
    two("xKTE, smoothed", partial(xkte.two_sample_test, smoothed=True), WRITTEN, "with k(x, x'): asks for Y | X"),
    two("least squares", baselines.two_sample_test, BASELINE, "the group's coefficient beside main effects, HC3"),
    two(
        "statsmodels", Package("interactions", ("statsmodels==0.15.0", "numpy==2.3.5", "scipy==1.16.3")), PACKAGE,
        "least squares, label and its products with X, Wald test, HC3",
    ),
    two(
        "alibi-detect", Package("context_mmd", ("alibi-detect==0.13.0", "torch==2.13.0", *TABLE_STACK)), PACKAGE,
        "`ContextMMDDrift`, X as the context, float32, on the CPU",
    ),
    two(
        "causal-learn",
        Package("kci", ("causal-learn==0.1.4.8", "numpy==2.3.5", "scipy==1.16.3", "scikit-learn==1.7.2")), PACKAGE,
        "`CIT(..., 'kci')`, Y and the label given X; a gamma null",
    ),
    two(
        "dowhy",
        Package(
            "mechanism_change",
            ("dowhy==0.14", "causal-learn==0.1.4.8", "numpy==2.3.5", "scipy==1.15.3", "scikit-learn==1.7.2"),
        ), PACKAGE, "`mechanism_change_test`, X as the parents; KCI with median widths",
    ),
    two(
        "pywhy-stats", Package("kcd", TABLE_STACK, any_python=("pywhy-stats==0.1",)), PACKAGE,
        "`conditional_ksample.kcd.condind`; says it is for Python below 3.11, installed all the same",
    ),
    two(
        "rkhs",
        Package("tubes", ("rkhs==0.0.1", "jax==0.7.1", "jaxlib==0.7.1", "numpy==2.3.5", "scipy==1.16.3")), PACKAGE,
        "bootstrap bounds of embeddings on 100 rows of X; rejects if it does anywhere",
    ),
    Method("condmmd", PAIRED, ours.pairs_test, OURS, "`paired_test`, its defaults: levels and neighbours joined"),
    Method(
        "condmmd, neighbours", PAIRED, partial(ours.pairs_test, weights="neighbours"), OURS,
        "`weights='neighbours'`: ECMMD with the pooled median, normal limit",
    ),
    Method("condmmd, levels", PAIRED, partial(ours.pairs_test, weights="kernel"), OURS, "`weights='kernel'`"),
    Method("ECMMD", PAIRED, ecmmd.paired_test, WRITTEN, "Chatterjee et al. 2024, k = 15, their width, upper tail"),
    Method("ECMMD as shipped", PAIRED, partial(ecmmd.paired_test, two_sided=True), WRITTEN, "the same, two-sided"),
    Method("ACMMD of pairs", PAIRED, acmmd.paired_test, WRITTEN, "Glaser et al. 2024, one outcome as a draw; signs"),
    Method("least squares", PAIRED, baselines.paired_test, BASELINE, "of the difference on x, Wald test, HC3"),
    Method("condmmd", MODEL, ours.forecast_test, OURS, "`model_test`, its defaults, given mean and sd"),
    Method(
        "condmmd, neighbours", MODEL, partial(ours.forecast_test, weights="neighbours"), OURS,
        "`weights='neighbours'`: ECMMD in closed form, normal limit",
    ),
    Method("condmmd, levels", MODEL, partial(ours.forecast_test, weights="kernel"), OURS, "`weights='kernel'`"),
    Method("condmmd, redrawn", MODEL, partial(ours.forecast_test, null="redraw"), OURS, "`null='redraw'`: exact"),
    Method(
        "condmmd, calibration", MODEL, ours.reliability_test, OURS,
        "`calibration_test` of the forecasts; asks for calibration alone",
    ),
    Method("ECMMD, 20 draws", MODEL, ecmmd.model_test, WRITTEN, "Chatterjee et al. 2024, k = 20, upper tail"),
    Method("ECMMD as shipped", MODEL, partial(ecmmd.model_test, two_sided=True), WRITTEN, "the same, two-sided"),
    Method("ECMMD, exact", MODEL, ecmmd.exact_model_test, WRITTEN, "its finite-sample form, k = 20"),
    Method("ACMMD", MODEL, acmmd.model_test, WRITTEN, "Glaser et al. 2024, closed form, signs"),
    Method("KCSD", MODEL, stein.model_test, WRITTEN, "Jitkrittum et al. 2020, signs"),
    Method("SKCE of forecasts", MODEL, skce.normal_test, WRITTEN, "Widmann et al. 2021; asks for calibration alone"),
    Method("integral transform", MODEL, baselines.model_test, BASELINE, "Kolmogorov-Smirnov, over all rows together"),
    Method("condmmd", CALIBRATION, ours.predictions_test, OURS, "`calibration_test`, its defaults: labels redrawn"),
    Method(
        "condmmd, neighbours", CALIBRATION, partial(ours.predictions_test, weights="neighbours"), OURS,
        "`weights='neighbours'`",
    ),
    Method("SKCE", CALIBRATION, skce.calibration_test, WRITTEN, "Widmann et al. 2019, labels redrawn"),
    Method("CKCE", CALIBRATION, skce.ckce_test, WRITTEN, "Moskvichev and Sejdinovic 2025, labels redrawn"),
    Method(
        "ECMMD, 15 draws", CALIBRATION, partial(ecmmd.model_test, k=15, draws=15, linear=True), WRITTEN,
        "Chatterjee et al. 2024, k = 15, upper tail",
    ),
    Method("Brier score", CALIBRATION, baselines.calibration_test, BASELINE, "Spiegelhalter's z"),
]  # fmt: skip
