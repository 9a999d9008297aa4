"""Power against the mean of the covariate."""

from condmmd import Gaussian
from condmmd.kernels import median_distance
from experiments.draws import theta
from experiments.experiment import AS_PUBLISHED, AS_WRITTEN, OURS, Experiment, ours, published_test
from experiments.published import rates


def as_published(value, rng, resamples):
    draw = theta(value)(rng)
    kernel = Gaussian(median_distance(draw.X[draw.t == 1]))
    return published_test(draw, rng, resamples, joint=True, kernel_x=kernel, kernel_y=kernel, reg=0.1)


def as_written(value, rng, resamples):
    draw = theta(value, sd=0.75**0.5)(rng)
    kernels = {"kernel_x": Gaussian(median_distance(draw.X)), "kernel_y": Gaussian(median_distance(draw.Y))}
    return published_test(draw, rng, resamples, reg=0.1, **kernels)


EXPERIMENTS = [
    Experiment(
        name="theta",
        title="Power against theta",
        about="X ~ N(theta, .), E[Y|X] = exp(-X²/2) sin 2X, E[Z|X] = X, noise 0.5, n = m = 100, lambda 0.1, labels "
        "permuted. As published: X has standard deviation 0.75, one bandwidth from the covariates of P for both "
        "kernels, level 2 is the joint estimator. As written: variance 0.75, a median for each kernel, level 2 is the "
        "plug-in.",
        points=(-1.0, -0.75, -0.5, -0.25, 0.0, 0.25, 0.5, 0.75, 1.0),
        variants={AS_PUBLISHED: as_published, AS_WRITTEN: as_written, OURS: ours(theta)},
        targets=rates("synthetic/power_vs_theta.pdf"),
        share={OURS: 0.25},
        xlabel="covariate mean theta",
        ylabel="power",
    )
]
