"""Build the wheel and the source archive twice, in two places, and compare them byte by byte; they go to dist/.

Times in the archives are those of the last commit. Needs git, and the package ``build``. The repository names no place
where it is kept: ``--host https://... --revision v1`` tells it when there is one, so that the links and pictures of the
README lead there from wherever it is shown, and the archives name it as the project's.
"""

from __future__ import annotations

import argparse
import hashlib
import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent


def absolute(readme: str, host: str, revision: str) -> str:
    """A README whose relative links and pictures lead to a host: what shows it elsewhere has no files beside it."""

    def placed(match: re.Match[str]) -> str:
        picture, before, path = match.groups()
        if re.match(r"[a-z]+:|#", path):
            return match.group()
        if path.startswith("../../"):  # from the page of the sources up to that of the repository
            return f"{picture}{before}({host}/{path.removeprefix('../../')})"
        return f"{picture}{before}({host}/{'raw' if picture else 'blob'}/{revision}/{path})"

    nested = r"(?:[^\[\]]|!\[[^\]]*\]\([^)]*\))*"  # a badge is a picture inside of a link
    pictures = re.sub(r"(!)(\[[^\]]*\])\(([^)\s]+)\)", placed, readme)
    return re.sub(rf"(?<!!)()(\[{nested}\])\(([^)\s]+)\)", placed, pictures)


def tell(folder: Path, host: str, revision: str) -> None:
    """Write the host into what is built; the README stays as it is, beside one for those who show it elsewhere."""
    (folder / "README.absolute.md").write_text(absolute((folder / "README.md").read_text(), host, revision))
    urls = f'Source = "{host}"\nIssues = "{host}/issues"\nChangelog = "{host}/blob/{revision}/CHANGELOG.md"\n'
    project = folder / "pyproject.toml"
    text = project.read_text().replace('readme = "README.md"', 'readme = "README.absolute.md"')
    project.write_text(text.replace("[project.urls]\n", f"[project.urls]\n{urls}"))


def build(target: Path, umask: int, epoch: str, *, isolated: bool, host: str, revision: str) -> dict[str, str]:
    """Hashes of what is built from the last commit, unpacked to a folder of its own."""
    with tempfile.TemporaryDirectory() as folder:
        archive = subprocess.run(["git", "archive", "HEAD"], cwd=ROOT, capture_output=True, check=True).stdout
        subprocess.run(["tar", "-x", "--touch"], cwd=folder, input=archive, check=True, umask=umask)
        if host:
            tell(Path(folder), host, revision)
        options = ["--outdir", str(target), *([] if isolated else ["--no-isolation"])]
        subprocess.run(
            [sys.executable, "-m", "build", *options, folder], check=True, umask=umask, stdout=subprocess.DEVNULL,
            env=os.environ | {"SOURCE_DATE_EPOCH": epoch},
        )  # fmt: skip
    return {path.name: hashlib.sha256(path.read_bytes()).hexdigest() for path in sorted(target.iterdir())}


def main(arguments: list[str] | None = None) -> int:
    """Build, compare, keep."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--no-isolation", action="store_true", help="build with what is installed here")
    parser.add_argument("--host", default="", help="where the sources are kept")
    parser.add_argument("--revision", default="main", help="tag or branch that links go to")
    options = parser.parse_args(arguments)
    place = {"isolated": not options.no_isolation, "host": options.host.rstrip("/"), "revision": options.revision}
    epoch = subprocess.run(
        ["git", "log", "-1", "--format=%ct"], cwd=ROOT, capture_output=True, text=True, check=True
    ).stdout.strip()
    with tempfile.TemporaryDirectory() as first, tempfile.TemporaryDirectory() as second:
        one = build(Path(first), 0o022, epoch, **place)
        two = build(Path(second), 0o077, epoch, **place)
        if one != two or len(one) != 2:
            print(f"NOT REPRODUCIBLE: {one} and then {two}", file=sys.stderr)
            return 1
        shutil.rmtree(ROOT / "dist", ignore_errors=True)
        (ROOT / "dist").mkdir()
        for name, digest in one.items():
            shutil.copy(Path(first) / name, ROOT / "dist" / name)
            print(f"{digest}  dist/{name}")
    print(f"built twice with the same bytes; SOURCE_DATE_EPOCH={epoch}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
