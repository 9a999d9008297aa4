"""
Writing a kernel
================

Hours of the day are a circle: 23 and 1 are two hours apart, not twenty-two. No kernel on a line knows that. One
that does takes ten lines, and then goes through the same test, result, pictures and report as any other.
"""

from dataclasses import dataclass

import matplotlib.pyplot as plt
import numpy as np

from condmmd import CMMD, Gaussian, Kernel, cmmd, cmmd_test

# %%
# What a kernel is
# ----------------
# A frozen dataclass with `gram`, similarities of all rows with all rows, and `diagonal`, of each row with itself.
# It must be positive semi-definite. The name lets users ask for it by name.


@dataclass(frozen=True)
class Periodic(Kernel, name="periodic"):
    """Points on a circle of circumference ``period``."""

    period: float = 24.0
    lengthscale: float = 1.0

    def gram(self, A, B):
        angle = np.pi * (A[:, None, :] - B[None, :, :]) / self.period
        return np.exp(-2 * (np.sin(angle) ** 2).sum(axis=2) / self.lengthscale**2)

    def diagonal(self, A):
        return np.ones(len(A))


hours = np.linspace(0, 24, 200)
figure, ax = plt.subplots(figsize=(6, 3), layout="constrained")
ax.plot(hours, Periodic()(np.array([23.0]), hours)[0], label="Periodic()")
ax.plot(hours, Gaussian(4.0)(np.array([23.0]), hours)[0], "--", label="Gaussian(4)")
ax.set(xlabel="hour", ylabel="similarity with 23:00")
ax.legend(frameon=False)

# %%
# Always check it
# ---------------
# On a few random points the smallest eigenvalue must not be negative, but for rounding.

rng = np.random.default_rng(0)
points = rng.uniform(0, 24, 300)
print("smallest eigenvalue:", np.linalg.eigvalsh(Periodic()(points)).min().round(12))

# %%
# Use it
# ------
# Demand by hour in two cities; one has more of it around midnight, where the circle closes. Kernels combine:
# ``Periodic().on("hour") * Gaussian().on("temperature")`` would hold the temperature fixed, too.

hour = rng.uniform(0, 24, 600)
city = np.repeat([1, 0], 300)
night = np.minimum(hour, 24 - hour) < 2
demand = np.cos(2 * np.pi * hour / 24) + 0.4 * rng.normal(size=600) + 0.7 * city * night

kernels = {"Periodic(), by its name": "periodic", "Gaussian(3)": Gaussian(3.0)}
for name, kernel in kernels.items():
    r = cmmd_test(hour, demand, city, statistic=CMMD(kernel_x=kernel), propensity=None, rng=0)
    print(f"{name}: p = {r.pvalue}")

# %%
# Both find it. Where it is, the one that knows of the circle says better: its witness closes at midnight, and the
# other one stops at two walls.

figure, ax = plt.subplots(figsize=(6, 3), layout="constrained")
for (name, kernel), style in zip(kernels.items(), ("-", "--"), strict=True):
    d = cmmd(hour, demand, city, statistic=CMMD(kernel_x=kernel, reg=1e-3))
    ax.plot(hours, d.witness(hours), style, label=name)
ax.set(xlabel="hour", ylabel="witness", xticks=range(0, 25, 6))
ax.legend(frameon=False)
