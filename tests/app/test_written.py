"""Amounts and dates in all the ways that people write them, and those that could mean two things."""

from datetime import date

import numpy as np
import pyarrow as pa
import pytest

from condmmd.app.files import pick_columns
from condmmd.app.written import read_written, refuse_broken_numbers
from tests.app.command_line import FAST, ROLES, answer, run


def days(*moments):
    return [float((date(*moment) - date(1970, 1, 1)).days) for moment in moments]


@pytest.mark.parametrize(
    ("texts", "values", "kind"),
    [
        (["$1,234.50", "$0.99", "-$5", "($1,000,000)"], [1234.5, 0.99, -5, -1e6], "number ($)"),
        (["$1,234", "$950", "$12,500"], [1234, 950, 12500], "number ($)"),  # money has no three decimals
        (["1 234,50 €", "12,5 €", "7 €"], [1234.5, 12.5, 7], "number (€, decimal comma)"),
        (["1.234,50 €", "0,99€"], [1234.5, 0.99], "number (€, decimal comma)"),
        (["1\u202f234,50", "3,5"], [1234.5, 3.5], "number (decimal comma)"),
        (["CHF 1'234.50", "CHF 3.05"], [1234.5, 3.05], "number (CHF)"),
        (["12,5", "3,25", "-7"], [12.5, 3.25, -7], "number (decimal comma)"),
        (["1,234,567", "12"], [1234567, 12], "number (decimal point)"),
        (["12.5%", "3%"], [12.5, 3], "number (%)"),
        (["$5", "$7"], [5, 7], "number ($)"),
        (["31/12/2020", "1/2/2021"], days((2020, 12, 31), (2021, 2, 1)), "date, day first, as days since 1970"),
        (["12/31/2020", "1/2/2021"], days((2020, 12, 31), (2021, 1, 2)), "date, month first, as days since 1970"),
        (["03.04.2020", "05.06.2021"], days((2020, 4, 3), (2021, 6, 5)), "date, day first, as days since 1970"),
        (["2020/04/03", "2021/06/05"], days((2020, 4, 3), (2021, 6, 5)), "date, as days since 1970"),
        (["31-12-2020 18:00"], [days((2020, 12, 31))[0] + 0.75], "date, day first, as days since 1970"),
        (["05/05/2020", "06/06/2021"], days((2020, 5, 5), (2021, 6, 6)), "date, day first, as days since 1970"),
    ],
)  # fmt: skip
def test_one_meaning(texts, values, kind):
    written = read_written("x", texts)
    assert [written.values[text] for text in texts] == pytest.approx(values)
    assert written.kind == kind


@pytest.mark.parametrize(
    ("texts", "message"),
    [
        (["1,234", "12,500"], r"'1,234' may be 1234 or 1\.234, and no other value tells"),
        (["$5", "5 €"], r"different currencies or units, \$, €"),
        (["03/04/2020", "05/06/2021"], r"whether the day or the month comes first .* '03/04/2020'"),
        (["31/12/2020", "12/31/2020"], "no order of day, month"),
        (["31/12/20", "30/11/20"], "a year of four digits"),
        ([f"{k}/12/2020" for k in range(20, 29)] + ["soon"], "1 of its 10 different values are not, such as 'soon'"),
    ],
)
def test_two_meanings(texts, message):
    with pytest.raises(ValueError, match=message) as error:
        read_written("x", texts)
    assert "--categorical" in str(error.value)


@pytest.mark.parametrize(
    "texts",
    [["a", "b"], [], ["1.2.3", "1.2.4"], ["192.168.0.1"], ["1-2-3", "4-5-6"], ["A12", "B13"], ["12", "13"],
     ["1,23,4"], ["$", "€"], ["5 kg", "6 kg"], ["1 2", "3 4"]],
)  # fmt: skip
def test_words(texts):
    assert read_written("x", texts) is None


def test_numbers_that_are_not_all_so():
    with pytest.raises(ValueError, match="2 of its 12 different values are not, such as 'none'"):
        refuse_broken_numbers([*map(str, range(10)), "$5", "none"], "x")
    refuse_broken_numbers(["1", "2", "3"], "x")
    refuse_broken_numbers(["a", "b", "1"], "x")


def test_a_table_with_both(table, tmp_path, capsys):
    """The same p-value as with numbers; the types are told."""
    rng = np.random.default_rng(0)
    pay = (rng.normal(3000, 900, 160)).round(2)
    day = np.datetime64("2020-01-01") + rng.integers(0, 300, 160)
    plain, written = tmp_path / "plain.csv", tmp_path / "written.csv"
    table.assign(pay=pay, day=day).to_csv(plain, index=False)
    table.assign(pay=[f"${x:,.2f}" for x in pay], day=[d.strftime("%d/%m/%Y") for d in day.tolist()]).to_csv(
        written, index=False
    )
    expected, found = answer(capsys, plain, *ROLES), answer(capsys, written, *ROLES)
    assert found["pvalue"] == expected["pvalue"]
    assert found["statistic"] == expected["statistic"]
    assert found["columns"]["pay"] == "number ($)"
    assert found["columns"]["day"] == "date, day first, as days since 1970"
    assert (
        answer(capsys, written, *ROLES, "--covariates", "age", "pay", "--numeric", "pay")["columns"]["pay"]
        == "number ($)"
    )
    written.write_text(written.read_text().replace("$", "€", 3))
    assert run("test", written, *ROLES, *FAST) == 2
    assert "'pay' is in different currencies or units, $, €" in capsys.readouterr().err


def test_missing_stays_missing_and_a_part_cannot_tell():
    table = pa.table({"pay": ["$1,200.50", None, "$3.10"]})
    found = pick_columns(table, ["pay"], drop_missing=True)
    assert found.table["pay"].to_pylist() == [1200.5, 3.1]
    assert found.dropped == 1
    with pytest.raises(ValueError, match="this file is read in parts"):
        pick_columns(table, ["pay"], drop_missing=True, empty=True)
    texts = pick_columns(table, ["pay"], categorical=["pay"], drop_missing=True)
    assert texts.table["pay"].to_pylist() == ["$1,200.50", "$3.10"]
