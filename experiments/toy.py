"""The table of the illustrative example: which of three models is closest depends on the level."""

import numpy as np

from condmmd import CMMD, Delta, cmmd, pool
from experiments.experiment import AS_PUBLISHED, Experiment
from experiments.published import Target

MU_X = np.array([0.3, 0.6, 0.1])
P = np.array([[0.4, 0.5, 0.6], [0.6, 0.5, 0.4]])
MODELS = {
    "Q1": np.array([[0.4, 0.5, 0.9], [0.6, 0.5, 0.1]]),
    "Q2": np.array([[0.3, 0.4, 0.5], [0.7, 0.6, 0.5]]),
    "Q3": np.array([[0.3, 0.5, 0.8], [0.7, 0.5, 0.2]]),
}
PUBLISHED = {"Q1": (0.18, 0.018, 0.0018), "Q2": (0.06, 0.020, 0.0092), "Q3": (0.10, 0.014, 0.0026)}


def sample(table):
    """1000 rows with exactly the proportions of a table."""
    cells = [(x, y) for x in range(3) for y in range(2)]
    rows = np.repeat(np.array(cells), [round(1000 * MU_X[x] * table[y, x]) for x, y in cells], axis=0)
    return rows[:, 0], rows[:, 1]


def table(_point, _rng, _resamples):
    found, statistic = {}, CMMD(kernel_x=Delta(), kernel_y=Delta(), reg=1e-10)
    for name, model in MODELS.items():
        d = cmmd(*pool(*sample(P), *sample(model)), statistic=statistic)
        found |= {f"{name}, CMMD_{s}²": float(d.level(s)) for s in (0, 1, 2)}
    return found


def draw_table(experiment, record, axes):
    values = record["points"][AS_PUBLISHED]["0"]["curves"]
    for k, name in enumerate(MODELS):
        heights = [values[f"{name}, CMMD_{s}²"]["mean"] for s in (0, 1, 2)]
        axes[0].bar(np.arange(3) + 0.25 * (k - 1), heights, 0.22, label=name, color=f"C{k}")
        axes[0].plot(np.arange(3) + 0.25 * (k - 1), PUBLISHED[name], "k_", markersize=16)
    axes[0].set(xticks=range(3), xticklabels=["CMMD_0²", "CMMD_1²", "CMMD_2²"], yscale="log", title=experiment.title)
    axes[0].legend(title="mark: published")


EXPERIMENTS = [
    Experiment(
        name="toy",
        title="The toy table",
        about="Binary outcome, three values of X, Kronecker kernels; samples with exactly the stated proportions.",
        points=(0.0,),
        variants={AS_PUBLISHED: table},
        targets={
            f"{name}, CMMD_{s}²": {0.0: Target(values[s], "exact", 1e-6)}
            for name, values in PUBLISHED.items()
            for s in (0, 1, 2)
        },
        ylabel="CMMD²",
        trials=1,
        draw=draw_table,
    )
]
