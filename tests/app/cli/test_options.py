"""The arguments that commands share, and those of the commands for rows with two sides."""

import pytest

from condmmd.app.cli.parser import make_parser


def test_defaults():
    options = make_parser().parse_args(["paired", "t.csv", "--first", "a", "--second", "b"])
    assert (options.resamples, options.significance, options.seed, options.file2) == (999, 0.05, 0, None)


@pytest.mark.parametrize("command", ["paired", "model", "calibration"])
def test_help_says_what_it_is_for(command, capsys):
    with pytest.raises(SystemExit):
        make_parser().parse_args([command, "--help"])
    assert "--report" in capsys.readouterr().out


def test_several_columns():
    options = make_parser().parse_args(
        ["calibration", "t.csv", "--outcome", "y", "--predictions", "a", "b", "c", "--classes", "x", "y", "z"]
    )
    assert options.predictions == ["a", "b", "c"]
    assert options.classes == ["x", "y", "z"]
