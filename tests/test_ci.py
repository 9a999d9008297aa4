"""What the scripts of a complete run say: floors, audits, builds, and tests that did not run."""

import json
import os
import runpy
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]


pytestmark = pytest.mark.skipif(not (ROOT / ".ci").exists(), reason="an archive of the sources has no scripts")


@pytest.fixture(scope="module")
def scripts():
    return {name: runpy.run_path(str(ROOT / ".ci" / f"{name}.py")) for name in ("audit", "floors")}


def test_every_dependency_has_one_lowest_version(scripts):
    found = scripts["floors"]["floors"](PROJECT)
    assert found["pyarrow"] == "17"  # filters with a mask of NumPy, which 15 and 16 refuse
    assert {"numpy", "scipy", "scikit-learn", "pandas", "polars", "dask[array,dataframe]"} <= found.keys()
    assert [scripts["floors"]["exact"](version) for version in ("17", "1.26", "2.1.3")] == ["17.0", "1.26.0", "2.1.3"]
    for lines, told in ((["numpy"], "has no lowest version"), (["a>=1", "a>=2"], "at least 1 here and 2 there")):
        with pytest.raises(ValueError, match=told):
            scripts["floors"]["floors"]({"name": "x", "dependencies": lines, "optional-dependencies": {}}, ())


def test_an_audit_that_was_not_made_is_not_clean(scripts):
    """pip-audit ends with status 0 and "No known vulnerabilities" where it could reach nothing."""
    verdict = scripts["audit"]["verdict"]
    seen = {"name": "numpy", "version": "2.0", "vulns": []}
    unseen = {"name": "scipy", "skip_reason": "Dependency not found on PyPI and could not be audited: scipy (1.17.1)"}
    ill = {"name": "jinja2", "version": "3.1", "vulns": [{"id": "CVE-1", "fix_versions": ["3.2"]}]}

    def of(*entries):
        return verdict(json.dumps({"dependencies": list(entries)}), "")

    assert of(seen) == (0, "1 packages, nothing known.")
    assert of(seen, {"name": "condmmd", "skip_reason": "it is ours"})[0] == 0
    status, text = of(seen, unseen)
    assert (status, text[:40]) == (3, "NOT AUDITED: 1 of 2 packages were not fo")
    assert of(seen, unseen, ill)[0] == 1
    assert "jinja2 3.1: CVE-1, mended in 3.2" in of(ill)[1]
    assert verdict("", "a\nConnectionError: no route")[1].endswith("database: ConnectionError: no route")
    assert verdict("", "")[0] == 3
    assert of()[0] == 3


@pytest.mark.parametrize(("environment", "status"), [({}, 0), ({"NO_SKIPS": "1"}, 1)])
def test_a_complete_run_skips_nothing(tmp_path, environment, status):
    path = tmp_path / "test_one.py"
    path.write_text("import pytest\ndef test():\n    pytest.importorskip('no_such_module')\n")
    clean = {name: value for name, value in os.environ.items() if name != "NO_SKIPS"}
    done = subprocess.run(  # noqa: S603
        [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", "-p", "tests.conftest", "-c", os.devnull, path],
        cwd=ROOT, env=clean | environment, capture_output=True, text=True, check=False, timeout=100,
    )  # fmt: skip
    assert done.returncode == status, done.stdout
    assert ("this test was to run here, and was skipped" in done.stdout) == bool(status)


def test_nothing_that_fails_is_passed_over():
    text = (ROOT / ".ci" / "run").read_text()
    assert "set -euo pipefail" in text
    assert "||" not in text


def test_reports_were_found_accessible():
    """What ``.ci/accessibility`` recorded: two validators and axe-core, four ways to look at each report."""
    record = json.loads((ROOT / "docs" / "report" / "accessibility.json").read_text())
    assert record["versions"].keys() == {"axe-core", "html-validate", "vnu-jar"}
    assert len(record["reports"]) >= 4
    assert record["faults"] == 0
    for seen in record["reports"].values():
        assert (seen["validator"], seen["vnu"], seen["console"]) == ([], [], [])
        assert len(seen["axe"]) == 4
        assert all(look["violations"] == [] and look["passed"] > 20 for look in seen["axe"].values())
