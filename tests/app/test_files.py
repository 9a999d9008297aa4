"""Every kind of file, and every kind of bad one."""

import gzip
import sys

import pyarrow as pa
import pytest

from condmmd.app.files import pick_columns, read_file, stack
from tests.app.command_line import FAST, ROLES, answer, run


def test_all_formats_agree(table, file, tmp_path, capsys, monkeypatch):
    expected = answer(capsys, file, *ROLES)["pvalue"]
    others = {name: tmp_path / name for name in ("t.tsv", "t.csv.gz", "t.parquet", "t.semicolon", "latin.csv")}
    table.to_csv(others["t.tsv"], index=False, sep="\t")
    table.to_csv(others["t.csv.gz"], index=False)
    table.assign(town=table.town.astype("category")).to_parquet(others["t.parquet"])
    table.to_csv(others["t.semicolon"], index=False, sep=";")
    table.to_csv(others["latin.csv"], index=False, encoding="latin-1")
    for path in others.values():
        assert answer(capsys, path, *ROLES)["pvalue"] == expected, path
    for path in (file, others["t.csv.gz"], others["t.parquet"]):
        with path.open("rb") as stream:
            monkeypatch.setattr(sys, "stdin", type("S", (), {"buffer": stream})())
            assert answer(capsys, "-", *ROLES)["pvalue"] == expected


def test_bad_files(tmp_path, capsys):
    contents = {
        "empty.csv": (b"", "is empty"),
        "twice.csv": (b"y,y,g\n1,2,1\n", "more than one column called 'y'"),
        "ragged.csv": (b"y,x,g\n1,2,1\n1,2\n", "could not be read"),
        "latin.csv": ("y,x,g\né,2,1\n".encode("latin-1"), "--encoding"),
        "cut.gz": (gzip.compress(b"y,x,g\n" + b"1,2,1\n" * 5000)[:60], "could not be read"),
        "cut.parquet": (b"PAR1 and then nothing", "could not be read"),
        "header.csv": (b"y,x,g\n", "no rows"),
        "ids.csv": (
            b"y,x,g\n" + b"".join(b"%d,id%d,%d\n" % (k, k, k % 2) for k in range(60)),
            "identifier or free text",
        ),
        "utf16.csv": ("y,x,g\n1,2,1\n".encode("utf-16"), "utf-16"),
        "header.latin.csv": ("y,é,g\n1,2,1\n".encode("latin-1"), "--encoding"),
        "mark.csv": (
            b"y,x,g\n" + b"".join(b"%d,%s,%d\n" % (k, b"?" if k == 7 else b"%d" % k, k % 2) for k in range(40)),
            "looks like numbers, but 1 of its 40 different values are not, such as '?'",
        ),
        "thousands.csv": (
            b"y,x,g\n" + b"".join(b'%d,"%d,000",%d\n' % (k, k + 1, k % 2) for k in range(40)),
            "without separators of thousands",
        ),
        "void.csv": (b"y,x,g\n" + b"1,,1\n2,,0\n" * 5, "'x' is empty"),
        "one.csv": (b"y,x,g\n" + b"1,2,1\n" * 5, "two different values; it has 1: '1'"),
        "few.csv": (b"y,x,g\n" + b"1,2,1\n" * 5 + b"1,2,0\n", "at least 2 are needed"),
    }
    for name, (content, message) in contents.items():
        (tmp_path / name).write_bytes(content)
        assert run("test", tmp_path / name, "--outcome", "y", "--group", "g", *FAST) == 2, name
        assert message in capsys.readouterr().err, name
    assert run("test", tmp_path, "--outcome", "y", "--group", "g") == 2


def test_types_are_seen_or_told():
    table = pa.table({
        "number": [1.5, float("nan"), 3.0], "flag": [True, False, True], "word": ["b", "a", "b"],
        "day": pa.array([0, 1, 2], pa.date32()), "code": [1, 2, 1],
    })  # fmt: skip
    names = table.column_names
    found = pick_columns(table, names, categorical=["code"], drop_missing=True)
    assert found.types == {
        "number": "number", "flag": "category (1 values)", "word": "category (1 values)",
        "day": "date, as days since 1970", "code": "category (1 values)",
    }  # fmt: skip
    assert found.dropped == 1  # NaN is missing
    assert [day.date().isoformat() for day in found.table["day"].to_pylist()] == ["1970-01-01", "1970-01-03"]
    with pytest.raises(ValueError, match="1 of 3 rows have missing values"):
        pick_columns(table, names)
    with pytest.raises(ValueError, match="cannot be both --categorical and --numeric"):
        pick_columns(table, names, categorical=["code"], numeric=["code"])
    with pytest.raises(ValueError, match="nothing is left"):
        pick_columns(pa.table({"a": [None, None, 1.0], "b": [1.0, 2.0, None]}), ["a", "b"], drop_missing=True)


def test_tables_that_do_not_go_together():
    first, second = pa.table({"a": [1.0], "b": ["u"]}), pa.table({"a": [2.0], "c": ["v"]})
    assert stack(first, second, ["a"]).column("a").to_pylist() == [1.0, 2.0]
    with pytest.raises(ValueError, match="the second file has no column 'b'; it has 'a', 'c'"):
        stack(first, second, ["a", "b"])
    with pytest.raises(ValueError, match="the two files do not go together"):
        stack(first, pa.table({"a": ["text"]}), ["a"])


def test_the_delimiter_is_guessed_or_told(tmp_path):
    path = tmp_path / "t.txt"
    path.write_text("a|b;c|d\n1|2|3\n")
    assert read_file(str(path)).column_names == ["a", "b;c", "d"]
    path.write_text("a;b\n1;2\n")
    assert read_file(str(path), delimiter=";").column_names == ["a", "b"]
    with pytest.raises(FileNotFoundError, match="is not a file"):
        read_file(str(tmp_path))


def test_integers_that_floats_cannot_tell_apart():
    table = pa.table({"id": [10**18 + k for k in range(4)]})
    with pytest.raises(ValueError, match=r"'id' has integers beyond 2\*\*53.*--categorical"):
        pick_columns(table, ["id"])
