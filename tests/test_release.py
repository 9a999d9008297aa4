"""What a release says of itself agrees with itself: versions, requirements, links, workflows, length of the README."""

import re
import runpy
import tomllib
from pathlib import Path

import pytest
import yaml

import condmmd

ROOT = Path(__file__).parent.parent
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
README = (ROOT / "README.md").read_text()
WORKFLOWS = sorted((ROOT / ".github" / "workflows").glob("*.yml"))
HOST = "https://example.org/some/where"


def read_yaml(path):
    return yaml.safe_load((ROOT / path).read_text())


def test_one_version():
    newest = re.search(r"^## (\d\S+)", (ROOT / "CHANGELOG.md").read_text(), re.MULTILINE).group(1)
    recipe = read_yaml("recipe/recipe.yaml")["context"]["version"]
    assert {condmmd.__version__, newest, recipe, read_yaml("CITATION.cff")["version"]} == {condmmd.__version__}


def test_the_recipe_asks_for_what_the_package_asks_for():
    wanted = [line.replace(">=", " >=") for line in PROJECT["dependencies"]]
    assert read_yaml("recipe/recipe.yaml")["requirements"]["run"] == [f"python {PROJECT['requires-python']}", *wanted]


def test_the_readme_is_a_screen_and_a_half():
    """The question, one picture, two commands, five links."""
    assert len(README.splitlines()) <= 65
    assert [line for line in README.splitlines() if line.startswith("make ")] == [
        "make demo    # makes a virtual environment, compares two groups of real patients, writes build/demo.html",
        "make test    # all tests",
    ]
    assert re.findall(r"!\[[^\]]*\]\(([^)]*png)\)", README) == ["docs/picture.png"]
    assert len(re.findall(r"^\| \[", README, re.MULTILINE)) == 5


@pytest.mark.parametrize("page", ["README.md", "docs/overview.md", "CHANGELOG.md", "experiments/README.md"])
def test_links_lead_to_files(page):
    links = re.findall(r"\]\(([^)\s]+)\)", (ROOT / page).read_text())
    near = [link for link in links if not re.match(r"https?:|#|\.\./\.\./", link)]
    assert [link for link in near if not (ROOT / page).parent.joinpath(link).exists()] == []


def test_the_readme_of_the_archives_has_no_relative_links():
    absolute = runpy.run_path(str(ROOT / ".ci" / "dist.py"))["absolute"](README, HOST, "v1")
    links = re.findall(r"\]\(([^)\s]+)\)", absolute)
    assert len(links) == len(re.findall(r"\]\(([^)\s]+)\)", README))
    assert [link for link in links if not link.startswith("https://")] == []
    assert f"({HOST}/raw/v1/docs/picture.png)" in absolute
    assert f"({HOST}/blob/v1/CONTRIBUTING.md)" in absolute
    badge = f"{HOST}/actions/workflows/tests.yml"
    assert f"[![tests]({badge}/badge.svg)]({badge})" in absolute


def test_badges_are_of_workflows_that_are_there():
    named = set(re.findall(r"workflows/([\w.]+)/badge", README))
    assert len(named) == 3
    assert named <= {path.name for path in WORKFLOWS}


def test_workflows_try_every_python_that_is_named():
    ours = [line.rsplit(" ", 1)[1] for line in PROJECT["classifiers"] if re.search(r":: 3\.\d+$", line)]
    assert read_yaml(".github/workflows/tests.yml")["jobs"]["tests"]["strategy"]["matrix"]["python"] == ours
    assert f">={ours[0]}" == PROJECT["requires-python"]


@pytest.mark.parametrize("name", ["tests", "wheel", "weekly"])
def test_workflows_call_targets_that_are_there(name):
    called = re.findall(r"run: make (.+)", (ROOT / ".github" / "workflows" / f"{name}.yml").read_text())
    makefile = (ROOT / "Makefile").read_text()
    assert called
    for target in " ".join(called).split():
        assert re.search(rf"^{target}:", makefile, re.MULTILINE), target


def test_only_the_publishing_job_may_ask_for_an_identity():
    for path in WORKFLOWS:
        workflow = read_yaml(path)
        assert workflow["permissions"] == {"contents": "read"}
        asking = {name: job["permissions"] for name, job in workflow["jobs"].items() if "permissions" in job}
        assert asking == ({"publish": {"id-token": "write"}} if path.stem == "publish" else {})
        assert all("timeout-minutes" in job for job in workflow["jobs"].values())
