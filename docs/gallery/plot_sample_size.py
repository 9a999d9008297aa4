"""
Choosing sample size
====================

How many rows does a test need? That depends on the effect one would not want to miss, on how much X leaves of Y,
and on the overlap: all of which a pilot table knows. `plan` draws labels on the pilot's own covariates, puts the
effect in, and counts how often the test finds it.

The pilot: 442 real patients (scikit-learn's diabetes table), all of one population.
"""

import matplotlib.pyplot as plt
from sklearn.datasets import load_diabetes

from condmmd import plan

table = load_diabetes(as_frame=True, scaled=False).frame
COVARIATES = ["age", "sex", "bmi", "bp", "s3", "s5"]

# %%
# We would not want to miss a drug that slows progression by 15 units, on a scale that goes from 25 to 346.

found = plan(table[COVARIATES], table["target"], effect=15, rng=0)
print(found.summary())

# %%
# The curve of power
# ------------------

figure, (left, right) = plt.subplots(1, 2, figsize=(10, 3.6), layout="constrained")
found.plot(ax=left)
effects = (10, 15, 20, 30)
needed = [sum(plan(table[COVARIATES], table["target"], effect=effect, rng=0).rows) for effect in effects]
right.plot(effects, needed, "o-")
right.set(
    xlabel="effect not to be missed", ylabel="rows in all", yscale="log", title="Half the effect, four times the rows"
)
print(dict(zip(effects, needed, strict=True)))

# %%
# What covariates are worth
# -------------------------
# Without measurements of the patients the same trial needs more people, because what X explains is noise otherwise.

blind = plan(table[["sex"]], table["target"], effect=15, rng=0)
print("with six covariates:", sum(found.rows), "rows; with one:", sum(blind.rows))

# %%
# Other kinds of effects
# ----------------------
# A change of the spread, which no test of means finds, as a ratio; one group rarer than the other.

spread = plan(table[COVARIATES], table["target"], effect=1.3, kind="spread", rng=0)
rare = plan(table[COVARIATES], table["target"], effect=15, share=0.2, rng=0)
print("spread 1.3 times:", sum(spread.rows), "rows; one in five treated:", sum(rare.rows))
