"""What must hold whatever the data: each was seen to fail with the code broken on purpose (``make mutants``)."""

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from condmmd import Delta, Gaussian, Laplacian, Linear, Matern, Polynomial, cmmd
from condmmd.statistics.contrasts import Joint, PlugIn
from condmmd.embedding import embed, embed_gram
from condmmd.regression.moments import cross_moments, second_moments
from condmmd.statistics.problem import Problem
from tests.strategies import KERNELS, comparisons

pytestmark = [
    pytest.mark.filterwarnings("ignore::condmmd.ConstantColumnWarning"),
]

LEVELS = np.array([0.0, 0.3, 1.0, 1.5, 2.0, 3.0])
JOINT_LEVELS = np.array([2.0, 2.5, 3.0])
EXPLICIT = ("polynomial", "cubic", "homogeneous", "linear", "delta")


def assert_close(found, expected, rtol=1e-7):
    """Agree to ``rtol`` of the largest level: the higher levels may be smaller by many orders."""
    np.testing.assert_allclose(found, expected, rtol=rtol, atol=1e-13 + 1e-12 * np.max(np.abs(expected)))


@settings(max_examples=200)
@given(comparisons(), st.sampled_from(["primal", "dual"]))
def test_agrees_with_the_literal_formula(comparison, solver):
    naive = comparison.oracle
    plugin = cmmd(*comparison.pooled, solver=solver, **comparison.settings)
    joint = cmmd(*comparison.pooled, solver=solver, estimator="joint", **comparison.settings)
    assert_close(plugin.level(LEVELS), [naive.cmmd_s(s) for s in LEVELS])
    assert_close(plugin.level([0, 1, 2]), [naive.cmmd0(), naive.cmmd1(), naive.cmmd2()])
    assert_close(joint.level(2), naive.joint())


@settings(max_examples=100)
@given(comparisons(), st.sampled_from([0.0, 0.3, 0.5, 1.0]), st.sampled_from(["primal", "dual"]))
def test_mixture_agrees_with_the_literal_formula(comparison, mixture, solver):
    naive = comparison.oracle
    found = cmmd(*comparison.pooled, mixture=mixture, solver=solver, **comparison.settings)
    assert_close(found.level([1, 2, 2.5]), [naive.cmmd_s_mixture(s, mixture) for s in (1, 2, 2.5)], rtol=1e-6)
    assert_close(found.level(0), naive.cmmd0())


@settings(max_examples=50)
@given(comparisons())
def test_mixture_of_the_pooled_sample_is_the_default(comparison):
    X, Y, group = comparison.pooled
    pooled = cmmd(X, Y, group, **comparison.settings)
    named = cmmd(X, Y, group, mixture=group.mean(), **comparison.settings)
    assert_close(named.level(LEVELS), pooled.level(LEVELS))
    np.testing.assert_allclose(named.eigenvalues, pooled.eigenvalues, atol=1e-12 * pooled.eigenvalues[0])


@settings(max_examples=100)
@given(comparisons(), st.sampled_from(["plugin", "joint"]))
def test_symmetric_in_p_and_q(comparison, estimator):
    X, Y, group = comparison.pooled
    levels = LEVELS if estimator == "plugin" else JOINT_LEVELS
    one_way = cmmd(X, Y, group, estimator=estimator, **comparison.settings)
    swapped = comparison.settings | {"reg": comparison.reg[::-1]}
    other = cmmd(X, Y, 1 - group, estimator=estimator, **swapped)
    assert_close(other.level(levels), one_way.level(levels))
    at = one_way.witness(X, Y)
    np.testing.assert_allclose(other.witness(X, Y), -at, rtol=1e-5, atol=1e-7 * np.abs(at).max() + 1e-12)


@settings(max_examples=100)
@given(comparisons(), st.randoms(use_true_random=False), st.sampled_from(["primal", "dual"]))
def test_row_order_does_not_matter(comparison, random, solver):
    X, Y, group = comparison.pooled
    order = list(range(len(X)))
    random.shuffle(order)
    chosen = comparison.settings | {"reg": "loo", "solver": solver}
    assert_close(
        cmmd(X[order], Y[order], group[order], **chosen).level(LEVELS),
        cmmd(X, Y, group, **chosen).level(LEVELS),
        1e-6,
    )


@settings(max_examples=100)
@given(comparisons(), st.sampled_from(["primal", "dual"]), st.sampled_from(["plugin", "joint"]))
def test_zero_for_identical_samples(comparison, solver, estimator):
    X, Y = comparison.X, comparison.Y
    same = cmmd(
        np.concatenate([X, X[::-1]]), np.concatenate([Y, Y[::-1]]), np.repeat([1, 0], len(X)),
        solver=solver, estimator=estimator, **comparison.settings | {"reg": comparison.reg[0]},
    )  # fmt: skip
    scale = max(np.abs(KERNELS[comparison.names[1]][0](Y)).max(), 1)
    np.testing.assert_allclose(
        same.level(JOINT_LEVELS if estimator == "joint" else LEVELS), 0, atol=1e-16 * scale * 100
    )


