"""Moments of refitted labels: the same as with the labels written out, in memory and in chunks."""

import numpy as np
import pytest

from condmmd.backend import HeldLabels, made_labels, to_host
from condmmd.regression.logistic import LogisticFit, residual_labels
from condmmd.regression.refitting import RefittedMoments

RNG = np.random.default_rng(0)
N, K = 70, 3
Z, PHI, PSI = RNG.normal(size=(N, K)), RNG.normal(size=(N, 4)), RNG.normal(size=(N, 5))
E = RNG.uniform(0.1, 0.9, N)
T = (RNG.random((40, N)) < E).astype(np.int8)
FIT = LogisticFit(Z, RNG.normal(size=K + 1), 0.5, RNG.normal(size=K + 1))


@pytest.mark.parametrize("fit", [None, FIT, LogisticFit(Z, FIT.beta, 0.5, FIT.score, weight=RNG.random(N))])
def test_it_is_the_sum_over_rows_of_labels_less_their_refitted_propensity(fit):
    tau = to_host(residual_labels(HeldLabels(T), E, fit).held)
    expected = np.einsum("bi,ij,ik->bjk", tau, PHI, PSI)
    moments = RefittedMoments(E, fit, PHI, PSI)
    np.testing.assert_allclose(moments(HeldLabels(T)), expected, atol=1e-11)
    np.testing.assert_allclose(moments(HeldLabels(T[:1])), expected[:1], atol=1e-11)  # what was made once is kept


def test_rows_in_chunks_give_the_same():
    da = pytest.importorskip("dask.array")
    z, phi, psi = (da.from_array(a, chunks=(30, -1)) for a in (Z, PHI, PSI))
    e, labels = da.from_array(E, chunks=30), da.from_array(T.T, chunks=(30, -1))
    chunked = made_labels(lambda rows: rows.T, (labels,), len(T))
    there = RefittedMoments(e, LogisticFit(z, FIT.beta, 0.5, FIT.score), phi, psi)(chunked)
    np.testing.assert_allclose(there, RefittedMoments(E, FIT, PHI, PSI)(HeldLabels(T)), atol=1e-11)
