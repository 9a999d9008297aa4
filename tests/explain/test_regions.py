"""Parts of a covariate in words."""

from condmmd.explain import Contrast, Region
from condmmd.explain.regions import interval


def test_region_in_words():
    assert Region("age", 20.0, 31.5, (), (3, 4), None, None).condition == "age from 20 to 31.5"
    assert Region("kind", None, None, ("a", "b"), (3, 4), None, None).condition == "kind is a or b"
    many = Region("kind", None, None, tuple("abcdefg"), (3, 4), None, None)
    assert many.condition == "kind is a or b or c or d or one of 3 others"


def test_a_contrast_in_words():
    parts = (Region("age", 20.0, 30.0, (), (3, 4), 1.0, 0.5), Region("age", 31.0, 40.0, (), (5, 6), None, None))
    contrast = Contrast("age", "mean of cost", parts, 0.01)
    assert contrast.lines() == [
        "age from 20 to 30 (3 + 4 rows): mean of cost +1 (+0.02 to +1.98)",
        "age from 31 to 40 (5 + 6 rows): mean of cost cannot be said",
    ]
    assert contrast.to_dict()["parts"][0]["shift"] == 1.0
    assert interval(-2.0, 1.0) == "-2 (-3.96 to -0.04)"
