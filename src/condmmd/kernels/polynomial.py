"""The polynomial kernel and its simplest case, the linear one. Both have finitely many features."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from functools import reduce
from itertools import combinations_with_replacement
from math import comb, factorial, sqrt
from numbers import Integral
from operator import mul

from condmmd.backend import Rows, inner_products, namespace
from condmmd.kernels.base import Kernel
from condmmd.kernels.features import FeatureMap

__all__ = ["Linear", "Polynomial"]


@dataclass(frozen=True)
class Polynomial(Kernel, name="polynomial"):
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

    def gram(self, A: Rows, B: Rows) -> Rows:
        return (self.gamma * (A @ B.T) + self.coef0) ** self.degree

    def diagonal(self, A: Rows) -> Rows:
        return self.pairs(A, A)

    def pairs(self, A: Rows, B: Rows) -> Rows:
        return (self.gamma * inner_products(A, B) + self.coef0) ** self.degree

    def feature_map(self, X: Rows) -> FeatureMap | None:
        return Monomials(self.degree, self.coef0, self.gamma, X.shape[1])


@dataclass(frozen=True)
class Linear(Kernel, name="linear"):
    """``k(x, x') = <x, x'>``: only conditional means (outcomes) or slopes (covariates) are compared.

    Examples
    --------
    >>> from condmmd import Linear
    >>> Linear()([1.0, 2.0])
    array([[1., 2.],
           [2., 4.]])
    """

    def gram(self, A: Rows, B: Rows) -> Rows:
        return A @ B.T

    def diagonal(self, A: Rows) -> Rows:
        return self.pairs(A, A)

    def pairs(self, A: Rows, B: Rows) -> Rows:
        products: Rows = inner_products(A, B)
        return products

    def feature_map(self, X: Rows) -> FeatureMap | None:
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

    def __call__(self, X: Rows) -> Rows:
        if self.degree == 1 and self.coef0 == 0:
            return X * self.gamma**0.5
        xp = namespace(X)
        columns: list[Rows] = []
        for degree in range(self.degree if self.coef0 == 0 else 0, self.degree + 1):
            for chosen in combinations_with_replacement(range(self.n_columns), degree):
                monomial = reduce(mul, (X[:, j] for j in chosen)) if chosen else xp.ones_like(X[:, 0])
                columns.append(monomial * self._weight(chosen))
        features: Rows = xp.stack(columns, axis=1)
        return features

    def _weight(self, chosen: tuple[int, ...]) -> float:
        """The root of the coefficient of the product of these columns, each as often as it is named."""
        total = len(chosen)
        ways = factorial(self.degree) // factorial(self.degree - total)
        for power in Counter(chosen).values():
            ways //= factorial(power)
        return sqrt(ways * self.gamma**total * self.coef0 ** (self.degree - total))
