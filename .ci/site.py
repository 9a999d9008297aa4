"""Look at the built site: links, what it loads, and in Chromium every page at two widths, and the search.

Nothing may be loaded from a network, every link inside must lead somewhere, every page fit its screen, show its
pictures and have no error, and the search find what is there. ``python .ci/site.py build/site``; ``--no-browser`` for
the links alone. Needs nothing but Python and Chromium.
"""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
import tempfile
import threading
from functools import partial
from html.parser import HTMLParser
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.parse import unquote, urldefrag

WIDTHS = (1280, 390)
# A query, and a page that must be among what is found.
QUERIES = {"propensity": "guide/propensity", "cmmd_test": "condmmd.cmmd_test", "sensitivity": "guide/effects"}
SECONDS = 480
SHOWN = 60
# Attributes that make a browser load something, by tag.
LOADS = {("script", "src"), ("img", "src"), ("iframe", "src"), ("source", "src"), ("embed", "src"), ("object", "data")}
EXTERNAL = re.compile(r"^(?:https?:)?//")
ADDRESS = re.compile(r"^https?://[\w.-]+(?::\d+)?(?:/[^\s]*)?$")


class Page(HTMLParser):
    """Anchors, links and what is loaded, of one page."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.anchors: set[str] = set()
        self.links: list[str] = []
        self.loads: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Remember what leads somewhere."""
        given = {name: value or "" for name, value in attrs}
        self.anchors |= {given[name] for name in ("id", "name") if name in given}
        if tag == "a" and "href" in given:
            self.links.append(given["href"])
        if tag == "link" and given.get("rel") in {"stylesheet", "preload", "icon", "shortcut icon", "search"}:
            self.loads.append(given.get("href", ""))
        self.loads += [value for name, value in given.items() if (tag, name) in LOADS]


def check_links(folder: Path) -> list[str]:
    """What is wrong with links and with what pages load."""
    pages = {
        path: Page(path.read_text(encoding="utf-8")) for path in folder.rglob("*.html") if "_static" not in path.parts
    }
    wrong = []
    for path, page in pages.items():
        name = path.relative_to(folder)
        wrong += [f"{name}: loads {address} from a network" for address in page.loads if EXTERNAL.match(address)]
        for link in [*page.links, *page.loads]:
            whole, anchor = urldefrag(link)
            address = whole.partition("?")[0]
            if EXTERNAL.match(whole):
                wrong += [f"{name}: '{whole}' is no address"] if link in page.links and not ADDRESS.match(whole) else []
            elif not re.match(r"^(mailto|data|javascript):", link):
                target = (path.parent / unquote(address)).resolve() if address else path
                target = target / "index.html" if target.is_dir() else target
                if not target.exists():
                    wrong.append(f"{name}: '{link}' leads nowhere")
                elif anchor and target in pages and unquote(anchor) not in pages[target].anchors:
                    wrong.append(f"{name}: '{link}' has no such place")
    for path in folder.rglob("*.css"):
        found = re.findall(r"(?:url\(|@import )['\"]?((?:https?:)?//[^'\")\s]+)", path.read_text(encoding="utf-8"))
        wrong += [f"{path.relative_to(folder)}: loads {address}" for address in found]
    return wrong


LOOK = """<!doctype html><title>look</title><body style="margin:0"><script>
const pages = PAGES, widths = WIDTHS, queries = QUERIES, wrong = [];
const wait = ms => new Promise(done => setTimeout(done, ms));
async function open(url, width) {
  const frame = document.createElement("iframe");
  frame.style = `border:0;width:${width}px;height:900px`;
  const loaded = new Promise(done => frame.onload = done);
  frame.src = url; document.body.replaceChildren(frame);
  const early = setInterval(() => {
    const inner = frame.contentWindow;
    if (inner && inner.location.href !== "about:blank" && !inner.watched) {
      inner.watched = true;
      inner.addEventListener("error", e => { if (e.message) wrong.push(`${url}: ${e.message}`); });
    }
  }, 1);
  await Promise.race([loaded, wait(10000)]);
  clearInterval(early);
  return frame;
}
async function look(url, width) {
  const frame = await open(url, width), page = frame.contentDocument, root = page.documentElement;
  for (const image of page.images) {
    image.loading = "eager";
    await Promise.race([image.decode().catch(() => {}), wait(3000)]);
    if (!image.naturalWidth) wrong.push(`${url}: picture ${image.getAttribute("src")} is not shown`);
  }
  if (root.scrollWidth > width + 1) {
    const wide = [...page.querySelectorAll("article *")].find(part => part.getBoundingClientRect().right > width + 1);
    const what = wide ? ` (${wide.tagName} ${wide.className})` : "";
    wrong.push(`${url}: ${root.scrollWidth} wide on a screen of ${width}${what}`);
  }
  if (!page.querySelector("h1")) wrong.push(`${url}: no heading`);
  for (const entry of frame.contentWindow.performance.getEntriesByType("resource"))
    if (!entry.name.startsWith(location.origin) && !entry.name.startsWith("data:"))
      wrong.push(`${url}: asked for ${entry.name}`);
}
async function search(words, expected) {
  const frame = await open(`/search.html?q=${words}`, 1280);
  let found = [];
  for (let k = 0; k < PATIENCE; k++) {
    await wait(200);
    found = [...frame.contentDocument.querySelectorAll("#search-results li a")].map(a => a.href);
    if (found.some(href => href.includes(expected))) return;
  }
  wrong.push(`the search for ${words} finds ${found.length} pages, but not ${expected}`);
}
(async () => {
  try {
    for (const page of pages) for (const width of widths) await look(page, width);
    for (const [words, expected] of Object.entries(queries)) await search(words, expected);
  } catch (error) { wrong.push(`the look itself: ${error}`); }
  await fetch("/looked", {method: "POST", body: JSON.stringify({wrong, looked: pages.length * widths.length})});
})();
</script>"""


