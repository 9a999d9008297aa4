"""The two notebooks of the repository: those that sphinx-gallery made of two pages of the gallery, without its extras.

``python docs/extensions/notebooks.py`` after a build.
"""

import json
from pathlib import Path

__all__ = ["KEPT", "main", "plain"]

ROOT = Path(__file__).resolve().parents[2]
KEPT = {"plot_concept_drift": "concept_drift", "plot_calibration": "calibration"}


def plain(notebook):
    """Cells with their text alone, each with a name that stays, so that a rebuild of the same page is the same file."""
    cells = []
    for k, cell in enumerate(notebook["cells"]):
        own = {"cell_type": cell["cell_type"], "id": f"cell-{k}", "metadata": {}, "source": "".join(cell["source"])}
        cells.append(own | ({"execution_count": None, "outputs": []} if cell["cell_type"] == "code" else {}))
    kernel = {"display_name": "Python 3", "language": "python", "name": "python3"}
    return {"cells": cells, "metadata": {"kernelspec": kernel}, "nbformat": 4, "nbformat_minor": 5}


def main():
    for page, name in KEPT.items():
        made = json.loads((ROOT / "docs" / "generated" / "gallery" / f"{page}.ipynb").read_text(encoding="utf-8"))
        target = ROOT / "docs" / "notebooks" / f"{name}.ipynb"
        target.parent.mkdir(exist_ok=True)
        target.write_text(json.dumps(plain(made), indent=1, ensure_ascii=False) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
