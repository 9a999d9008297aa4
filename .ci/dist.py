"""Build the wheel and the source archive twice, in two places, and compare them byte by byte; they go to dist/.

Times in the archives are those of the last commit. Needs git, and the package ``build``.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent


def build(target: Path, umask: int, epoch: str, *, isolated: bool) -> dict[str, str]:
    """Hashes of what is built from the last commit, unpacked to a folder of its own."""
    with tempfile.TemporaryDirectory() as folder:
        archive = subprocess.run(["git", "archive", "HEAD"], cwd=ROOT, capture_output=True, check=True).stdout
        subprocess.run(["tar", "-x", "--touch"], cwd=folder, input=archive, check=True, umask=umask)
        options = ["--outdir", str(target), *([] if isolated else ["--no-isolation"])]
        subprocess.run(
            [sys.executable, "-m", "build", *options, folder], check=True, umask=umask, stdout=subprocess.DEVNULL,
            env=os.environ | {"SOURCE_DATE_EPOCH": epoch},
        )  # fmt: skip
    return {path.name: hashlib.sha256(path.read_bytes()).hexdigest() for path in sorted(target.iterdir())}


def main(*, isolated: bool = True) -> int:
    """Build, compare, keep."""
    epoch = subprocess.run(
        ["git", "log", "-1", "--format=%ct"], cwd=ROOT, capture_output=True, text=True, check=True
    ).stdout.strip()
    with tempfile.TemporaryDirectory() as first, tempfile.TemporaryDirectory() as second:
        one = build(Path(first), 0o022, epoch, isolated=isolated)
        two = build(Path(second), 0o077, epoch, isolated=isolated)
        if one != two or len(one) != 2:
            print(f"NOT REPRODUCIBLE: {one} and then {two}", file=sys.stderr)
            return 1
        (ROOT / "dist").mkdir(exist_ok=True)
        for name, digest in one.items():
            shutil.copy(Path(first) / name, ROOT / "dist" / name)
            print(f"{digest}  dist/{name}")
    print(f"built twice with the same bytes; SOURCE_DATE_EPOCH={epoch}")
    return 0


if __name__ == "__main__":
    sys.exit(main(isolated="--no-isolation" not in sys.argv))
