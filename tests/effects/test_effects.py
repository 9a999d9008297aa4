"""What is said of effects: words, tables, JSON."""

import json
import pickle

import pandas as pd
import pytest

from condmmd.effects.effects import Effect, Effects

MEAN = Effect("weight", "mean", "mean of weight", -0.4012, 0.12, (-0.634, -0.171), (-0.7, -0.1), (6.8, 7.2012))
SPREAD = Effect("weight", "spread", "spread of weight", 1.25, 0.08, (1.07, 1.46), (1.07, 1.46), (1.0, 0.8))
QUANTILES = tuple(
    Effect("weight", "quantile", f"{k}0 % quantile of weight", 0.0, 0.0, (0.0, 0.0), (0.0, 0.0), (0.0, 0.0), k / 10)
    for k in range(1, 10)
)


def effects(*entries, **changes):
    given = {
        "population": "overlap", "labels": ("smoker", "<b>other"), "n_obs": (100, 300), "rows": 400,
        "effective_rows": (90.2, 270.0), "confidence": 0.95, "joint_pvalue": 0.001, "df": 150.0,
    }  # fmt: skip
    return Effects(entries or (MEAN, SPREAD, *QUANTILES), **(given | changes))


def test_sentences():
    found = effects()
    assert found.sentence() == "mean of weight: 0.40 lower in smoker (95 % interval -0.63 to -0.17)"
    assert found.sentence(SPREAD) == "spread of weight: 1.25 times as large in smoker (95 % interval 1.07 to 1.46)"
    assert "the same in smoker" in found.sentence(QUANTILES[0])


def test_estimands():
    words = {population: effects(population=population).estimand for population in ("overlap", "p", "q", "all")}
    assert len(set(words.values())) == 4
    assert words["p"] == "smoker less <b>other given X, for covariates as in smoker"
    assert words["q"].endswith("as in <b>other")
    assert "among the 400 rows left by trim" in effects(trimmed=7).estimand


def test_a_screen_shows_three_quantiles_and_says_how_many_more():
    text = effects().summary()
    assert [k for k in range(1, 10) if f"{k}0 % quantile" in text] == [1, 5, 9]
    assert "... and 6 more" in text
    assert "100 + 300 rows; worth 90 + 270 of equal weight" in text
    assert "any mean" not in text  # there is one
    assert len(effects().table()) == 11


def test_of_many_outcomes_the_means_are_shown():
    many = [Effect(f"y{k}", kind, f"{kind} of y{k}", 1.0, 0.1, (0.8, 1.2), (0.7, 1.3), (2.0, 1.0))
            for k in range(20) for kind in ("mean", "spread")]  # fmt: skip
    text = effects(*many).summary()
    assert "spread" not in text
    assert text.count("mean of") == 12
    assert "any mean or share differs: p = 0.001" in text


def test_looking_one_up():
    found = effects()
    assert found["mean"] is found[0] is found["mean of weight"] is MEAN
    assert list(found) == [MEAN, SPREAD, *QUANTILES]
    assert len(found) == 11
    assert found.outcomes == ("weight",)
    with pytest.raises(KeyError, match="there are"):
        _ = found["median"]


def test_json_frame_and_bytes():
    found = effects()
    plain = json.loads(json.dumps(found.to_dict(), allow_nan=False))
    assert plain["effects"][0]["estimate"] == MEAN.estimate
    assert plain["effects"][0]["levels"] == {"P": 6.8, "Q": 7.2012}
    assert plain["effects"][1]["scale"] == "ratio"
    frame = found.to_frame()
    assert isinstance(frame, pd.DataFrame)
    assert frame.loc[0, ["estimate", "low", "high", "smoker"]].tolist() == [-0.4012, -0.634, -0.171, 6.8]
    assert pickle.loads(pickle.dumps(found)) == found  # noqa: S301 - our own bytes


def test_without_pandas_it_says_so(monkeypatch):
    monkeypatch.setattr("condmmd.data.frames.find_spec", lambda _: None)
    with pytest.raises(ImportError, match="needs pandas"):
        effects().to_frame()


def test_a_notebook_gets_a_table_without_markup_of_the_data():
    html = effects()._repr_html_()
    assert "<b>other" not in html
    assert "&lt;b&gt;other" in html
    assert html.count("<tr>") == 1 + 5


def test_repr_is_short():
    assert " ".join(repr(effects()).split()) == (
        "Effects(mean of weight: 0.40 lower in smoker (95 % interval -0.63 to -0.17); 11 in all); .summary() says more"
    )
