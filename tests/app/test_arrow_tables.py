"""Tables of pyarrow: what is read from text, and columns as numbers or categories."""

import pyarrow as pa
import pytest

from condmmd.app.arrow_tables import concatenated, decoded, parse, rows_where, table_of, typed
from condmmd.app.bounds import Bounds


def test_text():
    table = parse(bytearray(b'a;b\n1;"x\ny"\nNA;z\n'), "t", ";", Bounds())
    assert table.to_pydict() == {"a": [1, None], "b": ["x\ny", "z"]}
    with pytest.raises(ValueError, match="has 2 columns, and at most 1"):
        parse(bytearray(b"a;b\n1;2\n"), "t", ";", Bounds(columns=1))
    with pytest.raises(UnicodeError, match="column 'a' is not UTF-8 text"):
        parse(bytearray(b"a\n\xe9\n"), "t", ",", Bounds())


def test_a_row_without_end():
    with pytest.raises(ValueError, match="a row is longer than"):
        parse(bytearray(b"a,b\n1,2\n" + b'1,"' + b"x" * 3_000_000), "t", ",", Bounds())


@pytest.mark.parametrize(
    ("values", "told", "expected", "kind"),
    [
        ([1, 2, None], (False, False), [1.0, 2.0, None], "number"),
        ([1, 2], (True, False), ["1", "2"], "category"),
        ([True, None], (False, False), ["true", None], "category"),
        ([True, False], (False, True), [1.0, 0.0], "number"),
        (["5 €", None, "1.234,50 €"], (False, False), [5.0, None, 1234.5], "number (€, decimal comma)"),
        (["7", "8"], (False, True), [7.0, 8.0], "number"),
        (["7", "8", "9"], (False, False), ["7", "8", "9"], "category"),
    ],
)
def test_columns(values, told, expected, kind):
    column, found = typed(pa.chunked_array([values]), "x", *told)
    assert (column.to_pylist(), found) == (expected, kind)


def test_codes_are_taken_away():
    codes = pa.chunked_array([pa.array(["u", "v", "u"]).dictionary_encode()])
    assert decoded(codes, "x").type == pa.string()
    with pytest.raises(ValueError, match="one of at most 1,000 can name a category"):
        decoded(pa.chunked_array([["x" * 2000]]), "x")


def test_rows_of_two_tables():
    both = concatenated(table_of({"a": [1]}), table_of({"a": [2.5]}), ["a"])
    assert rows_where(both, [False, True])["a"].to_pylist() == [2.5]
