"""This package's own tests as methods: each is the public function with keywords, and takes tables as they are."""

from condmmd import cmmd_test


def two_sample_test(data, resamples, rng, *, propensity="estimate", **settings):
    propensity = data.e if propensity == "true" else propensity
    return cmmd_test(
        data.X, data.Y, data.group, propensity=propensity, n_resamples=resamples, rng=rng, **settings
    ).pvalue
