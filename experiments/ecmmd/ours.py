"""Our tests on the same data: as they come, and two of their parts alone."""

from condmmd import calibration_test, model_test
from experiments.experiment import ALPHA, seed_of


def three_tests(test, rng, resamples, **settings):
    """{curve: rejected}: the default, nearest neighbours alone, and the joint form alone (ACMMD, SKCE)."""
    common = {"n_resamples": resamples - 1, "rng": seed_of(rng)}
    return {
        "default": float(test(**settings, **common).pvalue <= ALPHA),
        "neighbours alone": float(test(**settings, **common, weights="neighbours").pvalue <= ALPHA),
        "joint form alone": float(test(**settings, **common, weights="kernel", level="joint").pvalue <= ALPHA),
    }


def of_model(design, point, rng, resamples):
    data = design(point, rng)
    return three_tests(model_test, rng, resamples, X=data.X, Y=data.y, model=(data.mean, data.sd))


def of_forecasts(design, point, rng, resamples):
    data = design(point, rng)
    return three_tests(calibration_test, rng, resamples, predictions=(data.mean, data.sd), y=data.y)


def of_classes(design, point, rng, resamples):
    data = design(point, rng)
    return three_tests(calibration_test, rng, resamples, predictions=data.p, y=data.y, classes=[0.0, 1.0])
