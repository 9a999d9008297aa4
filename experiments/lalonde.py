"""The LaLonde data: earnings given covariates, against randomised controls and against survey controls."""

import numpy as np
import pandas as pd

from condmmd import cmmd_test
from experiments.data import data_file
from experiments.experiment import OURS, Experiment, seed_of

COVARIATES = ["age", "educ", "black", "hisp", "marr", "nodegree", "re74", "re75"]
CATEGORICAL = ["black", "hisp", "marr", "nodegree"]
# P / Q, and what a difference of earnings given covariates is.
COMPARISONS = {
    ("treated", "controls"): "the effect of the training on the distribution of earnings",
    ("treated", "CPS"): "that effect, and whatever else sets people of the survey apart",
    ("controls", "CPS"): "nobody was trained: only what sets people of the survey apart, which was LaLonde's point",
}


def samples():
    """The three groups; None where the data are not at hand."""
    paths = [data_file(f"{name}_mixtape.csv") for name in ("nsw", "cps")]
    if not all(paths):
        return None
    nsw, cps = map(pd.read_csv, paths)
    return {"treated": nsw[nsw.treat == 1], "controls": nsw[nsw.treat == 0], "CPS": cps}


def compare(pair, rng, resamples):
    """The default test of earnings given the covariates."""
    groups = samples()
    table = pd.concat([groups[name] for name in pair], ignore_index=True)
    table = table.astype(dict.fromkeys(CATEGORICAL, "category"))
    group = np.repeat([1, 0], [len(groups[name]) for name in pair])
    return cmmd_test(table[COVARIATES], table[["re78"]], group, n_resamples=resamples, rng=seed_of(rng))


def tests(_point, rng, resamples):
    found = {}
    for pair in COMPARISONS:
        result = compare(pair, rng, resamples)
        name = " / ".join(pair)
        found |= {f"{name}: p, {space}": test.pvalue for space, test in result.marginal().items()}
        found |= {f"{name}: column, {column.name}": column.pvalue for column in result.by_level}
        found |= {
            f"{name}: p, Y given X": result.pvalue,
            f"{name}: rows of P": result.n_obs[0],
            f"{name}: rows of Q": result.n_obs[1],
            f"{name}: effective rows": result.propensity_summary["effective_size"],
            f"{name}: marked": float(result.where().pvalue),
        }
    return {key: float(value) for key, value in found.items()}


def draw_earnings(_experiment, _record, axes):
    """Earnings of the three groups after the training and before it."""
    for ax, year, title in ((axes[0], 78, "The outcome"), (axes[1], 75, "A covariate")):
        for (name, table), style in zip(samples().items(), ("-", "--", ":"), strict=True):
            earnings = np.sort(table[f"re{year}"]) / 1000
            share = np.arange(1, len(earnings) + 1) / len(earnings)
            ax.step(earnings, share, style, color="black", label=f"{name} ({len(table)})")
        ax.set(xlabel=f"earnings 19{year} (1000 dollars)", ylabel="share with at most", title=title)
        ax.legend()


def lalonde_page(experiment, record):
    values = {name: curve["mean"] for name, curve in record["points"][OURS]["0"]["curves"].items()}
    lines = [
        f"## {experiment.title}", "", experiment.about, "", f"![{experiment.title}](figures/{experiment.name}.png)", "",
        "| P / Q | rows | effective rows | p, X | p, Y | p, Y given X | where it shows most | a difference is |",
        "|---|---|---|---|---|---|---|---|",
    ]  # fmt: skip
    for pair, meaning in COMPARISONS.items():
        of = {key.removeprefix(f"{' / '.join(pair)}: "): value for key, value in values.items()}
        columns = {key.removeprefix("column, "): p for key, p in of.items() if key.startswith("column, ")}
        most = min(columns, key=columns.get)
        cells = [
            " / ".join(pair), f"{of['rows of P']:.0f} + {of['rows of Q']:.0f}", f"{of['effective rows']:.0f}",
            f"{of['p, X']:.3f}", f"{of['p, Y']:.3f}", f"**{of['p, Y given X']:.3f}**", f"{most}: {columns[most]:.3f}",
            meaning,
        ]  # fmt: skip
        lines.append("| " + " | ".join(cells) + " |")
    closing = (
        "Where it shows most: of the columns that the test joins, the one with the smallest p-value; by itself that "
        "counts for less than the joined one. The run writes a report of each comparison beside this page, "
        "`reports/lalonde-*.html`. Against the survey the effective rows say how little of it resembles the people of "
        "the trial; a p-value there is as good as the estimated propensity."
    )
    return "\n".join([*lines, "", closing, ""])


def write_reports(folder, rng):
    """The report of every comparison, from the generator that the numbers came from."""
    (folder / "reports").mkdir(parents=True, exist_ok=True)
    for pair in COMPARISONS:
        result = compare(pair, rng, 999)
        path = folder / "reports" / f"lalonde-{'-'.join(pair)}.html"
        result.report(path, overwrite=True, title=f"Earnings in 1978: {pair[0]} (P) and {pair[1]} (Q)")


EXPERIMENTS = [
    Experiment(
        name="lalonde",
        title="LaLonde: the NSW trial and the CPS",
        about="Earnings in 1978 given eight covariates (age, education, earnings 1974 and 1975, and four categories), "
        "in Dehejia and Wahba's sample. Default cmmd_test, 999 labels; the p-values rest on the propensity estimated "
        "from the covariates, which the trial makes nearly constant and the survey far from it.",
        points=(0.0,),
        variants={OURS: tests},
        trials=1,
        resamples=999,
        draw=draw_earnings,
        page=lalonde_page,
        files=write_reports,
    )
]
if samples() is None:
    EXPERIMENTS.clear()
