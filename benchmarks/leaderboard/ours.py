"""This package's own tests as methods: each is the public function with keywords, and takes tables as they are."""

from condmmd import calibration_test, cmmd_test, interventional_test, model_test, paired_test


def two_sample_test(data, resamples, rng, *, propensity="estimate", **settings):
    propensity = data.e if propensity == "true" else propensity
    return cmmd_test(
        data.X, data.Y, data.group, propensity=propensity, n_resamples=resamples, rng=rng, **settings
    ).pvalue


def population_test(data, resamples, rng, **settings):
    return interventional_test(data.X, data.Y, data.group, n_resamples=resamples, rng=rng, **settings).pvalue


def pairs_test(data, resamples, rng, **settings):
    return paired_test(*data, n_resamples=resamples, rng=rng, **settings).pvalue


def forecast_test(data, resamples, rng, **settings):
    return model_test(data.X, data.Y, (data.mean, data.sd), n_resamples=resamples, rng=rng, **settings).pvalue


def reliability_test(data, resamples, rng, **settings):
    """Of normal forecasts, given the forecast alone."""
    return calibration_test((data.mean, data.sd), data.Y, n_resamples=resamples, rng=rng, **settings).pvalue


def predictions_test(data, resamples, rng, **settings):
    classes = range(data.P.shape[1])
    return calibration_test(
        data.P, data.labels, classes=list(classes), n_resamples=resamples, rng=rng, **settings
    ).pvalue
