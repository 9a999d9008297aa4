"""The experiments run, resume, do not depend on the number of workers, and find the exact numbers of the paper."""

import json
from dataclasses import replace

import numpy as np
import pytest

from experiments import __main__ as command
from experiments import appendix_statistics, consistency, data, draws, published, replay, running
from experiments.experiment import Experiment
from experiments.page import outside, page, rows_of
from experiments.published import Target, figures

EXPERIMENTS = {e.name: e for e in command.all_experiments()}
QUIET = {"say": lambda _: None}
RESULTS = running.Path(command.__file__).parent / "results"


@pytest.fixture
def small_data(monkeypatch):
    """scikit-learn's digits instead of MNIST: what a machine without data and network has."""
    monkeypatch.setattr(data, "data_file", lambda *_: None)
    monkeypatch.setenv(data.OFFLINE, "1")
    data.images.cache_clear()
    data.components.cache_clear()
    yield
    data.images.cache_clear()
    data.components.cache_clear()


def test_smoke(tmp_path, small_data):
    """Every experiment, two points of it, two trials: numbers, pictures, page."""
    names = [name for name in EXPERIMENTS if name != "lalonde"]
    command.main([*names, "--smoke", "--jobs", "1", "--out", str(tmp_path)])
    text = (tmp_path / "README.md").read_text()
    for name in names:
        assert EXPERIMENTS[name].title in text
        assert (tmp_path / "figures" / f"{name}.png").stat().st_size > 5000
        assert (tmp_path / "figures" / f"{name}.svg").exists()
    assert "Data: scikit-learn's digits, not MNIST" in text
    assert not list(tmp_path.rglob("*.part"))


def test_every_published_rate_has_its_point():
    published = {
        (figure, name, x)
        for figure, content in figures().items()
        if "n_trials" in content
        for name, curve in content["curves"].items()
        if not name.startswith("_")
        for x in curve["x"]
    }
    rated = [
        (e.name, name, x)
        for e in EXPERIMENTS.values()
        for name, targets in e.targets.items()
        for x, target in targets.items()
        if target.kind == "rate" and x in e.points
    ]
    assert len(published) == len(rated) == 294


@pytest.mark.parametrize("name", ["toy", "dr_fit"])
def test_what_is_deterministic_agrees(name, tmp_path):
    experiment = EXPERIMENTS[name]
    record = running.run_experiment(experiment, tmp_path, trials=200, resamples=200, seed=0, jobs=1, **QUIET)
    assert len([row for row in rows_of(experiment, record) if row[5]]) == len(experiment.targets)
    assert outside(experiment, record) == []


def coin(point, rng, _):
    return {"heads": float(rng.random() < point)}


COIN = Experiment(
    "coin", "Coins", "Tossed.", (0.0, 0.3, 1.0), {"as published": coin}, {"heads": {1.0: Target(0.5, "rate")}}
)


def numbers(record):
    return {v: {x: e["curves"] for x, e in points.items()} for v, points in record["points"].items()}


def test_workers_do_not_change_the_numbers(tmp_path):
    experiment = replace(EXPERIMENTS["theta"], points=(0.0, 0.5))
    one, two = (
        running.run_experiment(experiment, tmp_path / str(j), trials=6, resamples=40, seed=3, jobs=j, **QUIET)
        for j in (1, 2)
    )
    assert numbers(one) == numbers(two)
    other = running.run_experiment(COIN, tmp_path, trials=100, resamples=20, seed=4, jobs=1, **QUIET)
    same = running.run_experiment(COIN, tmp_path / "b", trials=100, resamples=20, seed=5, jobs=1, **QUIET)
    assert numbers(other) != numbers(same)


def test_a_killed_run_loses_one_point(tmp_path, monkeypatch):
    whole = running.run_experiment(COIN, tmp_path / "whole", trials=50, resamples=20, seed=1, jobs=1, **QUIET)
    run_point, ran = running.run_point, []

    def killed(experiment, variant, position, **settings):
        if position == 2 and len(ran) == 2:
            raise KeyboardInterrupt
        ran.append(position)
        return run_point(experiment, variant, position, **settings)

    monkeypatch.setattr(running, "run_point", killed)
    options = {"trials": 50, "resamples": 20, "seed": 1, "jobs": 1, **QUIET}
    with pytest.raises(KeyboardInterrupt):
        running.run_experiment(COIN, tmp_path / "killed", **options)
    ran.append("again")
    record = running.run_experiment(COIN, tmp_path / "killed", **options)
    assert ran == [0, 1, "again", 2]
    assert numbers(record) == numbers(whole)


