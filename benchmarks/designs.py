"""Nulls and alternatives, each over one to three sizes: what `rejections` draws from.

Edges, trees and interactions that drive both who is in which group and the outcome; mixed columns and rare categories;
outcomes of every kind; real tables with labels drawn from a model of their covariates; the paper's own (`scenarios`).
``design.draw(rng, n)`` gives X, Y and the labels of 2 n rows or so, or a `Draw`, which may know the propensity.
"""

from functools import partial
from typing import NamedTuple

import numpy as np

from benchmarks import made_up, scenarios, shipped
from experiments.draws import Draw

LIMIT, LIMIT_OF_HARD = 0.08, 0.25


class Design(NamedTuple):
    """A way to draw a table, and the sizes at which it is drawn.

    Of a hard one it is not expected that any model learns, at its smallest size, what labels and outcomes share: there
    a null may be rejected at a rate of 0.25, and from then on no more often than at smaller sizes (or than 0.08). What
    is shared is weak, so that this can be met; unlearned, it would be rejected ever more often.
    """

    draw: object
    sizes: tuple
    hard: bool = False


def of_scenarios(table):
    """Designs of one size: the rows of the first group."""
    rows = {name: round(float(draw(np.random.default_rng(0)).t.sum())) for name, draw in table.items()}
    return {name: Design(lambda rng, n, draw=draw: draw(rng), (rows[name],)) for name, draw in table.items()}  # noqa: ARG005


