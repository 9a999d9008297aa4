"""The arguments that several commands have, and those of ``paired``, ``model`` and ``calibration``."""

from __future__ import annotations

from typing import Any

__all__ = ["FILE", "add_covariates", "add_output", "add_reading", "add_row_commands"]

FILE: dict[str, Any] = {"metavar": "FILE", "help": "CSV, TSV, Parquet or Excel, gzipped or not; - for standard input"}


def add_covariates(parser: Any) -> None:
    """Which columns to condition on."""
    parser.add_argument("--covariates", nargs="+", action="extend", metavar="X",
                        help="column(s) to condition on; without, all the others")  # fmt: skip
    parser.add_argument("--exclude", nargs="+", action="extend", default=[], metavar="COL",
                        help="all the others are covariates but these")  # fmt: skip


def add_reading(data: Any, *, streamed: bool = False) -> None:
    """How columns are taken, and how a file is read."""
    data.add_argument("--categorical", nargs="+", action="extend", default=[], metavar="COL",
                      help="take as categories, though they are numbers")  # fmt: skip
    data.add_argument("--numeric", nargs="+", action="extend", default=[], metavar="COL", help="take as numbers")
    data.add_argument("--drop-missing", action="store_true", help="leave out rows with a missing value")
    if streamed:
        data.add_argument("--stream", action="store_true",
                          help="read Parquet in parts; large files are so in any case (needs dask)")  # fmt: skip
    data.add_argument("--delimiter", help="of a text file; without, it is guessed from the first line")
    data.add_argument("--sheet", metavar="NAME", help="of an Excel file; without, the only one that has values")
    data.add_argument("--encoding", default="utf-8", help="of a text file (utf-8)")
    data.add_argument("--max-memory", default="2G", metavar="SIZE",
                      help="a file that takes more once it is unpacked and read is refused (2G)")  # fmt: skip
    data.add_argument("--max-columns", type=int, default=10_000, metavar="N",
                      help="a file with more is refused (10000)")  # fmt: skip


def add_output(parser: Any, full: str) -> None:
    """What is printed and written; ``full`` says of what every number is."""
    out = parser.add_argument_group("output")
    out.add_argument("--json", action="store_true", help="print JSON instead of text")
    out.add_argument("--json-file", metavar="FILE", help="write JSON to a file too")
    out.add_argument("--full", action="store_true", help=f"JSON with every number: of {full}")
    out.add_argument("--quiet", action="store_true", help="no notes and no progress")


def add_row_commands(commands: Any) -> None:
    """Commands for tables whose rows have two sides."""
    paired = commands.add_parser(
        "paired", help="have two outcomes of the same rows one distribution, given X?",
        description="Two raters of the same patients, a simulator and reality at the same inputs, before and after: "
        "have the two columns the same distribution given the covariates?",
    )  # fmt: skip
    paired.add_argument("file", **FILE)
    paired.add_argument("--first", nargs="+", required=True, metavar="Y1", help="column(s) of the one")
    paired.add_argument("--second", nargs="+", required=True, metavar="Y2", help="column(s) of the other, as many")
    add_covariates(paired)
    _add_common(paired)
    model = commands.add_parser(
        "model", help="does a model say rightly how Y is distributed given X?",
        description="Columns hold what a model says of each row, which must not be rows that it was fitted to: is the "
        "outcome, given the covariates, distributed like that?",
    )  # fmt: skip
    model.add_argument("file", **FILE)
    _add_forecast(model)
    add_covariates(model)
    _add_common(model)
    calibration = commands.add_parser(
        "calibration", help="do predictions mean what they say?",
        description="Columns hold predictions: are outcomes distributed as predicted, given the prediction? Of all "
        "rows with a predicted probability of 0.7, seven in ten should have the outcome.",
    )  # fmt: skip
    calibration.add_argument("file", **FILE)
    _add_forecast(calibration)
    calibration.add_argument("--given", nargs="+", metavar="COL",
                             help="groups within which predictions are to be calibrated, in place of the "
                             "predictions themselves")  # fmt: skip
    _add_common(calibration)


def _add_forecast(parser: Any) -> None:
    parser.add_argument("--outcome", required=True, metavar="Y", help="the column of outcomes")
    said = parser.add_argument_group("predictions, in one of these ways")
    said.add_argument("--predictions", nargs="+", metavar="P",
                      help="probabilities of classes, a column each; or one, of the later of two classes")  # fmt: skip
    said.add_argument("--classes", nargs="+", metavar="CLASS",
                      help="what these columns are of, if not the sorted values of --outcome")  # fmt: skip
    said.add_argument("--mean", metavar="COL", help="of a normal law, with --sd")
    said.add_argument("--sd", metavar="COL", help="of a normal law, with --mean")
    said.add_argument("--quantiles", nargs="+", metavar="COL", help="predicted quantiles, with their --quantile-levels")
    said.add_argument("--quantile-levels", nargs="+", type=float, metavar="L", help="such as 0.1 0.5 0.9")
    said.add_argument("--draws", nargs="+", metavar="COL", help="several draws of a model")


def _add_common(parser: Any) -> None:
    parser.add_argument("--blocks", metavar="COL", help="rows of one value of it (a subject, a day) go together")
    parser.add_argument("--resamples", type=int, default=999, metavar="B", help="draws of the null (999)")
    parser.add_argument("--significance", type=float, default=0.05, metavar="ALPHA", help="for the verdict (0.05)")
    parser.add_argument("--seed", type=int, default=0, help="of the draws (0); the same gives the same answer")
    parser.add_argument("--report", metavar="FILE", help="write an HTML report with pictures")
    parser.add_argument("--overwrite", action="store_true", help="the report or JSON file may replace an older one")
    parser.add_argument("--fail-under", type=float, metavar="P", help="exit with status 1 if the p-value is at most P")
    add_reading(parser.add_argument_group("data"))
    parser.set_defaults(file2=None, group=None)
    add_output(parser, "the null, along covariates")
