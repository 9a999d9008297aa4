"""One sample for the tests of the doors: X moved, and Y given X did not (SAME) or did (OTHER)."""

import numpy as np

RNG = np.random.default_rng(0)
N = 160
X = np.concatenate([RNG.normal(-0.5, 1, N // 2), RNG.normal(0.5, 1, N // 2)])
GROUP = np.repeat([1, 0], N // 2)
SAME = np.sin(X) + 0.3 * RNG.normal(size=N)
OTHER = SAME + 1.2 * GROUP * np.cos(2 * X)
E = 1 / (1 + np.exp(X))
