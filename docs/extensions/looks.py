"""What the pictures share: the two groups' colours and marks, and the tables of a page."""

from pathlib import Path

__all__ = ["ROOT", "P", "Q", "scatter", "table"]

ROOT = Path(__file__).resolve().parents[2]
P, Q = "#30638e", "#d08770"


def scatter(ax, x, y, group, size=9):
    """P as triangles, Q as dots, so that no colour is needed."""
    for label, name, marker, colour in ((0, "Q", "o", Q), (1, "P", "^", P)):
        rows = group == label
        ax.scatter(x[rows], y[rows], s=size, marker=marker, color=colour, alpha=0.55, label=name, linewidths=0)


def table(page, heading):
    """Rows of cells of the first table after a line that holds the words."""
    lines = iter((ROOT / page).read_text(encoding="utf-8").splitlines())
    while heading not in next(lines):
        pass
    found = []
    for line in lines:
        if line.startswith("|"):
            found.append([cell.strip().strip("*") for cell in line.strip("|").split("|")])
        elif found:
            break
    return [found[0], *found[2:]]
