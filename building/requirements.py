"""What building asks for, a line each, for `make lock`: of ``build`` the backend, of ``compiler`` the C compiler."""

from __future__ import annotations

import sys
import tomllib
from pathlib import Path

ROOT = Path(__file__).parents[1]


def requirements(of: str) -> list[str]:
    """``build``: as in pyproject.toml; ``compiler``: as in backend.py, which cannot be imported without setuptools."""
    if of == "build":
        build: list[str] = tomllib.loads((ROOT / "pyproject.toml").read_text())["build-system"]["requires"]
        return build
    source = (ROOT / "building" / "backend.py").read_text()
    return [line.partition('"')[2].rstrip('"') for line in source.splitlines() if line.startswith("ZIG = ")]


if __name__ == "__main__":
    print("\n".join(requirements(sys.argv[1])))
