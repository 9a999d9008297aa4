"""
Concept drift of a deployed model
=================================

A model predicts how far diabetes will have progressed. New patients arrive, with higher blood pressure, and the
model's errors have grown. Must it be trained again? Only if progression *given* the measurements changed. That the
patients changed is no reason.

Real patients (scikit-learn's diabetes table); what is done to some of them is said where it is done.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_diabetes
from sklearn.linear_model import LinearRegression

from condmmd import cmmd_test, mmd_test

table = load_diabetes(as_frame=True, scaled=False).frame
MEASURED = ["bmi", "bp", "s3", "s5", "s6"]

# %%
# Two months
# ----------
# Patients with high blood pressure come in the second month more often than others. Nothing else is different: this
# is covariate shift, and it is all there is.

rng = np.random.default_rng(0)
second = rng.uniform(size=len(table)) < 1 / (1 + np.exp(-(table["bp"] - table["bp"].mean()) / 10))
table["month"] = np.where(second, "june", "january")
model = LinearRegression().fit(table.loc[~second, MEASURED], table.loc[~second, "target"])
error = (table["target"] - model.predict(table[MEASURED])).abs()
print(error.groupby(table["month"]).mean().round(1))
print("the measurements moved: p =", mmd_test(MEASURED, "month", data=table, rng=0).pvalue)

quiet = cmmd_test(MEASURED, "target", "month", data=table, rng=0)
print("progression given them:  p =", quiet.pvalue)

# %%
# The test is not disturbed by patients who moved. What would it have seen, had there been something?

print(quiet.detectable().summary())

# %%
# Now something happens
# ---------------------
# From June on a new laboratory kit is in use: for patients with a high body mass index progression is recorded 80
# units higher. Both months look much like before; the model is wrong for some.

drifted = table.copy()
heavy = second & (table["bmi"] > 27)
drifted.loc[heavy, "target"] += 80
alarm = cmmd_test(MEASURED, "target", "month", data=drifted, rng=0)
print("p =", alarm.pvalue)
print(alarm.effect()[0].interval)

# %%
# Where
# -----
# First whether the change is the same everywhere, and only if not, where.

where = alarm.where()
print(where.summary())
figure, (left, right) = plt.subplots(1, 2, figsize=(10, 3.6), layout="constrained")
quiet.plot("where", ax=left, covariate="bmi")
alarm.plot("where", ax=right, covariate="bmi")
left.set_title("covariate shift alone")
right.set_title("drift for the heavy")
right.sharey(left)

# %%
# In a pipeline
# -------------
# The same on the command line ends with status 1 if something changed::
#
#     condmmd test january.parquet june.parquet --outcome target --fail-under 0.01
#
# Test once a month at a level you can live with: at 0.01, one false alarm in eight years.
