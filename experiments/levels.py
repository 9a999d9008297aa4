"""Power of the levels s = 0 to 2.5 in two settings."""

from functools import partial

from condmmd import Gaussian
from condmmd.kernels import median_distance
from experiments.draws import levels_setting
from experiments.experiment import AS_PUBLISHED, AS_WRITTEN, OURS, Experiment, ours, published_test
from experiments.published import rates

LEVELS = (0, 0.5, 1, 1.5, 2, 2.5)


def trial(which, written, value, rng, resamples):
    draw = levels_setting(which, value)(rng)
    of_p = median_distance(draw.X[draw.t == 1])
    x, y = (median_distance(draw.X), median_distance(draw.Y)) if written else (of_p, of_p)
    return published_test(draw, rng, resamples, levels=LEVELS, kernel_x=Gaussian(x), kernel_y=Gaussian(y), reg=0.1)


EXPERIMENTS = [
    Experiment(
        name=f"levels_{which}",
        title=f"Level profile, setting {which}",
        about=f"X ~ Beta(4, 4), E[Y|X] = sin(pi X), E[Z|X] = (1 - theta) sin(pi X) + {difference}, noise 0.5, "
        "n = m = 100, lambda 0.1, labels permuted. As published: one bandwidth from the covariates of P for both "
        "kernels. As written: a median for each kernel.",
        points=(0.0, 0.2, 0.4, 0.6, 0.8, 1.0),
        variants={
            AS_PUBLISHED: partial(trial, which, False),
            AS_WRITTEN: partial(trial, which, True),
            OURS: ours(partial(levels_setting, which)),
        },
        share={OURS: 0.25},
        targets=rates(f"lvls/power_curve_setting_{which}.pdf"),
        xlabel="difference theta",
        ylabel="power",
    )
    for which, difference in ((1, "theta (3 X - 0.5)"), (2, "theta / 2"))
]
