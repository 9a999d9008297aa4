"""Type I error and power of the plug-in and the doubly robust tests."""

from functools import partial

import numpy as np

from condmmd import DoublyRobust
from experiments.dr_models import KERNELS, nuisances
from experiments.draws import cosine
from experiments.experiment import AS_PUBLISHED, AS_WRITTEN, OURS, Experiment, our_test, published_test
from experiments.published import rates


def both(draw, rng, resamples):
    e, pair, lam = nuisances(draw)
    draw.e = e
    found = published_test(draw, rng, resamples, reg=pair, **KERNELS)
    estimator = DoublyRobust(reg=pair, refit=False)
    return found | published_test(draw, rng, resamples, suffix=" DR", estimator=estimator, reg=lam, **KERNELS)


def as_published(difference, n, rng, resamples):
    return both(cosine(rng, int(n), difference), rng, resamples)


def as_written(difference, n, rng, resamples):
    draw = cosine(rng, int(n), difference)
    draw.e = 1 / (1 + np.sqrt(draw.X * (1 - draw.X)) / np.pi)
    return both(draw, rng, resamples)


def with_defaults(difference, n, rng, resamples):
    return our_test(cosine(rng, int(n), difference), rng, resamples)


EXPERIMENTS = [
    Experiment(
        name=f"dr_{name}",
        title=f"Doubly robust, {'type I error' if name == 'type1' else 'power'}",
        about="X uniform in P and Beta(1/2, 1/2) in Q, "
        + ("E[Y|X] = E[Z|X] = cos 4 pi X + X²/2" if name == "type1" else "E[Y|X] = E[Z|X] + X²/2, E[Z|X] = cos 4 pi X")
        + ", noise 0.5, polynomial kernel of degree 2 on X, linear on Y. As published: propensity clipped to "
        "[0.1, 0.9], lambdas and models fitted once, on the observed labels. "
        + ("As written: the propensity with the exponents that are printed. " if name == "type1" else "")
        + "Ours: default cmmd_test with Gaussian kernels and an estimated propensity.",
        points=(100.0, 200.0, 300.0, 400.0, 500.0),
        variants={
            AS_PUBLISHED: partial(as_published, difference),
            **({AS_WRITTEN: partial(as_written, difference)} if name == "type1" else {}),
            OURS: partial(with_defaults, difference),
        },
        share={OURS: 0.25 if name == "type1" else 0.125},
        targets=rates(f"dr/{file}_vs_sample_size.pdf"),
        xlabel="sample size n = m",
        ylabel="type I error" if name == "type1" else "power",
    )
    for name, file, difference in (("power", "type2", 0.5), ("type1", "type1", 0.0))
]
