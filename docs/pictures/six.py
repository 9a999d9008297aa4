"""The six pictures of a test."""

import matplotlib.pyplot as plt
import numpy as np

from condmmd import cmmd_test


def draw():
    rng = np.random.default_rng(2)
    n = 400
    x, group = rng.normal(size=n), np.repeat([1, 0], n // 2)
    y = np.sin(x) + 0.3 * rng.normal(size=n) + 0.6 * group * (x > 0.5)
    r = cmmd_test(x, y, group, rng=0)
    figure = plt.figure(figsize=(10, 10.5))
    rows = (("where", "curves"), ("map", "overlap"), ("null", "levels"))
    for kinds, row in zip(rows, figure.subfigures(3, 1), strict=True):
        for kind, ax in zip(kinds, row.subplots(1, 2), strict=True):
            r.plot(kind, ax=ax)
    return figure
