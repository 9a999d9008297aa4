"""Pictures of the pages: each file in ``pictures/`` has a ``draw()``, a figure or the text of an SVG, and a name."""

import runpy
from pathlib import Path

import matplotlib.pyplot as plt

__all__ = ["draw_all", "setup"]

HERE = Path(__file__).resolve().parents[1]
TARGET = HERE / "generated" / "pictures"
STYLE = {
    "figure.constrained_layout.use": True,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "font.size": 10,
    "svg.hashsalt": "condmmd",
}


def draw_all():
    """Draw what is newer than its picture, or than the package."""
    TARGET.mkdir(parents=True, exist_ok=True)
    package = max(path.stat().st_mtime for path in (HERE.parent / "src").rglob("*.py"))
    for script in sorted((HERE / "pictures").glob("*.py")):
        picture = TARGET / f"{script.stem}.svg"
        if picture.exists() and picture.stat().st_mtime > max(package, script.stat().st_mtime):
            continue
        with plt.rc_context(STYLE):
            drawn = runpy.run_path(str(script))["draw"]()
            if isinstance(drawn, str):
                picture.write_text(drawn, encoding="utf-8")
            else:
                drawn.savefig(picture, metadata={"Date": None})
                plt.close(drawn)


def setup(app):
    app.connect("config-inited", lambda *_: draw_all(), priority=400)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
