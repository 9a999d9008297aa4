"""What an experiment is: points, variants, and a trial that turns a point and a generator into numbers."""

from collections.abc import Callable
from dataclasses import dataclass, field, replace

import numpy as np

from condmmd import CMMD, Resampling, cmmd_test

# (point, generator, number of null labels) -> {curve: number}; a rejection is the number 1.
Trial = Callable[[float, np.random.Generator, int], dict[str, float]]

AS_PUBLISHED, AS_WRITTEN, OURS = "as published", "as written", "ours"
ALPHA = 0.05


@dataclass(frozen=True)
class Experiment:
    """One figure or table of the paper.

    The first of ``variants`` is held against ``targets``, {curve: {point: Target}}. ``trials`` and ``resamples`` are
    those of the paper; ``share`` runs a variant on a part of the trials. ``reasons`` explains the points that are known
    to differ, by curve. ``draw`` makes another picture than curves over points; ``source`` names the data where that
    depends on the machine; ``page`` writes another section than a table of agreement, ``files`` further files.
    """

    name: str
    title: str
    about: str
    points: tuple[float, ...]
    variants: dict[str, Trial]
    targets: dict = field(default_factory=dict)
    xlabel: str = ""
    ylabel: str = "rejection rate"
    trials: int = 200
    resamples: int = 200
    share: dict[str, float] = field(default_factory=dict)
    keep_values: bool = False
    reasons: dict[str, str] = field(default_factory=dict)
    draw: Callable | None = None
    source: Callable[[], str] | None = None
    page: Callable | None = None
    files: Callable | None = None


def seed_of(rng):
    """A seed for the labels, drawn after the data."""
    return int(rng.integers(2**63))


def decisions(result, suffix=""):
    """{curve: rejected} of every level. As in the paper p < 0.05; ties do not occur in continuous data."""
    return {f"CMMD_{{{level.level:g}}}{suffix}": float(level.pvalue < ALPHA) for level in result.by_level}


def published_test(draw, rng, resamples, *, levels=(0, 1, 2), joint=False, suffix="", **settings):
    """Algorithm 1 where X has equal distributions, else Algorithm 2 with the true propensity; level 2 may be joint.

    ``settings`` are those of `CMMD`.
    """
    statistics = [CMMD(level=[s for s in levels if not (joint and s == 2)], **settings)]
    if joint:
        statistics.append(replace(statistics[0], level=2, estimator="joint", reg=None))
    common = {
        "propensity": None if draw.equal else draw.e,
        "null": Resampling("permutation" if draw.equal else "bernoulli"),
        "residualize": False,
        "n_resamples": resamples,
        "rng": seed_of(rng),
    }
    found = {}
    for statistic in statistics:
        found |= decisions(cmmd_test(draw.X, draw.Y, draw.t, statistic=statistic, **common), suffix)
    return found


def our_test(draw, rng, resamples):
    """`cmmd_test` as it comes: nothing is told about how X moved."""
    result = cmmd_test(draw.X, draw.Y, draw.t, n_resamples=resamples, rng=seed_of(rng))
    return {"default cmmd_test": float(result.pvalue <= ALPHA)}


def ours(design):
    """The variant "ours" of a design: a function from the point to a draw."""

    def trial(point, rng, resamples):
        return our_test(design(point)(rng), rng, resamples)

    return trial
