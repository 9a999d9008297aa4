"""Workers, batches and progress."""

import pytest

from condmmd import Compute


def test_progress_goes_to_standard_error_if_it_is_wanted(capsys):
    Compute().report(1, 2)
    assert capsys.readouterr() == ("", "")
    loud = Compute(progress=True)
    loud.report(64, 100)
    loud.report(100, 100)
    assert capsys.readouterr() == ("", "\rnull draws 64/100\rnull draws 100/100\n")


def test_what_may_be_set():
    assert Compute(n_jobs=-1, batch_size=5).n_jobs == -1
    for bad in ({"n_jobs": 0}, {"n_jobs": -2}, {"n_jobs": 1.5}, {"batch_size": 0}, {"batch_size": "all"}):
        with pytest.raises(ValueError, match=rf"`{next(iter(bad))}` must be a positive integer"):
            Compute(**bad)


def test_workers_are_bounded_by_the_cores_and_by_the_work(monkeypatch):
    """A thousand batches and 100,000 workers took a machine down."""
    monkeypatch.setattr("joblib.cpu_count", lambda: 8)
    for n_jobs, batches, expected in (
        (None, 50, 1), (1, 50, 1), (100_000, 50, 8), (10**400, 50, 8), (100_000, 3, 3), (-1, 50, 8), (-1, 3, 3),
        (4.0, 50, 4), (5, 0, 1),
    ):  # fmt: skip
        found = Compute(n_jobs=n_jobs).workers(batches)
        assert (found, type(found)) == (expected, int)
