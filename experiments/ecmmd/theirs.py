"""Their tests as they are shipped: nearest neighbours with draws of the model, and SKCE with redrawn labels.

Two-sided p-values and, of the Gaussian kernel, the width of one pair of outcomes: exp(-d^2 / l^2) with l the median
distance of an outcome from a draw of its own row. What the upper tail alone would give stands beside it.
"""

import numpy as np
from scipy.stats import norm

from condmmd.statistics.neighbours import Edges, Neighbours
from experiments.experiment import ALPHA


def products(y, drawn, graph):
    """H of the Gaussian kernel along every edge, for each draw, with a width of its own: shape (draws, rows, k)."""
    own, near = drawn[:, :, None], drawn[:, graph.of_row]
    here, there = y[None, :, None], y[graph.of_row][None]
    scale = -1 / np.median((y - drawn) ** 2, axis=1)[:, None, None]

    def similar(a, b):
        return np.exp(scale * (a - b) ** 2)

    return similar(here, there) + similar(own, near) - similar(here, near) - similar(own, there)


def linear_products(y, drawn, graph):
    """The same of the linear kernel."""
    rho = y - drawn
    return rho[:, :, None] * rho[:, graph.of_row]


def by_neighbours(data, k, rng, *, of=products, draws=20):
    """The score of H, averaged over draws ("derandomised"; with one draw the asymptotic test)."""
    graph = Neighbours.of(data.X, k)
    return Edges(graph, of(data.y, data.draw(rng, draws), graph).mean(axis=0)).score


def rejections(name, score):
    """{curve: rejected}: as shipped, and by the upper tail alone."""
    return {
        name: float(2 * norm.sf(abs(score)) <= ALPHA),
        f"{name}, upper tail": float(norm.sf(score) <= ALPHA),
    }


def exact(data, k, rng, resamples, *, together=50):
    """The p-value of the finite-sample test: outcomes and draws, all compared with one more draw."""
    graph = Neighbours.of(data.X, k)
    (reference,) = data.draw(rng, 1)
    candidates = np.concatenate([data.y[None], data.draw(rng, resamples)])
    parts = np.array_split(candidates, -(-len(candidates) // together))
    found = np.abs(np.concatenate([products(reference, part, graph).mean(axis=(1, 2)) for part in parts]))
    return float(np.mean(found >= found[0]))


def skce(data, rng, resamples):
    """The p-value of SKCE for two classes, biased, with labels redrawn from the predictions."""
    K = np.exp(-np.abs(data.p[:, None] - data.p) * np.sqrt(2))  # the distance of (p, 1 - p) from (p', 1 - p')
    rho = np.concatenate([data.y[None], data.draw(rng, resamples)]) - data.p
    found = np.einsum("bi,ij,bj->b", rho, K, rho, optimize=True)
    return float(np.mean(found >= found[0]))


def goodness(design, rows, rng, resamples):
    data, found = design(rows, rng), {}
    for k in (20, 40):
        found |= rejections(f"derandomised, k = {k}", by_neighbours(data, k, rng))
    return found | {"finite-sample, k = 20": float(exact(data, 20, rng, resamples) <= ALPHA)}


def classification(design, signal, rng, resamples):
    data = design(signal, rng)
    found = rejections("derandomised, k = 15", by_neighbours(data, 15, rng, of=linear_products))
    found |= rejections("asymptotic, k = 15", by_neighbours(data, 15, rng, of=linear_products, draws=1))
    return found | {"SKCE": float(skce(data, rng, 3 * resamples // 2) <= ALPHA)}


def straight_line(design, signal, rng, resamples):  # noqa: ARG001
    return rejections("derandomised, k = 4", by_neighbours(design(signal, rng), 4, rng))
