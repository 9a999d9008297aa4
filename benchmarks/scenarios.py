"""Null hypotheses and alternatives for the calibration and power batteries, each with its true propensity."""

import numpy as np
import pandas as pd
from scipy.stats import norm

from experiments.draws import Draw, cosine, curve, dimension, labels, levels_setting, setting, shifted, theta


def gaussian_noise(shift, n=100, m=100, mean=curve, sd=lambda x: 0.5 + 0 * x):
    def draw(rng):
        x, t, e = shifted(rng, n, m, -shift / 2, shift / 2)
        return Draw(x, mean(x) + sd(x) * rng.normal(size=n + m), t, e, equal=shift == 0)

    return draw


def cauchy(rng):
    x, t, e = shifted(rng, 100, 100, -0.25, 0.25)
    return Draw(x, curve(x) + 0.5 * rng.standard_cauchy(200), t, e)


def binary(rng):
    x = np.concatenate([rng.random(100) < 0.35, rng.random(100) < 0.6])
    t = labels(100, 100)
    e = np.where(x, 0.35 / 0.95, 0.65 / 1.05)
    return Draw(x, rng.random(200) < np.where(x, 0.7, 0.4), t, e)


def mixed_table(rng):
    x, t, e = shifted(rng, 120, 120, -0.25, 0.25)
    kind = np.where(rng.random(240) < np.where(t == 1, 0.5, 0.3), "a", "b")
    ratio = np.where(kind == "a", 0.5 / 0.3, 0.5 / 0.7) * e / (1 - e)
    other = rng.normal(size=240)
    y = curve(x) + 0.5 * (kind == "a") + 0.3 * other + 0.5 * rng.normal(size=240)
    return Draw(pd.DataFrame({"x": x, "other": other, "kind": kind}), y, t, ratio / (1 + ratio))


def many_covariates(d):
    def draw(rng):
        x, t, e = shifted(rng, 100, 100, -0.25, 0.25)
        X = np.column_stack([x, rng.normal(size=(200, d - 1))])
        return Draw(X, curve(x) + 0.5 * X[:, 1] + 0.5 * rng.normal(size=200), t, e)

    return draw


def clusters(rng):
    """30 + 30 subjects with 5 rows each: the subject shifts X and has an effect of its own on Y."""
    centre, t, e = shifted(rng, 30, 30, -0.25, 0.25, sd=np.sqrt(1 + 0.09 / 5))
    inner = rng.normal(0, 0.3, size=(60, 5))
    x = (centre[:, None] + inner - inner.mean(axis=1, keepdims=True)).ravel()
    y = curve(x) + np.repeat(0.5 * rng.normal(size=60), 5) + 0.3 * rng.normal(size=300)
    subject = np.repeat(np.arange(60), 5)
    return Draw(x, y, t[subject], e[subject], blocks=subject)


def hard(kind):
    """Nulls on which simpler estimates of the propensity gave false alarms of 20 to 100 %."""

    def draw(rng):
        n = {"square": 200, "lognormal": 200, "product": 300, "sum": 150, "far clusters": 200}[kind]
        t = labels(n, n)
        sign = np.where(t == 1, -1.0, 1.0)
        noise = rng.normal(size=2 * n)
        if kind == "square":
            X = rng.normal(size=(2 * n, 20))
            X[:, 0] *= np.where(t == 1, 0.5, 1.5)
            log_odds = norm.logpdf(X[:, 0], 0, 0.5) - norm.logpdf(X[:, 0], 0, 1.5)
            y = X[:, 0] ** 2 + 0.5 * noise
        elif kind == "product":
            X = rng.normal(size=(2 * n, 10))
            X[:, 1] = -0.6 * sign * X[:, 0] + 0.8 * X[:, 1]
            log_odds = norm.logpdf(X[:, 1], 0.6 * X[:, 0], 0.8) - norm.logpdf(X[:, 1], -0.6 * X[:, 0], 0.8)
            y = X[:, 0] * X[:, 1] + 0.5 * noise
        elif kind == "sum":
            X = rng.normal(size=(2 * n, 20)) + 0.3 * sign[:, None]
            log_odds = -0.6 * X.sum(axis=1)
            y = 4 * X.mean(axis=1) + 0.5 * noise
        else:
            z = rng.normal(size=2 * n) + (0.5 if kind == "lognormal" else 0.7) * sign
            log_odds = -(1.0 if kind == "lognormal" else 1.4) * z
            if kind == "lognormal":
                X, y = np.column_stack([np.exp(1.5 * z), rng.normal(size=2 * n)]), z + 0.5 * noise
            else:
                X, y = z + 100 * rng.integers(0, 3, 2 * n), np.tanh(z) + 0.3 * noise
        return Draw(X, y, t, 1 / (1 + np.exp(-log_odds)))

    return draw