def test_another_number_of_trials_does_not_overwrite(tmp_path):
    options = {"resamples": 20, "seed": 1, "jobs": 1, **QUIET}
    running.run_experiment(COIN, tmp_path, trials=50, **options)
    before = (tmp_path / "results" / "coin.json").read_bytes()
    with pytest.raises(SystemExit, match="holds 50 trials a point, not 20"):
        running.run_experiment(COIN, tmp_path, trials=20, **options)
    assert (tmp_path / "results" / "coin.json").read_bytes() == before
    said = []
    running.run_experiment(COIN, tmp_path, trials=50, **{**options, "seed": 2, "say": said.append})
    assert said[0] == "coin: measured again, as seed changed"


def test_a_variant_can_be_measured_by_itself(tmp_path):
    """And another version, or another variant's code, takes nothing away from what was measured."""
    two = replace(COIN, variants={**COIN.variants, "ours": coin})
    options = {"trials": 20, "resamples": 20, "seed": 1, "jobs": 1}
    first = running.run_experiment(COIN, tmp_path, **options, **QUIET)
    said = []
    both = running.run_experiment(two, tmp_path, **options, variants=["ours"], say=said.append)
    assert [text.split(":")[0] for text in said] == ["coin, ours, 0", "coin, ours, 0.3", "coin, ours, 1"]
    assert both["points"]["as published"] == first["points"]["as published"]
    said.clear()
    running.run_experiment(two, tmp_path, **options, variants=["ours"], fresh=True, say=said.append)
    assert said[0] == "coin, ours: measured again"
    assert {entry["condmmd"] for entry in both["points"]["ours"].values()} == {running.__version__}


def test_a_point_outside_is_listed(tmp_path):
    record = running.run_experiment(COIN, tmp_path, trials=200, resamples=20, seed=1, jobs=1, **QUIET)
    text = page([COIN], {"coin": record}, "")
    assert "**0 of 1 rejection rates" in text
    assert "Outside at 1, heads: 1 [0.9812, 1] against 0.5, bound 0.16" in text
    assert Target(0.5, "rate").bound() == pytest.approx(3 * (0.5 / 200) ** 0.5 + 0.01)


def test_an_older_default_is_said(tmp_path):
    two = replace(COIN, variants={**COIN.variants, "ours": coin}, share={"ours": 0.5})
    record = running.run_experiment(two, tmp_path, trials=20, resamples=20, seed=1, jobs=1, **QUIET)
    assert "20 trials a point, 10 ours (" in page([two], {"coin": record}, "")
    for entry in record["points"]["ours"].values():
        entry["condmmd"] = "0.0.1"
    assert "10 ours: the default of version 0.0.1, the plug-in of decision 4 (" in page([two], {"coin": record}, "")


def test_a_change_of_the_code_is_noticed(tmp_path, monkeypatch):
    source = "'''Doc.'''\nA = 1\nEXPERIMENTS = ['words']\ndef draw_it(): pass\n"
    same = source.replace("words", "other words").replace("Doc", "Other").replace("pass", "return 1")
    kept = [running.ast.dump(running.without_words(running.ast.parse(s))) for s in (source, same)]
    assert kept[0] == kept[1]
    changed = running.without_words(running.ast.parse(source.replace("A = 1", "A = 2")))
    assert running.ast.dump(changed) != kept[0]


def test_the_change_of_one_trial_leaves_the_records_of_the_others():
    source = "'''Doc.'''\nA = 1\ndef one(): return 1\ndef two(): return 2\n"
    changed = source.replace("return 2", "return 3")
    of_one = [running.structure(running.without_words(running.ast.parse(s), {"two"})) for s in (source, changed)]
    of_two = [running.structure(running.without_words(running.ast.parse(s), {"one"})) for s in (source, changed)]
    assert of_one[0] == of_one[1]
    assert of_two[0] != of_two[1]


