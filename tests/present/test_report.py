"""The report; in a real browser where there is one."""

import re
from base64 import b64encode
from hashlib import sha256
from types import SimpleNamespace

import matplotlib as mpl
import numpy as np
import pandas as pd
import pytest

from condmmd import CMMD, Asymptotic, cmmd_test
from condmmd.present import ReportContext, check_extras, contradictions, render, report
from condmmd.present.reading import MOST_WORDS, answer
from condmmd.present.report import MAX_COLUMNS
from tests.doors.samples import GROUP, OTHER, E, X
from tests.present.browser import CHROMIUM, browse
from tests.present.hostile import hostile_result

mpl.use("Agg")


@pytest.fixture(scope="module")
def page(tmp_path_factory):
    path = tmp_path_factory.mktemp("report") / "report.html"
    hostile_result().report(path)
    return path


def test_untrusted_text_is_escaped(page):
    text = page.read_text()
    assert text.lower().count("<script") == 1  # ours, and the page says that no other may run
    (script,) = re.findall(r"<script>(.*?)</script>", text, re.DOTALL)
    assert f"script-src 'sha256-{b64encode(sha256(script.encode()).digest()).decode()}'" in text
    assert "&lt;script&gt;" in text
    assert "<b>'" not in text
    assert "<i>treated" not in text


def test_it_stands_alone(page):
    text = page.read_text()
    assert not re.findall(r"(?:src|href|srcset)=\"(?!data:|#)", text)
    assert not re.findall(r"url\((?!#)", text)
    assert "default-src 'none'" in text
    assert "@import" not in text


def test_what_it_tells(page):
    text = page.read_text()
    for part in (
        "What this means",
        "What to do next",
        "How large is it?",
        "mean of",
        "What moved",
        "Where",
        "It rests on",
        "How it was tested",
        "Each way of looking by itself",
        "How to repeat it",
        "seed 0",
    ):
        assert part in text
    told = re.sub(r"<[^>]+>", " ", text[text.index('aria-label="The answer">') : text.index("<h2>")])
    assert len(told.split()) <= MOST_WORDS
    machinery = ("null label", "weak control", "worth of random labels", "lambda")
    first = text[: text.index("<h2>Pictures of the test</h2>")]
    assert not [words for words in machinery if words in first]
    assert "cmmd_test(X, Y, group, n_resamples=99, rng=0)" in text
    assert text.count("<figure") == 7  # three covariates; map, null, levels, overlap
    assert text.count('<svg role="img" aria-label=') == text.count("<summary>The numbers</summary>") == 7


def test_the_answer_is_short_whatever_the_names():
    wordy = "a column whose name is a whole sentence of many words that never seems to come to its end " * 2
    result = SimpleNamespace(
        sentence=lambda: f"The distribution of {wordy} given {wordy} differs between {wordy} and {wordy} (p = 0.001).",
        n_obs=(300, 200), labels=(wordy, wordy), trimmed=3,
    )  # fmt: skip
    lines = answer(result, SimpleNamespace(sentence=lambda: f"mean of {wordy}: 2 lower in {wordy}"), "It " * 90)
    assert sum(len(line.split()) for line in lines) <= MOST_WORDS
    assert lines[0].endswith("…")
    short = SimpleNamespace(sentence=lambda: "It differs.", n_obs=(3, 2), labels=("a", "b"), trimmed=0)
    assert answer(short, None, "Beyond that.") == ["It differs.", "It rests on 3 rows of a and 2 of b.", "Beyond that."]


def test_extras_that_are_missing_are_told_before_any_work(monkeypatch):
    monkeypatch.setattr(report, "find_spec", lambda name: None)
    with pytest.raises(ImportError, match=r"the report needs jinja2 and matplotlib: pip install 'condmmd\[report\]'"):
        check_extras()


def test_what_the_data_say_against_the_assumption():
    assumed = cmmd_test(X, OTHER, GROUP, propensity=None, n_resamples=99, rng=0)
    (note,) = contradictions(assumed, assumed.marginal())
    assert "X differs (p = 0.01)" in note
    assert note in render(assumed, ReportContext("A page", "a call", ("one note",), assumed.marginal()))
    estimated = cmmd_test(X, OTHER, GROUP, n_resamples=99, rng=0)
    assert contradictions(estimated, estimated.marginal()) == ()
    assert contradictions(assumed, {}) == ()


@pytest.mark.parametrize("case", ["several outcomes", "Gram matrices", "many columns", "no null draws"])
def test_results_that_have_no_such_picture(case):
    """What cannot be drawn is left out, and the rest is there."""
    rng = np.random.default_rng(0)
    if case == "several outcomes":
        result = cmmd_test(X, np.column_stack([OTHER, X]), GROUP, n_resamples=19, rng=0)
    elif case == "Gram matrices":
        K = np.exp(-0.5 * np.subtract.outer(X, X) ** 2)
        result = cmmd_test(K, K, GROUP, statistic=CMMD("precomputed", "precomputed"), n_resamples=19, rng=0)
    elif case == "many columns":
        wide = pd.DataFrame(rng.normal(size=(len(X), MAX_COLUMNS + 5)))
        result = cmmd_test(wide, OTHER, GROUP, propensity=None, n_resamples=19, rng=0)
    else:
        result = cmmd_test(X, OTHER, GROUP, statistic=CMMD(estimator="overlap"), propensity=E, null=Asymptotic())
    text = render(result, ReportContext("A page", "a call"))
    assert text.count("<figure") >= 2
    assert "A page" in text
    assert ("6 more" in text) == (case == "many columns")


