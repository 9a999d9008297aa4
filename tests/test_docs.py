"""The pages of the site: their code runs, their lists are complete, their length is bearable."""

import ast
import contextlib
import importlib
import io
import json
import re
import runpy
import shlex
import shutil
import tomllib
from pathlib import Path

import matplotlib as mpl
import matplotlib.pyplot as plt
import pytest

import condmmd
from condmmd.app.cli import main
from condmmd.app.cli.parser import make_parser

mpl.use("Agg")
ROOT = Path(__file__).parent.parent
DOCS = ROOT / "docs"

pytestmark = pytest.mark.skipif(not DOCS.exists(), reason="an archive of the sources has no site")

# Copied pages, and what is no page of the site.
APART = {DOCS / name for name in ("generated", "decisions", "overview.md", "report.md")}
PAGES = sorted(path for path in DOCS.rglob("*.md") if not APART & {path, *path.parents})
FENCE = re.compile(r"^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def blocks(page, *languages):
    return [(m[1], m[2]) for m in FENCE.finditer(page.read_text(encoding="utf-8")) if m[1] in languages]


def run_python(code, names):
    """As a reader would paste it; what it prints is kept."""
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        exec(compile(code, "page", "exec"), names)  # noqa: S102 - our own pages
    plt.close("all")
    return printed.getvalue()


def run_line(line):
    """A line of a shell that calls condmmd."""
    command, _, target = line.partition(" > ")
    words = shlex.split(command)
    assert words[0] == "condmmd", line
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        status = main(words[1:])
    assert not status, line
    if target:
        Path(target.strip()).write_text(printed.getvalue())
    return printed.getvalue()


def shape(line):
    """A line without its numbers, which the versions of other packages may move."""
    return re.sub(r"\s+", " ", re.sub(r"[-+]?\d[\d.,]*", "#", line)).strip()


PROGRAM = re.compile(r"(?:^% .*\n)+", re.MULTILINE)


def steps(page):
    """Code of a page in its order, with what it says is printed; a comment, lines of %, prepares what is not shown."""
    text = page.read_text(encoding="utf-8")
    found = [(m.start(), m[1], m[2]) for m in FENCE.finditer(text) if m[1] in {"python", "sh", "text"}]
    found += [(m.start(), "python", re.sub(r"^% ", "", m[0], flags=re.MULTILINE)) for m in PROGRAM.finditer(text)]
    return [(language, code) for _, language, code in sorted(found)]


def follow(page):
    """Do what a page says, and compare what that prints; numbers may differ, as other packages have versions."""
    names, printed = {"__name__": "page"}, ""
    for language, code in steps(page):
        if language == "python":
            printed += run_python(code, names)
        elif language == "sh":
            printed += "".join(run_line(line) for line in code.splitlines() if not line.startswith("pip "))
        else:
            seen = {shape(line) for line in printed.splitlines()}
            missing = [line for line in code.splitlines() if line.strip() and shape(line) not in seen]
            assert missing == [], printed
    return printed


@pytest.mark.parametrize(
    "page",
    [page for page in PAGES if page.stem != "start" and blocks(page, "python")],
    ids=lambda page: page.relative_to(DOCS).as_posix(),
)
def test_the_code_of_a_page_runs_and_prints_what_it_says(page, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    follow(page)


def test_a_reader_of_start_has_a_verdict_and_two_reports(tmp_path, monkeypatch):
    """From an empty folder, line by line."""
    monkeypatch.chdir(tmp_path)
    printed = follow(DOCS / "start.md")
    verdicts = re.findall(r"The distribution of progression .* differs between .* \(p = (0\.\d+)\)\.", printed)
    assert len(verdicts) == 3  # of the demo, on the command line, and from Python
    assert len(set(verdicts)) == 1
    assert {path.name for path in tmp_path.iterdir()} == {"diabetes.csv", "demo.html", "report.html", "verdict.json"}
    assert json.loads((tmp_path / "verdict.json").read_text())["pvalue"] == float(verdicts[0])


def test_extras_that_the_pages_name_are_there():
    extras = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["optional-dependencies"]
    named = {
        extra
        for page in PAGES
        for group in re.findall(r"condmmd\[([\w,]+)\]", page.read_text(encoding="utf-8"))
        for extra in group.split(",")
    }
    assert named
    assert named <= extras.keys()


def test_the_version_to_cite_is_this_one():
    assert f"version = {{{condmmd.__version__}}}" in (DOCS / "cite.md").read_text()


@pytest.mark.parametrize("page", [p for p in PAGES if blocks(p, "console")], ids=lambda page: page.stem)
def test_commands_that_are_only_shown_are_such_as_the_program_takes(page):
    for _, code in blocks(page, "console"):
        for line in code.splitlines():
            words = shlex.split(line.removeprefix("$ "), comments=True)
            if "condmmd" in words:
                make_parser().parse_args(words[words.index("condmmd") + 1 :])


def test_every_public_name_is_in_the_reference_once():
    listed = re.findall(r"^   condmmd\.(\w+)$", (DOCS / "reference" / "index.md").read_text(), re.MULTILINE)
    assert sorted(listed) == sorted(condmmd.__all__)


def all_pages():
    """What the site shows: the pages here, and those that are copied from elsewhere."""
    copied = runpy.run_path(str(DOCS / "extensions" / "pages.py"))
    yield from ((page.relative_to(ROOT).as_posix(), page.read_text(encoding="utf-8")) for page in PAGES)
    for source in copied["PAGES"]:
        if (ROOT / source).exists():
            yield source, copied["page_of"](source)[0]


def test_no_long_page_is_without_a_picture():
    long = {name: count for name, text in all_pages() if (count := len(text.split())) > 1500 and "![" not in text}
    assert long == {}


def test_links_of_copied_pages_lead_where_they_do_here():
    copied = runpy.run_path(str(DOCS / "extensions" / "pages.py"))
    text = (
        "[a](0009-real-tables.md#nulls) [b](../../benchmarks/README.md) [c](../conf.py) [d](#here) ![e](../picture.png)"
    )
    found, pictures = copied["rewritten"](text, "docs/decisions/0001-tolerance.md")
    assert found == (
        "[a](/generated/decisions/0009-real-tables.md#nulls) [b](/generated/benchmarks/index.md) c (`docs/conf.py`) "
        "[d](#here) ![e](/generated/files/docs/picture.png)"
    )
    assert pictures == ["docs/picture.png"]
    with pytest.raises(ValueError, match=r"'nowhere\.md', which is not there"):
        copied["rewritten"]("[x](nowhere.md)", "README.md")
    copied["PAGES"]["to_come.md"] = "project/to_come.md"
    assert copied["rewritten"]("[x](to_come.md)", "README.md")[0] == "x"


def test_pictures_of_the_pages_are_there_or_drawn():
    drawn = {path.stem for path in (DOCS / "pictures").glob("*.py")}
    for page in PAGES:
        for target in re.findall(r"!\[[^\]]*\]\(([^)]+)\)", page.read_text(encoding="utf-8")):
            path = (DOCS / target.lstrip("/")) if target.startswith("/") else (page.parent / target)
            if target.startswith("/generated/files/"):
                path = ROOT / target.removeprefix("/generated/files/")
            if "generated/pictures" in target:
                assert path.stem in drawn, f"{page}: {target}"
            else:
                assert path.exists(), f"{page}: {target}"


FORMULA = re.compile(r"^\$\$.*\$\$ \((\S+)\)\n\n(?=(.*))", re.MULTILINE)
# Three formulas of a kind share one line about who computes them.
TOGETHER = {"level0": "level1", "level1": "level2", "level2": "levels"}
ROLE = re.compile(r"\{py:\w+\}`condmmd\.([\w.]+)`")


@pytest.mark.parametrize("page", sorted((DOCS / "theory").glob("*.md")), ids=lambda page: page.stem)
def test_every_formula_is_numbered_and_names_what_computes_it(page):
    text = page.read_text(encoding="utf-8")
    formulas = FORMULA.findall(text)
    assert len(formulas) == text.count("$$") / 2
    for label, after in formulas:
        if label in TOGETHER:
            assert after.endswith(f"({TOGETHER[label]})")
        else:
            assert after.startswith("Computed by"), label
    for path in ROLE.findall(text):
        found = condmmd
        for name in path.split("."):
            found = getattr(found, name, None) or importlib.import_module(f"condmmd.{name}")


def test_functions_behind_formulas_are_listed():
    named = {path for page in (DOCS / "theory").glob("*.md") for path in ROLE.findall(page.read_text(encoding="utf-8"))}
    listed = re.findall(r"^   condmmd\.([\w.]+)$", (DOCS / "theory" / "formulas.md").read_text(), re.MULTILINE)
    assert {path for path in named if "." in path and path[0].islower()} == set(listed)


SITE = ROOT / ".ci" / "site.py"
GOOD = "<html><body><h1 id='top'>A</h1><a href='b.html#there'>b</a><img src='a.svg'></body></html>"
PICTURE = "<svg xmlns='http://www.w3.org/2000/svg' width='9' height='9'><rect width='9' height='9'/></svg>"


@pytest.fixture
def site(tmp_path):
    (tmp_path / "index.html").write_text(GOOD)
    (tmp_path / "b.html").write_text("<html><body><h1 id='there'>B</h1></body></html>")
    (tmp_path / "a.svg").write_text(PICTURE)
    return tmp_path


def test_links_that_lead_nowhere_and_what_comes_from_a_network_are_found(site):
    check = runpy.run_path(str(SITE))["check_links"]
    assert check(site) == []
    page = (
        "<a href='c.html'>c</a><a href='b.html#here'>b</a><script src='//x.org/y.js'></script><a href='http://'>x</a>"
    )
    (site / "index.html").write_text(f"{GOOD}{page}<link rel='stylesheet' href='https://x.org/y.css'>")
    (site / "own.css").write_text("@import 'https://x.org/z.css'; a { background: url(data:image/png;base64,AA) }")
    assert check(site) == [
        "index.html: loads //x.org/y.js from a network",
        "index.html: loads https://x.org/y.css from a network",
        "index.html: 'c.html' leads nowhere",
        "index.html: 'b.html#here' has no such place",
        "index.html: 'http://' is no address",
        "own.css: loads https://x.org/z.css",
    ]


def test_a_browser_finds_what_does_not_fit_or_is_not_shown(site, capsys):
    script = runpy.run_path(str(SITE))
    browser = next(path for name in ("chromium", "chromium-browser", "google-chrome") if (path := shutil.which(name)))
    (site / "search.html").write_text("<ul id='search-results'><li><a href='b.html'>B</a></li></ul>")
    assert script["check_in_browser"](site, browser, {"words": "b.html"}) == []
    late = "<script>window.addEventListener('load', () => window.nothing.there())</script>"  # heard, however busy it is
    wide = f"<div style='width:700px;height:9px'></div><img src='c.svg'>{late}"
    (site / "b.html").write_text(f"<html><body>{wide}</body></html>")
    found = "\n".join(script["check_in_browser"](site, browser, {"words": "c.html"}, patience=5))
    for told in (
        "/b.html: 7", "wide on a screen of 390", "picture c.svg is not shown", "/b.html: no heading",
        "the search for words finds 1 pages, but not c.html", "TypeError",
    ):  # fmt: skip
        assert told in found
    assert "screen of 1280" not in found
    assert "index.html" not in found
    assert "looks in" in capsys.readouterr().out


KEPT = {"concept_drift": "plot_concept_drift", "calibration": "plot_calibration"}


@pytest.mark.parametrize("name", KEPT)
def test_a_notebook_is_its_page_and_runs(name, tmp_path, monkeypatch):
    notebook = json.loads((DOCS / "notebooks" / f"{name}.ipynb").read_text(encoding="utf-8"))
    cells = [cell["source"] for cell in notebook["cells"] if cell["cell_type"] == "code"]
    page = ast.parse((DOCS / "gallery" / f"{KEPT[name]}.py").read_text(encoding="utf-8"))
    page.body = page.body[1:]  # but for the text at its top
    assert ast.unparse(ast.parse("\n".join(cells))) == ast.unparse(page)
    monkeypatch.chdir(tmp_path)
    names, printed = {"__name__": "notebook"}, ""
    for cell in cells:
        printed += run_python(cell, names)
    assert "p = 0.001" in printed
    assert (notebook["nbformat"], {cell["cell_type"] for cell in notebook["cells"]}) == (4, {"markdown", "code"})