def test_every_draw_is_in_the_histogram():
    """250 draws of each statistic, though the published bins of one are at a quarter of ours."""
    for which in (1, 2):
        record = json.loads((RESULTS / f"statistics_{which}.json").read_text())
        for name, bars in appendix_statistics.histogram(which).items():
            values = np.array(record["points"]["as published"]["250"]["curves"][name]["values"])
            edges = appendix_statistics.covering(np.array([*bars["bin_left"], bars["bin_right"][-1]]), values)
            assert np.all(np.diff(edges) > 0)
            assert np.histogram(values, edges)[0].sum() == len(values) == 250


def test_texts_name_only_variants_that_ran():
    for name, experiment in EXPERIMENTS.items():
        assert ("as written" in experiment.about.lower()) == ("as written" in experiment.variants), name


def test_the_levels_of_the_consistency_are_those_of_many_rows():
    """Quadrature against 200,000 pairs of drawn rows: within 4 standard errors."""
    rng = np.random.default_rng(0)
    x, x2 = rng.normal(size=(2, 200_000)) + rng.choice([-0.5, 0.5], size=(2, 200_000))

    def kernel(a, b):
        return np.exp(-0.5 * (a - b) ** 2)

    def inner(u, v):
        noise = 0.5 * rng.normal(size=(4, len(u)))
        y, z, y2, z2 = draws.curve(u) + noise[0], u + noise[1], draws.curve(v) + noise[2], v + noise[3]
        return kernel(y, y2) - kernel(y, z2) - kernel(z, y2) + kernel(z, z2)

    samples = inner(x, x), kernel(x, x2) * inner(x, x2)
    for values, truth in zip(samples, consistency.truths(), strict=True):
        assert abs(values.mean() - truth) < 4 * values.std() / len(values) ** 0.5


def test_the_published_rates_come_from_the_authors_numbers():
    """The smallest point of a figure, exactly; the record has all the others."""
    rows = replay.compared("appendix_1_type1", replay.measured(replay.REPLAYS["appendix_1_type1"], chosen=(10.0,)))
    assert len(rows) == 3
    assert [ours for *_, ours, _ in rows] == [theirs for *_, theirs in rows]


def test_the_record_of_replays_is_exact():
    for name, found in replay.kept().items():
        rows = replay.compared(name, found)
        assert len(rows) == sum(map(len, published.rates(replay.REPLAYS[name].figure).values()))
        assert all(ours == theirs for *_, ours, theirs in rows), name


def test_unknown_names_are_refused(capsys):
    with pytest.raises(SystemExit, match="2"):
        command.main(["nonsense"])
    assert "no experiment nonsense; there are toy, theta" in capsys.readouterr().err


def test_idx_files(tmp_path):
    values = np.arange(24, dtype=np.uint8).reshape(2, 3, 4)
    header = bytes([0, 0, 8, 3]) + np.array(values.shape, dtype=">u4").tobytes()
    path = tmp_path / "images.gz"
    path.write_bytes(data.gzip.compress(header + values.tobytes()))
    np.testing.assert_array_equal(data.read_idx(path), values)


@pytest.mark.skipif(not data.BESIDE.exists(), reason="the real data are not on this machine")
def test_the_real_mnist_test_set():
    name, pixels, digits = data.images()
    assert name == "MNIST test set"
    assert pixels.shape == (10_000, 784)
    np.testing.assert_array_equal(np.bincount(digits), [980, 1135, 1032, 1010, 982, 892, 958, 1028, 974, 1009])


def test_committed_results_are_of_the_committed_settings():
    """The page in the repository was made from these settings, at full size."""
    for name, experiment in EXPERIMENTS.items():
        record = json.loads((RESULTS / f"{name}.json").read_text())
        for variant in experiment.variants:
            assert record["settings"][variant] == running.fingerprint(experiment, variant), (name, variant)
            count, _ = running.size(experiment, variant, 200, 200)
            assert {e["trials"] for e in record["points"][variant].values()} == {count}
