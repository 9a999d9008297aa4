"""Excel files: read as the same table in CSV is, or refused with what to do."""

import sys
import zipfile
from datetime import datetime

import pytest

from condmmd.app.bounds import Bounds
from condmmd.app.excel_files import read_excel
from condmmd.app.files import read_file
from tests.app.command_line import FAST, ROLES, answer, run
from tests.app.minimal_excel import installed, write_xlsx

DAY = datetime.fromisoformat("2020-01-02")


def rows_of(table):
    return [list(table.columns), *(row for row in table.astype(object).to_numpy().tolist())]


def test_as_csv(table, file, tmp_path, monkeypatch, capsys):
    installed(monkeypatch)
    path = tmp_path / "t.xlsx"
    write_xlsx(path, {"Data": rows_of(table), "Empty": []})
    expected, found = answer(capsys, file, *ROLES), answer(capsys, path, *ROLES)
    assert found["pvalue"] == expected["pvalue"]
    assert found["columns"] == expected["columns"]


def test_every_kind_of_cell(tmp_path, monkeypatch):
    installed(monkeypatch)
    path = tmp_path / "t.xlsx"
    rows = [
        ["number", "truth", "day", "mixed", "text", None, None],
        [1, True, DAY, 3, "a & b", None, None],
        [None, None, None, None, None, None, None],
        [2.5, False, None, "x", "#N/A", 7, None],
    ]
    write_xlsx(path, {"s": rows})
    found = read_excel(path.read_bytes(), "t.xlsx", Bounds())
    assert found == {
        "number": [1.0, 2.5], "truth": [True, False], "day": [DAY, None], "mixed": ["3", "x"],
        "text": ["a & b", None], "": [None, 7.0],
    }  # fmt: skip
    assert str(read_file(str(path))["day"].type).startswith("timestamp")


def test_sheets(table, tmp_path, monkeypatch, capsys):
    installed(monkeypatch)
    path = tmp_path / "t.xlsx"
    write_xlsx(path, {"old": rows_of(table.head(90)), "new": rows_of(table), "notes": [["by me"]]})
    assert run("test", path, *ROLES, *FAST) == 2
    assert "has several sheets, 'old', 'new'; name one of them with --sheet" in capsys.readouterr().err
    assert sum(answer(capsys, path, *ROLES, "--sheet", "new")["n_obs"].values()) == 160
    assert run("test", path, *ROLES, *FAST, "--sheet", "neu") == 2
    assert "has no sheet 'neu'; it has 'old', 'new', 'notes'" in capsys.readouterr().err
    assert run("look", path, "--sheet", "new", "--quiet") == 0
    assert "--sheet=new" in capsys.readouterr().out


def test_without_openpyxl(tmp_path, monkeypatch, capsys):
    monkeypatch.setitem(sys.modules, "openpyxl", None)
    path = tmp_path / "t.xlsx"
    write_xlsx(path, {"s": [["y", "x", "g"], [1, 2, 3]]})
    assert run("test", path, "--outcome", "y", "--group", "g") == 2
    err = capsys.readouterr().err
    assert "needs openpyxl: pip install 'condmmd[excel]'. Or save the sheet as CSV." in err


@pytest.mark.parametrize(
    ("parts", "message"),
    [
        ({"a.csv": "y,x,g"}, "is a zip archive; unpack it"),
        ({"content.xml": "x"}, "a table of another office program; save it as CSV"),
        ({"xl/workbook.xml": "<broken"}, "could not be read: "),
        ({"xl/workbook.xml": "x" * 4_000_000}, "takes more than 1 MB of memory (once it is unpacked)"),
    ],
)
def test_archives(tmp_path, monkeypatch, parts, message, capsys):
    installed(monkeypatch)
    path = tmp_path / "t.xlsx"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, text in parts.items():
            archive.writestr(name, text)
    assert run("test", path, "--outcome", "y", "--group", "g", "--max-memory", "1M") == 2
    assert message in capsys.readouterr().err


@pytest.mark.parametrize(
    ("content", "message"),
    [(b"\xd0\xcf\x11\xe0 and more", "of an old Excel; save it as .xlsx or as CSV"), (b"PK\x03\x04 cut", "and is none")],
)
def test_broken_and_old(tmp_path, content, message, capsys):
    path = tmp_path / "t.xls"
    path.write_bytes(content)
    assert run("test", path, "--outcome", "y", "--group", "g") == 2
    assert message in capsys.readouterr().err


def test_bounds_and_headers(tmp_path, monkeypatch):
    installed(monkeypatch)
    path = tmp_path / "t.xlsx"
    write_xlsx(path, {"s": [["a", "a"], [1, 2]]})
    with pytest.raises(ValueError, match="more than one column called 'a'"):
        read_file(str(path))
    with pytest.raises(ValueError, match="has 2 columns, and at most 1 are read"):
        read_file(str(path), bounds=Bounds(columns=1))
    write_xlsx(path, {"s": []})
    with pytest.raises(ValueError, match="is empty"):
        read_file(str(path))
    (tmp_path / "t.csv").write_text("a,b\n1,2\n")
    with pytest.raises(ValueError, match="--sheet is for Excel files"):
        read_file(str(tmp_path / "t.csv"), sheet="s")
