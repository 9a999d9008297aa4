"""The tables of ECMMD: their statistics against gold values, a run from end to end, and the committed page."""

import json

import numpy as np
import pytest

from condmmd.statistics.neighbours import Edges, Neighbours
from experiments import running
from experiments.ecmmd import __main__ as command
from experiments.ecmmd.designs import Binary, classes, goodness_of_fit, regression
from experiments.ecmmd.page import apart, verdict
from experiments.ecmmd.tables import EXPERIMENTS
from experiments.ecmmd.theirs import linear_products, products, skce
from tests import gold

PAIRED, BINARY = (gold.FAMILY["datasets"][name] for name in ("paired", "binary"))
Y1, Y2, DRAWS = (np.array(PAIRED[name]) for name in ("y1", "y2", "y_draws"))


@pytest.mark.parametrize("name", ["gaussian_k3", "gaussian_k5", "linear_k3", "derandomised_linear_k5"])
def test_their_statistic(name):
    case = gold.FAMILY_CASES[f"ecmmd/{name}"]
    graph = Neighbours.of(np.array(PAIRED["Z"]), case["settings"]["k"])
    of = linear_products if "linear" in name else products
    H = of(Y1, DRAWS if "derandomised" in name else Y2[None], graph).mean(axis=0)
    np.testing.assert_allclose(Edges(graph, H).score, case["values"]["normalised"], rtol=case["rtol"])


def test_skce_of_two_classes():
    """The statistic of which `skce` takes the p-value, and its place among redrawn labels."""
    data = Binary(np.array(BINARY["p"]), np.array(BINARY["label"], dtype=float))
    K = np.exp(-np.abs(data.p[:, None] - data.p) * np.sqrt(2))
    rho = data.y - data.p
    expected = gold.FAMILY_CASES["skce/nncdt_binary"]["values"]["n_biased"]
    np.testing.assert_allclose(2 * rho @ K @ rho / len(rho), expected, rtol=1e-7)
    assert skce(Binary(data.p, 1.0 - data.y), np.random.default_rng(0), 99) == 0.01


@pytest.mark.parametrize(
    "design",
    [lambda rng: goodness_of_fit(0.0, 400, rng), lambda rng: regression(False, 0.5, rng, rows=400)],
    ids=["goodness of fit", "regression"],
)
def test_a_right_model_has_standard_residuals(design):
    """400 rows: means within 4 / sqrt(400), variances within 4 sqrt(2 / 400)."""
    data = design(np.random.default_rng(0))
    residuals = (data.y - data.mean) / data.sd
    assert abs(residuals.mean()) < 0.2
    assert abs(residuals.var() - 1) < 0.28


def test_probabilities_that_are_too_high():
    """4,000 labels, within four binomial standard errors."""
    wrong, right = (classes(kind, 0.4, np.random.default_rng(0), rows=4000) for kind in (True, False))
    for data, p in ((wrong, wrong.p - wrong.p**5), (right, right.p)):
        assert abs(data.y.mean() - p.mean()) < 4 * np.sqrt(np.mean(p * (1 - p)) / 4000)


def test_smoke(tmp_path):
    """Every table, two points of it, two trials: numbers, pictures, page; a second run measures nothing again."""
    options = ["--smoke", "--jobs", "1", "--out", str(tmp_path)]
    command.main([*options, "line_power"])
    assert not (tmp_path / "README.md").exists()
    command.main(options)
    text = (tmp_path / "README.md").read_text()
    for experiment in EXPERIMENTS:
        assert f"## {experiment.title}" in text
        assert (tmp_path / "figures" / f"{experiment.name}.png").stat().st_size > 5000
    before = (tmp_path / "results" / "line_power.json").read_bytes()
    command.main(options)
    assert (tmp_path / "results" / "line_power.json").read_bytes() == before


def test_verdicts():
    assert [verdict(apart(p, 0.5, 500)) for p in (0.6, 0.55, 0.4)] == ["ahead", "level", "behind"]
    assert verdict(apart(1.0, 1.0, 500)) == "level"


def test_committed_results_are_of_the_committed_settings():
    for experiment in EXPERIMENTS:
        record = json.loads((running.Path(command.__file__).parent / "results" / f"{experiment.name}.json").read_text())
        settings = {variant: running.fingerprint(experiment, variant) for variant in experiment.variants}
        assert record["settings"] == settings, experiment.name
        for variant in experiment.variants:
            assert {entry["trials"] for entry in record["points"][variant].values()} == {500}


def test_a_change_of_a_design_is_noticed(monkeypatch):
    last = EXPERIMENTS[-1]
    before = {variant: running.fingerprint(last, variant) for variant in last.variants}
    monkeypatch.setattr(running.Path, "read_text", lambda path, **_: path.read_bytes().decode().replace("0.15", "0.16"))
    assert all(running.fingerprint(last, variant) != before[variant] for variant in last.variants)
