"""Pages that stand elsewhere in the repository: copied to ``generated/``, links turned to where they lead here."""

import re
import shutil
from pathlib import Path

__all__ = ["PAGES", "page_of", "rewritten", "setup", "write_pages"]

ROOT = Path(__file__).resolve().parents[2]
TARGET = ROOT / "docs" / "generated"
# Where a page stands, and where it goes; one that is not there yet is left out.
PAGES = {
    "experiments/README.md": "reproduction/index.md",
    "benchmarks/README.md": "benchmarks/index.md",
    "benchmarks/peers.md": "benchmarks/peers.md",
    "benchmarks/leaderboard/README.md": "benchmarks/leaderboard.md",
    "CONTRIBUTING.md": "project/contributing.md",
    "docs/report.md": "project/report.md",
    "CHANGELOG.md": "project/changelog.md",
    "SECURITY.md": "project/security.md",
    "CODE_OF_CONDUCT.md": "project/conduct.md",
    "GOVERNANCE.md": "project/governance.md",
    **{
        f"docs/decisions/{path.name}": f"decisions/{path.name}"
        for path in sorted((ROOT / "docs" / "decisions").glob("*.md"))
    },
}
# Long pages without a picture of their own are given one.
PICTURES = {
    "docs/decisions/0004-default-test.md": (
        "/generated/pictures/choices.svg",
        "Power of each choice of kernel, level and residuals, from the tables below.",
    ),
    "docs/decisions/0009-real-tables.md": (
        "/generated/pictures/true_nulls.svg",
        "Rejections of true nulls by the default test, one point a row of the first table below.",
    ),
    "CHANGELOG.md": (
        "/picture.png",
        "What all of it is for: X moved in both pairs of samples, Y given X in the right one only.",
    ),
}
INDEXES = (
    ("decisions", "Decisions", "What a reader would question, why it is so, and the measurement."),
    ("project", "The project", "How it is made, what changed, and whom to tell of a leak."),
)
LINK = re.compile(r"(!?)\[([^\]]*)\]\(([^)\s#]*)(#[^)\s]*)?\)")


def rewritten(text, source):
    """The text with links that work on the site, and the pictures that it shows."""
    pictures = []

    def turn(match):
        mark, words, target, anchor = match.group(1), match.group(2), match.group(3), match.group(4) or ""
        if not target or ":" in target:
            return match.group(0)
        path = ((ROOT / source).parent / target).resolve()
        name = path.relative_to(ROOT).as_posix() if path.is_relative_to(ROOT) else target
        if name in PAGES and not path.exists():
            return words  # a page that is still to come
        if not (path.is_relative_to(ROOT) and path.exists()):
            raise ValueError(f"{source} has a link to '{target}', which is not there.")
        if mark:
            pictures.append(name)
            return f"![{words}](/generated/files/{name})"
        if name in PAGES:
            return f"[{words}](/generated/{PAGES[name]}{anchor})"
        return f"{words} (`{name}`)" if words.strip("`") != name else f"`{name}`"

    return LINK.sub(turn, text), pictures


def page_of(source):
    """The text of a page as the site shows it, and the pictures to bring along."""
    text, pictures = rewritten((ROOT / source).read_text(encoding="utf-8"), source)
    if source in PICTURES:
        title, _, rest = text.partition("\n")
        text = f"{title}\n\n![{PICTURES[source][1]}]({PICTURES[source][0]})\n{rest}"
    return text, pictures


def write_pages():
    """All pages that are there, with a list of what is beside each index."""
    for source, target in PAGES.items():
        if not (ROOT / source).exists():
            continue
        text, pictures = page_of(source)
        write(TARGET / target, text + (beside(target) if target.endswith("/index.md") else ""))
        for name in pictures:
            copy = TARGET / "files" / name
            copy.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(ROOT / name, copy)
    for folder, title, words in INDEXES:
        write(TARGET / folder / "index.md", f"# {title}\n\n{words}\n" + beside(f"{folder}/index.md"))


def beside(index):
    """A table of contents of the pages in the same folder as an index."""
    folder = Path(index).parent
    pages = [
        Path(target).stem
        for source, target in PAGES.items()
        if Path(target).parent == folder and target != index and (ROOT / source).exists()
    ]
    return "\n".join(["", "```{toctree}", ":maxdepth: 1", "", *pages, "```", ""]) if pages else ""


def write(path, text):
    """Only what is new, so that Sphinx reads only that again."""
    path.parent.mkdir(parents=True, exist_ok=True)
    if not path.exists() or path.read_text(encoding="utf-8") != text:
        path.write_text(text, encoding="utf-8")


def setup(app):
    app.connect("config-inited", lambda *_: write_pages())
    return {"parallel_read_safe": True, "parallel_write_safe": True}
