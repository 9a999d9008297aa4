"""The experiments run, resume, do not depend on the number of workers, and find the exact numbers of the paper."""

import json
from dataclasses import replace

import numpy as np
import pytest

from experiments import __main__ as command
from experiments import data, running
from experiments.experiment import Experiment
from experiments.page import outside, page, rows_of
from experiments.published import Target, figures

EXPERIMENTS = {e.name: e for e in command.all_experiments()}
QUIET = {"say": lambda _: None}


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


def test_a_point_outside_is_listed(tmp_path):
    record = running.run_experiment(COIN, tmp_path, trials=200, resamples=20, seed=1, jobs=1, **QUIET)
    text = page([COIN], {"coin": record}, "")
    assert "**0 of 1 rejection rates" in text
    assert "Outside at 1, heads: 1 [0.9812, 1] against 0.5, bound 0.16" in text
    assert Target(0.5, "rate").bound() == pytest.approx(3 * (0.5 / 200) ** 0.5 + 0.01)


def test_a_change_of_the_code_is_noticed(tmp_path, monkeypatch):
    source = "'''Doc.'''\nA = 1\nEXPERIMENTS = ['words']\ndef draw_it(): pass\n"
    same = source.replace("words", "other words").replace("Doc", "Other").replace("pass", "return 1")
    kept = [running.ast.dump(running.without_words(running.ast.parse(s))) for s in (source, same)]
    assert kept[0] == kept[1]
    changed = running.without_words(running.ast.parse(source.replace("A = 1", "A = 2")))
    assert running.ast.dump(changed) != kept[0]


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
        path = running.Path(command.__file__).parent / "results" / f"{name}.json"
        record = json.loads(path.read_text())
        assert record["settings"] == running.fingerprint(experiment), name
        for variant in experiment.variants:
            count, _ = running.size(experiment, variant, 200, 200)
            assert {e["trials"] for e in record["points"][variant].values()} == {count}
