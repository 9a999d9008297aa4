"""dowhy: `mechanism_change_test` with X as the parents, which is KCI with its own widths and no resamples."""

from dowhy import gcm
from dowhy.gcm.distribution_change import mechanism_change_test
from job import run

gcm.config.set_default_n_jobs(1)  # one test is one piece of work
gcm.config.disable_progress_bars()


def test(X, Y, group, resamples, seed):  # noqa: ARG001
    gcm.util.general.set_random_seed(seed)
    one = group == 1
    return mechanism_change_test(Y[one], Y[~one], X[one], X[~one])


if __name__ == "__main__":
    run(test, "dowhy", "causal-learn", "numpy", "scipy")
