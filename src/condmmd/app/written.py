"""Amounts and dates as people write them: read where a whole column can mean one thing only, and else refused."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

__all__ = ["Written", "read_written", "refuse_broken_numbers"]

SIGNS = r"[$€£¥₹₽₩₺%]|(?:USD|EUR|GBP|CHF|JPY|CNY|SEK|NOK|DKK|PLN|CZK|INR|BRL|AUD|CAD|Fr\.|kr\.?|zł|Kč)"
BLANKS = " \u00a0\u202f'\u2019"
# A decimal point or a decimal comma; between thousands the other of the two may stand, or a blank, always the same.
DECIMALS = {"decimal point": ".", "decimal comma": ","}
PATTERNS = {
    style: re.compile(
        rf"(?:\d{{1,3}}([{other}{BLANKS}])\d{{3}}(?:\1\d{{3}})*|\d+)(?:{re.escape(DECIMALS[style])}(?P<part>\d+))?"
    )
    for style, other in (("decimal point", ","), ("decimal comma", "."))
}
AROUND = re.compile(
    rf"(?P<open>\()?(?P<minus>[-\u2212])?\s*(?P<before>{SIGNS})?\s*(?P<minus2>[-\u2212])?(?P<body>\d[\d.,{BLANKS}]*?)"
    rf"\s*(?P<after>{SIGNS})?(?P<close>\))?"
)
DATE = re.compile(
    r"(?=\d{4}[./-]\d{1,2}[./-]\d{1,2}(?!\d)|\d{1,2}[./-]\d{1,2}[./-](?:\d{4}|\d{2})(?!\d))"
    r"(\d{1,4})([./-])(\d{1,2})\2(\d{1,4})(?:[ T](\d{1,2}):(\d{2})(?::(\d{2}))?)?"
)
# Different values by which a column is judged at first, and how many of them must be like this.
FIRST = 50
MOST = 0.8
DAY = 86_400.0


@dataclass(frozen=True)
class Written:
    """What the different values of a column mean, as numbers, and what the column is."""

    values: dict[str, float]
    kind: str

    @property
    def dates(self) -> bool:
        """Whether the numbers are days since 1970."""
        return self.kind.startswith("date")


def read_written(name: str, distinct: Sequence[str]) -> Written | None:
    """The different values of a column of texts as amounts or as dates; None if they are neither.

    Parameters
    ----------
    name
        Of the column, for the errors: values that could be read in two ways, or not all in one.
    distinct
        Its values, each once.
    """
    first = distinct[:FIRST]
    if not first:
        return None
    if sum(DATE.fullmatch(text.strip()) is not None for text in first) >= MOST * len(first):
        return _dates(name, distinct)
    if sum(_amount(text) is not None for text in first) >= MOST * len(first):
        return _amounts(name, distinct)
    return None


def _amount(text: str) -> tuple[str, str, bool] | None:
    """Digits and separators, the sign of a currency, and whether it is below zero."""
    found = AROUND.fullmatch(text.strip())
    if found is None or (found["open"] is None) != (found["close"] is None) or (found["before"] and found["after"]):
        return None
    if not any(pattern.fullmatch(found["body"]) for pattern in PATTERNS.values()):
        return None
    below = any(found[key] for key in ("open", "minus", "minus2"))
    return found["body"], found["before"] or found["after"] or "", below


def _amounts(name: str, distinct: Sequence[str]) -> Written | None:
    known = {text: part for text in distinct if (part := _amount(text)) is not None}
    signs = {part[1] for part in known.values()} - {""}
    separated = any(not body.isdigit() for body, _, _ in known.values())
    if len(known) < len(distinct) or not (signs or separated):
        return None  # whoever reads numbers says what is in the way
    if len(signs) > 1:
        raise ValueError(
            f"'{name}' is in different currencies or units, {', '.join(sorted(signs))}; convert it to one, or say "
            "--categorical."
        )
    money = bool(signs - {"%"})
    ways = {style: read for style in PATTERNS if (read := _in_style(known, style, money)) is not None}
    if not ways:
        return None
    _refuse_two_ways(name, ways)
    style = next(iter(ways))
    told = separated and (style == "decimal comma" or not signs)
    return Written(ways[style], f"number ({', '.join([*signs, *[style] * told])})")


def _refuse_two_ways(name: str, ways: dict[str, dict[str, float]]) -> None:
    """Refuse values that mean something else with another decimal sign."""
    if len(ways) < 2:
        return
    point, comma = ways["decimal point"], ways["decimal comma"]
    example = next((text for text in point if point[text] != comma[text]), None)
    if example is not None:
        raise ValueError(
            f"'{name}' looks like numbers, but {example!r} may be {point[example]:g} or {comma[example]:g}, and no "
            "other value tells which. Write them as numbers without separators of thousands and with a decimal point, "
            "or say --categorical."
        )


def _in_style(known: dict[str, tuple[str, str, bool]], style: str, money: bool) -> dict[str, float] | None:
    """All values with one decimal sign, or None if one of them is not written so; money has two decimals at most."""
    values = {}
    for text, (body, _, below) in known.items():
        found = PATTERNS[style].fullmatch(body)
        if found is None or (money and len(found["part"] or "") > 2):
            return None
        whole, _, part = body.partition(DECIMALS[style])
        digits = "".join(filter(str.isdecimal, whole))
        values[text] = float(f"{'-' * below}{digits}.{part or 0}")
    return values


def _dates(name: str, distinct: Sequence[str]) -> Written | None:
    known = {text: match for text in distinct if (match := DATE.fullmatch(text.strip())) is not None}
    if len(known) < len(distinct):
        broken = next(text for text in distinct if text not in known)
        raise ValueError(
            f"'{name}' looks like dates, but {len(distinct) - len(known)} of its {len(distinct)} different values are "
            f"not, such as {broken!r}. Leave them empty if they are missing, or say --categorical."
        )
    ways = {order: read for order in ("ymd", "dmy", "mdy") if (read := _in_order(known, order)) is not None}
    _refuse_two_orders(name, ways)
    if ways:
        order = next(iter(ways))
        told = {"ymd": "", "dmy": ", day first", "mdy": ", month first"}[order]
        return Written(ways[order], f"date{told}, as days since 1970")
    if all(found[2] != "-" and len(found[1]) <= 2 for found in known.values()):
        raise ValueError(
            f"'{name}' looks like dates, but there is no order of day, month and a year of four digits that all "
            f"values have, such as {next(iter(known))!r}. Write them as year-month-day, or say --categorical."
        )
    return None


def _refuse_two_orders(name: str, ways: dict[str, dict[str, float]]) -> None:
    """Refuse values that are other days with the month first."""
    days, months = ways.get("dmy", {}), ways.get("mdy", {})
    example = next((text for text in days if text in months and days[text] != months[text]), None)
    if example is not None:
        raise ValueError(
            f"'{name}' looks like dates, but whether the day or the month comes first no value tells, such as "
            f"{example!r}. Write them as year-month-day, or say --categorical."
        )


def _in_order(known: dict[str, re.Match[str]], order: str) -> dict[str, float] | None:
    """All values with year, month and day in one order, or None if one of them is none so; dots have the day first."""
    values = {}
    for text, found in known.items():
        parts = dict(zip(order, (found[1], found[3], found[4]), strict=True))
        if len(parts["y"]) != 4 or (order == "mdy" and found[2] == "."):
            return None
        hour, minute, second = (int(found[k] or 0) for k in (5, 6, 7))
        try:
            moment = datetime(int(parts["y"]), int(parts["m"]), int(parts["d"]), hour, minute, second, tzinfo=UTC)
        except ValueError:
            return None
        values[text] = moment.timestamp() / DAY
    return values


def refuse_broken_numbers(distinct: Sequence[str], name: str, *, always: bool = False) -> None:
    """Text that is mostly numbers was meant as numbers: say which values are in the way."""
    broken = [value for value in distinct if not _is_number(value)]
    separated = [value for value in broken if _amount(value) is not None]
    if broken and (always or (len(distinct) > 2 and len(broken) - len(separated) <= len(distinct) / 5)):
        shown = next((value for value in broken if value not in separated), broken[0])
        remedy = " without signs and separators of thousands and with a decimal point" if separated else ""
        what = "is to be" if always else "looks like"
        raise ValueError(
            f"'{name}' {what} numbers, but {len(broken)} of its {len(distinct)} different values are not, such as "
            f"{shown!r}. Write them as numbers{remedy}, leave them empty if they are missing, or say --categorical."
        )


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True
