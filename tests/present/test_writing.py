"""Files that appear whole or not at all, and replace nothing unasked."""

from pathlib import Path

import pytest

from condmmd.present import check_target, write_whole
from tests.present.hostile import hostile_result


def test_a_report_is_not_overwritten(tmp_path):
    result, page = hostile_result(), tmp_path / "page.html"
    page.write_text("mine")
    with pytest.raises(FileExistsError, match="exists already"):
        result.report(page)
    assert page.read_text() == "mine"
    with pytest.raises(FileNotFoundError, match="no folder"):
        result.report(tmp_path / "no" / "r.html")
    with pytest.raises(ValueError, match="is a folder"):
        result.report(tmp_path)


def test_targets(tmp_path):
    path = tmp_path / "a.txt"
    assert check_target(path, overwrite=False) == path
    path.write_text("old")
    assert check_target(path, overwrite=True) == path
    with pytest.raises(FileExistsError, match=r"`json_file`: .*a.txt exists already; .*overwrite=True"):
        check_target(str(path), overwrite=False, argument="json_file")


def test_a_file_is_written_whole(tmp_path):
    path = tmp_path / "a.txt"
    write_whole(path, "é\n")
    assert path.read_text(encoding="utf-8") == "é\n"
    assert path.stat().st_mode & 0o600 == 0o600
    write_whole(path, "new")
    assert [p.name for p in tmp_path.iterdir()] == ["a.txt"]


def test_nothing_is_left_where_writing_fails(tmp_path, monkeypatch):
    path = tmp_path / "a.txt"
    path.write_text("old")

    def fail(*_):
        raise OSError("disk full")

    monkeypatch.setattr(Path, "replace", fail)
    with pytest.raises(OSError, match="disk full"):
        write_whole(path, "new")
    assert [p.name for p in tmp_path.iterdir()] == ["a.txt"]
    assert path.read_text() == "old"
