"""The arguments of the command line."""

from __future__ import annotations

import argparse
from typing import Any, NoReturn

from condmmd.app.cli.options import FILE, add_covariates, add_output, add_reading, add_row_commands

__all__ = ["make_parser"]

EPILOG = """examples:
  condmmd look trial.csv
      What is in a table, what would be in the way of a test, and a command to begin with.

  condmmd test trial.csv --outcome earnings --covariates age school --group treated --report trial.html
      One file with a group column: are earnings, given age and schooling, distributed alike in both groups?

  condmmd test january.parquet june.parquet --outcome price --fail-under 0.01
      Two files: all other columns are covariates; exit status 1 if price given them has changed, for a pipeline.

  zcat big.csv.gz | condmmd test - --outcome y --group source --categorical zip --json
      From standard input, with the type of a column given, as JSON.

  condmmd paired visits.csv --first before --second after --covariates age --blocks patient
      Two outcomes of the same rows: have they one distribution, given age?

  condmmd calibration predicted.csv --outcome bought --predictions probability --report calibration.html
      Do predicted probabilities mean what they say?

  condmmd test big.parquet --outcome y --group source
      A Parquet file larger than memory is read in parts, by dask.
"""


class _Parser(argparse.ArgumentParser):
    def error(self, message: str) -> NoReturn:
        if "FILE" in message:
            message += " (name the file first: an option with several columns takes whatever follows it)"
        super().error(message)


