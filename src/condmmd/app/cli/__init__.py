"""The command line: what it does with an error, and which command it runs."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from importlib.metadata import version

import numpy as np

from condmmd.app.cli.commands import demo, measure, test
from condmmd.app.cli.looking import look
from condmmd.app.cli.parser import make_parser
from condmmd.app.cli.planning import plan
from condmmd.app.cli.rows import calibration, model, paired
from condmmd.app.cli.words import in_options

__all__ = ["main"]

BAD_INPUT, INTERNAL, INTERRUPTED = 2, 70, 130


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command; the exit status is 0 if it ran, 1 if ``--fail-under`` says so, 2 for bad input."""
    given = list(sys.argv[1:] if arguments is None else arguments)
    try:
        return _run(given)
    except SystemExit as stop:  # argparse: 0 after --help, 2 after a message
        return int(stop.code or 0)
    except BrokenPipeError:  # the reader of our output has seen enough
        sys.stdout = open(os.devnull, "w")  # noqa: SIM115, PTH123 - Python flushes it when it stops
        return 0
    except (ValueError, TypeError, OSError, ImportError, OverflowError, MemoryError, np.linalg.LinAlgError) as error:
        reason = (
            "not enough memory for this table; take a sample of its rows."
            if isinstance(error, MemoryError) else in_options(str(error))
        )  # fmt: skip
        print(f"condmmd: error: {reason}", file=sys.stderr)
        return BAD_INPUT
    except KeyboardInterrupt:
        print("condmmd: interrupted", file=sys.stderr)
        return INTERRUPTED
    except Exception as error:
        if "CONDMMD_TRACEBACK" in os.environ:
            raise
        print(
            f"condmmd: internal error: {type(error).__name__}: {error}. Please report it with the command; with "
            "CONDMMD_TRACEBACK=1 in the environment it shows where.", file=sys.stderr,
        )  # fmt: skip
        return INTERNAL


def _run(given: list[str]) -> int:
    parser = make_parser()
    options = parser.parse_args(given)
    if options.version:
        print(version("condmmd"))
        return 0
    if options.command is None:
        parser.print_help()
        return 0
    commands = {
        "look": look, "test": test, "measure": measure, "paired": paired, "model": model, "calibration": calibration,
        "plan": plan, "demo": demo,
    }  # fmt: skip
    return commands[options.command](options, given)
