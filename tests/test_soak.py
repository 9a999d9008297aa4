"""The soak in small; ``make soak`` is the long one. And what it looks for is found."""

import os
import signal
import subprocess
import sys

import pytest

from tests.soak import left_of, whole

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="it reads /proc")


def test_a_short_soak():
    command = [sys.executable, "-m", "tests.soak", "--scale", "0.01"]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=300)  # noqa: S603
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.startswith("200 calls: ")
    assert "nothing leaked, nothing half written, nothing left running" in done.stdout


def test_files_that_are_cut_are_seen(tmp_path):
    page, answer = tmp_path / "a.html", tmp_path / "a.json"
    assert whole(page)
    for path, text, expected in (
        (page, "<html></html>\n", True), (page, "<html>", False), (answer, '{"a": 1}', True), (answer, '{"a": ', False),
    ):  # fmt: skip
        path.write_text(text)
        assert whole(path) == expected


def test_processes_that_are_left_are_seen():
    script = "import subprocess, sys; subprocess.Popen([sys.executable, '-c', 'import time; time.sleep(60)'])"
    with subprocess.Popen([sys.executable, "-c", script], start_new_session=True) as first:  # noqa: S603
        first.wait()
    (left,) = left_of(first.pid, patience=0.2)
    os.kill(left, signal.SIGKILL)
    assert left_of(first.pid, patience=5) == []
