"""The lowest versions that pyproject.toml allows, one requirement a line: ``name==version``."""

from __future__ import annotations

import re
import sys
import tomllib
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
EXTRAS = ("report", "scale", "excel", "test")


def floors(project: dict[str, object], extras: tuple[str, ...] = EXTRAS) -> dict[str, str]:
    """Names (with their extras) and lowest versions; an error where there is none, or where two differ."""
    optional = project["optional-dependencies"]
    wanted = [*project["dependencies"], *(line for extra in extras for line in optional[extra])]
    found: dict[str, str] = {}
    for line in wanted:
        if line.startswith(f"{project['name']}["):
            continue
        match = re.fullmatch(r"([\w.-]+(?:\[[\w,]+\])?)>=([\d.]+)", line)
        if match is None:
            raise ValueError(f"{line!r} has no lowest version; write it as name>=version.")
        name, version = match.groups()
        if found.setdefault(name, version) != version:
            raise ValueError(f"{name} is to be at least {found[name]} here and {version} there; write one of them.")
    return found


def exact(version: str) -> str:
    """1.26 as 1.26.0, which is what was released."""
    return version if version.count(".") >= 2 else f"{version}.0"


if __name__ == "__main__":
    about = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    sys.stdout.writelines(f"{name}=={exact(version)}\n" for name, version in floors(about).items())
