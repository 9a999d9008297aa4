"""Seconds and memory of the default test against rows, as the benchmarks measured them."""

import re

import matplotlib.pyplot as plt
from looks import table


def draw():
    rows = table("benchmarks/README.md", "## Against rows in each group")
    head, body = rows[0], rows[1:]
    figure, (left, right) = plt.subplots(1, 2, figsize=(9, 3.2), sharex=True)
    for from_file, style, name in ((False, "o-", "in memory"), (True, "s--", "from a Parquet file, in parts")):
        chosen = [row for row in body if ("file" in row[0]) == from_file]
        total = [2 * int(re.match(r"[\d,]+", row[0])[0].replace(",", "")) for row in chosen]
        left.plot(total, [float(row[head.index("seconds")]) for row in chosen], style, color="#30638e", label=name)
        right.plot(total, [float(row[head.index("peak GB")]) for row in chosen], style, color="#d08770", label=name)
    left.set(
        xscale="log", yscale="log", ylabel="seconds", xlabel="rows", title="Time, 2 cores, 200 null labels, plug-in"
    )
    right.set(ylabel="GB", xlabel="rows", title="Peak memory", ylim=(0, None))
    left.legend(frameon=False)
    right.legend(frameon=False)
    return figure
