"""How often a test would have seen an effect: its statistic at many drawn labels, with the effect put in at each.

Every column of a linear statistic is a sum of squares of moments ``sum_i tau_i phi_i r_i``, where r are the outcomes as
they are compared (`views`). With an effect, r_i is ``base_i + t_i change_i``, and the moments are two products.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.sparse import csr_array

from condmmd.backend import Array, cached_property, n_rows, to_host
from condmmd.effects.views import KEPT, Floats, Views
from condmmd.inference import Plan, Trained
from condmmd.inference.evaluate import draw_batches
from condmmd.inference.joining import join_columns
from condmmd.regression.odds import overlap
from condmmd.statistics import Fitted, LinearFit, Products

__all__ = ["Power", "Seen"]

# Label vectors at which the effect is put in, fewer of very many rows; and times as many without an effect.
DRAWS, FEW_DRAWS, NULL_DRAWS = 500, 100, 4
LABELS_HELD = 4 * 10**7
# Products of features held at once.
PRODUCTS = 2**23


@dataclass(frozen=True, eq=False)
class Seen:
    """What drawn labels make of an effect: of every column the square of the noise, of the signal, and their product.

    In a table of ``rows`` times as many rows the signal is as many times as large, and the noise its root.
    """

    noise: Array
    cross: Array
    signal: Array
    power: Power

    def joined(self, rows: float = 1.0) -> Array:
        """The joined statistic at each label vector, less what it must exceed."""
        columns = self.noise + 2 * rows**0.5 * self.cross + rows * self.signal
        return self.power.joined(np.maximum(columns, 0.0))

    def share(self, rows: float = 1.0) -> float:
        """How often the test rejects."""
        return float(np.mean(self.joined(rows) > 0))


@dataclass(frozen=True, eq=False)
class _Product:
    """Features of one side of the covariates, with one view of the outcomes, and the weights of the columns."""

    phi: Floats
    weights: Array
    view: int


@dataclass(frozen=True, eq=False)
class Power:
    """A test that was trained, ready to have effects put in.

    Attributes
    ----------
    trained
        The test, its rows in memory.
    columns
        Its columns as sums of squares of the products of the rows.
    significance
        At which it rejects.
    seed
        Of the labels that are drawn.
    """

    trained: Trained
    columns: tuple[Products, ...]
    significance: float
    seed: int

    @classmethod
    def of(cls, plan: Plan, trained: Trained) -> Power:
        """Refuse what has no linear statistic, or no outcomes to put an effect in."""
        samples = trained.labels.samples
        if samples.chunked:
            raise TypeError("an effect is put into rows in memory, and these are in chunks (dask); take a sample.")
        if samples.gram_y is not None:
            raise TypeError("an effect is put into the columns of Y; with a Gram matrix in their place there are none.")
        columns = _columns(trained.fitted)
        if columns is None:
            raise TypeError(
                "power is found for statistics that are linear in the labels, Family() or CMMD(estimator='overlap'); "
                f"got {plan.statistic.name}. result.check() is for any statistic."
            )
        return cls(trained, columns, plan.settings.significance, plan.settings.seed)

    @property
    def draws(self) -> int:
        """Label vectors at which an effect is put in."""
        return int(np.clip(LABELS_HELD // len(self.e), FEW_DRAWS, DRAWS))

    @cached_property
    def e(self) -> Array:
        """The mean of each row's label."""
        return to_host(self.trained.labels.centre)

    @cached_property
    def weights(self) -> Array:
        """What each row counts where the groups overlap: e (1 - e)."""
        return np.asarray(overlap(self.e))

    @cached_property
    def views(self) -> Views:
        """The outcomes as they are compared."""
        return Views(self.trained, self.e)

    def seen(self, outcomes: Array) -> Seen:
        """What the test makes of the effect that gives rows of P these outcomes in place of their own."""
        T, tau = self._labels
        with_effect = self.views.with_effect(outcomes)
        noise, cross, signal = [], [], []
        for product in self._products:
            base, change = with_effect[product.view]
            M = _moments(tau, product.phi, base) + _moments(tau * T, product.phi, change)
            weights = product.weights.T / self._louder(product, base, change)
            mean = M.mean(axis=0, dtype=np.float64)
            apart = M - mean
            own = np.einsum("bjk,bjk->bj", apart, apart) @ weights
            noise.append(own)
            cross.append(np.einsum("bjk,jk->bj", apart, mean) @ weights)
            # the mean over the draws has noise of its own
            signal.append(np.maximum((mean**2).sum(axis=1) @ weights - own.mean(axis=0) / (len(M) - 1), 0.0))
        return Seen(np.concatenate(noise, axis=1), np.concatenate(cross, axis=1), np.concatenate(signal), self)

    def joined(self, columns: Array) -> Array:
        """The statistic of the test out of its columns, less what it must exceed."""
        return self._join(columns) - self._critical

    def _join(self, columns: Array) -> Array:
        return join_columns(self.trained.fitted, columns, self._null)

    @cached_property
    def _critical(self) -> float:
        return float(np.quantile(self._join(self._null), 1 - self.significance))

    @cached_property
    def _null(self) -> Array:
        """Every column at null draws, those of the test."""
        parts = []
        trained, count = self.trained, NULL_DRAWS * self.draws
        for batch in trained.null.draws(trained.labels, self.seed, count, at_once=256):
            tau = to_host(batch.held).astype(np.float32)
            found = []
            for product in self._products:
                M = _moments(tau, product.phi, self.views.each[product.view].reduced)
                found.append(np.einsum("bjk,bjk->bj", M, M).astype(np.float64) @ product.weights.T)
            parts.append(np.concatenate(found, axis=1))
        return np.concatenate(parts)

    @cached_property
    def _labels(self) -> tuple[Floats, Floats]:
        """Labels, and the same less their propensity as it would be fitted to them."""
        labels = self.trained.labels
        drawn = draw_batches(labels.scheme(), self.draws, self.seed, labels.samples.groups.t, at_once=256)
        T = np.concatenate([to_host(batch.held) for batch in drawn])
        tau = labels.multipliers.refitted(T - self.e)
        return T.astype(np.float32), tau.astype(np.float32)

    @cached_property
    def _products(self) -> list[_Product]:
        found = []
        for products in self.columns:
            phi = to_host(products.phi)
            keep = np.zeros(phi.shape[1], dtype=bool)
            for part in products.weights * (self.weights @ phi**2):
                order = np.argsort(-part)
                enough = int(np.searchsorted(np.cumsum(part[order]), KEPT * part.sum())) + 1
                keep[order[:enough]] = True
            view = self.views.number_of(products.rho)
            found.append(_Product(phi[:, keep].astype(np.float32), products.weights[:, keep], view))
        return found

    def _louder(self, product: _Product, base: Floats, change: Floats) -> float:
        """How many times as large a column is at null draws, with the effect among the residuals."""
        before = self._loudness(product, self.views.each[product.view].reduced, np.zeros_like(change))
        return self._loudness(product, base, change) / before if before > 0 else 1.0

    def _loudness(self, product: _Product, base: Floats, change: Floats) -> float:
        """The mean square of the moments over null draws, those of one block together, but for the fit of e."""
        blocks, weights = self.trained.labels.blocks, product.weights.mean(axis=0)
        if blocks is None:
            squares = self.e * ((base + change) ** 2).sum(axis=1) + (1 - self.e) * (base**2).sum(axis=1)
            return float((self.weights * (product.phi**2 @ weights)) @ squares)
        members = csr_array((np.ones(len(self.e)), (blocks.of_row, np.arange(len(self.e)))))
        first = np.unique(blocks.of_row, return_index=True)[1]
        total = 0.0
        for part, chance in ((base + change, self.e[first]), (base, 1 - self.e[first])):
            for k in range(part.shape[1]):
                sums = members @ (product.phi * part[:, [k]])
                total += float((self.weights[first] * chance) @ (sums**2 @ weights))
        return total


def _columns(fitted: Fitted) -> tuple[Products, ...] | None:
    try:
        return fitted.products if isinstance(fitted, LinearFit) else None
    except TypeError:  # a statistic whose estimator is not linear
        return None


def _moments(weights: Floats, phi: Floats, psi: Floats) -> Floats:
    """``sum_i weights_i phi_i psi_i^T`` for every vector of weights."""
    width = phi.shape[1] * psi.shape[1]
    M = np.zeros((len(weights), width), dtype=np.float32)
    step = max(1, PRODUCTS // max(width, 1))
    for start in range(0, n_rows(phi) if width else 0, step):  # covariates that are constant have no features
        rows = slice(start, start + step)
        M += weights[:, rows] @ (phi[rows, :, None] * psi[rows, None, :]).reshape(-1, width)
    return M.reshape(len(weights), phi.shape[1], psi.shape[1])
