"""The report; in a real browser where there is one."""

import json
import re
import shutil
import subprocess
from html import unescape

import matplotlib as mpl
import numpy as np
import pandas as pd
import pytest

from condmmd import CMMD, Asymptotic, cmmd_test
from condmmd.present import ReportContext, check_extras, contradictions, render, report
from condmmd.present.report import MAX_COLUMNS
from tests.doors.samples import GROUP, OTHER, E, X
from tests.present.hostile import hostile_result

mpl.use("Agg")
CHROMIUM = next(
    (path for name in ("chromium", "chromium-browser", "google-chrome") if (path := shutil.which(name))), None
)


@pytest.fixture(scope="module")
def page(tmp_path_factory):
    path = tmp_path_factory.mktemp("report") / "report.html"
    hostile_result().report(path)
    return path


def test_untrusted_text_is_escaped(page):
    text = page.read_text()
    assert "<script" not in text.lower()
    assert "&lt;script&gt;" in text
    assert "<b>'" not in text
    assert "<i>treated" not in text


def test_it_stands_alone(page):
    text = page.read_text()
    assert not re.findall(r"(?:src|href|srcset)=\"(?!data:)", text)
    assert "url(" not in text
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
    answer = re.sub(r"<[^>]+>", " ", text[text.index('aria-label="The answer">') : text.index("<h2>")])
    assert len(answer.split()) <= 120
    machinery = ("null label", "weak control", "worth of random labels", "lambda")
    first = text[: text.index("<h2>Pictures</h2>")]
    assert not [words for words in machinery if words in first]
    assert "cmmd_test(X, Y, group, n_resamples=99, rng=0)" in text
    assert text.count("<figure") == 6  # where, map, profiles, null, levels, overlap


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


@pytest.mark.parametrize("case", ["several outcomes", "Gram matrices", "many columns", "no null labels"])
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


PROBE = """<script>window.addEventListener('load', () => {
const images = [...document.images];
parent.postMessage(JSON.stringify({
  loaded: images.length > 3 && images.every(i => i.complete && i.naturalWidth > 100),
  wide: document.documentElement.scrollWidth, inner: window.innerWidth, title: document.title,
  text: document.body.innerText.includes("<script>document.title='hacked'"),
  background: getComputedStyle(document.body).backgroundColor}), '*');
});</script>"""
FRAME = """<body style="margin:0"><iframe src="probed.html" style="border:0;width:{}px;height:2500px"></iframe>
<script>window.addEventListener('message', m => document.body.setAttribute('data-probe', m.data));</script></body>"""


def browse(page, folder, *, width, dark):
    """Open the page in a frame of some width: what a probe sees, the console, and a screenshot."""
    (folder / "probed.html").write_text(page.read_text().replace("</body>", f"{PROBE}</body>"))
    (folder / "frame.html").write_text(FRAME.format(width))
    picture = folder / "shot.png"
    command = [
        CHROMIUM, "--headless=new", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", "--enable-logging=stderr",
        f"--user-data-dir={folder / 'profile'}", f"--window-size={max(width, 500)},2500",
        f"--blink-settings=preferredColorScheme={0 if dark else 1}", "--virtual-time-budget=5000",
    ]  # fmt: skip
    target = (folder / "frame.html").as_uri()
    dom = subprocess.run([*command, "--dump-dom", target], capture_output=True, text=True, timeout=120, check=True)  # noqa: S603
    subprocess.run([*command, f"--screenshot={picture}", target], capture_output=True, timeout=120, check=True)  # noqa: S603
    found = re.search(r'data-probe="([^"]*)"', dom.stdout)
    console = [line for line in dom.stderr.splitlines() if "CONSOLE" in line]
    return json.loads(unescape(found.group(1))), console, picture


@pytest.mark.skipif(CHROMIUM is None, reason="no Chromium here: the report was not opened in a browser")
@pytest.mark.parametrize("width", [1280, 380])
@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
def test_in_a_browser(page, tmp_path, width, dark):
    seen, console, picture = browse(page, tmp_path, width=width, dark=dark)
    assert console == []
    assert seen["inner"] == width
    assert seen["wide"] <= width, "no sideways scrolling"
    assert seen["loaded"], "every picture is there"
    assert seen["text"], "the hostile name shows as text"
    assert seen["title"] != "hacked"
    assert (seen["background"] == "rgb(13, 17, 23)") == dark
    assert picture.stat().st_size > 20_000


@pytest.mark.skipif(CHROMIUM is None, reason="no Chromium here")
def test_the_probe_sees_what_is_wrong(page, tmp_path):
    broken = tmp_path / "broken.html"
    text = page.read_text().replace("data:image/png;base64,", "data:image/png;base64,broken")
    broken.write_text(text.replace("</body>", "<script>console.error('no')</script></body>"))
    seen, console, _ = browse(broken, tmp_path, width=380, dark=False)
    assert not seen["loaded"]
    assert console
