"""
A simulator against reality
===========================

Three simulators claim to produce patients: given age, body mass index and so on, a draw of how far diabetes
progresses. A good mean is not enough; a simulator must have the right *distribution* at every x. Which one is
nearest to reality, and is it near enough?

Real patients (scikit-learn's diabetes table), split in halves: one to build simulators on, one to judge them.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_diabetes
from sklearn.ensemble import RandomForestRegressor
from sklearn.linear_model import LinearRegression

from condmmd import cmmd_test, compare, pool

table = load_diabetes(as_frame=True, scaled=False).frame
X, y = table[["age", "sex", "bmi", "bp", "s3", "s5"]], table["target"].to_numpy()
rng = np.random.default_rng(0)
order = rng.permutation(len(y))
built, held = order[: len(y) // 2], order[len(y) // 2 :]

# %%
# Three simulators
# ----------------
# A line with normal noise of one width; a line whose noise grows with the prediction; a forest that draws the
# outcome of a patient who fell into the same leaf.

line = LinearRegression().fit(X.iloc[built], y[built])
left_over = y[built] - line.predict(X.iloc[built])
predicted = line.predict(X.iloc[held])
growth = np.clip(predicted / line.predict(X.iloc[built]).mean(), 0.3, None)
forest = RandomForestRegressor(200, min_samples_leaf=10, random_state=0).fit(X.iloc[built], y[built])
leaves_built, leaves_held = forest.apply(X.iloc[built]), forest.apply(X.iloc[held])


def neighbour(leaves):
    """The outcome of a patient in the same leaf of a random tree."""
    tree = rng.integers(forest.n_estimators)
    return y[built][rng.choice(np.flatnonzero(leaves_built[:, tree] == leaves[tree]))]


simulated = {
    "line, even noise": predicted + rng.normal(scale=left_over.std(), size=len(held)),
    "line, growing noise": predicted + growth * rng.normal(scale=left_over.std(), size=len(held)),
    "forest neighbours": np.array([neighbour(leaves) for leaves in leaves_held]),
    "means only": predicted,
}

# %%
# Ranked
# ------
# Distances over the covariates that all have, with intervals, and tests of who is nearer than whom.

found = compare((X.iloc[held], y[held]), {name: (X.iloc[held], drawn) for name, drawn in simulated.items()})
print(found.summary())

# %%
# "Means only", the best guess for each patient, is by far the worst simulator: its distribution is a point.
#
# Near enough?
# ------------
# The nearest one against reality, as a test. Covariates are the same rows, so X did not move.

rows = pool(X.iloc[held], y[held], X.iloc[held], simulated[found.nearest])
r = cmmd_test(*rows, propensity=None, rng=0)
print(found.nearest, "p =", r.pvalue)
print(r.effect().summary())

figure, axes = plt.subplots(1, 4, figsize=(12, 3.2), sharey=True, layout="constrained")
for ax, (name, drawn) in zip(axes, simulated.items(), strict=True):
    ax.scatter(predicted, drawn, s=8, alpha=0.6, marker="^", label="simulated")
    ax.scatter(predicted, y[held], s=8, alpha=0.4, label="real")
    ax.set(title=name, xlabel="prediction of the line")
axes[0].set_ylabel("progression")
axes[0].legend(frameon=False)
