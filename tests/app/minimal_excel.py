"""A workbook with as little as Excel's format asks for, and a reader of it for where openpyxl is not installed."""

import re
import types
import zipfile
from datetime import datetime
from html import escape, unescape
from importlib.util import find_spec

MAIN = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
OFFICE = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
PACKAGE = "http://schemas.openxmlformats.org/package/2006"
TYPES = "application/vnd.openxmlformats-officedocument.spreadsheetml"


def write_xlsx(path, sheets):
    """Sheets by name, each a list of rows."""
    overrides = "".join(
        f'<Override PartName="/xl/worksheets/sheet{k}.xml" ContentType="{TYPES}.worksheet+xml"/>'
        for k in range(1, len(sheets) + 1)
    )
    named = "".join(
        f'<sheet name="{escape(name)}" sheetId="{k}" r:id="rId{k}"/>' for k, name in enumerate(sheets, start=1)
    )
    links = "".join(
        f'<Relationship Id="rId{k}" Type="{OFFICE}/worksheet" Target="worksheets/sheet{k}.xml"/>'
        for k in range(1, len(sheets) + 1)
    )
    parts = {
        "[Content_Types].xml": f'<Types xmlns="{PACKAGE}/content-types"><Default Extension="rels" '
        'ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Override PartName="/xl/workbook.xml" '
        f'ContentType="{TYPES}.sheet.main+xml"/>{overrides}</Types>',
        "_rels/.rels": f'<Relationships xmlns="{PACKAGE}/relationships"><Relationship Id="rId1" '
        f'Type="{OFFICE}/officeDocument" Target="xl/workbook.xml"/></Relationships>',
        "xl/workbook.xml": f'<workbook xmlns="{MAIN}" xmlns:r="{OFFICE}"><sheets>{named}</sheets></workbook>',
        "xl/_rels/workbook.xml.rels": f'<Relationships xmlns="{PACKAGE}/relationships">{links}</Relationships>',
    }
    for k, rows in enumerate(sheets.values(), start=1):
        lines = "".join(
            f'<row r="{r}">' + "".join(_cell(cell, f"{chr(65 + c)}{r}") for c, cell in enumerate(row)) + "</row>"
            for r, row in enumerate(rows, start=1)
        )
        parts[f"xl/worksheets/sheet{k}.xml"] = f'<worksheet xmlns="{MAIN}"><sheetData>{lines}</sheetData></worksheet>'
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, text in parts.items():
            archive.writestr(name, f'<?xml version="1.0" encoding="UTF-8"?>{text}')


def _cell(value, place):
    if value is None:
        return ""
    if isinstance(value, bool):
        return f'<c r="{place}" t="b"><v>{int(value)}</v></c>'
    if isinstance(value, int | float):
        return f'<c r="{place}"><v>{value!r}</v></c>'
    if isinstance(value, datetime):
        return f'<c r="{place}" t="d"><v>{value.isoformat()}</v></c>'
    return f'<c r="{place}" t="inlineStr"><is><t>{escape(value)}</t></is></c>'


class _Sheet:
    def __init__(self, text):
        self.text = text

    def iter_rows(self, *, values_only):
        assert values_only
        for row in re.findall(r"<row [^>]*>(.*?)</row>", self.text, re.DOTALL):
            cells = {
                ord(column) - 65: _value(kind, body)
                for column, kind, body in re.findall(r'<c r="([A-Z])\d+"(?: t="(\w+)")?>(.*?)</c>', row, re.DOTALL)
            }
            yield tuple(cells.get(k) for k in range(max(cells, default=-1) + 1))


def _value(kind, body):
    text = unescape(re.sub("<[^>]+>", "", body))
    number = float(text) if not kind else None
    readers = {"b": lambda: text == "1", "d": lambda: datetime.fromisoformat(text), "inlineStr": lambda: text}
    return readers.get(kind, lambda: int(number) if number.is_integer() else number)()


class _Book(dict):
    @property
    def sheetnames(self):
        return list(self)

    def close(self):
        self.clear()


def load_workbook(stream, *, read_only, data_only):
    """As openpyxl's, of what `write_xlsx` has written."""
    assert read_only
    assert data_only
    with zipfile.ZipFile(stream) as archive:
        names = [
            unescape(name) for name in re.findall(r'<sheet name="(.*?)"', archive.read("xl/workbook.xml").decode())
        ]
        return _Book({
            name: _Sheet(archive.read(f"xl/worksheets/sheet{k}.xml").decode()) for k, name in enumerate(names, start=1)
        })  # fmt: skip


def installed(monkeypatch):
    """openpyxl, or what stands for it here."""
    if find_spec("openpyxl") is None:
        module = types.ModuleType("openpyxl")
        module.load_workbook = load_workbook
        monkeypatch.setitem(__import__("sys").modules, "openpyxl", module)
