"""Sums over rows for many weight vectors, against the sums written out; in any chunks, by any number of threads."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from condmmd.backend import HeldLabels, made_labels, one_blas_thread
from condmmd.regression.moments import (
    best_one_by_one,
    both_moments,
    cross_moments,
    group_moments,
    one_vector,
    reusable_moments,
    second_moments,
    total_moments,
)

RNG = np.random.default_rng(0)


def written_out(T, phi, psi):
    return np.einsum("bi,ij,ik->bjk", T, phi, phi), np.einsum("bi,ij,ik->bjk", T, phi, psi)


def assert_same(found, expected):
    np.testing.assert_allclose(found, expected, rtol=1e-10, atol=1e-10)


@given(st.integers(0, 2**32 - 1), st.integers(1, 6), st.sampled_from([1, 3, 50]))
def test_features_that_exclude_each_other(seed, r, n_labels):
    """Categories: one feature a row, or none."""
    rng = np.random.default_rng(seed)
    phi = np.eye(r)[rng.integers(r, size=30)] * rng.normal(size=(30, 1)) * (rng.random((30, 1)) < 0.9)
    psi, T = rng.normal(size=(30, 3)), rng.normal(size=(n_labels, 30))
    A, M = written_out(T, phi, psi)
    assert_same(second_moments(HeldLabels(T), phi), A)
    assert_same(cross_moments(HeldLabels(T), phi, psi), M)
    for found, expected in zip(both_moments(HeldLabels(T), phi, psi), (A, M), strict=True):
        assert_same(found, expected)
    phi[:2] = 1.0  # two rows that have all features
    assert_same(second_moments(HeldLabels(T), phi), written_out(T, phi, psi)[0])


@settings(max_examples=50)
@given(st.integers(0, 2**32 - 1), st.integers(1, 40), st.sampled_from([1, 3, 4, 50]))
def test_chunks_of_rows_add_up(seed, chunk, n_labels):
    rng = np.random.default_rng(seed)
    phi, psi, T = rng.normal(size=(37, 5)), rng.normal(size=(37, 3)), rng.normal(size=(n_labels, 37))
    A, M = written_out(T, phi, psi)
    for size in (chunk, None):
        assert_same(second_moments(HeldLabels(T), phi, chunk=size), A)
        assert_same(cross_moments(HeldLabels(T), phi, psi, chunk=size), M)
    parts = [second_moments(HeldLabels(T[:, rows]), phi[rows]) for rows in (slice(20), slice(20, None))]
    assert_same(parts[0] + parts[1], A)


@pytest.mark.parametrize("r", [5, 128])
def test_sums_are_the_same_by_two_threads(two_threads, r):
    """In chunks of rows (few features), and a weight vector at a time (many)."""
    phi, psi, T = RNG.normal(size=(301, r)), RNG.normal(size=(301, 3)), (RNG.random((9, 301)) < 0.4).astype(np.int8)
    A, M = written_out(T, phi, psi)
    for chunk in (None, 20):
        found = both_moments(HeldLabels(T), phi, psi, chunk=chunk)
        assert_same(found[0], A)
        assert_same(found[1], M)


def test_sums_over_many_rows_are_the_same_to_the_last_digit(two_threads):
    phi, T = RNG.normal(size=(2000, 5)), HeldLabels((RNG.random((9, 2000)) < 0.4).astype(np.int8))
    many = second_moments(T, phi, chunk=30)
    with one_blas_thread():
        assert np.array_equal(second_moments(T, phi, chunk=30), many)


def test_products_that_are_held(monkeypatch):
    phi, weights = RNG.normal(size=(40, 6)), RNG.normal(size=(2, 3, 40))
    held = reusable_moments(phi)
    monkeypatch.setattr("condmmd.regression.moments.HELD", 0)
    made = reusable_moments(phi)
    for T in weights:
        expected = second_moments(HeldLabels(T), phi)
        np.testing.assert_allclose(held(T), expected, rtol=1e-12, atol=1e-12)
        np.testing.assert_allclose(made(T), expected, rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("rows", [37, 10], ids=["in memory", "in chunks"])
def test_moments_of_the_groups_and_of_all_rows(rows):
    """One pass gives the sums of P, their number, and the sums of all; also where labels are made chunk by chunk."""
    da = pytest.importorskip("dask.array")
    phi, psi, T = RNG.normal(size=(37, 4)), RNG.normal(size=(37, 2)), (RNG.random((6, 37)) < 0.5).astype(np.int8)
    A, M = written_out(T, phi, psi)
    labels, features, outcomes = HeldLabels(T), phi, psi
    if rows < 37:
        numbers, features, outcomes = (da.from_array(a, chunks=(rows, *a.shape[1:])) for a in (np.arange(37), phi, psi))
        labels = made_labels(lambda own: T[:, own], (numbers,), 6)
    found = group_moments(labels, features, outcomes)
    for part, expected in zip(found, (A, M, T.sum(axis=1), phi.T @ phi, phi.T @ psi), strict=True):
        assert_same(part, expected)
    for part, expected in zip(total_moments(phi, psi), (phi.T @ phi, phi.T @ psi), strict=True):
        assert_same(part, expected)


@pytest.mark.parametrize("kind", [np.int8, np.float64])
def test_one_vector(kind):
    phi, psi, a = RNG.normal(size=(37, 4)), RNG.normal(size=(37, 2)), (RNG.random(37) < 0.4).astype(kind)
    A, M = written_out(a[None], phi, psi)
    both = one_vector(a, phi, psi)
    assert_same(both[0], A[0])
    assert_same(both[1], M[0])
    assert_same(one_vector(a, phi, psi, own=False)[0], M[0])


def test_one_at_a_time_where_there_are_many_products():
    labels = HeldLabels(np.ones((5, 30), dtype=np.int8))
    many, few = RNG.normal(size=(30, 128)), RNG.normal(size=(30, 8))
    assert best_one_by_one(labels, many, few)
    assert not best_one_by_one(labels, few, few)
    assert not best_one_by_one(HeldLabels(labels.values[:2]), many, few)
