"""A picture of each question: rejections of every method on every problem, and mean power against seconds."""

import matplotlib as mpl
import numpy as np

mpl.use("Agg")
import matplotlib.pyplot as plt

from benchmarks.leaderboard.tables import LEVEL, is_merit

mpl.rcParams["svg.hashsalt"] = "condmmd"  # the same picture is the same file
COLOURS = {"condmmd": "C0", "written here": "C1", "package": "C2", "baseline": "0.45"}


def draw(question, rows, problems, folder):
    """Write the picture as PNG and SVG; its file name."""
    height = 1.9 + 0.27 * len(rows)
    width = 5.0 + 0.52 * len(problems)
    fig, (left, right) = plt.subplots(
        1, 2, figsize=(width + 5.5, height), width_ratios=[width, 5.5], layout="constrained"
    )
    draw_rates(left, rows, problems)
    draw_speed(right, rows)
    name = question.replace(" ", "_")
    for ending in ("png", "svg"):
        path = folder / "figures" / f"{name}.{ending}"
        path.parent.mkdir(parents=True, exist_ok=True)
        fig.savefig(path, dpi=100, metadata={"Date": None} if ending == "svg" else None)
    plt.close(fig)
    return name


def draw_rates(ax, rows, problems):
    """Nulls in red where they are rejected too often; power in blue, in brackets where the level is not kept."""
    image = np.full((len(rows), len(problems), 4), 1.0)
    for i, row in enumerate(rows):
        for j, problem in enumerate(problems):
            rate = row.rates.get(problem)
            merit = problem.null or is_merit(row, problem)
            image[i, j] = colour(problem, rate, merit)
            if rate is None:
                continue
            text = f"{rate.share:.2f}".lstrip("0") if rate.share < 1 else "1"
            dark = image[i, j, :3].mean() < 0.5
            ax.text(
                j, i, text if merit else f"({text})", ha="center", va="center", fontsize=7.5,
                color="white" if dark else "black",
            )  # fmt: skip
    ax.imshow(image, aspect="auto")
    ax.set_yticks(range(len(rows)), [row.method.name + (" †" if row.broken else "") for row in rows], fontsize=8)
    for label, row in zip(ax.get_yticklabels(), rows, strict=True):
        label.set_color(COLOURS[row.method.origin])
    ax.set_xticks(
        range(len(problems)),
        [problem.name for problem in problems],
        rotation=40,
        ha="right",
        rotation_mode="anchor",
        fontsize=8,
    )
    ax.axvline(sum(problem.null for problem in problems) - 0.5, color="black", linewidth=1)
    ax.set_title("rejections at 0.05: nulls | alternatives", fontsize="medium")
    ax.tick_params(length=0)


def colour(problem, rate, merit):
    """Grey: not asked; red: a null that is rejected; blue: power; white: no merit."""
    if rate is None:
        return (0.93, 0.93, 0.93, 1.0)
    if problem.null:
        return plt.colormaps["Reds"](float(np.clip(2.5 * (rate.share - LEVEL), 0, 0.9)))
    return plt.colormaps["Blues"](0.75 * rate.share) if merit else (1.0, 1.0, 1.0, 1.0)


def draw_speed(ax, rows):
    """Hollow where a level is not kept."""
    shown = [row for row in rows if row.power is not None and row.seconds]
    for origin, colour in COLOURS.items():
        points = [row for row in shown if row.method.origin == origin]
        if points:
            ax.scatter(
                [row.seconds for row in points], [row.power for row in points], s=26, edgecolors=colour,
                facecolors=["none" if row.broken else colour for row in points], label=origin,
            )  # fmt: skip
    for row in shown:
        ax.annotate(row.method.name, (row.seconds, row.power), xytext=(4, 2), textcoords="offset points", fontsize=6.5)
    ax.set(xscale="log", xlabel="seconds a call", ylabel="mean power", ylim=(-0.03, 1.05))
    ax.margins(x=0.2)
    ax.set_title("hollow: a level is not kept", fontsize="medium")
    if shown:
        ax.legend(fontsize="small", loc="lower right")
