"""Signs are fair, belong to the rows wherever they are, have the covariance of what a fit leaves, and can be listed."""

from itertools import product

import array_api_strict as strict
import dask.array as da
import numpy as np
import pytest

from condmmd.backend import to_host
from condmmd.labels import signs as module
from condmmd.labels.fits import ByColumns, ByGroups
from condmmd.labels.signs import Multipliers, ways_to_flip
from condmmd.regression.logistic import LogisticFit
from tests.labels.enumeration import units

RNG = np.random.default_rng(0)
N = 40
Z, E = RNG.normal(size=(N, 3)), RNG.uniform(0.2, 0.8, N)
A = (RNG.random(N) < E) - E
FIT = ByColumns.of(LogisticFit(Z, E, np.zeros(4), C=2.0), E * (1 - E))
BLOCKS = np.repeat(np.arange(8), 5)[RNG.permutation(N)]


def test_signs_are_fair_and_independent():
    signs = Multipliers(np.ones(6)).draw(units(20_000, 1), np.ones(6)).signs
    assert signs.dtype == np.int8
    assert set(np.unique(signs)) == {-1, 1}
    # 20,000 coins: four standard deviations of a mean are 0.028
    np.testing.assert_allclose(signs.mean(axis=0), 0, atol=0.028)
    np.testing.assert_allclose(np.corrcoef(signs.T) - np.eye(6), 0, atol=0.028)


def test_the_same_in_chunks_and_on_devices():
    here = Multipliers(A, FIT).draw(units(7, 2), A)
    chunked = ByColumns(da.from_array(Z, chunks=(13, -1)), da.from_array(FIT.w, chunks=13), FIT.inverse)
    there = Multipliers(da.from_array(A, chunks=13), chunked).draw(units(7, 2), A)
    np.testing.assert_array_equal(there.signs, here.signs)
    numbers = np.arange(float(N))
    sums = there.sum(lambda T, x: T @ x, da.from_array(numbers, chunks=13))
    np.testing.assert_allclose(sums, here.held @ numbers, atol=1e-10)
    device = Multipliers(strict.asarray(A), ByColumns(strict.asarray(Z), strict.asarray(FIT.w), FIT.inverse))
    np.testing.assert_allclose(to_host(device.draw(units(7, 2), A).held), here.held, atol=1e-12)


def test_more_draws_begin_with_the_same():
    from condmmd.inference.evaluate import draw_batches  # noqa: PLC0415

    own = Multipliers(A)
    few, many = (np.concatenate([T.signs for T in draw_batches(own, count, 3, A)]) for count in (70, 200))
    np.testing.assert_array_equal(many[:70], few)


@pytest.mark.parametrize("of_row", [None, BLOCKS], ids=["rows", "blocks"])
@pytest.mark.parametrize("fitted", [False, True])
def test_sums_of_parts_with_signs_are_sums_with_the_weights(of_row, fitted):
    a, fit = A, FIT if fitted else None
    if of_row is not None:
        a = A[:8]
        fit = ByGroups(np.array([0, 0, 0, 1, 1, 1, 0, 1]), np.full(8, 0.2)) if fitted else None
    own, C = Multipliers(a, fit, of_row), RNG.normal(size=(N, 3))
    T = own.draw(units(9, 4), a)
    assert T.held.shape == (9, N)
    np.testing.assert_allclose(to_host(T.signs) @ own.by_class(own.root(C)), T.held @ C, atol=1e-12)
    B = RNG.normal(size=(own.count, 3))
    assert np.sum(own.root(C) * B) == pytest.approx(np.sum(own.by_unit(C) * own.adjoint(B)), rel=1e-10)
    observed = own.observed.held[0]
    np.testing.assert_allclose(observed, a if of_row is None else a[of_row], atol=1e-15)


def test_on_average_the_draws_have_the_covariance_of_what_the_fit_leaves():
    """Over all labels of nine rows and all signs: exactly ``P W P^T``, the covariance of ``P (t - e)``."""
    n = 9
    z, e = RNG.normal(size=(n, 2)), RNG.uniform(0.2, 0.8, n)
    w = e * (1 - e)
    fit = ByColumns.of(LogisticFit(z, e, np.zeros(3), C=1.0), w)
    labels = np.array(list(product([0.0, 1.0], repeat=n)))
    chance = np.prod(np.where(labels == 1, e, 1 - e), axis=1)
    P = fit.at(np.eye(n))
    exact = P @ np.diag(w) @ P.T
    found, plain = np.zeros((n, n)), np.zeros((n, n))
    for t, share in zip(labels, chance, strict=True):
        a = P @ (t - e)
        root = Multipliers(a, fit).root(np.eye(n))
        found += share * root.T @ root
        plain += share * np.diag(a**2)
    np.testing.assert_allclose(found, exact, atol=1e-12)
    assert np.abs(plain - exact).max() > 0.01


def test_very_many_units_share_signs(monkeypatch):
    monkeypatch.setattr(module, "MAX_UNITS", 20)
    monkeypatch.setattr(module, "CLASSES", 7)
    own, C = Multipliers(A, FIT), RNG.normal(size=(N, 3))
    T = own.draw(units(5, 6), A)
    assert T.signs.shape == (5, 7)
    np.testing.assert_array_equal(own.of_class, np.arange(N) % 7)
    np.testing.assert_allclose(to_host(T.signs) @ own.by_class(own.root(C)), T.held @ C, atol=1e-12)
    chunked = Multipliers(da.from_array(A, chunks=9)).draw(units(5, 6), A)
    sums = chunked.sum(lambda W, c: W @ c, da.from_array(C, chunks=(9, -1)))
    np.testing.assert_allclose(sums, Multipliers(A).draw(units(5, 6), A).held @ C, atol=1e-12)


def test_some_of_the_rows_have_the_signs_and_the_fit_of_all():
    keep = np.array([3, 4, 20, 33])
    own = Multipliers(A, FIT)
    part = own.on_rows(keep)
    np.testing.assert_allclose(part.draw(units(6, 1), A).held, own.draw(units(6, 1), A).held[:, keep], atol=1e-14)
    C = RNG.normal(size=(4, 2))
    whole = np.zeros((N, 2))
    whole[keep] = C
    np.testing.assert_array_equal(part.root(C), own.root(whole))
    np.testing.assert_array_equal(part.on_rows(np.array([1, 2])).kept, keep[[1, 2]])
    np.testing.assert_array_equal(part.of_sample(np.array([1, 2])).a, A[[4, 20]])
    with pytest.raises(TypeError, match="blocks"):
        Multipliers(A[:8], None, BLOCKS).on_rows(keep)


def test_labels_drawn_anew_have_the_fit_taken_from_them():
    U = RNG.normal(size=(3, N))
    np.testing.assert_allclose(Multipliers(A, FIT).refitted(U), FIT.at(U.T).T)
    np.testing.assert_array_equal(Multipliers(A).refitted(U), U)
    by_block = ByGroups(np.zeros(8, dtype=int), np.full(8, 0.2))
    own = Multipliers(A[:8], by_block, BLOCKS)
    of_blocks = RNG.normal(size=(3, 8))
    np.testing.assert_allclose(own.refitted(of_blocks[:, BLOCKS]), by_block.at(of_blocks.T).T[:, BLOCKS])


def test_every_sign_once_but_the_observed_ones():
    signs = Multipliers(np.ones(4)).every().signs
    assert signs.shape == (ways_to_flip(4) - 1, 4)
    assert len({tuple(row) for row in signs}) == len(signs)
    assert (signs[:, 0] == 1).all()
    assert (signs == -1).any(axis=1).all()
