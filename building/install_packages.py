"""Install the packages of a lock file into an environment, and say what it takes.

python building/install_packages.py ENVIRONMENT LOCK UV

``UV``: path of the program uv, which takes a quarter of the time of the pip that comes with Python 3.11. uv does not
read the settings of pip: behind an index that only pip knows it fails, and pip installs the packages.
"""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

_LOCKED = re.compile(r"[A-Za-z0-9][\w.-]*(\[[^]]*\])?==")


def main() -> int:
    """Install; returns the exit code of the last installer asked."""
    environment, lock, uv = map(Path, sys.argv[1:4])
    python = environment / "bin" / "python"
    total = sum(_LOCKED.match(line) is not None for line in lock.read_text(encoding="utf-8").splitlines())
    print(f"installing at most {total} packages into {environment}", flush=True)
    # Python compiles a module when it is first imported; pip would compile all, of which most are never used.
    by_pip: list[str | Path] = [python, "-m", "pip", "--disable-pip-version-check", "install", "--no-compile"]
    for installer in ([uv, "pip", "install", "--python", python], by_pip):
        shown = [] if sys.stdout.isatty() else ["--quiet"]
        code = subprocess.run([*installer, *shown, "--require-hashes", "-r", lock], check=False).returncode
        if code == 0:
            print(f"installed: {folder_bytes(environment) / 1e6:,.0f} MB in {environment}")
            return 0
        if installer is not by_pip:
            print("uv failed: trying with pip", file=sys.stderr, flush=True)
    return code


def folder_bytes(folder: Path) -> int:
    """Bytes of all files in a folder."""
    return sum(path.lstat().st_size for path in folder.rglob("*") if path.is_file() and not path.is_symlink())


if __name__ == "__main__":
    sys.exit(main())