class Server(SimpleHTTPRequestHandler):
    """The site, the page that looks at it, and what that says."""

    look = ""
    said: dict[str, object]
    done: threading.Event

    def do_GET(self) -> None:
        """The site as it is, but for one page."""
        if self.path != "/look":
            super().do_GET()
            return
        self.send_response(200)
        self.send_header("Content-Type", "text/html; charset=utf-8")
        self.end_headers()
        self.wfile.write(self.look.encode())

    def do_POST(self) -> None:
        """What was seen."""
        self.said.update(json.loads(self.rfile.read(int(self.headers["Content-Length"]))))
        self.send_response(204)
        self.end_headers()
        self.done.set()

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the name that it has
        """Quietly."""


class Patient(ThreadingHTTPServer):
    """A server to which a browser may stop listening."""

    def handle_error(self, request: object, client_address: object) -> None:
        """It went on to the next page."""


def check_in_browser(folder: Path, browser: str, queries: dict[str, str], patience: int = 50) -> list[str]:
    """Every page at two widths, and the search."""
    hidden = ("_modules/", "_static/", "genindex", "search.html", "py-modindex")
    pages = sorted(path.relative_to(folder).as_posix() for path in folder.rglob("*.html"))
    pages = ["/" + page for page in pages if not page.startswith(hidden)]
    values = {"PAGES": pages, "WIDTHS": WIDTHS, "QUERIES": queries, "PATIENCE": patience}
    look = LOOK
    for name, value in values.items():
        look = look.replace(name, json.dumps(value), 1)
    said: dict[str, object] = {}
    handler = type("Looked", (Server,), {"look": look, "said": said, "done": threading.Event()})
    server = Patient(("127.0.0.1", 0), partial(handler, directory=str(folder)))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as profile:
        command = [
            browser, "--headless", "--no-sandbox", "--disable-gpu", f"--user-data-dir={profile}", "--no-first-run",
            "--window-size=1400,1000", "--remote-debugging-port=0", f"http://127.0.0.1:{server.server_port}/look",
        ]  # fmt: skip
        process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        answered = handler.done.wait(SECONDS)
        process.terminate()
        process.wait(10)
    server.shutdown()
    server.server_close()
    if not answered:
        return [f"{browser} did not answer within {SECONDS} s"]
    print(f"{said['looked']} looks in {Path(browser).name}, at widths of {' and '.join(map(str, WIDTHS))}")
    return list(said["wrong"])  # type: ignore[call-overload]


def main(arguments: list[str]) -> int:
    """Status 1 if anything is wrong."""
    folder = Path(arguments[0]).resolve()
    if not (folder / "index.html").exists():
        print(f"{folder} has no site; run make docs.")
        return 2
    wrong = check_links(folder)
    print(f"{len(list(folder.rglob('*.html')))} pages, links looked at")
    names = ("chromium", "chromium-browser", "google-chrome")
    browser = next((path for name in names if (path := shutil.which(name))), None)
    if browser is None and "--no-browser" not in arguments:
        wrong.append("there is no Chromium to look with; install it, or pass --no-browser")
    elif "--no-browser" not in arguments:
        wrong += check_in_browser(folder, str(browser), QUERIES)
    print("\n".join(wrong[:SHOWN]) or "nothing is wrong")
    if len(wrong) > SHOWN:
        print(f"... and {len(wrong) - SHOWN} more")
    return int(bool(wrong))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