NULLS = {
    "equal marginals": gaussian_noise(0.0),
    "shift +0.5": gaussian_noise(0.5),
    "shift -0.5": gaussian_noise(-0.5),
    "shift +1": gaussian_noise(1.0),
    "shift -1": gaussian_noise(-1.0),
    "n:m = 1:4, shift 0.5": gaussian_noise(0.5, n=40, m=160),
    "n = m = 20, shift 0.5": gaussian_noise(0.5, n=20, m=20),
    "heteroscedastic": gaussian_noise(0.0, sd=lambda x: 0.2 + 0.5 * np.abs(x)),
    "variance moves with x, shift 1": gaussian_noise(1.0, sd=lambda x: 0.2 + 0.4 * np.exp(0.5 * x)),
    "Cauchy outcomes, shift 0.5": cauchy,
    "binary X and Y, moved": binary,
    "mixed table, moved": mixed_table,
    "5 covariates, shift 0.5": many_covariates(5),
    "20 covariates, shift 0.5": many_covariates(20),
    "P_Y != Q_Y as X moved by 1": gaussian_noise(1.0, mean=lambda x: 1.5 * x),
    "cos(4 pi x), uniform / beta": cosine,
    "clusters with blocks": clusters,
    "one square of 20 covariates": hard("square"),
    "lognormal column, shift": hard("lognormal"),
    "a product of 10 covariates": hard("product"),
    "every one of 20 shifted": hard("sum"),
    "three far clusters": hard("far clusters"),
}


# ---- alternatives ---------------------------------------------------------------------------------------------------


def noise_difference(kind):
    def draw(rng):
        x, t, e = shifted(rng, 250, 250, -0.5, 0.5)
        normal = rng.normal(size=500)
        if kind == "variance":
            noise = np.where(t == 1, 0.5, 0.75) * normal
        else:  # same variance, heavier tails
            noise = 0.5 * np.where(t == 1, normal, rng.standard_t(2.5, size=500) / np.sqrt(5))
        return Draw(x, curve(x) + noise, t, e)

    return draw


ALTERNATIVES = {
    **{f"theta = {v:g}": theta(v) for v in (-1, -0.5, 0, 0.5, 1)},
    **{f"levels setting {k}, theta = {v}": levels_setting(k, v) for k in (1, 2) for v in (0.4, 0.6, 0.8)},
    **{f"dimension {D}": dimension(D) for D in (1, 20, 60, 120, 160)},
    "setting 1, n = 50": setting(n=50, shift=0.0),
    "setting 2, n = 50": setting(n=50),
    "setting 2, n = 100": setting(n=100),
    "setting 1, Z + 0.3 X, n = 250": setting(0.3, shift=0.0),
    "setting 2, Z + 0.3 X, n = 250": setting(0.3),
    "setting 2, Z + 0.15 X, n = 250": setting(0.15),
    "doubly robust, n = 100": lambda rng: cosine(rng, 100, 0.5),
    "doubly robust, n = 300": lambda rng: cosine(rng, 300, 0.5),
    "variance 0.5 / 0.75, n = 250": noise_difference("variance"),
    "tails normal / t2.5, n = 250": noise_difference("tails"),
    "local bump, n = 150": setting(n=150, difference=lambda x: 0.8 * np.exp(-8 * (x - 0.3) ** 2)),
    "wiggle, n = 1000": setting(n=1000, difference=lambda x: 0.35 * np.sin(6 * x)),
}
