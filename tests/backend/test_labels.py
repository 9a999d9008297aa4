"""Label vectors behind one interface: held in memory or made where the rows are, with the same answers."""

import array_api_strict as strict
import dask.array as da
import numpy as np
import pytest

from condmmd.backend import (
    DrawnLabels,
    HeldLabels,
    label_sums,
    made_labels,
    observed_labels,
    placed_labels,
    stacked,
    to_host,
)

RNG = np.random.default_rng(0)
T = (RNG.random((5, 30)) < 0.4).astype(np.int8)
ROWS, E = RNG.normal(size=(30, 2)), RNG.random(30)


def chunked(array, rows=7):
    return da.from_array(array, chunks=(rows, *array.shape[1:]))


def batches():
    """The same label vectors in every form, each with rows of its kind."""
    t = T[0].astype(float)
    return {
        "held": (HeldLabels(T), ROWS, E),
        "placed": (placed_labels(T, t), ROWS, E),
        "device": (placed_labels(T, strict.asarray(t)), strict.asarray(ROWS), strict.asarray(E)),
        "drawn": (placed_labels(T, chunked(t)), chunked(ROWS), chunked(E)),
        "stacked": (stacked([HeldLabels(T[:2]), HeldLabels(T[2:])]), ROWS, E),
        "stacked drawn": (
            stacked([placed_labels(T[:2], chunked(t)), placed_labels(T[2:], chunked(t))]),
            chunked(ROWS),
            chunked(E),
        ),
    }


def weighted(weights, rows):
    from condmmd.backend import as_float  # noqa: PLC0415

    return as_float(weights) @ rows


@pytest.mark.parametrize("kind", batches())
def test_every_form_gives_the_same_sums(kind):
    labels, rows, e = batches()[kind]
    assert len(labels) == 5
    np.testing.assert_allclose(to_host(labels.sum(weighted, rows)), T @ ROWS)
    np.testing.assert_allclose(to_host(label_sums(labels)), T.sum(axis=1))
    other = labels.reweighted(lambda weights, own: weights - own, e)
    np.testing.assert_allclose(to_host(other.sum(weighted, rows)), (T - E) @ ROWS)
    parts = [to_host(label_sums(part)) for part in labels.steps(2)]
    np.testing.assert_allclose(np.concatenate(parts), T.sum(axis=1))
    assert len(parts) == (1 if "drawn" in kind else 3)  # a pass over chunks is dear


def test_some_of_the_rows():
    index = np.array([3, 1, 29])
    for labels in (HeldLabels(T), HeldLabels(strict.asarray(T))):
        np.testing.assert_array_equal(to_host(labels.on_rows(index).held), T[:, index])
    with pytest.raises(TypeError, match="pass rows in memory"):
        batches()["drawn"][0].on_rows(index)


def test_the_observed_labels_are_one_vector():
    t = T[0].astype(float)
    for rows in (t, strict.asarray(t), chunked(t)):
        observed = observed_labels(rows)
        assert len(observed) == 1
        assert float(to_host(label_sums(observed))[0]) == t.sum()
    assert observed_labels(t).held.dtype == np.int8


def test_labels_are_made_now_or_with_every_pass():
    assert isinstance(made_labels(lambda rows: T[:, rows], (np.arange(30),), 5), HeldLabels)
    drawn = made_labels(lambda rows: T[:, rows], (chunked(np.arange(30)),), 5)
    assert isinstance(drawn, DrawnLabels)
    assert drawn.held is None
    one = HeldLabels(T)
    assert stacked([one]) is one
