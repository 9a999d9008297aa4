"""
A treatment's effect on a whole distribution
============================================

LaLonde's data: people who had been out of work were given a year of supported employment, or not, by lot. The usual
number is one: earnings in 1978 rose by some 1,800 dollars on average. Averages hide who gained.

The 445 people of the National Supported Work trial in the selection of Dehejia and Wahba (1999); the file
``nsw.csv`` lies beside this page's source.
"""

import matplotlib.pyplot as plt
import pandas as pd

from condmmd import cmmd_test, interventional_test

people = pd.read_csv("nsw.csv")
COVARIATES = ["age", "educ", "black", "hisp", "marr", "nodegree", "re74", "re75"]
people["group"] = people["treat"].map({1: "trained", 0: "control"})
print(people.groupby("group")["re78"].describe().round(0)[["count", "mean", "50%", "max"]])

# %%
# One verdict, many numbers
# -------------------------
# It was a lottery, so the propensity is known not to depend on the covariates: ``propensity=None`` makes the
# p-value exact in finite samples, with no model to believe in.

r = cmmd_test(COVARIATES, "re78", "group", data=people, propensity=None, rng=0)
print("p =", r.pvalue, "resting on", r.assumption)
effect = r.effect()
print(effect.summary())

# %%
# Who gained? Not those at the bottom: about a third of the people earned nothing in either group. The gain is in
# the middle and the upper part, which is what the quantiles show.

quantiles = [entry for entry in effect if entry.kind == "quantile"]
figure, (left, right) = plt.subplots(1, 2, figsize=(10, 3.8), layout="constrained")
shares = [100 * entry.share for entry in quantiles]
left.fill_between(
    shares, *zip(*(entry.simultaneous for entry in quantiles), strict=True), alpha=0.2, label="all at once"
)
left.fill_between(shares, *zip(*(entry.interval for entry in quantiles), strict=True), alpha=0.3, label="each, 95 %")
left.plot(shares, [entry.estimate for entry in quantiles], "o-")
left.axhline(0, color="0.5", linewidth=1)
left.set(
    xlabel="quantile of earnings in 1978, %", ylabel="trained less control, dollars", title="Effect on the distribution"
)
left.legend(frameon=False)
for label, style in (("trained", "-"), ("control", "--")):
    earned = people.loc[people["group"] == label, "re78"].sort_values()
    right.plot(earned, (earned.rank(method="first") / len(earned)), style, label=label)
right.set(xlim=(0, 25_000), xlabel="earnings in 1978, dollars", ylabel="share of people below", title="As they are")
right.legend(frameon=False)

# %%
# Is it the same for everybody?
# -----------------------------

print(r.where().summary())
print(r.by_stratum("nodegree"))

# %%
# Given X, or over the population?
# --------------------------------
# The test above would also find an effect that helps some and harms others and cancels on average. Whether earnings
# of the whole population would be distributed differently, had all been trained, is another question, with another
# door.

print(
    "over the population: p =",
    interventional_test(COVARIATES, "re78", "group", data=people, propensity=None, rng=0).pvalue,
)

# %%
# What 445 people could have shown
# --------------------------------
# Beside the ratio that was seen: a trial of this size misses effects of this size quite often. A *no evidence*
# would not have meant *no effect*.

print(r.detectable().summary())
print("seen:", round(effect[0].levels[0] / effect[0].levels[1], 2))
