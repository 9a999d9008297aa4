"""Known vulnerabilities of what is installed: an audit that could not be made is not a clean one.

pip-audit itself says "no known vulnerabilities" where it has reached no database. Status 0: all that is installed was
looked up and nothing is known against it; 1: something is; 3: it could not be looked up.
"""

from __future__ import annotations

import json
import subprocess
import sys

CLEAN, VULNERABLE, NOT_MADE = 0, 1, 3


def verdict(output: str, errors: str, own: str = "condmmd") -> tuple[int, str]:
    """The status and what to say, from what pip-audit has printed."""
    try:
        found = [entry for entry in json.loads(output)["dependencies"] if entry["name"] != own]
    except (ValueError, KeyError, TypeError):
        reason = (errors.strip().splitlines() or ["it said nothing"])[-1]
        return NOT_MADE, f"NOT AUDITED: pip-audit did not finish, most likely for want of its database: {reason}"
    known = [(entry, bug) for entry in found for bug in entry.get("vulns", [])]
    lines = [
        f"{entry['name']} {entry['version']}: {bug['id']}, mended in {', '.join(bug['fix_versions']) or 'no version'}"
        for entry, bug in known
    ]
    unseen = [entry["name"] for entry in found if "skip_reason" in entry]
    if unseen:
        shown = ", ".join(unseen[:5]) + (", ..." if len(unseen) > 5 else "")
        lines.append(
            f"NOT AUDITED: {len(unseen)} of {len(found)} packages were not found in the database ({shown}); if that is "
            "all of them, it could not be reached."
        )
    if known:
        return VULNERABLE, "\n".join(lines)
    return (NOT_MADE if unseen or not found else CLEAN), "\n".join(lines) or f"{len(found)} packages, nothing known."


if __name__ == "__main__":
    folders = [part for path in sys.argv[1:] for part in ("--path", path)]
    command = [sys.executable, "-m", "pip_audit", "--format", "json", "--progress-spinner", "off", *folders]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    status, text = verdict(done.stdout, done.stderr)
    print(text)
    sys.exit(status)
