"""The tree itself: tests mirror it, files are short, and only the backend knows backends."""

import ast
import importlib
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
SOURCE = ROOT / "src" / "condmmd"
MODULES = sorted(path.relative_to(SOURCE) for path in SOURCE.rglob("*.py") if path.name != "__init__.py")
# Only declarations: there is nothing in them that could be wrong by itself.
DECLARATIONS = {"__main__.py", "present/shown.py", "statistics/base.py"}


@pytest.mark.parametrize("module", [m for m in MODULES if m.as_posix() not in DECLARATIONS], ids=str)
def test_every_module_has_a_test_in_the_same_place(module):
    assert (ROOT / "tests" / module.parent / f"test_{module.name}").exists()


@pytest.mark.parametrize("folder", ["src", "tests", "benchmarks", "experiments", "docs"])
def test_no_file_is_long(folder):
    long = {str(f): count for f in (ROOT / folder).rglob("*.py") if (count := len(f.read_text().splitlines())) > 350}
    assert long == {}


@pytest.mark.parametrize("name", sorted(path.stem for path in (ROOT / "benchmarks").glob("*.py")))
def test_every_benchmark_can_still_be_imported(name):
    """They are not run here, and what they import moves."""
    importlib.import_module(f"benchmarks.{name}")


def test_libraries_of_arrays_are_named_in_the_backend_alone():
    """Nobody else imports them, or asks what they are, but whoever reads a user's data or files."""
    readers = {Path("data/partitions.py"), Path("app/streaming.py")}
    for module in MODULES:
        if module.parts[0] == "backend" or module in readers:
            continue
        names = {
            alias.name.split(".")[0]
            for node in ast.walk(ast.parse((SOURCE / module).read_text()))
            if isinstance(node, ast.Import | ast.ImportFrom)
            for alias in (node.names if isinstance(node, ast.Import) else [ast.alias(node.module or "")])
        }
        assert not names & {"torch", "cupy", "dask", "array_api_compat"}, module
