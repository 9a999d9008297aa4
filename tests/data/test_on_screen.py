"""What is typed at a prompt answers in a few lines."""

import numpy as np
import pandas as pd

from condmmd import CMMD, cmmd, cmmd_test, compare, mmd_test, plan, screen
from condmmd.data.on_screen import MOST, SCREEN, on_screen


def test_long_texts_are_wrapped_and_cut():
    assert on_screen("short") == "short"
    lines = on_screen("word " * 200).splitlines()
    assert len(lines) == MOST
    assert max(map(len, lines)) <= SCREEN
    assert lines[-1].endswith(" ...")


def test_every_result_fits_on_a_screen():
    rng = np.random.default_rng(0)
    names = [f"a covariate with a long name, number {j}" for j in range(6)]
    table = pd.DataFrame(rng.normal(size=(160, 6)), columns=names)
    table["kind"] = rng.choice(["some", "other"], 160)
    table["group"] = np.repeat(["the treated, in 1971", "all of the others, in 1982"], 80)
    for j in range(3):
        table[f"an outcome, number {j}"] = table[names[j]] + rng.normal(size=160) + (table["group"] > "b") * j
    Y = [f"an outcome, number {j}" for j in range(3)]
    given, one = ([*names, "kind"], Y, "group"), ([*names, "kind"], Y[2], "group")
    result = cmmd_test(*one, data=table, propensity=None, n_resamples=39, rng=0)
    where, effect, several = result.where(), result.effect(), cmmd_test(*given, data=table, n_resamples=39, rng=0)
    samples = {f"sample number {j}": (rng.normal(size=40), rng.normal(size=40)) for j in range(9)}
    strata = result.by_stratum("kind")
    shown = [
        result, several, where, where.everywhere, *where.profiles, *where.regions, effect, *effect, several.effect(),
        *result.by_level, result.size(), result.sensitivity(), result.detectable(), *result.detectable().effects,
        result.check(2), result.diagnostics(), *result.diagnostics().findings, result.closer_than(0.1),
        several.closer_than(0.1), strata, *strata, mmd_test(names, "group", data=table, n_resamples=19, rng=0),
        cmmd(*given, data=table, statistic=CMMD(mixture=0.3)), screen(*given, data=table),
        plan(*one, data=table, effect=0.5, propensity=None, rng=0), compare(samples["sample number 0"], samples),
    ]  # fmt: skip
    for value in shown:
        lines = repr(value).splitlines()
        assert max(map(len, lines)) <= SCREEN, repr(value)
        assert len(lines) <= 8, repr(value)
        assert repr(value).startswith(type(value).__name__)