def make_parser() -> argparse.ArgumentParser:
    """All commands with their options."""
    parser = _Parser(
        prog="condmmd",
        description="Is the relationship between X and Y the same in two samples, how different is it, and where?",
        epilog=EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--version", action="store_true", help="show the version and stop")
    commands = parser.add_subparsers(
        dest="command", metavar="look | test | measure | paired | model | calibration | plan | demo"
    )
    look = commands.add_parser(
        "look", help="what would a test of this table meet? and a command for it",
        description="Before a test: how each column would be read, missing values, identifiers, constants, outcomes "
        "that were computed from covariates, overlap of the groups, copies of rows; and a command to paste.",
    )  # fmt: skip
    _add_data(look, outcome_needed=False)
    look.add_argument("--blocks", metavar="COL", help="rows of one value of it (a subject, a day) share a label")
    look.add_argument("--overwrite", action="store_true", help="the JSON file may replace an older one")
    test = commands.add_parser(
        "test", help="is Y given X the same? p-value, where, report", epilog=EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        description="Test whether the outcome, given the covariates, has the same distribution in two samples. That "
        "the covariates themselves moved does not count.",
    )  # fmt: skip
    _add_data(test)
    test.add_argument("--blocks", metavar="COL", help="rows of one value of it (a subject, a day) share a label")
    test.add_argument("--propensity", choices=["estimate", "equal"], default="estimate",
                      help="estimate (default): the covariates may have moved. equal: you know that they did not, as "
                      "in a randomised trial")  # fmt: skip
    test.add_argument("--population", choices=["overlap", "all", "p", "q"],
                      help="ask whether the outcome of a population changed, adjusted for the covariates, in place of "
                      "the outcome given them: overlap (rows that could be of either group), all, p or q (rows like "
                      "those of that group). Differences that cancel do not count")  # fmt: skip
    test.add_argument("--trim", type=float, metavar="SHARE", help="leave out rows where one group is rarer than this")
    test.add_argument("--resamples", type=int, metavar="B",
                      help="null draws (999; of more than 200,000 rows 199, or as many as --significance and "
                      "--fail-under need)")  # fmt: skip
    test.add_argument("--significance", type=float, default=0.05, metavar="ALPHA", help="for the verdict (0.05)")
    test.add_argument("--seed", type=int, default=0, help="of the null draws (0); the same gives the same answer")
    test.add_argument("--jobs", type=int, metavar="N", help="workers; the answer does not depend on it")
    test.add_argument("--report", metavar="FILE", help="write an HTML report with pictures")
    test.add_argument("--overwrite", action="store_true", help="the report or JSON file may replace an older one")
    test.add_argument("--fail-under", type=float, metavar="P", help="exit with status 1 if the p-value is at most P")
    test.add_argument("--check", type=int, nargs="?", const=0, metavar="TABLES",
                      help="how often does this test cry wolf? on so many tables like this one in which nothing "
                      "differs; without a number, for about ten seconds")  # fmt: skip
    test.add_argument("--no-where", action="store_true", help="do not ask where it differs")
    measure = commands.add_parser(
        "measure", help="how different are the two? CMMD at every level",
        description="The size of the difference (squared CMMD), without a test.",
    )  # fmt: skip
    _add_data(measure)
    measure.add_argument("--level", type=float, nargs="+", default=[0, 0.5, 1, 1.5, 2], metavar="S",
                         help="0: wherever there are any rows; 2: where most rows are")  # fmt: skip
    measure.add_argument("--overwrite", action="store_true", help="the JSON file may replace an older one")
    add_row_commands(commands)
    _add_plan(commands)
    demo = commands.add_parser(
        "demo", help="a worked example on real data",
        description="Write a table of 442 patients that scikit-learn ships, test it, and write the report.",
    )  # fmt: skip
    demo.add_argument("--folder", default=".", help="where the table and the report go (this folder)")
    return parser


def _add_plan(commands: Any) -> None:
    plan = commands.add_parser(
        "plan", help="how many rows does a test need? from a pilot table",
        description="How many rows of each group show an effect with a given power? FILE is a pilot: with --group its "
        "groups overlap as those to come, without it is of one population and groups are given by chance.",
    )  # fmt: skip
    _add_data(plan)
    plan.add_argument("--effect", type=float, required=True, metavar="SIZE",
                      help="in the units of the outcome; of a class the rise of its share (0.1: ten percentage "
                      "points); of a spread or a rate a ratio above 1")  # fmt: skip
    plan.add_argument("--kind", choices=["shift", "slope", "spread", "share", "rate"],
                      help="of the effect; without, a shift of a number, a share of a class, a rate")  # fmt: skip
    plan.add_argument("--effect-on", metavar="Y", help="the outcome that has the effect, if there are several")
    plan.add_argument("--along", metavar="X", help="the covariate of a slope")
    plan.add_argument("--deviations", action="store_true", help="SIZE is in residual standard deviations")
    plan.add_argument("--power", type=float, default=0.8, metavar="SHARE", help="how often to reject (0.8)")
    plan.add_argument(
        "--share", type=float, default=0.5, metavar="SHARE", help="of the rows in P, without --group (0.5)"
    )
    plan.add_argument("--propensity", choices=["estimate", "equal"], default="estimate", help="of the test, as in test")
    plan.add_argument("--significance", type=float, default=0.05, metavar="ALPHA", help="of the test (0.05)")
    plan.add_argument("--seed", type=int, default=0, help="of the labels that are drawn (0)")
    plan.add_argument("--picture", metavar="FILE", help="draw the power by the rows: PNG, SVG or PDF")
    plan.add_argument("--overwrite", action="store_true", help="the picture or JSON file may replace an older one")


def _add_data(parser: argparse.ArgumentParser, *, outcome_needed: bool = True) -> None:
    data = parser.add_argument_group("data")
    data.add_argument("file", **FILE)
    data.add_argument("file2", metavar="FILE2", nargs="?", help="the second sample; without, --group splits FILE")
    data.add_argument("--outcome", nargs="+", required=outcome_needed, action="extend", metavar="Y",
                      help="column(s) to compare")  # fmt: skip
    add_covariates(data)
    data.add_argument(
        "--group",
        metavar="COL",
        help="column that says which sample a row is of; P is the value 1 or true, else the later in order",
    )
    data.add_argument("--groups", nargs=2, metavar=("P", "Q"), help="its two values, if it has more")
    data.add_argument("--names", nargs=2, metavar=("P", "Q"),
                      help="what the two groups are called in every text: smokers non-smokers")  # fmt: skip
    add_reading(data, streamed=True)
    parser.set_defaults(blocks=None)
    add_output(parser, "null draws, of points along covariates")
