"""Tables made up by formula: each function draws X, Y and labels of about n rows a group, from a generator.

Where nothing else is said, ``difference`` 0 is a null: the labels depend on X alone, and so does Y but for its noise.
"""

import numpy as np
import pandas as pd

from experiments.draws import curve


def sigmoid(odds):
    return 1 / (1 + np.exp(-odds))


def balanced(rng, odds):
    """Labels from log-odds moved by a constant, so that half of them are expected to be 1; no group below a tenth."""
    low, high = -30.0, 30.0
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (middle, high) if sigmoid(odds + middle).mean() < 0.5 else (low, middle)
    e = sigmoid(odds + low)
    while True:
        t = (rng.random(len(e)) < e).astype(int)
        if 0.1 < t.mean() < 0.9:
            return t


def labelled(rng, odds):
    """Labels from their propensity as it is, until each group has at least a quarter of the rows."""
    while True:
        t = (rng.random(len(odds)) < sigmoid(odds)).astype(int)
        if 0.25 < t.mean() < 0.75:
            return t


def halves(n, ratio=1):
    """Fixed sizes, 1 : ratio, of 2 n rows."""
    first = round(2 * n / (1 + ratio))
    return np.repeat([1, 0], [first, 2 * n - first])


def standard(values):
    return (values - values.mean()) / values.std()


def classes(values):
    return pd.DataFrame({"outcome": values})


def edge(rng, n, odds=2.0, jump=4.0):
    X = rng.normal(size=(2 * n, 5))
    side = np.sign(X[:, 0])
    return X, jump * (side > 0) + rng.normal(size=2 * n), labelled(rng, odds * side)


def four_leaves(rng, n, difference=0.0):
    X = rng.normal(size=(2 * n, 5))
    leaf = 2 * (X[:, 0] > 0) + np.where(X[:, 0] > 0, X[:, 1] > 0.5, X[:, 2] > -0.5)
    mean, odds = np.array([0.0, 3.0, -2.0, 2.0]), np.array([-2.0, 0.0, 2.0, -1.0])
    noise = rng.normal(size=2 * n)
    t = labelled(rng, odds[leaf])
    return X, mean[leaf] + noise + difference * t, t


def interaction(rng, n, function=np.tanh, d=10, difference=0.0):
    X = rng.normal(size=(2 * n, d))
    product = function(X[:, 0] * X[:, 1])
    t = labelled(rng, 1.5 * product)
    return X, 1.5 * product + rng.normal(size=2 * n) + difference * t, t


def clipped(product):
    return np.clip(product, -3, 3)


def people(rng, t):
    N = len(t)
    return pd.DataFrame({
        "age": rng.normal(45 + 2 * t, 12), "education": rng.integers(8, 18, N).astype(float),
        "region": rng.choice(list("ABCDEFGH"), N), "income": rng.lognormal(10 + 0.1 * t, 0.6),
        "children": rng.poisson(1.2, N).astype(float), "sex": rng.choice(["f", "m"], N),
    })  # fmt: skip


def mixed(rng, n, difference=0.0, where=None):
    """People, with six columns of four kinds; the difference is everywhere, or in some regions."""
    t = halves(n)
    X = people(rng, t)
    mean = 0.03 * X["age"] + 0.2 * X["education"] + 0.5 * np.log(X["income"]) + 0.5 * (X["region"] == "A")
    inside = 1.0 if where is None else X["region"].isin(list(where))
    return X, mean + rng.normal(size=2 * n) + difference * inside * t, t


def moved(rng, n, d=5, difference=0.0, ratio=1):
    t = halves(n, ratio)
    X = rng.normal(size=(2 * n, d)) + 0.3 * t[:, None]
    return X, X[:, 0] + np.sin(2 * X[:, 1]) + rng.normal(size=2 * n) + difference * t, t


