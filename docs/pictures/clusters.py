"""Rejections of a true null where whole patients are in one group, with and without blocks."""

import warnings

import matplotlib.pyplot as plt
import numpy as np

from condmmd import CMMD, cmmd_test

TRIALS = 40


def rejected(visits, blocks, seed):
    rng = np.random.default_rng([seed, visits])
    patients = 30
    who = np.repeat(np.arange(patients), visits)
    group = rng.permutation(np.arange(patients) % 2)[who]
    x = rng.normal(size=len(who))
    y = x + rng.normal(size=patients)[who] + rng.normal(size=len(who))
    r = cmmd_test(
        x, y, group, statistic=CMMD(level=1, reg=0.1, max_rank=12), residualize=False, propensity=None,
        blocks=who if blocks else None, n_resamples=39, rng=seed,
    )  # fmt: skip
    return r.pvalue <= 0.05


def draw():
    figure, ax = plt.subplots(figsize=(7, 3))
    counts = (1, 3, 9)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for blocks, style, name in ((False, "o--", "rows as if independent"), (True, "s-", "blocks='patient'")):
            rates = [np.mean([rejected(visits, blocks, seed) for seed in range(TRIALS)]) for visits in counts]
            ax.plot(counts, rates, style, color="#30638e" if blocks else "#d08770", label=name)
    ax.axhline(0.05, color="0.5", linewidth=1)
    ax.set(
        xlabel="visits of each of 30 patients", ylabel=f"false alarms in {TRIALS} tables", ylim=(0, 0.6), xticks=counts
    )
    ax.legend(frameon=False)
    return figure
