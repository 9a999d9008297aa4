"""Candidates compared as a user does it."""

import numpy as np
import pandas as pd
import pytest

from condmmd import Forests, compare

FAST = {"residualize": Forests(trees=20)}


def sample(seed, shift=0.0, move=0.0, n=120):
    rng = np.random.default_rng(seed)
    x = rng.normal(move, 1, size=n)
    return x, np.sin(2 * x) + shift + 0.5 * rng.normal(size=n)


def test_the_nearest_comes_first_though_the_covariates_moved():
    found = compare(sample(0), {"far": sample(1, 0.8), "near": sample(2, 0.1, 0.7)}, **FAST)
    assert [c.name for c in found.ranking] == ["near", "far"] == [found.nearest, "far"]
    pair = found.pair("far", "near")
    assert (pair.nearer, pair.farther) == ("near", "far")
    assert pair.pvalue < 0.01
    assert found.sentence() == "near is the nearest to the reference, and nearer than every other."


def test_two_that_are_alike_are_not_told_apart():
    found = compare(sample(3), [sample(4, 0.3), sample(5, 0.3)], **FAST)
    assert {c.name for c in found.ranking} == {"1", "2"}
    assert found.pairs[0].pvalue > 0.05
    assert "not shown to be nearer" in found.sentence()


def test_a_shift_of_the_covariates_alone_is_no_distance():
    (one,) = compare(sample(106), {"moved": sample(107, move=1.0)}, **FAST).ranking
    assert one.interval[0] == 0
    assert one.share < 0.03


def test_the_order_of_the_candidates_does_not_matter():
    a, b, reference = sample(8, 0.2), sample(9, 0.6), sample(10)
    one, other = compare(reference, {"a": a, "b": b}, **FAST), compare(reference, {"b": b, "a": a}, **FAST)
    assert [c.name for c in one.ranking] == [c.name for c in other.ranking]
    for left, right in zip(one.ranking, other.ranking, strict=True):
        assert left.squared == pytest.approx(right.squared, rel=0.1)


def test_frames_with_categories_and_several_outcomes():
    rng = np.random.default_rng(0)

    def frames(shift):
        X = pd.DataFrame({"age": rng.normal(size=90), "place": rng.choice(["u", "v"], size=90)})
        return X, pd.DataFrame({"y": X.age + shift + rng.normal(size=90), "z": rng.normal(size=90)})

    found = compare(frames(0), {"near": frames(0.1), "far": frames(1.5)}, propensity=None, **FAST)
    assert found.nearest == "near"
    assert "same distribution" in found.assumption


def test_bad_arguments():
    a, b = sample(0), sample(1)
    with pytest.raises(TypeError, match="`candidates` must be"):
        compare(a, "b")
    with pytest.raises(ValueError, match="`candidates` must not be empty"):
        compare(a, {})
    with pytest.raises(TypeError, match=r"`reference` must be a pair \(X, Y\)"):
        compare(a[0], {"b": b})
    with pytest.raises(TypeError, match=r"`candidates\['b'\]` must be a pair"):
        compare(a, {"b": b[0]})
    with pytest.raises(ValueError, match=r"`candidates\['b'\]` does not go with the reference"):
        compare(a, {"b": (b[0], b[1][:-1])})
    with pytest.raises(ValueError, match="no Gram matrix"):
        compare(a, {"b": b}, kernel_x="precomputed")
    with pytest.raises(ValueError, match="`propensity` must be"):
        compare(a, {"b": b}, propensity="logistic")
    with pytest.raises(ValueError, match="`confidence` must be"):
        compare(a, {"b": b}, confidence=95)


def test_rows_in_chunks_are_refused():
    dask = pytest.importorskip("dask.array")
    a, b = sample(0), sample(1)
    with pytest.raises(TypeError, match=r"compare\(\) needs all rows in memory"):
        compare(tuple(dask.from_array(part) for part in a), {"b": tuple(dask.from_array(part) for part in b)})
