"""Licences of the packages in a lock file, as they are installed here: nothing under the GPL or AGPL, and what else is
copyleft only where :data:`ALLOWED` says why.

    python supply_chain/licences.py [requirements.lock]
"""

from __future__ import annotations

import re
import sys
from importlib.metadata import Distribution, PackageNotFoundError, distribution
from pathlib import Path

LOCK = Path(__file__).parents[1] / "requirements.lock"
_PINNED = re.compile(r"^([A-Za-z0-9][A-Za-z0-9._-]*)==([^ ;\\]+)", re.MULTILINE)
_COPYLEFT = re.compile(r"GPL|General Public|Affero|Mozilla|\bMPL|\bEPL|Eclipse|\bCDDL|\bEUPL|\bOSL|SSPL", re.IGNORECASE)

ALLOWED = {
    "certifi": "MPL-2.0: a list of certificates, used as it comes; its own files are not changed",
    "tqdm": "MPL-2.0 and MIT: used as it comes, its own files are not changed",
    "yasbd-lib": "MPL-2.0, which is about its own files: imported as it comes, they are not changed",
}
"""Packages whose licence asks for something that using them as they come fulfils, and what."""


def pinned(lock: Path = LOCK) -> dict[str, str]:
    """Version by name, in small letters with hyphens, of a lock file."""
    return {name.lower().replace("_", "-"): version for name, version in _PINNED.findall(lock.read_text())}


def licence_of(package: Distribution) -> str:
    """What a package says of its licence: SPDX expression, or classifiers, or the first line of its own words."""
    metadata = package.metadata
    if expression := metadata.get("License-Expression"):
        return expression
    classifiers = [
        each.rpartition(" :: ")[2] for each in metadata.get_all("Classifier", []) if each.startswith("License")
    ]
    first_line = (metadata.get("License") or "").strip().partition("\n")[0][:100]
    return "; ".join(each for each in classifiers if each != "OSI Approved") or first_line


def is_copyleft(licence: str) -> bool:
    """Whether a licence, as it is written, asks that what is made with it be under the same."""
    return _COPYLEFT.search(licence) is not None


def problem(name: str, licence: str) -> str:
    """What stands against a package; "" where nothing does."""
    if not licence:
        return "says nothing of its licence"
    choice = " or " in licence.lower() and not all(is_copyleft(each) for each in re.split(r"(?i)\bor\b", licence))
    return "" if choice or not is_copyleft(licence) or name in ALLOWED else f"is under {licence}"


def main() -> int:
    """Print a line a package; 1 where something stands against one."""
    lock = Path(sys.argv[1]) if len(sys.argv) > 1 else LOCK
    against, absent = [], []
    for name in sorted(pinned(lock)):
        try:
            licence = licence_of(distribution(name))
        except PackageNotFoundError:
            absent.append(name)
            continue
        print(f"{name:<28} {licence}{f'  ({ALLOWED[name]})' if name in ALLOWED else ''}")
        if told := problem(name, licence):
            against.append(f"{name} {told}")
    if absent:
        print(f"of other systems, not installed here and not looked at: {', '.join(absent)}")
    print("\n".join(against) or f"nothing stands against the licences in {lock.name}")
    return 1 if against else 0


if __name__ == "__main__":
    sys.exit(main())
