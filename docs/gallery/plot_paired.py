"""
Two judges of the same items
============================

Two language models grade the same answers, two sensors measure the same rooms, two raters read the same scans. Do
they agree, not on average but at every kind of item? Rows are pairs, so nothing has to be adjusted for: under the
null hypothesis the sign of each difference is a coin's, and the p-value is exact.

Here the judges are two classifiers that read 597 real handwritten digits (scikit-learn), and what is compared is
how sure each is of the right answer.
"""

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from sklearn.datasets import load_digits
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression

from condmmd import paired_test

digits = load_digits()
fit, held = np.arange(1200), np.arange(1200, len(digits.target))
pixels, target = digits.data / 16, digits.target
judges = {
    "logistic": LogisticRegression(C=0.15, max_iter=500).fit(pixels[fit], target[fit]),
    "forest": RandomForestClassifier(200, random_state=0).fit(pixels[fit], target[fit]),
}
items = pd.DataFrame({"ink": pixels[held].mean(axis=1), "digit": target[held].astype(str)})
for name, judge in judges.items():
    items[name] = judge.predict_proba(pixels[held])[np.arange(len(held)), target[held]]
print(items[["logistic", "forest"]].describe().round(3).loc[["mean", "std"]])

# %%
# Do they judge alike?
# --------------------
# On average nearly. X is what is known of an item: how much ink there is, and which digit it is.

r = paired_test(["ink", "digit"], "logistic", "forest", data=items, rng=0)
print(r.summary())

# %%
# Where not?
# ----------

print(r.where().summary())

# %%
# A picture of the pairs: above the line the forest is surer.

figure, (left, right) = plt.subplots(1, 2, figsize=(10, 3.8), layout="constrained")
left.scatter(items["logistic"], items["forest"], s=8, alpha=0.5)
left.plot([0, 1], [0, 1], color="0.4", linewidth=1)
left.set(xlabel="logistic, right answer", ylabel="forest, right answer", title="each item is a point")
difference = items["logistic"] - items["forest"]
by_digit = difference.groupby(items["digit"]).agg(["mean", "sem"])
right.errorbar(by_digit.index, by_digit["mean"], 2 * by_digit["sem"], fmt="o")
right.axhline(0, color="0.5", linewidth=1)
right.set(xlabel="digit", ylabel="logistic less forest", title="mean difference, two standard errors")

# %%
# Not paired?
# -----------
# If the two judges had seen *different* items, it would be `cmmd_test`: two samples, with covariates that may
# differ. Never throw the pairing away: here it takes out all that makes one item harder than another. And items
# that share a prompt or a room belong together: ``blocks="prompt"``.
