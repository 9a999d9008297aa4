"""The figures: ours with binomial intervals, the published curve dotted."""

import matplotlib as mpl
import numpy as np
from scipy.stats import binomtest

from experiments.experiment import OURS

mpl.use("Agg")
import matplotlib.pyplot as plt

mpl.rcParams["svg.hashsalt"] = "condmmd"  # the same picture is the same file

MARKERS = "os^Dv*"


def interval(curve, trials, kind):
    """95 %: Wilson's for a rate, two standard errors for a mean."""
    if kind == "rate":
        found = binomtest(round(curve["mean"] * trials), trials).proportion_ci(method="wilson")
        return found.low, found.high
    half = 1.96 * curve["sd"] / trials**0.5
    return curve["mean"] - half, curve["mean"] + half


def kind_of(experiment):
    unpublished = "rate" if experiment.ylabel == "type I error" else "exact"
    return next((target.kind for targets in experiment.targets.values() for target in targets.values()), unpublished)


def draw(experiment, record, folder):
    """Write the figure of an experiment as PNG and SVG."""
    two = len(experiment.variants) > 1 or experiment.draw
    fig, axes = plt.subplots(1, 2 if two else 1, figsize=(11, 4.2), squeeze=False)
    (experiment.draw or draw_variants)(experiment, record, axes[0])
    for ax in axes[0]:
        if not ax.has_data():
            ax.remove()
    if record.get("source"):
        fig.text(0.99, 0.01, f"Data: {record['source']}", ha="right", fontsize="small")
    fig.tight_layout()
    for ending in ("png", "svg"):
        path = folder / "figures" / f"{experiment.name}.{ending}"
        path.parent.mkdir(parents=True, exist_ok=True)
        fig.savefig(path, dpi=110, metadata={"Date": None} if ending == "svg" else None)
    plt.close(fig)


def draw_variants(experiment, record, axes):
    """The compared variant with the published curves on the left, the others on the right."""
    compared, *others = experiment.variants
    colours = {name: f"C{k}" for k, name in enumerate(experiment.targets)}
    draw_curves(experiment, record, compared, axes[0], colours)
    for name, targets in experiment.targets.items():
        axes[0].plot(
            list(targets), [target.value for target in targets.values()], ":", color=colours[name], linewidth=2
        )
    axes[0].set_title(f"{experiment.title}: {compared}, dotted: the paper's", fontsize="medium")
    for variant in others:
        draw_curves(experiment, record, variant, axes[1], colours)
    if others:
        axes[1].set_title(" and ".join(others), fontsize="medium")
    for ax in axes:
        ax.set(xlabel=experiment.xlabel, ylabel=experiment.ylabel)
        if experiment.ylabel == "type I error":
            ax.axhline(0.05, color="0.6", linewidth=0.8)
            top = max(0.2, *(np.max(line.get_ydata()) for line in ax.lines if len(line.get_ydata())))
            ax.set_ylim(0, min(1.05, top + 0.05))
        ax.legend(fontsize="small")


def draw_curves(experiment, record, variant, ax, colours):
    points = record["points"][variant]
    names = list(next(iter(points.values()))["curves"])
    for k, name in enumerate(names):
        found = [points[f"{x:g}"] for x in experiment.points]
        mean = np.array([entry["curves"][name]["mean"] for entry in found])
        low, high = np.transpose(
            [interval(entry["curves"][name], entry["trials"], kind_of(experiment)) for entry in found]
        )
        ax.errorbar(
            experiment.points,
            mean,
            yerr=[np.maximum(mean - low, 0), np.maximum(high - mean, 0)],
            marker=MARKERS[k % len(MARKERS)],
            markersize=4.5,
            color=colours.get(name, "black"),
            linestyle="-" if variant == OURS or name in colours else "--",
            linewidth=1.3,
            elinewidth=0.7,
            capsize=2,
            label=math(name),
        )


def math(name):
    return name.replace("CMMD_", "$CMMD_").replace("}", "}$") if "CMMD_{" in name else name
