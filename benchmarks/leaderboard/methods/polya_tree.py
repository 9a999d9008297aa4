"""The conditional Polya tree test of Boeken and Mooij (2021), R package PTTests.

P(one conditional law | data) from a Bayes factor: the likelihood of all rows together over the product of those of the
groups, each under a conditional optional Polya tree. With y and z standardised and cut at normal quantiles,

    Phi(A) = log(1/2 e^{Psi(A)} + 1/2 e^{Phi(left of A) + Phi(right of A)})        over intervals A of z,
    Psi(A) = sum over splits of y in A, down to a depth, of log B(n_l + a, n_r + a) - log B(a, a),    a = depth^2,

with depths below floor(log2(N) / 2) for y. One outcome and one covariate: their code ignores further ones silently.
What it gives is no p-value; here P(H0) < 0.05 counts as a rejection.
"""

import numpy as np
from scipy.special import betaln, logsumexp
from scipy.stats import norm

RHO = 0.5


def standard(v):
    return (v - v.mean()) / v.std(ddof=1)


def deepest(n):
    return max(1, int(np.log2(n) / 2))


def likelihood_of_outcome(u, low, high, depth, last):
    """Psi; ``u`` are normal probabilities of the outcomes."""
    if depth == last or not len(u):
        return 0.0
    middle = (low + high) / 2
    left, right = u[u <= middle], u[u > middle]
    a = depth**2
    here = betaln(len(left) + a, len(right) + a) - betaln(a, a)
    below = likelihood_of_outcome(left, low, middle, depth + 1, last)
    return here + below + likelihood_of_outcome(right, middle, high, depth + 1, last)


def likelihood(u, z, low, high, depth, last):
    """Phi; the intervals of ``z``, in normal probabilities too, are open."""
    inside = (low < z) & (z < high)
    u, z = u[inside], z[inside]
    together = likelihood_of_outcome(u, 0.0, 1.0, 1, last)
    if depth == last or len(u) <= 1:
        return together
    middle = (low + high) / 2
    apart = likelihood(u, z, low, middle, depth + 1, last) + likelihood(u, z, middle, high, depth + 1, last)
    return logsumexp([np.log(RHO) + together, np.log(1 - RHO) + apart])


def log_bayes_factor(z, y, group):
    """Of one law for both groups over one for each."""
    last = deepest(len(y))
    u, z = norm.cdf(standard(y)), norm.cdf(standard(z))
    whole, *parts = (likelihood(u[rows], z[rows], 0.0, 1.0, 1, last) for rows in (group >= 0, group == 1, group == 0))
    return whole - sum(parts)


def posterior(log_factor):
    return 1 / (1 + np.exp(-log_factor))


def two_sample_test(data, resamples, rng):  # noqa: ARG001
    X, Y, group = data.numbers()
    return float(posterior(log_bayes_factor(X[:, 0], Y[:, 0], group)))
