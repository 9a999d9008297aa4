"""Random comparisons for the property tests: small samples, all kernels, ties and unequal sizes included."""

from dataclasses import dataclass

import numpy as np
from hypothesis import strategies as st

from condmmd import CMMD, Delta, Gaussian, Laplacian, Linear, Matern, PerGroup, Polynomial, cmmd, pool
from tests import oracle

KERNELS = {
    "gaussian": (Gaussian(0.8), oracle.gaussian(0.8**-2)),
    "laplacian": (Laplacian(1.3), oracle.laplacian(1.3)),
    "matern 1/2": (Matern(1.1, nu=0.5), oracle.matern(1.1, 0.5)),
    "matern 3/2": (Matern(1.1, nu=1.5), oracle.matern(1.1, 1.5)),
    "matern 5/2": (Matern(1.1, nu=2.5), oracle.matern(1.1, 2.5)),
    "polynomial": (Polynomial(2, 1.0, 0.5), oracle.polynomial(2, 1.0, 0.5)),
    "cubic": (Polynomial(3, 0.5), oracle.polynomial(3, 0.5)),
    "homogeneous": (Polynomial(2, 0.0), oracle.polynomial(2, 0.0)),
    "linear": (Linear(), oracle.linear()),
    "delta": (Delta(), oracle.kronecker()),
    "sum": (Linear() + Gaussian(1.0), lambda A, B: oracle.linear()(A, B) + oracle.gaussian(1.0)(A, B)),
    "product": (
        Gaussian(1.0).on(0) * Delta().on(-1),
        lambda A, B: oracle.gaussian(1.0)(A[:, :1], B[:, :1]) * oracle.kronecker()(A[:, -1:], B[:, -1:]),
    ),
}


@dataclass
class Comparison:
    """A drawn problem: the two samples, and the arguments for the package and for the oracle."""

    X: np.ndarray
    Y: np.ndarray
    Xq: np.ndarray
    Z: np.ndarray
    names: tuple
    reg: tuple

    @property
    def pooled(self):
        return pool(self.X, self.Y, self.Xq, self.Z)

    @property
    def settings(self):
        kernel_x, kernel_y = (KERNELS[name][0] for name in self.names)
        return {"kernel_x": kernel_x, "kernel_y": kernel_y, "reg": PerGroup(*self.reg)}

    def measure(self, **changes):
        """What the package makes of it, with some settings changed."""
        return cmmd(*self.pooled, statistic=CMMD(**self.settings | changes))

    @property
    def oracle(self):
        k, l = KERNELS[self.names[0]][1], KERNELS[self.names[1]][1]
        return oracle.Naive(self.X, self.Y, self.Xq, self.Z, k, l, *self.reg)


@st.composite
def comparisons(draw, kernels=tuple(KERNELS), max_rows=12, min_lambda=-2):
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    n, m = draw(st.integers(2, max_rows)), draw(st.integers(2, max_rows))
    d_x, d_y = draw(st.integers(1, 3)), draw(st.integers(1, 2))
    shift = draw(st.floats(-1, 1))
    parts = [
        rng.normal(size=(n, d_x)), rng.normal(size=(n, d_y)),
        rng.normal(shift, 1, size=(m, d_x)), rng.normal(size=(m, d_y)),
    ]  # fmt: skip
    names = draw(st.sampled_from(kernels)), draw(st.sampled_from(kernels))
    # Rounded to halves: many ties, as in counts and categories. Delta kernels mean nothing without them.
    if draw(st.booleans()) or "delta" in names or "product" in names:
        parts = [np.round(2 * part) / 2 for part in parts]
    reg = tuple(10.0 ** draw(st.floats(min_lambda, 1)) for _ in range(2))
    # A linear kernel on rows that are all zero is zero everywhere, which is refused.
    parts = [np.where(np.abs(part).sum() == 0, 0.5, part) for part in parts]
    return Comparison(*parts, names, reg)
