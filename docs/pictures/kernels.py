"""Similarities against distance, and what a product of kernels calls alike."""

import matplotlib.pyplot as plt
import numpy as np

from condmmd import Gaussian, Laplacian, Matern


def draw():
    figure, (left, middle, right) = plt.subplots(1, 3, figsize=(9.5, 3))
    distance = np.linspace(0, 3, 200)
    for kernel, name, style in (
        (Gaussian(1.0), "Gaussian", "-"),
        (Matern(1.0, nu=1.5), "Matern, nu 1.5", "--"),
        (Laplacian(1.0), "Laplacian", ":"),
    ):
        left.plot(distance, kernel(np.zeros(1), distance)[0], style, color="#30638e", label=name)
    left.set(title="lengthscale 1", xlabel="distance", ylabel="k(x, x')")
    left.legend(frameon=False)
    for scale, style in ((0.3, ":"), (1.0, "-"), (3.0, "--")):
        middle.plot(distance, Gaussian(scale)(np.zeros(1), distance)[0], style, color="#d08770", label=f"{scale:g}")
    middle.set(title="Gaussian, by lengthscale", xlabel="distance")
    middle.legend(frameon=False)
    age = np.linspace(20, 80, 200)
    alike = Gaussian(12.0)(np.array([45.0]), age)[0]
    right.plot(age, alike, color="#30638e", label="same sex")
    right.plot(age, 0 * alike, color="#30638e", linestyle="--", label="other sex")
    right.set(title="Gaussian on age * Delta on sex", xlabel="age, beside someone of 45")
    right.legend(frameon=False)
    return figure
