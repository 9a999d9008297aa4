"""Files that ask for too much are refused early, with their size and the option that allows more."""

import gzip
import io
import resource
import time

import pyarrow as pa
import pytest
from pyarrow import csv

from condmmd.app.bounds import Bounds, in_words, read_all, read_size
from condmmd.app.files import pick_columns, read_file
from tests.app.command_line import FAST, run

ROW = b"0.5,1.5,1\n1.5,0.5,0\n"


def test_sizes():
    assert [read_size(text) for text in ("500", "2K", "1.5M", "4G", "4gb", "1 TiB")] == [
        500, 2048, 3 * 2**19, 2**32, 2**32, 2**40,
    ]  # fmt: skip
    for bad in ("", "much", "-1", "0", "4X", "1e9"):
        with pytest.raises(ValueError, match="--max-memory must be a size such as 500M or 4G; got"):
            read_size(bad)
    assert [in_words(size) for size in (12, 2048, 1.5 * 2**20, 2**31, 2**41)] == [
        "12 bytes", "2 kB", "1.5 MB", "2 GB", "2.05e+03 GB",
    ]  # fmt: skip
    with pytest.raises(ValueError, match="--max-columns must be at least 1; got 0"):
        Bounds(columns=0)


def test_the_text_and_its_fields_are_counted():
    text = b"a,b\n" * 1000  # 4,000 bytes and 2,000 fields of 8
    assert read_all(io.BytesIO(text), "t", Bounds(20_000), delimiter=",") == text
    with pytest.raises(ValueError, match=r"t takes more than 19.5 kB .*\(after 3.91 kB of it with 2,000 fields"):
        read_all(io.BytesIO(text), "t", Bounds(19_999), delimiter=",")
    assert read_all(io.BytesIO(text), "t", Bounds(4000)) == text  # not fields


@pytest.mark.parametrize("encoding", ["latin-1", "utf-16", "utf-8", "UTF8"])
def test_text_becomes_utf8(encoding):
    text = "naïve,b\n" * 300_000  # more than a piece
    found = read_all(io.BytesIO(text.encode(encoding)), "t", Bounds(), delimiter=",", encoding=encoding)
    assert found.decode() == text


def test_a_file_is_refused_by_its_size_before_it_is_read(tmp_path):
    path = tmp_path / "t.csv"
    with path.open("wb") as file:
        file.truncate(2**33)  # which takes no room on the disk
    start = time.process_time()
    with pytest.raises(ValueError, match=r"takes more than 2 GB of memory \(by its size alone\)"):
        read_file(str(path))
    assert time.process_time() - start < 1


def test_what_unpacks_to_much_more_is_refused_on_the_way(tmp_path, capsys):
    """A gigabyte of rows in a megabyte of gzip, read with a tenth of that."""
    path = tmp_path / "t.csv.gz"
    piece = gzip.compress(ROW * 50_000)
    path.write_bytes(gzip.compress(b"y,x,g\n") + piece * 1000)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    assert run("test", path, "--outcome", "y", "--group", "g", "--max-memory", "100M", *FAST) == 2
    told = capsys.readouterr().err
    assert "takes more than 100 MB of memory (after" in told
    assert "or raise --max-memory." in told
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 300_000  # kilobytes
    path.write_bytes(gzip.compress(b"y,x,g\n" + ROW * 200 + b"0.5,1.5,0\n1.5,0.5,1\n" * 20))
    assert run("test", path, "--outcome", "y", "--group", "g", "--max-memory", "20K", *FAST) == 0


def test_many_columns(tmp_path):
    """Refused by the header; and if they are wanted, twice as many take about twice as long, not four times."""
    path = tmp_path / "t.csv"
    names = [f"c{k}" for k in range(20_000)]
    path.write_text(",".join(names) + "\n" + 3 * (",".join(["1.5"] * len(names)) + "\n"))
    with pytest.raises(ValueError, match=r"has 20,000 columns, and at most 10,000 are read.*raise --max-columns"):
        read_file(str(path))
    start = time.process_time()
    table = read_file(str(path), bounds=Bounds(columns=20_000))
    picked = pick_columns(table, names)
    assert picked.table.num_columns == 20_000
    assert time.process_time() - start < 60  # it took 260 seconds when names were looked for in a list


def test_a_huge_field_ends_in_an_error_and_not_in_a_wait(tmp_path, monkeypatch, capsys):
    """The reader's threads waited for Python, which waited for them, in 1 of 6 runs: so it has neither of them."""
    path = tmp_path / "t.csv"
    path.write_bytes(gzip.compress(b"y,x,g\n" + ROW * 200 + b'1,"' + b"a" * 3_000_000 + b'",1\n' + ROW * 200))
    seen, read_csv = [], csv.read_csv

    def spied(source, read_options, **options):
        seen.append((type(source), read_options.use_threads))
        return read_csv(source, read_options=read_options, **options)

    monkeypatch.setattr(csv, "read_csv", spied)
    assert run("test", path, "--outcome", "y", "--group", "g") == 2
    assert "a row is longer than 1 MB. Close the quotation mark that runs on" in capsys.readouterr().err
    assert seen == [(pa.BufferReader, False)]


@pytest.mark.parametrize("column", ["x", "g"])
def test_a_long_text_is_no_category(tmp_path, capsys, column):
    """One of 300,000 characters was held once for each row."""
    path = tmp_path / "t.csv"
    value = {"x": "a", "g": "1"} | {column: "a" * 300_000}
    path.write_text("y,x,g\n" + "0.5,a,1\n1.5,b,0\n" * 500 + f"2.5,{value['x']},{value['g']}\n")
    assert run("test", path, "--outcome", "y", "--group", "g", "--groups", "0", "1", *FAST) == 2
    assert f"'{column}' has a value of 300,000 bytes, and one of at most 1,000 can" in capsys.readouterr().err


def test_a_long_name_is_no_column(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("y,x," + "g" * 2000 + "\n1,2,1\n")
    with pytest.raises(ValueError, match="has a column name of 2,000 characters; its first line must name the columns"):
        read_file(str(path))
