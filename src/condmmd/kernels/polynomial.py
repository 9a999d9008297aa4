"""The polynomial kernel and its simplest case, the linear one. Both have finitely many features."""

from __future__ import annotations

from dataclasses import dataclass
from functools import reduce
from math import comb, factorial, sqrt
from numbers import Integral
from operator import mul

import numpy as np

from condmmd.arrays import is_host, matching, namespace, squared_norms
from condmmd.kernels.base import Kernel
from condmmd.kernels.features import FeatureMap
from condmmd.samples import Array

__all__ = ["Linear", "Polynomial"]


@dataclass(frozen=True)
class Polynomial(Kernel):
    """``k(x, x') = (gamma <x, x'> + coef0) ** degree``.

    Parameters
    ----------
    degree
        A positive integer.
    coef0
        At least 0; with 0 only the terms of the full degree remain.
    gamma
        Positive factor on the inner product.

    Examples
    --------
    >>> from condmmd import Polynomial
    >>> Polynomial(degree=2, coef0=1.0)([1.0, 2.0])
    array([[ 4.,  9.],
           [ 9., 25.]])
    """

    degree: int = 2
    coef0: float = 1.0
    gamma: float = 1.0

    def __post_init__(self) -> None:
        if not isinstance(self.degree, Integral) or self.degree < 1:
            raise ValueError(f"`degree` must be a positive integer; got {self.degree}.")
        if not self.coef0 >= 0:
            raise ValueError(
                f"`coef0` must be at least 0, or the kernel is not positive semi-definite; got {self.coef0}."
            )
        if not self.gamma > 0:
            raise ValueError(f"`gamma` must be positive; got {self.gamma}.")

    def gram(self, A: Array, B: Array) -> Array:
        return (self.gamma * (A @ B.T) + self.coef0) ** self.degree

    def diagonal(self, A: Array) -> Array:
        return (self.gamma * squared_norms(A) + self.coef0) ** self.degree

    def feature_map(self, X: Array) -> FeatureMap | None:
        return Monomials(self.degree, self.coef0, self.gamma, X.shape[1])


@dataclass(frozen=True)
class Linear(Kernel):
    """``k(x, x') = <x, x'>``: only conditional means (outcomes) or slopes (covariates) are compared.

    Examples
    --------
    >>> from condmmd import Linear
    >>> Linear()([1.0, 2.0])
    array([[1., 2.],
           [2., 4.]])
    """

    def gram(self, A: Array, B: Array) -> Array:
        return A @ B.T

    def diagonal(self, A: Array) -> Array:
        return squared_norms(A)

    def feature_map(self, X: Array) -> FeatureMap | None:
        return Monomials(1, 0.0, 1.0, X.shape[1])


@dataclass(frozen=True, eq=False)
class Monomials:
    """Monomials of the columns, weighted so that their inner product is the polynomial kernel.

    ``(gamma <x, y> + c)^p = sum_a  p! / (a! (p - |a|)!)  gamma^|a| c^(p - |a|)  x^a y^a``, over all exponents a with
    ``|a| <= p``; with ``c = 0`` over ``|a| = p``.
    """

    degree: int
    coef0: float
    gamma: float
    n_columns: int

    @property
    def size(self) -> int:
        if self.coef0 == 0:
            return comb(self.n_columns + self.degree - 1, self.degree)
        return comb(self.n_columns + self.degree, self.degree)

    def __call__(self, X: Array) -> Array:
        from sklearn.preprocessing import PolynomialFeatures  # noqa: PLC0415 - a slow import that few runs need

        lowest = self.degree if self.coef0 == 0 else 0
        monomials = PolynomialFeatures((lowest, self.degree), include_bias=lowest == 0)
        powers = monomials.fit(np.zeros((1, self.n_columns))).powers_
        weights = np.array([self._weight(tuple(int(a) for a in exponents)) for exponents in powers])
        if is_host(X):
            return np.asarray(monomials.transform(X), dtype=np.float64) * weights
        xp = namespace(X)
        factors = [[X[:, j] ** int(a) for j, a in enumerate(exponents) if a] for exponents in powers]
        columns = [reduce(mul, some) if some else xp.ones_like(X[:, 0]) for some in factors]
        return xp.stack(columns, axis=1) * matching(weights, X)

    def _weight(self, powers: tuple[int, ...]) -> float:
        total = sum(powers)
        ways = factorial(self.degree) // factorial(self.degree - total)
        for power in powers:
            ways //= factorial(power)
        return sqrt(ways * self.gamma**total * self.coef0 ** (self.degree - total))
