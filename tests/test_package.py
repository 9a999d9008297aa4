"""The package as a whole: what importing it brings in."""

import subprocess
import sys

import condmmd


def test_the_core_imports_without_the_extras():
    extras = ("matplotlib", "pandas", "polars", "dask", "torch", "jinja2")
    code = f"import sys, condmmd; print([m for m in {extras} if m in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)  # noqa: S603
    assert done.stdout.strip() == "[]"


def test_every_public_name_exists_and_is_documented():
    for name in condmmd.__all__:
        assert getattr(condmmd, name).__doc__


def test_dir_shows_the_public_names():
    assert dir(condmmd) == sorted(condmmd.__all__)