@settings(max_examples=200)
@given(comparisons(), st.floats(0, 3), st.floats(0, 3))
def test_hierarchy_of_levels(comparison, s, other):
    """Theorem cmmd_rel_sigma."""
    d = cmmd(*comparison.pooled, **comparison.settings)
    low, high = sorted([s, other])
    assert d.level(high) <= d.eigenvalues[0] ** (high - low) * d.level(low) * (1 + 1e-9)


@settings(max_examples=100)
@given(comparisons())
def test_bounds_by_the_mean_of_the_kernel(comparison):
    """Theorem cmmd_rel; the mean of k(x, x) is computed from the kernel, not from the spectrum."""
    X, Y, group = comparison.pooled
    d = cmmd(X, Y, group, **comparison.settings)
    mean = np.trace(KERNELS[comparison.names[0]][1](X, X)) / len(X)
    assert d.level(2) <= mean * d.level(1) * (1 + 1e-9)
    assert d.level(1) <= mean * d.level(0) * (1 + 1e-9)
    np.testing.assert_allclose(d.eigenvalues.sum(), mean, rtol=1e-9)


@settings(max_examples=100)
@given(comparisons(), st.sampled_from(["plugin", "joint"]))
def test_low_rank_and_dual_agree(comparison, estimator):
    levels = LEVELS if estimator == "plugin" else JOINT_LEVELS
    primal = cmmd(*comparison.pooled, solver="primal", estimator=estimator, **comparison.settings)
    dual = cmmd(*comparison.pooled, solver="dual", estimator=estimator, **comparison.settings)
    assert primal.embedding_x.gram is None
    assert dual.embedding_x.gram is not None
    assert_close(primal.level(levels), dual.level(levels))
    X = comparison.pooled[0]
    at = dual.witness(X)
    np.testing.assert_allclose(primal.witness(X), at, rtol=1e-5, atol=1e-6 * at.max() + 1e-12)


@given(st.integers(0, 2**32 - 1), st.integers(1, 6), st.sampled_from([1, 3, 50]))
def test_features_that_exclude_each_other(seed, r, n_labels):
    """Categories: one feature a row, or none."""
    rng = np.random.default_rng(seed)
    phi = np.eye(r)[rng.integers(r, size=30)] * rng.normal(size=(30, 1)) * (rng.random((30, 1)) < 0.9)
    psi, T = rng.normal(size=(30, 3)), rng.normal(size=(n_labels, 30))
    np.testing.assert_allclose(second_moments(T, phi), np.einsum("bi,ij,ik->bjk", T, phi, phi), rtol=1e-10, atol=1e-10)
    np.testing.assert_allclose(
        cross_moments(T, phi, psi), np.einsum("bi,ij,ik->bjk", T, phi, psi), rtol=1e-10, atol=1e-10
    )
    phi[:2] = 1.0  # two rows that have all features
    np.testing.assert_allclose(second_moments(T, phi), np.einsum("bi,ij,ik->bjk", T, phi, phi), rtol=1e-10, atol=1e-10)


@settings(max_examples=50)
@given(st.integers(0, 2**32 - 1), st.integers(1, 40), st.integers(1, 9), st.sampled_from([1, 3, 4, 50]))
def test_chunks_of_rows_and_batches_of_labels_add_up(seed, chunk, batch, n_labels):
    rng = np.random.default_rng(seed)
    phi, psi, T = rng.normal(size=(37, 5)), rng.normal(size=(37, 3)), rng.normal(size=(n_labels, 37))
    A = np.einsum("bi,ij,ik->bjk", T, phi, phi)
    M = np.einsum("bi,ij,ik->bjk", T, phi, psi)
    for size in (chunk, None):
        np.testing.assert_allclose(second_moments(T, phi, chunk=size), A, rtol=1e-10, atol=1e-10)
        np.testing.assert_allclose(cross_moments(T, phi, psi, chunk=size), M, rtol=1e-10, atol=1e-10)
    np.testing.assert_allclose(
        second_moments(T[:, :20], phi[:20]) + second_moments(T[:, 20:], phi[20:]), A, rtol=1e-10, atol=1e-10
    )
    labels = np.tile(np.arange(37) % 2, (n_labels, 1)).astype(float)
    for row in labels:
        rng.shuffle(row)
    X = rng.normal(size=(37, 1))
    x, sigma = embed(Gaussian(1.0), X, tol=1e-12, max_rank=37).principal()
    y = embed(Gaussian(0.7), rng.normal(size=(37, 1)), tol=1e-12, max_rank=37)
    for contrast, levels in ((PlugIn((0.1, 0.2)), LEVELS), (Joint(), JOINT_LEVELS)):
        problem = Problem(x, sigma, y, contrast)
        one_by_one = np.concatenate([problem.levels(row[None], levels) for row in labels])
        np.testing.assert_allclose(problem.levels(labels, levels, batch=batch), one_by_one, rtol=1e-9)
        np.testing.assert_allclose(problem.levels(labels, levels), one_by_one, rtol=1e-9)


