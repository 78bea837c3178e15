"""Known vulnerabilities of the packages in a lock file: from a folder of OSV records, or asked of PyPI by pip-audit.

    python supply_chain/vulnerabilities.py LOCK [DATABASE]

DATABASE: a folder or .zip of JSON files in the OSV format, such as https://osv-vulnerabilities.storage.googleapis.com/PyPI/all.zip.
Without one pip-audit asks PyPI. Exit code 0: none known; 1: some are; 2: not checked.
"""

from __future__ import annotations

import json
import subprocess
import sys
import zipfile
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from licences import pinned
from packaging.version import InvalidVersion, Version

NOT_CHECKED = 2
_OTHERWISE = "give VULNERABILITIES=a folder or zip of OSV records"


def records(database: Path) -> Iterator[dict[str, Any]]:
    """Every OSV record of a folder or zip file."""
    if database.is_dir():
        for path in sorted(database.rglob("*.json")):
            yield json.loads(path.read_text(encoding="utf-8"))
        return
    with zipfile.ZipFile(database) as packed:
        for name in packed.namelist():
            if name.endswith(".json"):
                yield json.loads(packed.read(name))


def known(packages: dict[str, str], database: Iterable[dict[str, Any]]) -> list[str]:
    """A line for each vulnerability of one of the packages in its version."""
    found = []
    for record in database:
        if record.get("withdrawn"):
            continue
        for affected in record.get("affected", ()):
            package = affected.get("package", {})
            name = package.get("name", "").lower().replace("_", "-")
            if package.get("ecosystem") == "PyPI" and name in packages and _is_affected(packages[name], affected):
                found.append(f"{name} {packages[name]}: {record['id']} {record.get('summary', '')}".rstrip())
    return found


def _is_affected(version: str, affected: dict[str, Any]) -> bool:
    if version in affected.get("versions", ()):
        return True
    return any(
        _in_range(Version(version), each["events"])
        for each in affected.get("ranges", ())
        if each["type"] == "ECOSYSTEM"
    )


def _in_range(version: Version, events: Iterable[dict[str, str]]) -> bool:
    """Whether the last event at or before the version brought the fault in (OSV schema, "Evaluation")."""
    inside = False
    for event in events:
        try:
            if "introduced" in event:
                inside |= event["introduced"] == "0" or version >= Version(event["introduced"])
            elif "fixed" in event:
                inside &= version < Version(event["fixed"])
            elif "last_affected" in event:
                inside &= version <= Version(event["last_affected"])
        except InvalidVersion:
            continue
    return inside


def main() -> int:
    """Print what is known."""
    lock = Path(sys.argv[1])
    if len(sys.argv) > 2:
        database = list(records(Path(sys.argv[2])))
        if not database:
            print(f"NOT CHECKED: {sys.argv[2]} holds no OSV record", file=sys.stderr)
            return NOT_CHECKED
        found = known(pinned(lock), database)
        print("\n".join(found) or f"{len(pinned(lock))} packages, {len(database):,} records: none known")
        return 1 if found else 0
    command = [sys.executable, "-m", "pip_audit", "--disable-pip", "--require-hashes", "-f", "json", "-r", str(lock)]
    code, lines = verdict(subprocess.run(command, capture_output=True, text=True).stdout)
    print("\n".join(lines), file=sys.stderr if code == NOT_CHECKED else sys.stdout)
    return code


def verdict(report: str) -> tuple[int, list[str]]:
    """Exit code and lines of what pip-audit printed as JSON: a package that it could not ask about is not checked."""
    try:
        packages = json.loads(report)["dependencies"]
    except (ValueError, KeyError):
        return NOT_CHECKED, [f"NOT CHECKED: PyPI does not answer; {_OTHERWISE}"]
    skipped = [package for package in packages if "skip_reason" in package]
    if skipped:
        told = f"{len(skipped)} of {len(packages)} packages are not known where it asked, {skipped[0]['name']} for one"
        return NOT_CHECKED, [f"NOT CHECKED: {told}; {_OTHERWISE}"]
    found = [f"{each['name']} {each['version']}: {fault['id']}" for each in packages for fault in each["vulns"]]
    return (1, found) if found else (0, [f"{len(packages)} packages: none known"])


if __name__ == "__main__":
    sys.exit(main())
