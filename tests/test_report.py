"""The report and the pictures; the report in a real browser where there is one."""

import json
import re
import shutil
import subprocess
from html import unescape

import matplotlib as mpl
import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest

from condmmd import cmmd_test
from condmmd.present.pictures import label

mpl.use("Agg")
HOSTILE = "<script>document.title='hacked'</script>"
CHROMIUM = next(
    (path for name in ("chromium", "chromium-browser", "google-chrome") if (path := shutil.which(name))), None
)


@pytest.fixture(scope="module")
def result():
    rng = np.random.default_rng(0)
    X = pd.DataFrame({HOSTILE: rng.random(300), "$cost": rng.random(300), "kind & more": rng.choice(["<b>", "'"], 300)})
    group = np.where(rng.random(300) < 0.5, "<i>treated</i>", "control")
    y = pd.DataFrame({"y > $x$": rng.normal(size=300) + (group == "control") * (X[HOSTILE] > 0.5)})
    return cmmd_test(X, y, group, n_resamples=99, rng=0)


@pytest.fixture(scope="module")
def page(result, tmp_path_factory):
    path = tmp_path_factory.mktemp("report") / "report.html"
    result.report(path)
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


def test_what_it_tells(page, result):
    text = page.read_text()
    for part in ("What moved", "Where", "It rests on", "Overlap", "Levels", "How to repeat it", "seed 0"):
        assert part in text
    assert "cmmd_test(X, Y, group, n_resamples=99, rng=0)" in text
    assert text.count("<figure") == 6  # where, map, profiles, null, levels, overlap


def test_a_report_is_not_overwritten(result, page, tmp_path):
    before = page.read_bytes()
    with pytest.raises(FileExistsError, match="exists already"):
        result.report(page)
    assert page.read_bytes() == before
    with pytest.raises(FileNotFoundError, match="no folder"):
        result.report(tmp_path / "no" / "r.html")
    with pytest.raises(ValueError, match="is a folder"):
        result.report(tmp_path)


def test_call_repeats_the_result(result):
    rng = np.random.default_rng(1)
    x, group = rng.normal(size=60), np.repeat([1, 0], 30)
    y = x + rng.normal(size=60)
    first = cmmd_test(x, y, group, propensity=None, level=[0, 1], n_resamples=99, trim=None, rng=rng)
    assert first.call.startswith("cmmd_test(X, Y, group, propensity=None, level=[0, 1], n_resamples=99, rng=")
    again = eval(first.call, {"cmmd_test": cmmd_test, "X": x, "Y": y, "group": group})  # noqa: S307
    assert again.pvalue == first.pvalue
    np.testing.assert_array_equal(again.null_distribution, first.null_distribution)


def test_notebook_display(result):
    html = result._repr_html_()
    assert "<strong>" in html
    assert "<script" not in html
    assert "<i>treated" not in html


@pytest.mark.parametrize("kind", ["null", "levels", "overlap", "where", "map"])
def test_every_picture(result, kind):
    ax = result.plot(kind)
    ax.figure.canvas.draw()
    assert ax.has_data()
    assert ax.get_xlabel()
    plt.close("all")


def test_curves_for_one_covariate():
    rng = np.random.default_rng(0)
    x, group = rng.normal(size=200), np.repeat([1, 0], 100)
    result = cmmd_test(x, np.sin(x) + group + 0.1 * rng.normal(size=200), group, n_resamples=99, rng=0)
    fig, ax = plt.subplots()
    assert result.plot("curves", ax) is ax
    medians = [line.get_ydata() for line in ax.lines]
    assert np.mean(medians[0]) - np.mean(medians[1]) == pytest.approx(1.0, abs=0.15)
    plt.close(fig)
    with pytest.raises(ValueError, match="`kind` must be one of"):
        result.plot("pie")


def test_curves_need_one_covariate(result):
    with pytest.raises(ValueError, match="one numeric covariate"):
        result.plot("curves")


def test_labels():
    assert label("$a$\n<b>") == r"\$a\$ <b>"
    assert label("x" * 100) == "x" * 39 + "…"
    assert label("") == "(no name)"


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
