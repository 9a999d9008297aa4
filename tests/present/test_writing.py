"""Files that appear whole or not at all, and replace nothing unasked."""

import os
import stat
import threading
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


@pytest.mark.parametrize("overwrite", [False, True])
def test_a_pipe_or_a_device_is_never_replaced(tmp_path, overwrite):
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    (tmp_path / "link").symlink_to(pipe)
    for path in (pipe, tmp_path / "link", os.devnull):
        with pytest.raises(ValueError, match=r"`path`: .* is a pipe, a socket or a device; name a file"):
            check_target(path, overwrite=overwrite)
    with pytest.raises(ValueError, match="is a pipe, a socket or a device"):  # if it came while we worked
        write_whole(pipe, "new")
    assert stat.S_ISFIFO(pipe.stat().st_mode)


def test_behind_a_link_its_target_is_written(tmp_path):
    (tmp_path / "other").mkdir()
    target, link = tmp_path / "other" / "a.txt", tmp_path / "link.txt"
    link.symlink_to(target)
    for text, overwrite in (("first", False), ("second", True)):
        write_whole(check_target(link, overwrite=overwrite), text)
        assert link.is_symlink()
        assert target.read_text() == text
    with pytest.raises(FileExistsError, match=r"link\.txt exists already"):
        check_target(link, overwrite=False)
    link.unlink()
    link.symlink_to(tmp_path / "no" / "a.txt")
    with pytest.raises(FileNotFoundError, match="there is no folder"):
        check_target(link, overwrite=True)
    assert [p.name for p in target.parent.iterdir()] == ["a.txt"]


@pytest.mark.parametrize("mode", [0o600, 0o640, 0o666])
def test_permissions_are_kept(tmp_path, mode):
    path = tmp_path / "a.txt"
    path.write_text("old")
    path.chmod(mode)
    write_whole(path, "new")
    assert (path.read_text(), stat.S_IMODE(path.stat().st_mode)) == ("new", mode)


def test_an_unwritable_target_is_found_before_the_work(tmp_path, monkeypatch):
    with pytest.raises(PermissionError, match=r"`path`: no file can be made in /proc"):
        check_target("/proc/a.html", overwrite=False)
    path = tmp_path / "a.txt"
    path.write_text("old")
    path.chmod(0o444)
    monkeypatch.setattr(os, "access", lambda *_: False)  # as it is for all but the superuser
    with pytest.raises(PermissionError, match=r"`path`: .*a.txt may not be written to"):
        check_target(path, overwrite=True)
    assert [p.name for p in tmp_path.iterdir()] == ["a.txt"]


def test_a_reader_sees_one_of_two_whole_files(tmp_path):
    path, texts = tmp_path / "a.txt", {"a" * 100_000, "b" * 100_000}
    write_whole(path, min(texts))
    writer = threading.Thread(target=lambda: [write_whole(path, text) for text in sorted(texts) * 20])
    writer.start()
    while writer.is_alive():
        assert path.read_text() in texts
    writer.join()