@settings(max_examples=60)
@given(comparisons(kernels=EXPLICIT))
def test_explicit_features_agree_with_pivoted_cholesky(comparison):
    X, Y, group = comparison.pooled
    explicit = cmmd(X, Y, group, solver="primal", **comparison.settings)
    k, l = (KERNELS[name][1] for name in comparison.names)  # plain functions: no features known
    pivoted = cmmd(X, Y, group, solver="primal", kernel_x=k, kernel_y=l, reg=comparison.reg)
    assert pivoted.embedding_x.method == "greedy Cholesky"
    assert_close(pivoted.level(LEVELS), explicit.level(LEVELS))
    at = explicit.witness(X, Y)
    np.testing.assert_allclose(pivoted.witness(X, Y), at, rtol=1e-5, atol=1e-6 * np.abs(at).max() + 1e-12)


@settings(max_examples=50)
@given(
    comparisons(kernels=("gaussian", "laplacian", "polynomial", "linear")),
    st.sampled_from(["pandas", "polars"]),
)
def test_array_and_frame_agree(comparison, library):
    module = {"pandas": pd, "polars": pl}[library]
    X, Y, group = comparison.pooled
    frame_x = module.DataFrame({f"a{j}": X[:, j] for j in range(X.shape[1])})
    frame_y = module.DataFrame({f"b{j}": Y[:, j] for j in range(Y.shape[1])})
    labels = module.Series("g", group) if library == "polars" else module.Series(group)
    from_arrays = cmmd(X, Y, group, **comparison.settings)
    from_frames = cmmd(frame_x, frame_y, labels, **comparison.settings)
    np.testing.assert_array_equal(from_frames.level(LEVELS), from_arrays.level(LEVELS))
    reordered = frame_x[list(frame_x.columns)[::-1]]
    np.testing.assert_array_equal(from_frames.witness(reordered), from_arrays.witness(X))


@settings(max_examples=60)
@given(comparisons(), st.sampled_from(["primal", "dual"]))
def test_witness_agrees_with_the_literal_formula(comparison, solver):
    X, Y, group = comparison.pooled
    d = cmmd(X, Y, group, solver=solver, **comparison.settings)
    naive = comparison.oracle
    # At the sample's own rows every kernel is represented to tol; between them the Nystrom extension has an error.
    expected = naive.witness(X)
    np.testing.assert_allclose(d.witness(X), expected, rtol=1e-5, atol=1e-6 * expected.max() + 1e-12)
    signed = naive.signed_witness(X, Y)
    np.testing.assert_allclose(d.witness(X, Y), signed, rtol=1e-5, atol=1e-6 * np.abs(signed).max() + 1e-12)
    np.testing.assert_allclose(d.witness(X).mean(), d.level(1), rtol=1e-6, atol=1e-13)


@settings(max_examples=50)
@given(comparisons(), st.randoms(use_true_random=False))
def test_every_choice_is_blind_to_the_labels(comparison, random):
    X, Y, group = comparison.pooled
    other = group.tolist()
    random.shuffle(other)
    assume(other != group.tolist())
    one, two = (cmmd(X, Y, labels, reg="loo") for labels in (group, other))
    assert (one.kernel_x, one.kernel_y, one.reg) == (two.kernel_x, two.kernel_y, two.reg)
    np.testing.assert_array_equal(one.embedding_x.phi, two.embedding_x.phi)
    np.testing.assert_array_equal(one.embedding_y.phi, two.embedding_y.phi)


@settings(max_examples=50)
@given(comparisons(), st.floats(0.01, 100), st.floats(-10, 10))
def test_default_kernels_do_not_depend_on_units(comparison, scale, shift):
    X, Y, group = comparison.pooled
    original = cmmd(X, Y, group, reg=0.1)
    changed = cmmd(X * ([scale] + [1] * (X.shape[1] - 1)) + shift, Y * scale, group, reg=0.1)
    assert_close(changed.level(LEVELS), original.level(LEVELS), rtol=1e-5)


@pytest.mark.parametrize(
    "kernel", [Gaussian(0.5), Laplacian(), Matern(nu=2.5), Polynomial(3), Linear(), Delta()], ids=repr
)
def test_full_gram_and_low_rank_embeddings_reproduce_the_kernel(kernel):
    X = np.round(np.random.default_rng(0).normal(size=(60, 2)), 1)
    if isinstance(kernel, Laplacian | Matern):
        kernel = type(kernel)(1.0)
    K = kernel(X)
    for embedding in (embed(kernel, X, tol=0.0, max_rank=60), embed_gram(kernel, X)):
        np.testing.assert_allclose(embedding.phi @ embedding.phi.T, K, atol=1e-12 * K.max())
        np.testing.assert_allclose(embedding.transform(X), embedding.phi, atol=1e-6 * np.sqrt(K.max()))
