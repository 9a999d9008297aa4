"""Reports of public tables: ``python -m docs.report FOLDER``, where ``.ci/accessibility`` looks at them.

The tables are those that scikit-learn, vega_datasets and causaldata ship; the last two lie under FOLDER/tables.
"""

import json
import sys
from pathlib import Path

import pandas as pd

from condmmd.app.cli import main
from condmmd.app.demo import COVARIATES, OUTCOME, write_table

VEGA = Path("tables") / "vega_datasets" / "_data"


def cars(folder):
    table = pd.DataFrame(json.loads((folder / VEGA / "cars.json").read_text()))
    return table.assign(Year=table.Year.str[:10])


def weather(folder):
    return pd.read_csv(folder / VEGA / "seattle-weather.csv")


def villages(folder):
    return pd.read_csv(folder / "tables" / "causaldata" / "social_insure" / "Cai_2015.csv")


REPORTS = {
    "cars": (
        cars, ("--outcome Miles_per_Gallon --group Origin --groups Japan USA --names Japanese American --exclude Name "
        "--drop-missing"),
    ),
    "weather": (
        weather, ("--outcome temp_max --group weather --groups rain sun --names rainy sunny "
        "--covariates date wind temp_min"),
    ),
    "insurance": (
        villages, ("--outcome takeup_survey --group intensive --names intensive simple --categorical takeup_survey "
        "village --covariates village age agpop ricearea_2010 disaster_prob male risk_averse literacy --drop-missing"),
    ),
}  # fmt: skip


def write_reports(folder):
    for name, (table, options) in REPORTS.items():
        table(folder).to_csv(folder / f"{name}.csv", index=False)
        write_one(folder, name, options.split())
    write_table(folder / "diabetes.csv")
    write_one(folder, "diabetes", ["--outcome", OUTCOME, "--covariates", *COVARIATES, "--group", "sex"])


def write_one(folder, name, options):
    report = str(folder / f"{name}.html")
    status = main(["test", str(folder / f"{name}.csv"), *options, "--report", report, "--overwrite", "--quiet"])
    if status:
        sys.exit(status)


if __name__ == "__main__":
    write_reports(Path(sys.argv[1]))
