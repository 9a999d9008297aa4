"""Without pyarrow: the same tables, types, answers and refusals as with it."""

import json
import subprocess
import sys

import numpy as np
import pytest

from condmmd.app import files
from condmmd.app.bounds import Bounds
from condmmd.app.files import few_values, pick_columns, read_column, read_file, stack
from condmmd.app.plain_tables import PlainTable, parse, table_of, typed
from condmmd.data import read_table
from tests.app.command_line import FAST, ROLES, answer, run

EVERYTHING = """whole,number,truth,day,moment,text,pay,date,none,big
1,1.5,true,2020-01-02,2020-01-02 03:04:05,a,"$1,200.50",31/12/2020,,1
-2,1e3,False,2020-02-29,2020-01-02T03:04,"b ""q"", c",$3,01/02/2021,NA,90071992547409930

3,.5,TRUE,1969-12-31,1999-12-31 23:59:59.5,é,-$7,05/06/1999,,3
NA,inf,false,,2020-01-02 00:00,NULL,,02/02/2020,null,4
"""


@pytest.fixture
def plain(monkeypatch):
    monkeypatch.setattr(files, "find_spec", lambda _: None)


def both(tmp_path, monkeypatch, text, name="t.csv"):
    """A file as it is read with pyarrow, and without."""
    path = tmp_path / name
    path.write_text(text)
    with_arrow = read_file(str(path))
    with monkeypatch.context() as patch:
        patch.setattr(files, "find_spec", lambda _: None)
        without = read_file(str(path))
    assert isinstance(without, PlainTable)
    return with_arrow, without


def test_every_type_as_pyarrow_has_it(tmp_path, monkeypatch):
    tables = both(tmp_path, monkeypatch, EVERYTHING)
    assert tables[0].column_names == tables[1].column_names
    for name in ("whole", "number", "truth", "day", "moment", "text", "pay", "date"):
        for told in ({}, {"categorical": [name]} if name in {"whole", "truth", "text", "pay", "day"} else {}):
            one, other = (pick_columns(table, [name], drop_missing=True, **told) for table in tables)
            assert one.types == other.types, name
            assert one.dropped == other.dropped
            if name == "number":  # it has an infinite value, which no table takes
                assert one.table[name].to_pylist() == pytest.approx(other.table[name].to_pylist())
                continue
            read, plain = read_table(one.table, "X"), other.table.as_space("X")
            assert read.columns == plain.columns
            assert read.columns[0].dates == (name in {"day", "moment", "date"} and not told)
            np.testing.assert_allclose(read.values, plain.values)
        (first, valid), (second, same) = (read_column(table, name) for table in tables)
        np.testing.assert_array_equal(valid, same)
        assert first.types == second.types
        assert sorted(few_values(tables[0], name, 9)) == sorted(few_values(tables[1], name, 9))
    for name, message in (("none", "is empty"), ("big", "beyond 2")):
        for table in tables:
            with pytest.raises(ValueError, match=message):
                pick_columns(table, [name])
    assert few_values(tables[1], "whole", 2) is None


def test_the_same_answers(table, file, tmp_path, capsys, monkeypatch):
    days = np.datetime64("2020-01-01") + np.random.default_rng(0).permutation(160)
    data = table.assign(day=days, ok=table.zip > 1, subject=[f"s{k // 2}" for k in range(160)])
    data.loc[3, "age"] = None
    path = tmp_path / "t.csv"
    data.to_csv(path, index=False)
    options = ("--drop-missing", "--blocks", "subject", "--categorical", "zip")
    expected = answer(capsys, path, *ROLES, *options)
    first, second = tmp_path / "first.csv", tmp_path / "second.csv"
    table[table.treated == 1].to_csv(first, index=False)
    table[table.treated == 0].assign(age=lambda d: d.age + 0.5).to_csv(second, index=False)
    apart = ("--outcome", "y", "--exclude", "treated")
    expected_apart = answer(capsys, first, second, *apart)
    with monkeypatch.context() as patch:
        patch.setattr(files, "find_spec", lambda _: None)
        found = answer(capsys, path, *ROLES, *options)
        found_apart = answer(capsys, first, second, *apart)
    assert found == expected
    assert found_apart == expected_apart


def test_a_look(file, plain, capsys):
    assert run("look", file, *ROLES, "--quiet") == 0
    out = capsys.readouterr().out
    assert "category (3 values)" in out
    assert "condmmd test" in out


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"y,x,g\n1,2,1\n1,2\n", "row 3 has 2 fields, and the first line 3"),
        (b"y,y,g\n1,2,1\n", "more than one column called 'y'"),
        ("y,x,g\né,2,1\n".encode("latin-1"), "--encoding"),
        (b"\n\n", "is empty"),
        (b"y,x,g\n", "no rows"),
        (b"PAR1 and more", "is Parquet, which needs pyarrow: pip install 'condmmd[report]'. Or write it as CSV"),
        (b"y,x,g\n" + b"1,%s,1\n" % (b"a" * 2000), "one of at most 1,000 can name a category"),
        (b"y,x,g\n1,inf,1\n1,2,0\n2,3,1\n2,4,0\n", "--covariates: column 'x' has infinite values"),
        (b"y,x,g\n" + b"".join(b"%d,%s,%d\n" % (k, b"?" if k == 7 else b"%d" % k, k % 2) for k in range(40)),
         "1 of its 40 different values are not, such as '?'"),
    ],
)  # fmt: skip
def test_refused(plain, content, message, tmp_path, capsys):
    path = tmp_path / "t.csv"
    path.write_bytes(content)
    assert run("test", path, "--outcome", "y", "--group", "g", *FAST) == 2
    assert message in capsys.readouterr().err


def test_two_tables_that_do_not_go_together():
    numbers, words = table_of({"a": [1.5]}), table_of({"a": ["text"]})
    with pytest.raises(ValueError, match="'a' is number in one and text in the other"):
        stack(numbers, words, ["a"])
    assert stack(numbers, table_of({"a": [2]}), ["a"])["a"].kind == "number"


def test_rows_and_columns():
    table = parse(bytearray(b"\xef\xbb\xbfa;b\n1;x\n2;y\n"), "t", ";", Bounds())
    assert table.column_names == ["a", "b"]
    assert table.filter([False, True]).select(["b"])["b"].to_pylist() == ["y"]
    assert table.append_column("c", [[5], [6]])["c"].to_pylist() == [5, 6]
    space = table.as_space("X")
    np.testing.assert_array_equal(space.values, [[1, 0], [2, 1]])
    assert space.columns[1].categories == ("x", "y")
    assert typed(table["a"], "a", as_category=True, as_number=False)[0].to_pylist() == ["1", "2"]


def test_the_core_alone_reads_text(file, capsys):
    """In a process that has no library of tables and none of pictures."""
    expected = answer(capsys, file, *ROLES)["pvalue"]
    blocked = ("pyarrow", "pandas", "polars", "dask", "openpyxl", "matplotlib", "jinja2", "torch")
    code = (
        "import sys; from importlib.machinery import PathFinder; real = PathFinder.find_spec\n"
        f"PathFinder.find_spec = lambda name, *a: None if name.split('.')[0] in {blocked} else real(name, *a)\n"
        "from condmmd.app.cli import main; status = main(sys.argv[1:])\n"
        f"assert not set({blocked}) & set(sys.modules); sys.exit(status)"
    )
    command = [sys.executable, "-c", code, "test", str(file), *ROLES, *FAST, "--json", "--quiet"]
    done = subprocess.run(command, capture_output=True, text=True, check=True)  # noqa: S603
    assert json.loads(done.stdout)["pvalue"] == expected