def half_space(rng, n, difference=0.7):
    X, Y, t = moved(rng, n)
    return X, Y + difference * t * (X[:, 2] > 0), t


def noise_of_group(rng, n, kind="spread", size=1.5):
    """Another spread, or tails of the same spread (a t law of three degrees of freedom), in group 1."""
    t = halves(n)
    X = rng.normal(size=(2 * n, 3)) + 0.3 * t[:, None]
    plain, heavy = rng.normal(size=2 * n), rng.standard_t(3, size=2 * n) / np.sqrt(3)
    other = size * plain if kind == "spread" else heavy
    return X, X[:, 0] + np.sin(2 * X[:, 1]) + np.where(t == 1, other, plain), t


def linear(rng, n, difference=0.0):
    """Five covariates in a sum that drives the labels hard, and the outcome."""
    X = rng.normal(size=(2 * n, 5))
    index = standard(X @ [1.0, 0.8, 0.6, 0.4, 0.2])
    t = balanced(rng, 1.5 * index)
    return X, 1.5 * index + rng.normal(size=2 * n) + difference * t, t


def births(rng, n, difference=0.0):
    """Weight at birth (lb) by smoking, given weeks and sex, 1 : 8, with few and very early births."""
    N = 2 * n + 1
    t = np.repeat([1, 0], [N // 9, N - N // 9])
    weeks = np.clip(np.round(38.7 - 0.3 * t + 2.5 * (1.6 - rng.gamma(2.56, 1 / 1.6, N))), 22, 45)
    sex = rng.choice(["female", "male"], N)
    mean = 7.2 + 0.35 * (weeks - 38.7) + 0.3 * ((sex == "male") - 0.5)
    return pd.DataFrame({"weeks": weeks, "sex": sex}), mean + 1.1 * rng.normal(size=N) + difference * t, t


def kinds(rng, N):
    """Eight covariates: four numbers, a skewed one, a count, two categories."""
    X = pd.DataFrame(rng.normal(size=(N, 4)), columns=["a", "b", "c", "d"])
    return X.assign(
        skewed=rng.lognormal(size=N), count=rng.poisson(2.0, N).astype(float),
        colour=rng.choice(["red", "green", "blue", "grey"], N), yes=rng.choice(["no", "yes"], N, p=[0.7, 0.3]),
    )  # fmt: skip


def seven_leaves(rng, n):
    X = kinds(rng, 2 * n)
    warm = X["colour"].isin(["red", "grey"])
    left = np.where(X["skewed"] > 1.5, 0, np.where(warm, 1, 2))
    right = np.where(X["count"] > 2, np.where(X["b"] > 0.3, 3, 4), np.where(X["yes"] == "yes", 5, 6))
    leaf = np.where(X["a"] > 0, right, left)
    mean, odds = np.array([0.0, 2.0, -1.0, 3.0, 0.5, -2.0, 1.5]), np.array([-1.0, 1.2, 0.0, 1.5, -1.5, -1.0, 0.5])
    return X, mean[leaf] + rng.normal(size=2 * n), balanced(rng, odds[leaf])


def signs(rng, n, order=2, strength=1.0):
    X = rng.normal(size=(2 * n, 5))
    sign = strength * np.sign(np.prod(X[:, :order], axis=1))
    return X, sign + rng.normal(size=2 * n), balanced(rng, sign)


def checkerboard(rng, n, strength=0.5):
    X = rng.uniform(size=(2 * n, 3))
    colour = strength * (2 * (np.floor(4 * X[:, :2]).sum(axis=1) % 2) - 1)
    return X, colour + rng.normal(size=2 * n), balanced(rng, colour)


def ratio(rng, n):
    X = rng.uniform(0.3, 2.0, size=(2 * n, 5))
    quotient = standard(X[:, 0] / X[:, 1])
    return X, 1.5 * quotient + rng.normal(size=2 * n), balanced(rng, quotient)


def categories(rng, N, levels):
    """A column of levels, of which the last are rare, and a number."""
    shares = 1 / (np.arange(levels) + 3.0)
    code = rng.choice(levels, N, p=shares / shares.sum())
    return code, pd.DataFrame({"level": [f"l{c}" for c in code], "x": rng.normal(size=N)})


def many_levels(rng, n, levels=40):
    code, X = categories(rng, 2 * n, levels)
    effect = rng.normal(size=levels)
    return X, effect[code] + 0.5 * X["x"] + rng.normal(size=2 * n), balanced(rng, effect[code] + 0.3 * X["x"])


def levels_by_number(rng, n, levels=20):
    code, X = categories(rng, 2 * n, levels)
    product = rng.choice([-1.0, 1.0], levels)[code] * X["x"].to_numpy()
    return X, product + rng.normal(size=2 * n), balanced(rng, product)


def subset_of_levels(rng, n):
    N = 2 * n
    X = pd.DataFrame({"level": rng.choice(list("abcdefghijkl"), N), "x": rng.normal(size=N), "z": rng.normal(size=N)})
    inside = X["level"].isin(list("adehk")).to_numpy()
    return X, 2.0 * inside + 0.5 * X["x"] + rng.normal(size=N), balanced(rng, 2.4 * inside)


def edge_in_spread(rng, n):
    X = rng.normal(size=(2 * n, 4))
    inside = X[:, 1] > 0
    return X, X[:, 0] + (1 + 2 * inside) * rng.normal(size=2 * n), balanced(rng, 2.5 * inside)


def binary_tree(rng, n, difference=0.0):
    X = rng.normal(size=(2 * n, 5))
    leaf = 2 * (X[:, 0] > 0) + np.where(X[:, 0] > 0, X[:, 1] > 0.5, X[:, 2] > -0.5)
    t = balanced(rng, np.array([-1.5, 0.5, 1.5, -1.0])[leaf])
    chance = sigmoid(np.array([-2.0, 2.0, 1.0, -1.0])[leaf] + difference * t)
    return X, classes(np.where(rng.random(2 * n) < chance, "yes", "no")), t


def counts(rng, n, factor=1.0):
    t = halves(n)
    X = rng.normal(size=(2 * n, 3)) + 0.5 * t[:, None]
    return X, rng.poisson(np.exp(0.3 + X @ [0.4, 0.3, -0.2]) * factor**t).astype(float), t


def zeros(rng, n, difference=0.0):
    """A share of exact zeros that depends on one covariate, and a skewed size that depends on another."""
    X = rng.normal(size=(2 * n, 4))
    t = balanced(rng, X[:, 0] + 1.0 * (X[:, 1] > 0))
    size = np.exp(0.5 * X[:, 1] + 0.5 * rng.normal(size=2 * n))
    return X, np.where(rng.random(2 * n) < sigmoid(X[:, 0] + difference * t), 0.0, size), t


def three_outcomes(rng, n, difference=0.0):
    X = rng.normal(size=(2 * n, 6))
    product = clipped(X[:, 0] * X[:, 1])
    t = balanced(rng, product + 0.5 * X[:, 2])
    noise = rng.normal(size=(2 * n, 3)) @ np.linalg.cholesky(np.full((3, 3), 0.4) + 0.6 * np.eye(3)).T
    Y = np.column_stack([product, X[:, 2] + 0.5 * product, X[:, 0]]) + noise
    Y[:, 1] += difference * t
    return X, Y, t


def four_classes(rng, n, difference=0.0):
    X = rng.normal(size=(2 * n, 5))
    t = balanced(rng, X[:, 0] + 1.5 * (X[:, 1] > 0))
    scores = np.column_stack([X[:, 0], 2.0 * (X[:, 1] > 0), -X[:, 2], difference * t])
    code = np.argmax(scores + rng.gumbel(size=scores.shape), axis=1)
    return X, classes(np.array(["north", "east", "south", "west"])[code]), t


def one_to_twenty(rng, n):
    t = halves(n, 20)
    X = rng.normal(size=(2 * n, 3)) + 0.7 * t[:, None] * [1, 1, 0]
    return X, np.sin(2 * X[:, 0]) + X[:, 1] + rng.normal(size=2 * n), t


def multiplicative(rng, n):
    logs = rng.normal(size=(2 * n, 4))
    mean = np.exp(logs[:, 0] + 0.5 * logs[:, 1])
    return np.exp(logs), mean * np.exp(0.4 * rng.normal(size=2 * n)), balanced(rng, logs[:, 0] + 0.5 * logs[:, 1])


def dense(rng, n, d=15, correlation=0.9):
    """Neighbouring covariates go together; all drive the outcome, and the labels hard."""
    X = rng.normal(size=(2 * n, d))
    for j in range(1, d):
        X[:, j] = correlation * X[:, j - 1] + np.sqrt(1 - correlation**2) * X[:, j]
    index = standard(X.sum(axis=1))
    return X, 2 * index + rng.normal(size=2 * n), balanced(rng, 1.5 * index)


def sparse(rng, n, d=50):
    X = rng.normal(size=(2 * n, d))
    index = X[:, :4].sum(axis=1)
    return X, index + rng.normal(size=2 * n), balanced(rng, 0.6 * index)


def waves(rng, n):
    X = rng.normal(size=(2 * n, 3))
    wave = np.sin(4 * X[:, 0])
    return X, 1.5 * wave + rng.normal(size=2 * n), balanced(rng, 1.5 * wave)


def many_outcomes(rng, n, d=160, moved=0):
    """As many outcomes as covariates, and the paper's noise; some of the covariates are moved."""
    t = halves(n)
    X = rng.normal(0.5, 0.75, size=(2 * n, d))
    X[:, :moved] += 0.5 * (t[:, None] - 0.5)
    return X, curve(X) + (0.45 + 0.05 * np.arange(1, d + 1)) * rng.normal(size=(2 * n, d)), t


def curve_moved(rng, n, m=None, moved=1.0):
    t = np.repeat([1, 0], [n, m or n])
    x = rng.normal(size=len(t)) + moved * (t - 0.5)
    return x, curve(x) + 0.3 * rng.normal(size=len(t)), t


def all_moved(rng, n, d=20):
    """Every covariate is moved a little; two of them drive the outcome."""
    t = halves(n)
    X = rng.normal(size=(2 * n, d)) + 0.25 * (t[:, None] - 0.5)
    return X, np.sin(X[:, 0]) + X[:, 1] + 0.5 * rng.normal(size=2 * n), t


def survey(rng, n):
    """35 mixed columns: numbers, skewed numbers, counts and classes; labels and outcomes are nonlinear in some."""
    N = 2 * n
    X = pd.DataFrame(rng.normal(size=(N, 12)), columns=[f"number {j}" for j in range(12)])
    X[[f"skewed {j}" for j in range(8)]] = np.exp(0.7 * rng.normal(size=(N, 8)))
    X[[f"count {j}" for j in range(8)]] = rng.poisson(2.0, size=(N, 8))
    X[[f"class {j}" for j in range(7)]] = rng.choice(list("abc"), size=(N, 7))
    x, inside = X["number 0"], (X["class 0"] == "a") & (X["number 1"] > 0)
    index = (
        np.tanh(1.5 * x) + inside + 0.5 * np.log(X["skewed 0"]) + 0.5 * (X["count 0"] > 2) + 0.4 * X["number 2"] ** 2
    )
    outcome = x + 1.5 * inside + np.log(X["skewed 0"]) - 0.5 * X["count 0"] + 0.5 * X["number 2"] * X["number 3"]
    return X, outcome.to_numpy() + rng.normal(size=N), balanced(rng, standard(index.to_numpy()))
