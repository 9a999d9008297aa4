"""The arguments: their defaults, and options that take several columns."""

import pytest

from condmmd.app.cli.parser import make_parser


def parsed(*arguments):
    return make_parser().parse_args(list(arguments))


def test_defaults():
    options = parsed("test", "a.csv", "--outcome", "y")
    assert (options.file, options.file2, options.outcome, options.covariates) == ("a.csv", None, ["y"], None)
    assert (options.resamples, options.significance, options.seed, options.propensity) == (None, 0.05, 0, "estimate")
    flags = (options.json, options.quiet, options.overwrite, options.stream, options.no_where)
    assert flags == (False,) * 5
    assert parsed("measure", "a.csv", "--outcome", "y").level == [0, 0.5, 1, 1.5, 2]
    assert parsed("demo").folder == "."


def test_columns_add_up():
    options = parsed("test", "a.csv", "b.csv", "--outcome", "y", "z", "--outcome", "w", "--covariates", "u", "v")
    assert options.file2 == "b.csv"
    assert options.outcome == ["y", "z", "w"]
    assert options.covariates == ["u", "v"]


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["test", "--outcome", "y", "FILE"], "name the file first"),
        (["test", "a.csv"], "the following arguments are required: --outcome"),
        (["test", "a.csv", "--outcome", "y", "--propensity", "guess"], "invalid choice"),
        (["nonsense"], "invalid choice"),
    ],
)
def test_what_is_refused(arguments, words, capsys):
    with pytest.raises(SystemExit, match="2"):
        parsed(*arguments)
    assert words in capsys.readouterr().err
