"""Type I error and power of the appendix settings 1 (equal covariates) and 2 (shifted covariates)."""

from dataclasses import replace
from functools import partial

from condmmd import Gaussian
from experiments.draws import setting
from experiments.experiment import AS_PUBLISHED, AS_WRITTEN, OURS, Experiment, our_test, published_test
from experiments.published import rates

SETTINGS = {1: ("same", 0.0), 2: ("diff", 1.0)}
KERNEL = Gaussian(0.1**-0.5)


def design(shift, c, n):
    return setting(c, n=int(n), shift=shift)


def trial(shift, c, joint, n, rng, resamples):
    draw = design(shift, c, n)(rng)
    return published_test(draw, rng, resamples, joint=joint, kernel_x=KERNEL, kernel_y=KERNEL, reg=0.1)


def with_defaults(shift, c, n, rng, resamples):
    """The default test; where it refuses, as 10 + 10 shifted rows may have no overlap, it does not reject."""
    try:
        return our_test(design(shift, c, n)(rng), rng, resamples)
    except ValueError as error:
        if "no overlap" not in str(error):
            raise
        return {"default cmmd_test": 0.0}


def experiment(which, kind):
    name, shift = SETTINGS[which]
    c = 0.0 if kind == "type1" else None
    algorithm = "permuted" if which == 1 else "drawn from the true propensity"
    variants = {AS_PUBLISHED: partial(trial, shift, c, which == 1)}
    if which == 1:
        variants[AS_WRITTEN] = partial(trial, shift, c, False)
    return Experiment(
        name=f"appendix_{which}_{'type1' if kind == 'type1' else 'power'}",
        title=f"Appendix setting {which}, {'type I error' if kind == 'type1' else 'power'}",
        about=f"X ~ N(∓{shift / 2:g}, 1), h = 0.1 for both kernels, lambda 0.1, labels {algorithm}. Ours: a "
        "refusal for lack of overlap (n = 10) is no rejection."
        + (" As published: level 2 is the joint estimator; as written: the plug-in." if which == 1 else ""),
        points=(10.0, 50.0, 100.0, 150.0, 200.0, 250.0),
        variants={**variants, OURS: partial(with_defaults, shift, c)},
        targets=rates(f"synthetic/{kind}_vs_sample_size_{name}_marginal.pdf"),
        xlabel="sample size n = m",
        ylabel="type I error" if kind == "type1" else "power",
        trials=200 if kind == "type1" else 250,
        resamples=200 if kind == "type1" else 250,
    )


EXPERIMENTS = [
    replace(experiment(which, kind), share={OURS: share})
    for which in SETTINGS
    for kind, share in (("type1", 0.25), ("type2", 0.1))
]
