"""
Calibration of a classifier
===========================

A classifier says 90 %. Is it right nine times out of ten, wherever it says so? Accuracy does not tell, and neither
does a reliability diagram alone: its bars jump by chance.

Real patients: 569 tumours (scikit-learn's breast cancer table), half of them to fit, half to judge.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.calibration import CalibratedClassifierCV
from sklearn.datasets import load_breast_cancer
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import train_test_split
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from condmmd import calibration_error, calibration_test

X, y = load_breast_cancer(return_X_y=True)
X_fit, X_held, y_fit, y_held = train_test_split(X, y, test_size=0.5, random_state=0, stratify=y)
classifiers = {
    "naive Bayes": GaussianNB(),
    "naive Bayes, recalibrated": CalibratedClassifierCV(GaussianNB(), method="isotonic", cv=5),
    "logistic regression": make_pipeline(StandardScaler(), LogisticRegression()),
}

# %%
# One question, three classifiers
# -------------------------------
# Outcomes are drawn anew from the predictions themselves, so the p-value is exact in finite samples. Rows must be
# ones that the classifier was not fitted to.

predicted, results = {}, {}
for name, classifier in classifiers.items():
    predicted[name] = classifier.fit(X_fit, y_fit).predict_proba(X_held)
    results[name] = calibration_test(predicted[name], y_held, rng=0)
    accuracy = np.mean(predicted[name].argmax(axis=1) == y_held)
    error = calibration_error(predicted[name], y_held)
    print(f"{name:<26} accuracy {accuracy:.3f}   p = {results[name].pvalue:.3f}   squared error {error:+.5f}")

# %%
# Naive Bayes counts the same evidence many times and is far too sure. Its accuracy hardly suffers, and whoever acts
# on its 99 % does.

print(results["naive Bayes"].summary())

# %%
# Looked at
# ---------
# Bars of ten equal parts with the number of patients in each; what the test adds is whether they could be so by
# chance.

figure, axes = plt.subplots(1, 3, figsize=(11, 3.5), sharey=True, layout="constrained")
edges = np.linspace(0, 1, 11)
for ax, (name, P) in zip(axes, predicted.items(), strict=True):
    part = np.clip(np.digitize(P[:, 1], edges) - 1, 0, 9)
    for k in range(10):
        if (rows := part == k).any():
            ax.bar(edges[k] + 0.05, y_held[rows].mean(), width=0.09, color="#30638e", alpha=0.7)
            ax.text(edges[k] + 0.05, y_held[rows].mean() + 0.02, rows.sum(), ha="center", fontsize=8)
    ax.plot([0, 1], [0, 1], color="0.4", linewidth=1)
    ax.set(title=f"{name}\np = {results[name].pvalue:.3f}", xlabel="predicted probability", ylim=(0, 1.12))
axes[0].set_ylabel("share that came true")

# %%
# Within groups
# -------------
# ``given`` asks whether predictions are right among rows of equal something else: here, of large and of small
# tumours.

large = X_held[:, 0] > np.median(X_held[:, 0])
print("within sizes: p =", calibration_test(predicted["logistic regression"], y_held, given=large, rng=0).pvalue)
