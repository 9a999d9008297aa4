"""Two outcomes of the same rows; their differences; and the differences with signs flipped."""

import matplotlib.pyplot as plt
import numpy as np


def draw():
    rng = np.random.default_rng(0)
    x = np.sort(rng.uniform(-2, 2, 120))
    first = np.sin(x) + 0.3 * rng.normal(size=120)
    second = np.sin(x) + 0.3 * rng.normal(size=120) + 0.3 * x
    difference = first - second
    figure, (left, middle, right) = plt.subplots(1, 3, figsize=(10, 3))
    left.plot(np.stack([x, x]), np.stack([first, second]), color="0.8", linewidth=0.8)
    left.plot(x, first, "^", color="#30638e", ms=4, label="first")
    left.plot(x, second, "o", color="#d08770", ms=4, label="second")
    left.set(title="two outcomes of each row", xlabel="x")
    left.legend(frameon=False)
    flipped = difference * rng.choice([-1, 1], 120)
    for ax, values, title in ((middle, difference, "their differences"), (right, flipped, "signs flipped by chance")):
        ax.plot(x, values, ".", color="#444444")
        for low in np.arange(-2, 2, 0.5):
            rows = (x >= low) & (x < low + 0.5)
            ax.plot([low, low + 0.5], [values[rows].mean()] * 2, color="#a0522d", linewidth=3)
        ax.axhline(0, color="0.6", linewidth=1)
        ax.set(title=title, xlabel="x", ylim=(-2, 2))
    return figure
