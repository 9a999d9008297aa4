"""What a result means, in plain words."""

from types import SimpleNamespace

import pytest

from condmmd.explain import Contrast, Diagnostics, Finding
from condmmd.present.reading import meaning, next_steps


def result(pvalue, source="estimated", population=None):
    return SimpleNamespace(
        pvalue=pvalue, significance=0.05, labels=("smokers", "others"), propensity_summary={"source": source},
        population=population,
    )  # fmt: skip


def moved(*pvalues):
    return {name: SimpleNamespace(pvalue=p) for name, p in zip(("X", "Y"), pvalues, strict=False)}


@pytest.mark.parametrize(
    ("pvalue", "x", "y", "says"),
    [
        (0.01, 0.01, 0.01, "adjusted for, and is not the reason"),
        (0.01, 0.5, 0.01, "distributed alike"),
        (0.5, 0.01, 0.01, "can account for that"),
        (0.5, 0.5, 0.01, "too small to see it"),
        (0.5, 0.01, 0.5, "changes nothing in the relationship"),
        (0.5, 0.5, 0.5, "Neither do the covariates"),
    ],
)
def test_every_pattern_of_what_moved(pvalue, x, y, says):
    text = meaning(result(pvalue), moved(x, y))
    assert says in text
    assert "smokers" in text
    assert ("have different outcomes" in text) == (pvalue <= 0.05)


def test_of_a_population_it_says_that_parts_of_it_may_differ():
    assert "smokers and outcomes as in others differ over everybody." in meaning(result(0.01, population="all"), {})
    assert "in ways that cancel" in meaning(result(0.5, population="all"), moved(0.5, 0.5))


def test_without_tests_of_the_margins_the_answer_alone():
    assert meaning(result(0.01), {}).endswith("have different outcomes.")
    assert meaning(result(0.5), {}).endswith("was seen.")


def test_remedies_of_warnings_come_first():
    checks = Diagnostics(
        (Finding("rows", "warning", "Few rows.", "Get more."), Finding("x", "note", "A note.", "Skip."))
    )
    assert next_steps(result(0.01), None, checks)[0] == "Get more."
    assert "Skip." not in next_steps(result(0.01), None, checks)
    assert any("closer_than" in step for step in next_steps(result(0.5), None, checks))
    where = SimpleNamespace(contrasts=(Contrast("age", "mean of cost", (None, None), 0.01),))
    assert any("parts of age" in step for step in next_steps(result(0.01), where, Diagnostics(())))
    assert next_steps(result(0.01, source="known"), None, Diagnostics(())) == []
