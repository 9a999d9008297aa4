"""How often the default test rejects where nothing differs: the table of decision 9, a point for each design."""

import matplotlib.pyplot as plt
import numpy as np
from looks import table


def draw():
    rows = table("docs/decisions/0009-real-tables.md", "### Nulls")[1:]
    rows = [row for row in rows if row[1].isdigit()]
    rates, trials = (np.array([float(row[k]) for row in rows]) for k in (2, 1))
    order = np.lexsort((rates, trials))
    rates, trials, places = rates[order], trials[order], np.arange(len(rows))
    error = np.sqrt(0.05 * 0.95 / trials)
    figure, ax = plt.subplots(figsize=(9, 3))
    ax.fill_between(
        places, 0.05 - 2 * error, 0.05 + 2 * error, step="mid", color="0.9", label="0.05, two standard errors"
    )
    ax.axhline(0.05, color="0.4", linewidth=1)
    for count, marker in zip(np.unique(trials), "o^Ds", strict=False):
        shown = trials == count
        ax.plot(places[shown], rates[shown], marker, color="#30638e", ms=4, label=f"{count:.0f} trials")
    ax.set(
        xlabel=f"{len(rows)} designs in which nothing differs, in order",
        ylabel="rejected at 0.05",
        ylim=(-0.01, max(0.3, rates.max() + 0.03)),
    )
    ax.legend(frameon=False, loc="upper left", ncols=2)
    return figure
