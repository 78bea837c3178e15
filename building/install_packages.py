"""Install the packages of a lock file into an environment, and say how far it is and what it takes.

python building/install_packages.py ENVIRONMENT requirements.lock
"""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path

_LOCKED = re.compile(r"[A-Za-z0-9][\w.-]*(\[[^]]*\])?==")
TOLD_EVERY = 10
"""Packages between two lines where the output is no terminal."""
LINES_SHOWN = 20
"""Last lines of pip that are printed when it fails."""


def main() -> int:
    """Run pip; returns its exit code."""
    environment, lock = map(Path, sys.argv[1:3])
    total = sum(_LOCKED.match(line) is not None for line in lock.read_text(encoding="utf-8").splitlines())
    print(f"installing at most {total} packages into {environment}", flush=True)
    command = [environment / "bin" / "python", "-m", "pip", "--disable-pip-version-check", "install"]
    # Python compiles a module when it is first imported; pip would compile all, of which most are never used.
    command += ["--progress-bar", "off", "--no-compile", "--require-hashes", "-r", lock]
    heard: list[str] = []
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True) as pip:
        assert pip.stdout is not None
        every = 1 if sys.stdout.isatty() else TOLD_EVERY
        for text in progress(_kept(pip.stdout, heard), total, every):
            print(f"\r{text}" if every == 1 else text, end="" if every == 1 else "\n", flush=True)
    if every == 1:
        print()
    if pip.returncode:
        print("".join(heard[-LINES_SHOWN:]), file=sys.stderr)
    else:
        print(f"installed: {folder_bytes(environment) / 1e6:,.0f} MB in {environment}")
    return pip.returncode


def progress(lines: Iterable[str], total: int, every: int) -> Iterator[str]:
    """What to print of the lines of pip: the number of packages found so far, and the last step."""
    found = 0
    for line in lines:
        if line.startswith("Collecting "):
            found += 1
            if found % every == 0:
                yield f"{found} of {total} packages"
        elif line.startswith("Installing collected packages"):
            yield f"unpacking {found} packages"


def _kept(lines: Iterable[str], heard: list[str]) -> Iterator[str]:
    for line in lines:
        heard.append(line)
        yield line


def folder_bytes(folder: Path) -> int:
    """Bytes of all files in a folder."""
    return sum(path.lstat().st_size for path in folder.rglob("*") if path.is_file() and not path.is_symlink())


if __name__ == "__main__":
    sys.exit(main())
