"""What the installation compiles: all kernels, for the sizes in use; and a clear word where they are missing."""

from __future__ import annotations

import importlib
import importlib.machinery
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import diglot
from diglot.alignment.lexical.rates import DEPTH
from diglot.alignment.lexical.run_scores_kernels import SIZES
from diglot.alignment.lexical.units import FOLDS

PACKAGE = Path(diglot.__file__).parent
ROOT = Path(__file__).parents[1]
KERNELS = sorted(PACKAGE.rglob("*_kernels.py"))
EXTENSIONS = tuple(importlib.machinery.EXTENSION_SUFFIXES)


def _module(path: Path) -> str:
    return ".".join(["diglot", *path.relative_to(PACKAGE).with_suffix("").parts])


@pytest.mark.parametrize("path", KERNELS, ids=lambda path: path.stem)
def test_every_kernel_is_machine_code(path: Path) -> None:
    assert str(importlib.import_module(_module(path)).__file__).endswith(EXTENSIONS)


@pytest.mark.skipif(PACKAGE != ROOT / "src" / "diglot", reason="an installation, whose files have any dates")
@pytest.mark.parametrize("path", KERNELS, ids=lambda path: path.stem)
def test_no_kernel_is_older_than_its_source(path: Path) -> None:
    built = Path(str(importlib.import_module(_module(path)).__file__))
    assert built.stat().st_mtime >= path.stat().st_mtime, "run make install"


def test_kernels_are_compiled_for_the_sizes_in_use() -> None:
    assert SIZES == (FOLDS, DEPTH)


def test_an_unbuilt_checkout_says_what_to_run(tmp_path: Path) -> None:
    shutil.copytree(PACKAGE, tmp_path / "diglot", ignore=shutil.ignore_patterns("__pycache__", "*.so", "*.pyd"))
    command = [sys.executable, "-S", "-c", "import diglot"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, env={"PYTHONPATH": str(tmp_path)})
    assert done.returncode == 1
    assert done.stderr.splitlines()[-1].startswith("diglot.errors.NotBuilt: ")
    assert "make install" in done.stderr


def test_the_compiler_may_lie_in_a_folder_with_blanks(monkeypatch: pytest.MonkeyPatch) -> None:
    split = pytest.importorskip("setuptools._distutils.util").split_quoted
    monkeypatch.syspath_prepend(ROOT / "building")
    python = "/home/me/mein größer Ordner/it's/python"
    command = importlib.import_module("backend").zig_command(python)
    assert split(command)[:4] == [python, "-m", "ziglang", "cc"]


@pytest.mark.skipif(shutil.which("make") is None, reason="no make")
def test_make_may_run_in_a_folder_with_blanks(tmp_path: Path) -> None:
    folder = tmp_path / "two words"
    folder.mkdir()
    for name in ("Makefile", "pyproject.toml", "setup.py"):
        shutil.copy(ROOT / name, folder)
    shutil.copytree(ROOT / "building", folder / "building")
    for lock in ROOT.glob("requirements*.lock"):
        shutil.copy(lock, folder)
    (folder / "src").mkdir()
    shown = subprocess.run(["make", "-n", "install"], cwd=folder, capture_output=True, text=True, check=True).stdout
    paths = [word for word in shlex.split(shown) if str(tmp_path) in word]
    assert paths
    assert all(str(folder) in word for word in paths)


def test_without_a_compiler_the_build_asks_for_one(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    pytest.importorskip("setuptools")
    monkeypatch.syspath_prepend(ROOT / "building")
    backend = importlib.import_module("backend")
    monkeypatch.delenv("CC", raising=False)
    monkeypatch.setenv("PATH", str(tmp_path))
    assert not backend.has_compiler()
    (tmp_path / "cc").touch(0o755)
    assert backend.has_compiler()
