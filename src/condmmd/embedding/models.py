"""Outcomes beside what a model says of them: residual features ``psi(y_i) - E psi(Y)`` for each kind of model."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import Any, ClassVar

import numpy as np
from scipy.special import ndtr

from condmmd.backend import Array, Rows, map_rows, move_to, n_rows, namespace, to_host
from condmmd.data import Column, Table
from condmmd.embedding.choose import embed_outcomes
from condmmd.embedding.embedding import Embedding
from condmmd.embedding.rowwise import CHOSEN_BY, Differences, Redraw, RowResiduals, differences_of, some_rows
from condmmd.kernels import Delta, Gaussian, KernelLike, resolve_kernel
from condmmd.kernels.laws import GaussianOfLaws, point_laws

__all__ = ["ClassRows", "DrawRows", "LawRows", "cumulative_basis", "sum_zero_basis"]

# The central interval whose coverage is looked at.
CENTRAL = 0.9


@dataclass(frozen=True, eq=False)
class ClassRows:
    """A class a row, and the probability of each: the indicator of the class less the probabilities, along a basis.

    Classes drawn anew from the probabilities are the null hypothesis itself, so p-values are exact.
    """

    x: Table
    y: Table
    probabilities: Rows
    names: tuple[str, ...]
    basis: Array
    labels: tuple[str, str] = ("observed", "predicted")
    told: Differences | None = None
    exact: ClassVar[bool] = True

    @property
    def outcomes(self) -> tuple[str, ...]:
        return (self.y.columns[0].name or "y",)

    def features(self, kernel: KernelLike, tol: float, max_rank: int | None, *, blind: bool = False) -> RowResiduals:  # noqa: ARG002
        """The kernel of classes is that of equality, unless the basis says more."""
        if not (kernel is None or isinstance(kernel, Delta) or (isinstance(kernel, str) and kernel == "delta")):
            raise ValueError(f"`kernel_y` of classes must be Delta() or None; got {kernel!r}.")
        rank = self.basis.shape[1]
        rho = map_rows(partial(_class_residuals, basis=self.basis), self.y.values, self.probabilities, columns=rank)
        return RowResiduals(rho, Delta(), {"kernel": "Delta()", "rank": rank, "residual": 0.0, "method": "explicit"})

    def redraw(self, residuals: RowResiduals) -> Redraw | None:  # noqa: ARG002
        """Classes from their probabilities."""
        P = to_host(self.probabilities)
        return partial(_redrawn_classes, cumulative=np.cumsum(P, axis=1), expected=P @ self.basis, basis=self.basis)

    def differences(self) -> Differences:
        """Of each class its share, observed and predicted; and how often the most probable class is right."""
        if self.told is not None:
            return self.told
        y, P = some_rows(self.y.values), some_rows(self.probabilities)
        codes, outcome = y[:, 0].astype(int), self.outcomes[0]
        shown = range(len(self.names)) if len(self.names) > 2 else (1,)
        columns: list[Any] = [
            (outcome, f"share of {outcome} = {self.names[k]}", "share", 1.0 * (codes == k), P[:, k]) for k in shown
        ]
        best = P.argmax(axis=1)
        hits, sure = 1.0 * (codes == best), P[np.arange(len(P)), best]
        columns.append((outcome, "hits of the most probable class", "share", hits, sure))
        return differences_of(columns, lead=0 if len(self.names) == 2 else None)


def sum_zero_basis(classes: int) -> Array:
    """Orthonormal directions in which coordinates sum to zero, as those of residuals do: (classes, classes - 1)."""
    return np.asarray(np.linalg.svd(np.eye(classes) - 1.0 / classes)[0][:, : classes - 1])


def cumulative_basis(levels: Array) -> Array:
    """Of classes in an order: whether a class is at most the k-th, in units of its deviation."""
    below = np.arange(len(levels) + 1)[:, None] <= np.arange(len(levels))[None, :]
    return np.asarray(below / np.sqrt(levels * (1 - levels)))


def _class_residuals(y: Rows, P: Rows, basis: Array) -> Rows:
    xp, B = namespace(P), move_to(basis, P)
    rho: Rows = xp.take(B, xp.astype(y[:, 0], xp.int64), axis=0) - P @ B
    return rho


def _redrawn_classes(rng: np.random.Generator, count: int, cumulative: Array, expected: Array, basis: Array) -> Array:
    u = rng.random((count, len(cumulative)))
    codes = np.zeros(u.shape, dtype=np.int64)
    for column in cumulative.T[:-1]:
        codes += u > column
    return np.asarray(basis[codes] - expected)


@dataclass(frozen=True, eq=False)
class LawRows:
    """Numeric outcomes, and a normal law or a mixture for each: expectations in closed form for a Gaussian kernel.

    ``laws`` are rows as `GaussianOfLaws` has them.
    """

    x: Table
    y: Table
    laws: Rows
    components: int
    labels: tuple[str, str] = ("observed", "predicted")
    exact: ClassVar[bool] = False

    @property
    def outcomes(self) -> tuple[str, ...]:
        return self.y.names

    def features(self, kernel: KernelLike, tol: float, max_rank: int | None, *, blind: bool = False) -> RowResiduals:
        """Features of outcomes and laws in one space; ``blind``: chosen by the laws alone."""
        laws, rng = some_rows(self.laws, CHOSEN_BY), np.random.default_rng(0)
        drawn = self._drawn(laws, rng)
        other = self._drawn(laws, rng) if blind else some_rows(self.y.values, CHOSEN_BY)
        scales = self._lengthscale(kernel, np.concatenate([other, drawn]))
        rows = np.concatenate([laws, to_host(point_laws(other, self.components))])
        columns = tuple(Column(f"law{j}") for j in range(rows.shape[1]))
        own = GaussianOfLaws(scales, self.components)
        found = embed_outcomes(own, Table(rows, columns, "model"), tol=tol, max_rank=max_rank)
        rho = map_rows(partial(self._residuals, y=found), self.y.values, self.laws, columns=found.rank)
        shown = Gaussian(scales if len(scales) > 1 else scales[0])
        return RowResiduals(rho, shown, {**found.summary(), "kernel": repr(shown)}, found)

    def redraw(self, residuals: RowResiduals) -> Redraw | None:
        """Outcomes from their laws."""
        laws, y = to_host(self.laws), residuals.embedding
        if y is None:
            return None
        expected = to_host(y.transform(laws))

        def draw(rng: np.random.Generator, count: int) -> Array:
            values = np.concatenate([self._drawn(laws, rng) for _ in range(count)])
            psi = to_host(y.transform(point_laws(values, self.components)))
            return psi.reshape(count, len(laws), -1) - expected

        return draw

    def differences(self) -> Differences:
        """The mean, the squared error in units of the predicted variance, and how often the interval holds."""
        y, laws = some_rows(self.y.values), some_rows(self.laws)
        weight, mean, deviation = self._split(laws)
        columns: list[Any] = []
        for j, name in enumerate(self.outcomes):
            centre = np.sum(weight * mean[:, :, j], axis=1)
            variance = np.sum(weight * (deviation[:, :, j] ** 2 + mean[:, :, j] ** 2), axis=1) - centre**2
            below = np.sum(weight * ndtr((y[:, j, None] - mean[:, :, j]) / deviation[:, :, j]), axis=1)
            inside = 1.0 * (np.abs(below - 0.5) <= CENTRAL / 2)
            ones = np.ones(len(y))
            columns += [
                (name, f"mean of {name}", "mean", y[:, j], centre),
                (name, f"squared error of {name} / predicted", "mean", (y[:, j] - centre) ** 2 / variance, ones),
                (name, f"share of {name} in the {CENTRAL:.0%} interval", "share", inside, CENTRAL * ones),
            ]
        return differences_of(columns, lead=0 if len(self.outcomes) == 1 else None)

    def _residuals(self, values: Rows, laws: Rows, y: Embedding) -> Rows:
        return y.transform(point_laws(values, self.components)) - y.transform(laws)

    def _split(self, laws: Array) -> tuple[Array, Array, Array]:
        """Weights (rows, components), and means and deviations of each column of the outcome."""
        c, d = self.components, len(self.y.columns)
        shape = (len(laws), c, d)
        return laws[:, :c], laws[:, c : c + c * d].reshape(shape), laws[:, c + c * d :].reshape(shape)

    def _drawn(self, laws: Array, rng: np.random.Generator) -> Array:
        """One outcome from each law."""
        weight, mean, deviation = self._split(laws)
        which = (rng.random((len(laws), 1)) > np.cumsum(weight, axis=1)[:, :-1]).sum(axis=1)
        rows = np.arange(len(laws))
        return np.asarray(mean[rows, which] + deviation[rows, which] * rng.normal(size=mean[:, 0].shape))

    def _lengthscale(self, kernel: KernelLike, points: Array) -> tuple[float, ...]:
        """Of a Gaussian kernel: given, or the median distance among these outcomes."""
        resolved = resolve_kernel(kernel, Table(points, self.y.columns, self.y.argument))
        if not isinstance(resolved, Gaussian) or resolved.lengthscale is None:
            raise ValueError(
                "`kernel_y` must be Gaussian() for a normal law or a mixture, where expectations are known; got "
                f"{kernel!r}. For another kernel, give draws of the model."
            )
        scales = np.asarray(resolved.lengthscale, dtype=np.float64)
        return tuple(np.broadcast_to(scales, (len(self.y.columns),)).tolist())


@dataclass(frozen=True, eq=False)
class DrawRows:
    """Numeric outcomes, and several draws of a model for each: ``draws`` has a row for each row, draw after draw.

    Under the null hypothesis an outcome is one of its draws: with any of them in its place it would look the same.
    """

    x: Table
    y: Table
    draws: Rows
    labels: tuple[str, str] = ("observed", "predicted")
    exact: ClassVar[bool] = False

    @property
    def outcomes(self) -> tuple[str, ...]:
        return self.y.names

    @property
    def count(self) -> int:
        """Draws for each row."""
        return int(self.draws.shape[1]) // len(self.y.columns)

    def features(self, kernel: KernelLike, tol: float, max_rank: int | None, *, blind: bool = False) -> RowResiduals:
        """Features by outcomes and one draw for each; ``blind``: by all of both, in which no outcome is told apart."""
        at_most = max(2, CHOSEN_BY // self.count) if blind else CHOSEN_BY
        y, draws = some_rows(self.y.values, at_most), some_rows(self.draws, at_most)
        width = len(self.y.columns)
        other = draws.reshape(-1, width) if blind else draws[:, :width]
        some = Table(np.concatenate([y, other]), self.y.columns, self.y.argument)
        found = embed_outcomes(resolve_kernel(kernel, some), some, tol=tol, max_rank=max_rank)
        rho = map_rows(partial(self._residuals, y=found), self.y.values, self.draws, columns=found.rank)
        return RowResiduals(rho, found.kernel, found.summary(), found)

    def redraw(self, residuals: RowResiduals) -> Redraw | None:
        """Any of the draws in place of the outcome, which is then one of the draws."""
        y, count = residuals.embedding, self.count
        if y is None:
            return None
        own, draws = to_host(self.y.values), to_host(self.draws)
        bank = to_host(y.transform(np.concatenate([own, draws], axis=1).reshape(-1, own.shape[1])))
        bank = bank.reshape(len(own), count + 1, -1)
        bank = ((count + 1) * bank - bank.sum(axis=1, keepdims=True)) / count

        def draw(rng: np.random.Generator, size: int) -> Array:
            which = rng.integers(count + 1, size=(size, len(own)))
            return np.asarray(bank[np.arange(len(own)), which])

        return draw

    def differences(self) -> Differences:
        """The mean, and how often the outcome is within the middle of its draws."""
        y, draws = some_rows(self.y.values), some_rows(self.draws)
        draws = draws.reshape(len(y), self.count, -1)
        tail = int((1 - CENTRAL) / 2 * (self.count + 1))
        nominal = 1 - 2 * max(1, tail) / (self.count + 1)
        columns: list[Any] = []
        for j, name in enumerate(self.outcomes):
            below = np.sum(draws[:, :, j] < y[:, j, None], axis=1)
            inside = 1.0 * ((below >= max(1, tail)) & (below <= self.count - max(1, tail)))
            columns.append((name, f"mean of {name}", "mean", y[:, j], draws[:, :, j].mean(axis=1)))
            if nominal > 0:
                words = f"share of {name} in the middle {nominal:.0%} of the draws"
                columns.append((name, words, "share", inside, np.full(len(y), nominal)))
        return differences_of(columns, lead=0 if len(self.outcomes) == 1 else None)

    def _residuals(self, values: Rows, draws: Rows, y: Embedding) -> Rows:
        xp, rows = namespace(draws), n_rows(draws)
        psi = y.transform(xp.reshape(draws, (rows * self.count, -1)))
        mean: Rows = xp.mean(xp.reshape(psi, (rows, self.count, -1)), axis=1)
        return y.transform(values) - mean
