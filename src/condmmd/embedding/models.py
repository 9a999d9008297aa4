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
from condmmd.embedding.views import Centre, View, bent, expected_bent, views_of
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
        summary = {"kernel": "Delta()", "rank": rank, "residual": 0.0, "method": "explicit"}
        return RowResiduals(rho, Delta(), summary, views=partial(self._views, rho=rho))

    def _views(self, centre: Centre, rho: Rows) -> tuple[View, ...]:  # noqa: ARG002
        """Over all rows: along the covariates these are the features themselves."""
        shares = View("the shares", rho, along=False)
        if not self._tells_confidence:
            return (shares,)
        sure = map_rows(partial(_confidence, basis=self.basis), rho, self.probabilities, columns=1)
        return shares, View("the confidence", sure, along=False)

    @property
    def _tells_confidence(self) -> bool:
        """Whether predictions may be too sure or not sure enough; classes between quantiles all have one prediction."""
        return bool(np.abs(self.basis.sum(axis=0)).max() < 1e-9)

    def redraw(self, residuals: RowResiduals) -> Redraw | None:  # noqa: ARG002
        """Classes from their probabilities."""
        P = to_host(self.probabilities)
        return partial(
            _redrawn_classes, cumulative=np.cumsum(P, axis=1), expected=P @ self.basis, basis=self.basis,
            confidence=self._tells_confidence,
        )  # fmt: skip

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


def _confidence(rho: Rows, P: Rows, basis: Array) -> Rows:
    """The residual along the prediction itself, which is below zero on average where predictions are too sure."""
    found: Rows = namespace(rho).sum(rho * (P @ move_to(basis, P)), axis=1, keepdims=True)
    return found


def _redrawn_classes(
    rng: np.random.Generator, count: int, cumulative: Array, expected: Array, basis: Array, *, confidence: bool
) -> Array:
    u = rng.random((count, len(cumulative)))
    codes = np.zeros(u.shape, dtype=np.int64)
    for column in cumulative.T[:-1]:
        codes += u > column
    rho = basis[codes] - expected
    views = [rho, np.sum(rho * expected, axis=2, keepdims=True)] if confidence else [rho]
    return np.concatenate([rho, *views], axis=2)


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
        summary = {**found.summary(), "kernel": repr(shown)}
        return RowResiduals(rho, shown, summary, found, self._views)

    def _views(self, centre: Centre) -> tuple[View, ...]:  # noqa: ARG002 - a law says itself what its centre is
        width = len(self.y.columns)
        return views_of(map_rows(self._standardised, self.y.values, self.laws, columns=2 * width), width)

    def _standardised(self, values: Rows, laws: Rows) -> Rows:
        """The mean and the spread of outcomes, in units of their laws, less what the laws expect."""
        own = to_host(laws)
        centre, unit, expected = self._standards(own)
        z = (to_host(values) - centre) / unit
        found: Rows = move_to(np.concatenate([z, bent(z**2) - expected], axis=1), values)
        return found

    def _standards(self, laws: Array) -> tuple[Array, Array, Array]:
        """Mean and deviation of each law, and what it expects of a bent square in these units."""
        weight, mean, deviation = self._split(laws)
        centre = np.einsum("ic,icd->id", weight, mean)
        unit = np.sqrt(np.einsum("ic,icd->id", weight, deviation**2 + (mean - centre[:, None, :]) ** 2))
        m, s = (mean - centre[:, None, :]) / unit[:, None, :], deviation / unit[:, None, :]
        columns = [expected_bent(weight, m[:, :, j], s[:, :, j]) for j in range(centre.shape[1])]
        return centre, unit, np.stack(columns, axis=1)

    def redraw(self, residuals: RowResiduals) -> Redraw | None:
        """Outcomes from their laws."""
        laws, y = to_host(self.laws), residuals.embedding
        if y is None:
            return None
        expected = to_host(y.transform(laws))
        centre, unit, bend = self._standards(laws)

        def draw(rng: np.random.Generator, count: int) -> Array:
            values = np.stack([self._drawn(laws, rng) for _ in range(count)])
            psi = to_host(y.transform(point_laws(values.reshape(-1, values.shape[2]), self.components)))
            z = (values - centre) / unit
            return np.concatenate([psi.reshape(count, len(laws), -1) - expected, z, bent(z**2) - bend], axis=2)

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
        width, count = len(self.y.columns), self.count
        y = some_rows(self.y.values, max(2, CHOSEN_BY // count) if blind else CHOSEN_BY)
        draws = some_rows(self.draws, len(y)).reshape(len(y), count, width)
        own = Table(np.concatenate([y, *np.moveaxis(draws if blind else draws[:, :1], 1, 0)]), self.y.columns, "Y")
        more = max(1, CHOSEN_BY // len(y))  # features want to be good for all draws, of which few rows have few
        points = own if blind else own.at(np.concatenate([y, *np.moveaxis(draws[:, :more], 1, 0)]))
        found = embed_outcomes(resolve_kernel(kernel, own), points, tol=tol, max_rank=max_rank)
        rho = map_rows(partial(self._residuals, y=found), self.y.values, self.draws, columns=found.rank)
        return RowResiduals(rho, found.kernel, found.summary(), found, self._views)

    def _views(self, centre: Centre) -> tuple[View, ...]:  # noqa: ARG002 - draws say themselves what their centre is
        width = len(self.y.columns)
        return views_of(map_rows(self._first_of_all, self.y.values, self.draws, columns=2 * width), width)

    def _first_of_all(self, values: Rows, draws: Rows) -> Rows:
        bank = self._bank(to_host(values), to_host(draws), None)
        found: Rows = move_to(np.ascontiguousarray(bank[:, 0]), values)
        return found

    def _bank(self, values: Array, draws: Array, y: Embedding | None) -> Array:
        """Residuals with each of the draws in place of the outcome, which comes first: (rows, draws + 1, residuals).

        Centre and unit are those of outcome and draws together, which do not know which is which.
        """
        count = self.count
        own = np.concatenate([values, draws], axis=1).reshape(len(values), count + 1, -1)
        deviation = own.std(axis=1, keepdims=True)
        z = (own - own.mean(axis=1, keepdims=True)) / np.where(deviation > 0, deviation, 1.0)
        parts = [z, bent(z**2)]
        if y is not None:
            psi = to_host(y.transform(own.reshape(-1, own.shape[2])))
            parts.insert(0, psi.reshape(len(own), count + 1, -1))
        bank = np.concatenate(parts, axis=2)
        return np.asarray(((count + 1) * bank - bank.sum(axis=1, keepdims=True)) / count)

    def redraw(self, residuals: RowResiduals) -> Redraw | None:
        """Any of the draws in place of the outcome, which is then one of the draws."""
        y, count = residuals.embedding, self.count
        if y is None:
            return None
        bank = self._bank(to_host(self.y.values), to_host(self.draws), y)

        def draw(rng: np.random.Generator, size: int) -> Array:
            which = rng.integers(count + 1, size=(size, len(bank)))
            return np.asarray(bank[np.arange(len(bank)), which])

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
