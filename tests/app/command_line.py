"""The command line as the tests run it."""

import json

from condmmd.app.cli import main

FAST = ("--resamples", "99", "--no-where")
ROLES = ("--outcome", "y", "--group", "treated")


def run(*arguments):
    return main([str(a) for a in arguments])


def answer(capsys, *arguments):
    assert run("test", *arguments, "--json", "--quiet", *FAST) == 0
    return json.loads(capsys.readouterr().out)
