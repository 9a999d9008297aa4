"""A page in a real Chromium: what a script sees in it, the console, and a screenshot."""

import json
import re
import shutil
import subprocess
from html import unescape

CHROMIUM = next(
    (path for name in ("chromium", "chromium-browser", "google-chrome") if (path := shutil.which(name))), None
)
# The page forbids every script but its own, so for a probe this is taken out.
POLICY = re.compile(r'<meta http-equiv="Content-Security-Policy"[^>]*>')
PROBE = """<script>window.addEventListener('load', () => {{
const seen = (() => {{ {} }})();
parent.postMessage(JSON.stringify(seen), '*');
}});</script>"""
FRAME = """<body style="margin:0"><iframe src="probed.html" style="border:0;width:{}px;height:2500px"></iframe>
<script>window.addEventListener('message', m => document.body.setAttribute('data-probe', m.data));</script></body>"""


def browse(page, folder, steps, *, width=1280, dark=False):
    """Open the page in a frame of some width, and take the steps in it, which return what was seen."""
    text = POLICY.sub("", page.read_text()).replace("</body>", f"{PROBE.format(steps)}</body>")
    (folder / "probed.html").write_text(text)
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
