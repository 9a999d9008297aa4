"""pywhy-stats: `kcd`, the kernel conditional discrepancy of two samples."""

from job import run
from pywhy_stats.conditional_ksample import kcd


def test(X, Y, group, resamples, seed):
    return kcd.condind(X, Y, group, null_sample_size=resamples, random_seed=seed).pvalue


if __name__ == "__main__":
    run(test, "pywhy-stats", "numpy", "scipy", "scikit-learn")
