"""One difference, or one that varies with x, each row by the others."""

import numpy as np
import pytest

from condmmd.effects.varying import PENALTIES, constant_effect, varying_effects

RNG = np.random.default_rng(0)
N = 60
Z = RNG.normal(size=(N, 2))
S = RNG.uniform(-0.6, 0.6, size=N)
R = S * (1 + Z[:, 0]) + 0.3 * RNG.normal(size=N)


def by_hand(rows, of_row, penalty):
    """A ridge fitted to some rows, at another; units and centre are those of all rows."""
    weight = S**2 / np.sum(S**2)
    centred = Z - weight @ Z
    design = np.column_stack([np.ones(N), centred / np.sqrt(weight @ centred**2)])
    D = design * S[:, None]
    ridge = penalty * np.sum(S**2) * np.diag([0.0, 1.0, 1.0])
    return design[of_row] @ np.linalg.solve(D[rows].T @ D[rows] + ridge, D[rows].T @ R[rows])


@pytest.mark.parametrize("blocks", [None, np.arange(N) // 3], ids=["rows", "blocks"])
def test_each_row_is_predicted_without_itself_or_its_block(blocks):
    own = np.arange(N) if blocks is None else blocks
    found = varying_effects(R[:, None], S, Z, blocks)[:, 0]
    errors = []
    for penalty in PENALTIES:
        expected = np.array([by_hand(own != own[i], i, penalty) for i in range(N)])
        errors.append((np.sum((R - S * expected) ** 2), expected))
    np.testing.assert_allclose(found, min(errors, key=lambda pair: pair[0])[1], rtol=1e-6)


def test_without_covariates_it_is_a_constant():
    found = varying_effects(R[:, None], S, Z[:, :0], None)[:, 0]
    expected = [np.sum(np.delete(S * R, i)) / np.sum(np.delete(S**2, i)) for i in range(N)]
    np.testing.assert_allclose(found, expected, rtol=1e-6)


def test_robinson_by_hand():
    tau = RNG.normal(size=N)
    assert constant_effect(R[:, None], S, tau)[0] == pytest.approx(np.sum(tau * R) / np.sum(tau * S))
    assert constant_effect(R[:, None], 0 * S, tau).tolist() == [0.0]
