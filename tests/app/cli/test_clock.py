"""Long runs say what they are at; short and quiet ones say nothing."""

import io
import pickle
import re
import threading
import time
from argparse import Namespace
from contextlib import redirect_stderr

import pytest

from condmmd.app.cli import clock as module
from condmmd.app.cli import commands
from condmmd.app.cli.clock import TellingCompute, ticking
from condmmd.backend import total
from condmmd.inference import Compute
from tests.app.command_line import FAST, ROLES, run


@pytest.fixture
def hasty(monkeypatch):
    """Five seconds in a hundredth of one."""
    for name, value in (("PATIENCE", 0.03), ("TICK", 0.01), ("LOG", 0.02)):
        monkeypatch.setattr(module, name, value)


class Screen(io.StringIO):
    """A standard error on which somebody looks, or a log."""

    seen = False

    def isatty(self):
        return self.seen

    def wait_for(self, text):
        until = time.monotonic() + 20
        while text not in self.getvalue() and time.monotonic() < until:
            time.sleep(0.005)


@pytest.fixture
def screen():
    return Screen()


def told(screen):
    with redirect_stderr(screen), ticking(Namespace(quiet=False)) as clock:
        for doing in ("reading", "the report"):
            clock.tell(doing)
            screen.wait_for(doing)
    return screen.getvalue()


def test_a_log_has_a_line_now_and_then(hasty, screen):
    lines = told(screen).splitlines()
    assert {line.split(",")[0] for line in lines} == {"reading", "the report"}
    assert all(re.fullmatch(r"[a-z ]+, \d+ s", line) for line in lines)


def test_where_somebody_looks_the_line_changes_and_goes(hasty, screen):
    screen.seen = True
    err = told(screen)
    assert "\n" not in err
    assert err.endswith(module.CLEAR)
    assert "the report" in err


def test_short_and_quiet_runs_say_nothing(hasty, screen, monkeypatch):
    before = threading.active_count()
    with redirect_stderr(screen), ticking(Namespace(quiet=True)):
        time.sleep(0.1)
    monkeypatch.setattr(module, "PATIENCE", 60.0)
    with redirect_stderr(screen), ticking(Namespace(quiet=False)):
        assert threading.active_count() == before + 1
    assert threading.active_count() == before
    assert screen.getvalue() == ""


def test_it_stops_with_an_error(hasty, capsys):
    before = threading.active_count()
    with pytest.raises(ZeroDivisionError), ticking(Namespace(quiet=False)):
        raise ZeroDivisionError
    assert threading.active_count() == before


def test_passes_are_counted(hasty, capsys):
    da = pytest.importorskip("dask.array")
    with ticking(Namespace(quiet=False)) as clock:
        total(da.arange(4, chunks=2))
        assert clock.doing == "pass 1 over the rows"


def test_null_labels_are_counted_and_workers_have_no_clock():
    said = []
    compute = TellingCompute(2, keep_fits=True, tell=said.append)
    compute.report(64, 999)
    assert said == ["null draws 64/999"]
    assert pickle.loads(pickle.dumps(compute)) == Compute(2, keep_fits=True)  # noqa: S301


def test_every_command_has_one(hasty, file, capsys, monkeypatch):
    seen = []
    monkeypatch.setattr(module.Clock, "tell", lambda _, doing: seen.append(doing))
    assert run("test", file, *ROLES, *FAST) == 0
    assert any(doing.startswith("null draws ") for doing in seen)
    for command in (("measure", *ROLES), ("look",), ("plan", *ROLES, "--effect", "1")):
        seen.clear()
        assert run(command[0], file, *command[1:]) == 0
        assert seen


def test_the_answer_is_not_mixed_with_it(hasty, file, capsys, monkeypatch):
    real = commands.cmmd_test
    monkeypatch.setattr(commands, "cmmd_test", lambda *a, **k: time.sleep(0.5) or real(*a, **k))
    assert run("test", file, *ROLES, *FAST, "--json") == 0
    out, err = capsys.readouterr()
    assert out.startswith("{")
    assert "learning how Y and the groups depend on X, " in err
