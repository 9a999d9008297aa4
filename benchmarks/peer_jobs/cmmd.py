"""condmmd: `cmmd_test` as it comes."""

from job import run

from condmmd import cmmd_test


def test(X, Y, group, resamples, seed):
    return cmmd_test(X, Y, group, n_resamples=resamples, rng=seed).pvalue


if __name__ == "__main__":
    run(test, "condmmd", "numpy", "scipy", "scikit-learn")