def shipped_nulls():
    """By table: rows a group (half as many for a tree of the other half), and a model of the labels."""
    sizes = {
        "diabetes": (100, 221), "wine, classes": (89,), "breast cancer": (100, 284), "iris, classes": (75,),
        "digits, pixels": (200, 800), "digits, components": (200, 800),
    }  # fmt: skip
    if shipped.HAS_LALONDE:
        sizes["lalonde"] = (300, 1500)
    found = {}
    for table, of_table in sizes.items():
        halved = tuple(n // 2 for n in of_table)
        found[f"{table}: a tree of the other half"] = Design(partial(shipped.tree_of_half, name=table), halved)
        found[f"{table}: a random tree"] = Design(partial(shipped.tree_of_chance, name=table), of_table)
        found[f"{table}: logistic"] = Design(partial(shipped.logistic, name=table), of_table)
    if shipped.ACIC:
        found["ACIC 2016, the untreated outcome in both arms"] = Design(shipped.acic, (200,))
    return found


NULLS = {
    "edge": Design(made_up.edge, (300, 1000)),
    "mild edge": Design(partial(made_up.edge, odds=1.0, jump=1.0), (1000,)),
    "four leaves": Design(made_up.four_leaves, (200, 1000)),
    "product of two of ten": Design(partial(made_up.interaction, function=made_up.clipped), (300,)),
    "tanh of a product": Design(made_up.interaction, (600,)),
    "mixed table": Design(made_up.mixed, (200,)),
    "diabetes, tree of X": Design(partial(shipped.tree_of_all, name="diabetes"), (221,)),
    "wine, tree of X": Design(partial(shipped.tree_of_all, name="wine"), (89,)),
    "breast cancer, tree of X": Design(partial(shipped.tree_of_all, name="breast cancer"), (285,)),
    "20 covariates, all moved": Design(partial(made_up.moved, d=20), (200,)),
    "seven leaves, eight mixed columns": Design(made_up.seven_leaves, (200, 1000)),
    "random tree of eight leaves": Design(shipped.random_tree_outcome, (200, 1000)),
    "product of two signs of five": Design(made_up.signs, (200, 1000)),
    "product of three signs of five": Design(
        partial(made_up.signs, order=3, strength=0.5), (200, 600, 2000), hard=True
    ),
    "checkerboard": Design(made_up.checkerboard, (200, 600, 2000), hard=True),
    "ratio of two of five": Design(made_up.ratio, (200, 1000)),
    "forty categories, some rare": Design(made_up.many_levels, (200, 1000)),
    "twenty categories by a number": Design(made_up.levels_by_number, (200, 1000)),
    "some of twelve categories": Design(made_up.subset_of_levels, (200, 1000)),
    "edge in the spread": Design(made_up.edge_in_spread, (200, 1000)),
    "binary outcome, four leaves": Design(made_up.binary_tree, (200, 1000)),
    "counts, X moved": Design(made_up.counts, (200, 1000)),
    "exact zeros": Design(made_up.zeros, (200, 1000)),
    "three outcomes, product": Design(made_up.three_outcomes, (200, 1000)),
    "four classes": Design(made_up.four_classes, (200, 1000)),
    "1 : 20, X moved": Design(made_up.one_to_twenty, (500, 1500)),
    "skewed covariates, multiplicative": Design(made_up.multiplicative, (200, 1000)),
    "15 correlated covariates, strong shift": Design(made_up.dense, (200, 1000)),
    "linear, strong shift": Design(made_up.linear, (200, 1000)),
    "four of fifty": Design(made_up.sparse, (100, 200, 600)),
    "waves, sin 4x": Design(made_up.waves, (200, 1000)),
    "births": Design(made_up.births, (490,)),
    "160 covariates, 160 outcomes": Design(made_up.many_outcomes, (100,)),
    "160 covariates, 160 outcomes, five moved": Design(partial(made_up.many_outcomes, moved=5), (100,)),
    "60 covariates, 60 outcomes, five moved": Design(partial(made_up.many_outcomes, d=60, moved=5), (100,)),
    "curve, X moved by 0.5": Design(partial(made_up.curve_moved, moved=0.5), (20,)),
    "curve, 1 : 3, X moved by 0.5": Design(partial(made_up.curve_moved, m=90, moved=0.5), (30,)),
    "curve, X moved by 1": Design(made_up.curve_moved, (50, 100, 200)),
    "20 covariates, all moved a little": Design(made_up.all_moved, (150,)),
    "survey of 35 mixed columns": Design(made_up.survey, (200,)),
    **shipped_nulls(),
    **of_scenarios(scenarios.NULLS),
}

ALTERNATIVES = {
    "mixed table, half a noise sd": Design(partial(made_up.mixed, difference=0.5), (200,)),
    "5 covariates, 0.4 of a noise sd": Design(partial(made_up.moved, difference=0.4), (200,)),
    "2 covariates, 1 : 8, 0.35 sd": Design(partial(made_up.moved, d=2, difference=0.35, ratio=8), (490,)),
    "births, -0.4 lb, 1 : 8": Design(partial(made_up.births, difference=-0.4), (490,)),
    "diabetes, +0.3 sd": Design(partial(shipped.tree_of_all, name="diabetes", difference=0.3), (221,)),
    **{
        f"{name}, {sign * size:+g} sd": Design(partial(draw, difference=sign * size), (n,))
        for name, draw, size, n in (
            ("product of ten", partial(made_up.interaction, function=made_up.clipped), 0.6, 300),
            ("four leaves", made_up.four_leaves, 0.5, 200),
            ("linear, strong shift", made_up.linear, 0.5, 200),
        )
        for sign in (1, -1)
    },
    "+0.7 sd in half of the space": Design(made_up.half_space, (200,)),
    "mixed table, 1 sd in two of eight regions": Design(partial(made_up.mixed, difference=1.0, where="BC"), (200,)),
    "spread, 1.5 times": Design(made_up.noise_of_group, (200,)),
    "tails": Design(partial(made_up.noise_of_group, kind="tails"), (400,)),
    "binary share, log-odds +0.8": Design(partial(made_up.binary_tree, difference=0.8), (200,)),
    "counts, 1.25 times": Design(partial(made_up.counts, factor=1.25), (200,)),
    "share of zeros, log-odds +0.7": Design(partial(made_up.zeros, difference=0.7), (200,)),
    "one of three outcomes, 0.4 sd": Design(partial(made_up.three_outcomes, difference=0.4), (200,)),
    "one of four classes, log-odds +0.8": Design(partial(made_up.four_classes, difference=0.8), (200,)),
    **of_scenarios(scenarios.ALTERNATIVES),
}


KINDS = {"null": NULLS, "power": ALTERNATIVES}


def rows():
    """Every design at every size: what it is, its name, and the rows a group."""
    for kind, designs in KINDS.items():
        for name, design in designs.items():
            for n in design.sizes:
                yield kind, name, n


def sizes(kind, name):
    """From the smallest on."""
    return KINDS[kind][name].sizes


def draw(kind, name, n, seed):
    """The same table for the same arguments, on any machine and in any order."""
    found = KINDS[kind][name].draw(np.random.default_rng([seed, 23]), n=n)
    return found if isinstance(found, Draw) else Draw(*found, e=None)
