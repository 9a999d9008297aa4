"""What a result says to a person."""

import numpy as np
import pandas as pd

from condmmd import CMMD, cmmd, cmmd_test, screen
from condmmd.results.text import shortened
from tests.doors.samples import GROUP, SAME, X
from tests.present.hostile import hostile_result


def test_notebook_display():
    html = hostile_result()._repr_html_()
    assert "<strong>" in html
    assert "<script" not in html
    assert "<i>treated" not in html


def test_groups_outcomes_and_covariates_keep_their_names_in_every_text():
    rng = np.random.default_rng(0)
    table = pd.DataFrame({"age": rng.normal(size=200), "sex": rng.choice(["m", "f"], 200)})
    table["smoker"] = np.repeat(["yes", "no"], 100)
    table["weight"] = table["age"] + rng.normal(size=200) + (table["smoker"] == "yes")
    given = ["age", "sex"], "weight", "smoker"
    result = cmmd_test(*given, data=table, n_resamples=99, rng=0)
    measured = cmmd(*given, data=table)
    assert result.labels == measured.labels == ("yes", "no")
    texts = {
        "question": result.question(), "sentence": result.sentence(), "summary": result.summary(),
        "where": result.where().summary(), "size": result.size().summary(), "cmmd": repr(measured),
        "closer": result.closer_than(0.1).sentence,
    }  # fmt: skip
    for name, text in texts.items():
        for word in ("age, sex", "weight", "yes", "no"):
            assert word in text or (name, word) == ("where", "age, sex"), (name, word)
    assert result.effect().estimand.startswith("yes less no given age, sex")
    assert "mean of weight" in result.where().statements()[0]
    assert "yes less no" in result.where().summary()
    assert "of what age, sex leaves of weight" in result.size().sentence()
    assert "given       age, sex" in screen(*given, data=table).summary()
    moved = {name: test.sentence() for name, test in result.marginal().items()}
    assert moved["X"].startswith("No evidence that the distribution of age, sex differs between yes and no (p = ")
    assert moved["Y"].startswith("The distribution of weight differs between yes and no (p = ")


def test_numbers_in_as_many_digits_as_a_person_reads():
    assert shortened("Gaussian(lengthscale=1.23456789012)") == "Gaussian(lengthscale=1.235)"
    assert shortened("Gaussian(lengthscale=1.5)") == "Gaussian(lengthscale=1.5)"
    assert shortened("x" * 100) == "x" * 84 + " ..."


def test_many_levels_are_not_all_shown():
    result = cmmd_test(X, SAME, GROUP, statistic=CMMD(level=np.linspace(0, 2, 13)), n_resamples=19, rng=0)
    assert "... and 3 more" in result.summary()
    assert result._repr_html_().split("p-value alone")[1].count("<tr>") == 10
