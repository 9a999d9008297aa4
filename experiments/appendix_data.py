"""The simulated data of the appendix: are the published points of the design that is stated?"""

from functools import partial

import numpy as np
from scipy.stats import kstest

from experiments.appendix import SETTINGS
from experiments.draws import curve, setting
from experiments.experiment import AS_PUBLISHED, OURS, Experiment
from experiments.published import figures


def published_points(which):
    groups = figures()[f"synthetic/data_plot_{SETTINGS[which][0]}_marginal.pdf"]["curves"]
    return {name: (np.array(groups[name]["x"]), np.array(groups[name]["y"])) for name in ("P", "Q")}


def our_points(which, rng):
    draw = setting(n=250, shift=SETTINGS[which][1])(rng)
    return {name: (draw.X[draw.t == t], draw.Y[draw.t == t]) for name, t in (("P", 1), ("Q", 0))}


def fits_design(which, points):
    """Kolmogorov-Smirnov p-values of X and of the noise in both groups against the stated distributions."""
    shift = SETTINGS[which][1]
    found = {}
    for name, (x, y) in points.items():
        mean, outcome = (-shift / 2, curve(x)) if name == "P" else (shift / 2, x)
        found[f"X of {name}"] = float(kstest(x - mean, "norm").pvalue)
        found[f"noise of {name}"] = float(kstest((y - outcome) / 0.5, "norm").pvalue)
    return found


def of_published(which, _point, _rng, _resamples):
    return fits_design(which, published_points(which))


def of_ours(which, _point, rng, _resamples):
    return fits_design(which, our_points(which, rng))


def draw_points(experiment, _record, axes):
    which = 1 if experiment.name.endswith("1") else 2
    both = (("published points", published_points(which)), ("ours", our_points(which, np.random.default_rng(0))))
    for ax, (title, points) in zip(axes, both, strict=True):
        for (name, (x, y)), marker in zip(points.items(), "o^", strict=True):
            ax.scatter(x, y, s=9, marker=marker, alpha=0.6, label=name)
        ax.set(xlabel="X", ylabel="Y, Z", title=f"{experiment.title}: {title}")
        ax.legend()


EXPERIMENTS = [
    Experiment(
        name=f"data_{which}",
        title=f"Data of setting {which}",
        about="Kolmogorov-Smirnov p-values of the covariates and of the noise against the stated distributions, for "
        "the 250 + 250 points read off the figure and for one draw of ours: small ones would mean another design.",
        points=(250.0,),
        variants={AS_PUBLISHED: partial(of_published, which), OURS: partial(of_ours, which)},
        ylabel="p-value",
        trials=1,
        draw=draw_points,
    )
    for which in SETTINGS
]
