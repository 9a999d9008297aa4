"""The law of labels of given sizes, found by listing all label vectors, and draws held against it."""

from itertools import combinations

import numpy as np
from scipy.stats import chisquare

E6 = np.array([0.1, 0.35, 0.5, 0.6, 0.8, 0.95])


def fixed_size_law(e, n):
    """All label vectors with n ones, and their probabilities."""
    odds = e / (1 - e)
    subsets = list(combinations(range(len(e)), n))
    weights = np.array([np.prod(odds[list(subset)]) for subset in subsets])
    return subsets, weights / weights.sum()


def assert_follows(draws, subsets, law):
    """Chi-square at 1e-4: one seed in ten thousand would fail."""
    found = [tuple(np.flatnonzero(row)) for row in draws]
    counts = np.array([found.count(subset) for subset in subsets])
    assert counts.sum() == len(draws)
    assert chisquare(counts, len(draws) * law).pvalue > 1e-4


def units(size, seed=0):
    """One generator for so many label vectors."""
    return [(size, np.random.default_rng(seed))]
