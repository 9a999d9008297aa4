"""What the options of the report cost: nothing is computed that was not asked for, nothing fails after the work."""

import numpy as np
import pytest

from condmmd.app.cli import commands, main
from condmmd.present import report
from condmmd.results import questions


@pytest.fixture
def table(tmp_path):
    rng = np.random.default_rng(0)
    x, group = rng.normal(size=80), np.repeat([1, 0], 40)
    rows = "\n".join(f"{a:.4f},{a + b:.4f},{g}" for a, b, g in zip(x, rng.normal(size=80), group, strict=True))
    path = tmp_path / "table.csv"
    path.write_text(f"x,y,g\n{rows}\n")
    return str(path)


def test_a_report_without_its_extras_is_refused_before_any_work(table, tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(report, "find_spec", lambda name: None if name == "jinja2" else object())
    monkeypatch.setattr(commands, "read_job", lambda _: pytest.fail("the table was read"))
    status = main(["test", table, "--outcome", "y", "--group", "g", "--report", str(tmp_path / "r.html")])
    assert status == 2
    assert "the report needs jinja2: pip install 'condmmd[report]'" in capsys.readouterr().err


def test_a_report_without_where_does_not_compute_it(table, tmp_path, monkeypatch):
    monkeypatch.setattr(questions, "locate", lambda *_, **__: pytest.fail("where was computed"))
    path = tmp_path / "r.html"
    options = ["--resamples", "39", "--no-where", "--quiet", "--report", str(path)]
    assert main(["test", table, "--outcome", "y", "--group", "g", *options]) == 0
    text = path.read_text()
    assert "<h2>Where</h2>" not in text
    assert "<h2>How it was tested</h2>" in text


def test_nothing_is_fitted_twice(table, tmp_path, monkeypatch):
    """The test, where it differs, and the report share one fit."""
    from condmmd.inference import plan  # noqa: PLC0415

    fits, real = [], plan.regress_pooled
    monkeypatch.setattr(plan, "regress_pooled", lambda *given: fits.append(1) or real(*given))
    options = ["--resamples", "39", "--quiet", "--report", str(tmp_path / "r.html")]
    assert main(["test", table, "--outcome", "y", "--group", "g", *options]) == 0
    assert len(fits) == 1


def test_little_overlap_is_told_once(tmp_path):
    """The warning of the library and the check of the report say the same."""
    rng = np.random.default_rng(0)
    g = np.repeat([1, 0], 60)
    path = tmp_path / "apart.csv"
    rows = np.column_stack([rng.normal(size=120) + 3 * g, rng.normal(size=120), g])
    path.write_text("x,y,g\n" + "\n".join(",".join(map(str, row)) for row in rows))
    page = tmp_path / "r.html"
    options = ["--resamples", "39", "--no-where", "--quiet", "--report", str(page)]
    assert main(["test", str(path), "--outcome", "y", "--group", "g", *options]) == 0
    first = page.read_text().partition("<h2>")[0]
    assert "Warning: overlap" in first
    assert "overlap little" not in first
    assert "g = 1" in first
    assert "g = 1.0" not in first