LOOK = """
const pictures = [...document.querySelectorAll("figure svg")];
const cells = [...document.querySelectorAll("th, td, p, li, h1, h2")];
const words = cells.flatMap((cell) => cell.childNodes.length === 1 && cell.firstChild.nodeType === 3
  ? [...cell.textContent.matchAll(/(?<!\\S)[A-Za-z_,.:]{4,18}(?!\\S)/g)].map((found) => {
    const range = document.createRange();
    range.setStart(cell.firstChild, found.index);
    range.setEnd(cell.firstChild, found.index + found[0].length);
    return [found[0], range.getClientRects().length];
  }) : []);
return {
  drawn: pictures.length > 3 && pictures.every((one) => one.getBoundingClientRect().height > 100),
  broken: words.filter(([word, lines]) => lines > 1).map(([word]) => word), words: words.length,
  wide: document.documentElement.scrollWidth, inner: window.innerWidth, title: document.title,
  text: document.body.innerText.includes("<script>document.title='hacked'"),
  background: getComputedStyle(document.body).backgroundColor,
};"""


@pytest.mark.skipif(CHROMIUM is None, reason="no Chromium here: the report was not opened in a browser")
@pytest.mark.parametrize("width", [1280, 380])
@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
def test_in_a_browser(page, tmp_path, width, dark):
    seen, console, picture = browse(page, tmp_path, LOOK, width=width, dark=dark)
    assert console == []
    assert seen["inner"] == width
    assert seen["wide"] <= width, "no sideways scrolling"
    assert seen["drawn"], "every picture is there"
    assert seen["words"] > 100
    assert seen["broken"] == [], "no word is broken in its middle"
    assert seen["text"], "the hostile name shows as text"
    assert seen["title"] != "hacked"
    assert (seen["background"] == "rgb(13, 17, 23)") == dark
    assert picture.stat().st_size > 20_000


@pytest.mark.skipif(CHROMIUM is None, reason="no Chromium here")
def test_the_probe_sees_what_is_wrong(page, tmp_path):
    broken = tmp_path / "broken.html"
    text = page.read_text().replace("overflow-wrap: break-word", "word-break: break-all")
    broken.write_text(text.replace("</body>", "<script>console.error('no')</script></body>"))
    seen, console, _ = browse(broken, tmp_path, LOOK, width=380)
    assert seen["broken"]
    assert console


ASK = """
const table = document.querySelector("table.effect"), head = table.tHead.rows[0].cells[1];
head.querySelector("button").click();
const sorted = [...table.tBodies[0].rows].map((row) => row.cells[1].textContent.trim());
head.querySelector("button").click();
const back = [...table.tBodies[0].rows].map((row) => row.cells[1].textContent.trim());
const figure = document.querySelector('figure[data-name="c0"]'), plot = figure.querySelector(".plot");
const press = (key) => plot.dispatchEvent(new KeyboardEvent("keydown", { key }));
press("ArrowRight");
const first = figure.querySelector(".readout").textContent, lit = figure.querySelectorAll("use.lit").length;
press("ArrowRight");
const second = figure.querySelector(".readout").textContent;
const mark = document.querySelectorAll("#c0-points-d use")[2], box = mark.getBoundingClientRect();
const at = { clientX: box.x + box.width / 2, clientY: box.y + box.height / 2, bubbles: true };
plot.dispatchEvent(new PointerEvent("pointermove", at));
const third = figure.querySelector(".readout").textContent, hovered = mark.classList.contains("lit");
const row = document.querySelector("tr[data-zone]"), button = row.querySelector("button");
const zones = () => document.querySelectorAll(`[id*="-zone-${row.dataset.zone}-"].lit`).length;
const before = zones();
button.click();
const after = zones();
button.click();
button.blur();
return { sorted, back, sort: head.getAttribute("aria-sort"), first, second, third, hovered, lit, before, after,
  end: zones(), focusable: plot.tabIndex,
  rows: [...figure.querySelectorAll("tbody tr")].map((own) => own.cells[0].textContent) };"""


@pytest.mark.skipif(CHROMIUM is None, reason="no Chromium here")
def test_it_answers_to_pointer_and_keyboard(page, tmp_path):
    """Tables sort, values are told under the pointer and by arrow keys, and a part that is picked lights up."""
    seen, console, _ = browse(page, tmp_path, ASK)
    assert console == []
    shifts = [float(text) for text in seen["sorted"] if not text.startswith("x")]
    assert shifts == sorted(shifts)
    assert seen["back"] == seen["sorted"][::-1]
    assert seen["sort"] == "descending"
    assert f": {seen['rows'][0]} · rows:" in seen["first"]
    assert f": {seen['rows'][1]} · rows:" in seen["second"]
    assert seen["lit"] == 3  # both groups, and the difference
    assert f": {seen['rows'][2]} · rows:" in seen["third"]
    assert seen["hovered"]
    assert seen["focusable"] == 0
    assert (seen["before"], seen["end"]) == (0, 0)
    assert seen["after"] == 2  # in both panels
