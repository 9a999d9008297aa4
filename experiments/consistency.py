"""Do the plug-in estimates go to the levels that they estimate? Error against the number of rows."""

from functools import cache, partial

import numpy as np

from condmmd import CMMD, Gaussian, cmmd
from experiments.draws import curve, setting
from experiments.experiment import Experiment

H, NOISE = 1.0, 0.5  # precision of both kernels, standard deviation of the noise
SHRINKING, FIXED = "lambda shrinking", "lambda fixed"
KERNEL = Gaussian(H**-0.5)


def inner(a, b):
    """Inner product of the embeddings of N(a, NOISE^2) and N(b, NOISE^2) for the Gaussian kernel of precision H."""
    spread = 1 + 2 * H * NOISE**2
    return spread**-0.5 * np.exp(-0.5 * H * (a - b) ** 2 / spread)


@cache
def truths():
    """Squared CMMD of levels 1 and 2 in appendix setting 2, by quadrature over the covariates of both samples."""
    nodes, weights = np.polynomial.hermite_e.hermegauss(200)
    x = np.concatenate([nodes - 0.5, nodes + 0.5])
    w = np.tile(weights / weights.sum(), 2) / 2
    y, z = curve(x), x
    difference = inner(y[:, None], y) - inner(y[:, None], z) - inner(z[:, None], y) + inner(z[:, None], z)
    K = np.exp(-0.5 * H * (x[:, None] - x) ** 2)
    return float(w @ np.diag(difference)), float(w @ (K * difference) @ w)


def errors(power, n, rng, _):
    """Relative errors of the levels 1 and 2, without their sign."""
    draw, reg = setting(n=int(n))(rng), 0.01 * (n / 100) ** power
    found = cmmd(draw.X, draw.Y, draw.t, statistic=CMMD(kernel_x=KERNEL, kernel_y=KERNEL, reg=reg)).level([1, 2])
    return {
        f"CMMD_{{{s}}}": float(abs(value / truth - 1)) for s, value, truth in zip((1, 2), found, truths(), strict=True)
    }


def draw_errors(experiment, record, axes):
    """Both ridges in one picture, on two logarithmic scales."""
    for variant, line in zip(experiment.variants, ("-", ":"), strict=True):
        points = [record["points"][variant][f"{x:g}"] for x in experiment.points]
        for k in (1, 2):
            curves = [entry["curves"][f"CMMD_{{{k}}}"] for entry in points]
            half = [1.96 * c["sd"] / entry["trials"] ** 0.5 for c, entry in zip(curves, points, strict=True)]
            style = {"color": f"C{k}", "linestyle": line, "marker": "os"[k - 1], "capsize": 2}
            mean = [c["mean"] for c in curves]
            axes[0].errorbar(experiment.points, mean, yerr=half, label=f"$CMMD_{k}$, {variant}", **style)
    axes[0].set(xscale="log", yscale="log", xlabel=experiment.xlabel, ylabel=experiment.ylabel, title=experiment.title)
    axes[0].legend(loc="upper left", bbox_to_anchor=(1.02, 1.0))


EXPERIMENTS = [
    Experiment(
        name="consistency",
        title="Consistency of the plug-in",
        about="Not in the paper, which proves it: the mean of the estimate's relative error, without its sign, in "
        "appendix setting 2 with h = 1, where the squared levels 1 and 2 are known by quadrature. With lambda 0.01 "
        "(n / 100)^-0.45, which shrinks more slowly than n^(-1/2), the error goes to zero, if slowly; with lambda 0.01 "
        "what the ridge takes away stays. That is no fault of a test, whose null labels have the same lambda.",
        points=(100.0, 400.0, 1600.0, 6400.0, 25600.0),
        variants={SHRINKING: partial(errors, -0.45), FIXED: partial(errors, 0.0)},
        xlabel="sample size n = m",
        ylabel="relative error",
        trials=50,
        draw=draw_errors,
    )
]
