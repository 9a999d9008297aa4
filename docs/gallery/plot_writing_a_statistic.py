"""
Writing a statistic in one file
===============================

What is compared is one object. A new one brings a number for each label vector; null labels, the p-value,
intervals, *where*, pictures and the report are there already. Here: how far apart the two groups' median residuals
are, which outliers cannot move.
"""

from dataclasses import dataclass

import matplotlib.pyplot as plt
import numpy as np

from condmmd import cmmd_test
from condmmd.backend import to_host
from condmmd.embedding import embed_covariates
from condmmd.kernels import resolve_kernel
from condmmd.statistics import ConditionalStatistic
from condmmd.statistics.base import StatisticColumn

# %%
# Two small classes
# -----------------
# The first is fitted: everything is fixed but the labels, and it is called with many label vectors at once.
# ``T.sum`` sums a function of labels and rows, in memory, on a device or over chunks. Signs of residuals stand for
# the median: P and Q have the same median given X if as many rows of P are above as of Q.


@dataclass(frozen=True, eq=False)
class FittedSigns:
    covariates: object
    outcomes: object
    signs: np.ndarray
    e: np.ndarray
    joining = "logarithms"

    @property
    def columns(self):
        return (StatisticColumn("difference of the signs of residuals", 0.0, "none", "none", "sign"),)

    def __call__(self, T):
        sums = T.sum(lambda labels, signs: (to_host(labels) - self.e) @ signs, self.signs)
        return (sums**2).sum(axis=1, keepdims=True)


# %%
# The second says what it needs, and makes the first from the rows, blind to their labels. ``learned`` has what the
# test learned before: outcomes less what X says of them, and the propensity.


@dataclass(frozen=True)
class Signs(ConditionalStatistic):
    """The squared difference of signs of residuals."""

    needs = frozenset({"covariates", "propensity"})

    def fit(self, samples, learned):
        x = embed_covariates(
            resolve_kernel(None, samples.x), samples.x, tol=1e-6, max_rank=50, solver="primal", outcomes=1
        )
        values = to_host(samples.y.values)[:, :1]
        design = np.column_stack([np.ones(len(values)), to_host(samples.x.values)])
        left = values - design @ np.linalg.lstsq(design, values, rcond=None)[0]
        return FittedSigns(x.principal()[0], learned.outcomes, np.sign(left - np.median(left)), learned.centre)


# %%
# Used like any other
# -------------------
# Outcomes with Cauchy noise: a mean does not exist, and a median does.

rng = np.random.default_rng(0)
x = rng.normal(size=(400, 2))
group = np.repeat([1, 0], 200)
same = x[:, 0] + rng.standard_cauchy(size=400)
for name, y in (("the same", same), ("shifted by 0.8", same + 0.8 * group)):
    r = cmmd_test(x, y, group, statistic=Signs(), rng=0)
    print(f"{name}: p = {r.pvalue:.3f}")

# %%
# All else is there: which null labels it was compared with, and the line that repeats it.

figure, ax = plt.subplots(figsize=(6, 3.2), layout="constrained")
r.plot("null", ax=ax)
print(r.call)

# %%
# Is its level right?
# -------------------
# A statistic that is blind to labels cannot break the p-value; a look does no harm. Of 40 tables in which nothing
# differs:

pvalues = []
for seed in range(40):
    draw = np.random.default_rng(seed)
    x, y = draw.normal(size=(100, 1)), draw.standard_cauchy(size=100)
    pvalues.append(
        cmmd_test(x, y, np.repeat([1, 0], 50), statistic=Signs(), propensity=None, n_resamples=99, rng=seed).pvalue
    )
print("rejected at 0.05:", np.mean(np.array(pvalues) <= 0.05))
