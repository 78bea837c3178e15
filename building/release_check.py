"""Build what a release uploads and try it: each file installed afresh for every Python at hand, the sample harvested
outside of the checkout. All must give the same TMX bytes.

    python building/release_check.py [PYTHON ...]

Needs build, twine and uv beside it, and the build's own requirements on ``PYTHONPATH``: ``make release-check``.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import sys
import tarfile
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
DIST = ROOT / "dist"
SAMPLE = ROOT / "examples" / "sample" / "pages.warc.gz"
LANGUAGES = "en,de,fr,ja"
MINORS = range(11, 15)
"""Of Python 3: what Diglot is for."""
QUICK_TESTS = ["tests/alignment", "tests/corpus", "tests/features", "tests/test_build.py", "tests/test_public_names.py"]
"""Of the tests in the source archive, what runs in a minute and needs nothing else."""


def main() -> int:
    """Do all of it; 1 where anything is not as it should be."""
    pythons = list(_pythons(sys.argv[1:]))
    files = _build()
    _run([sys.executable, "-m", "twine", "check", "--strict", *files])
    found: dict[str, str] = {}
    with tempfile.TemporaryDirectory(prefix="diglot-release-") as name:
        scratch = Path(name)
        for version, python in pythons:
            for file in files:
                what = f"{version} {file.suffix.removeprefix('.')}"
                started = time.monotonic()
                environment = _installed(scratch / what.replace(" ", "-"), python, file)
                found[what] = _harvested(environment)
                print(f"{what:<12} TMX {found[what][:16]}, {time.monotonic() - started:.0f} s", flush=True)
        _test_archive(scratch, pythons[0][1], *files)
        print(f"as a tool of uv: {_installed_as_tool(scratch / 'tool', pythons[0][1], files[0])}")
    missing = [f"3.{minor}" for minor in MINORS if not any(v.startswith(f"3.{minor}.") for v, _ in pythons)]
    if missing:
        print(f"NOT CHECKED: Python {', '.join(missing)}, for there is none on this machine")
    if len(set(found.values())) != 1:
        print("the TMX files differ")
        return 1
    print(f"{len(found)} installations, the same TMX bytes")
    return 0


def _pythons(given: list[str]) -> Iterator[tuple[str, str]]:
    """Version and path of each Python given, or of the first one that runs of each version."""
    folders = [*os.environ.get("PATH", "").split(os.pathsep), *map(str, Path.home().glob(".pyenv/versions/*/bin"))]
    names = given or [str(Path(folder, f"python3.{minor}")) for minor in MINORS for folder in folders]
    seen = set()
    for name in names:
        if given or os.path.isfile(name):
            ask = [name, "-c", "import platform; print(platform.python_version())"]
            told = subprocess.run(ask, capture_output=True, text=True)
            version = told.stdout.strip()
            minor = version.rpartition(".")[0]
            if told.returncode == 0 and minor not in seen:
                seen.add(minor)
                yield version, name
            elif given:
                sys.exit(f"{name} does not run")
    if not seen:
        sys.exit("no Python from 3.11 on was found; name some")


def _build() -> list[Path]:
    """Wheel and source archive, the wheel made from the archive."""
    for old in DIST.glob("diglot-*"):
        old.unlink()
    _run([sys.executable, "-m", "build", "--no-isolation", "--outdir", DIST, ROOT])
    return [*DIST.glob("diglot-*.whl"), *DIST.glob("diglot-*.tar.gz")]


def _installed(folder: Path, python: str, file: Path, *others: str) -> Path:
    """A fresh environment with a file installed; its folder of commands."""
    uv = Path(sys.executable).with_name("uv")
    _run([uv, "venv", "--quiet", "--python", python, folder])
    built_by: list[str | Path] = ["--build-constraint", ROOT / "requirements-build.lock"]
    _run([uv, "pip", "install", "--quiet", "--python", folder / "bin" / "python", *built_by, file, *others])
    return folder / "bin"


def _installed_as_tool(folder: Path, python: str, wheel: Path) -> str:
    """What the command prints as its version, installed as `uv tool install` does."""
    uv, places = Path(sys.executable).with_name("uv"), {"UV_TOOL_DIR": folder, "UV_TOOL_BIN_DIR": folder / "bin"}
    os.environ |= {name: str(place) for name, place in places.items()}
    _run([uv, "tool", "install", "--quiet", "--python", python, wheel])
    return _run([folder / "bin" / "diglot", "--version"]).strip()


def _harvested(commands: Path) -> str:
    """One hash of all TMX files that an installation makes of the sample."""
    with tempfile.TemporaryDirectory(prefix="diglot-release-") as name:
        place = Path(name)
        shutil.copy(SAMPLE, place)
        _run([commands / "diglot", "harvest", SAMPLE.name, "-l", LANGUAGES, "-o", "run", "--quiet"], place)
        memories = sorted((place / "run" / "out").glob("*.tmx"))
        if not memories:
            sys.exit(f"{commands}: no TMX was written")
        return hashlib.sha256(b"".join(path.read_bytes() for path in memories)).hexdigest()


def _test_archive(scratch: Path, python: str, wheel: Path, archive: Path) -> None:
    """Run tests where the source archive is unpacked, on what the wheel installs."""
    with tarfile.open(archive) as packed:
        packed.extractall(scratch, filter="data")
    commands = _installed(scratch / "tests", python, wheel, "pytest", "hypothesis", "pytest-xdist", "warcio")
    unpacked = scratch / archive.name.removesuffix(".tar.gz")
    options = ["-p", "no:cacheprovider", "-m", "not slow"]
    said = _run([commands / "python", "-m", "pytest", *options, *QUICK_TESTS], unpacked)
    print(f"tests of the source archive: {said.strip().splitlines()[-1]}")


def _run(command: list[str | Path], folder: Path = ROOT) -> str:
    """Run a command, outside of the build's own environment; what it printed. One that fails ends all."""
    keep = "build" in command
    environment = {name: value for name, value in os.environ.items() if keep or name != "PYTHONPATH"}
    done = subprocess.run(list(map(str, command)), cwd=folder, env=environment, capture_output=True, text=True)
    if done.returncode:
        said = "\n".join(f"{done.stdout}{done.stderr}".splitlines()[-30:])
        sys.exit(f"{' '.join(map(str, command))}:\n{said}")
    return done.stdout


if __name__ == "__main__":
    sys.exit(main())
