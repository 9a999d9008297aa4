"""No level is best everywhere: the first table of decision 4."""

import matplotlib.pyplot as plt
from looks import table


def draw():
    head, *rows = table("docs/decisions/0004-default-test.md", "Rejection at 0.05, true propensity")
    names = head[1:-1]
    figure, ax = plt.subplots(figsize=(9, 3.2))
    for row, style in zip(rows[:4], ("v:", "s:", "^:", "o-"), strict=True):
        joined = "studentised" in row[0]
        name = "five levels in one p-value" if joined else row[0]
        ax.plot(names, [float(cell) for cell in row[1:-1]], style, label=name, color="#d08770" if joined else "#30638e")
    ax.set(ylabel="rejected at 0.05", ylim=(0, 1))
    ax.legend(frameon=False, ncols=2, fontsize=8)
    return figure
