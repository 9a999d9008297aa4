"""A result whose names would do harm if they were not escaped."""

from functools import cache

import numpy as np
import pandas as pd

from condmmd import cmmd_test

HOSTILE = "<script>document.title='hacked'</script>"


@cache
def hostile_result():
    rng = np.random.default_rng(0)
    X = pd.DataFrame({HOSTILE: rng.random(300), "$cost": rng.random(300), "kind & more": rng.choice(["<b>", "'"], 300)})
    group = np.where(rng.random(300) < 0.5, "<i>treated</i>", "control")
    y = pd.DataFrame({"y > $x$": rng.normal(size=300) + (group == "control") * (X[HOSTILE] > 0.5)})
    return cmmd_test(X, y, group, n_resamples=99, rng=0)
