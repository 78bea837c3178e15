"""What a release says of itself is so, and what it is built with is pinned."""

from __future__ import annotations

import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from diglot.recipes import RECIPES
from diglot.version import __version__
from loaded_scripts import load_script

ROOT = Path(__file__).parents[1]
PYPROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
LOCKS = {"build": "requirements-build.lock", "compiler": "requirements-compiler.lock"}


for_index = load_script("building/index_readme").for_index
requirements = load_script("building/requirements").requirements
install_packages = load_script("building/install_packages")


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("[a](b.md) and [c](d/e.md#f)", "a and c"),
        ("[a](https://example.org/b)", "[a](https://example.org/b)"),
        ("[a](#below)", "[a](#below)"),
        ("`x[0](y)`", "`x0`"),  # what looks like a link is one; README has none of these
        ("[a](b.md", "[a](b.md"),
        ("![a](b.png) c", " c"),  # no picture without an address
    ],
)
def test_links_of_the_checkout_are_plain_text_on_an_index(text: str, told: str) -> None:
    assert for_index(text) == told


def test_links_lead_to_the_source_where_that_has_an_address() -> None:
    assert for_index("[a](b.md)", "https://example.org/x/") == "[a](https://example.org/x/b.md)"
    assert for_index("![a](b.png)", "https://example.org/x/") == "![a](https://example.org/x/b.png)"


def test_no_relative_link_of_the_readme_reaches_an_index() -> None:
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    assert len(re.findall(r"\]\((?!https?:)", readme)) > 5
    shown = for_index(readme)
    assert not re.findall(r"\]\((?!https?:|#)[^)]*\)", shown)
    assert "".join(re.findall(r"```.*?```", shown, re.DOTALL)) == "".join(re.findall(r"```.*?```", readme, re.DOTALL))


def test_the_version_is_said_once_the_same() -> None:
    cited = (ROOT / "CITATION.cff").read_text(encoding="utf-8")
    assert f"\nversion: {__version__}\n" in cited
    assert PYPROJECT["project"]["version"] == __version__
    assert f"license: {PYPROJECT['project']['license']}\n" in cited


def test_the_paper_of_every_recipe_is_cited() -> None:
    """By the first of its authors; those of the default recipe are in its theory page, for it is of no one paper."""
    cited = (ROOT / "CITATION.cff").read_text(encoding="utf-8")
    notes = set(re.findall(r"\b[a-z_]+\d*(?:-[a-z]+)?\b", " ".join(re.findall(r"notes: recipes? (.*)", cited))))
    assert set(RECIPES) - {"fused", "url_baseline"} <= notes
    for name in set(RECIPES) - {"fused", "url_baseline"}:
        first = re.split(r"[ ,&]", RECIPES[name].source)[0]
        assert f"family-names: {first}\n" in cited


def test_nobody_is_told_of_an_index_that_does_not_have_it() -> None:
    pages = [ROOT / "README.md", *(ROOT / "docs").rglob("*.md")]
    assert not [page for page in pages if re.search(r"pip install diglot\b", page.read_text(encoding="utf-8"))]


@pytest.mark.parametrize("of", LOCKS)
def test_what_builds_is_pinned_by_hash(of: str) -> None:
    entries = re.split(r"\n(?=\S)", (ROOT / LOCKS[of]).read_text(encoding="utf-8").strip())
    assert all(re.search(r"==[^ ]+ .*--hash=sha256:[0-9a-f]{64}", entry, re.DOTALL) for entry in entries)
    needs = requirements(of) + (PYPROJECT["dependency-groups"]["installer"] if of == "build" else [])
    asked = {re.split(r"[>=]", need)[0].lower() for need in needs}
    assert {entry.partition("==")[0] for entry in entries} == asked
    assert asked == ({"setuptools", "cython", "uv"} if of == "build" else {"ziglang"})


def test_the_source_archive_leaves_nothing_of_a_checkout_out() -> None:
    """Every file at the top stands in the manifest, or comes by itself."""
    by_itself = {"LICENSE", "MANIFEST.in", "README.md", "pyproject.toml", "setup.py"}
    manifest = (ROOT / "MANIFEST.in").read_text(encoding="utf-8")
    here = {path.name for path in ROOT.iterdir() if path.is_file()} - by_itself
    unnamed = [name for name in here if name not in manifest and not name.endswith(".lock") and name[0] != "."]
    assert not [name for name in unnamed if name not in ("PKG-INFO", "setup.cfg")]


@pytest.mark.parametrize(("uv", "pip", "asked", "code"), [(0, 0, "uv", 0), (1, 0, "uv pip", 0), (2, 3, "uv pip", 3)])
def test_pip_installs_what_uv_could_not(tmp_path: Path, uv: int, pip: int, asked: str, code: int) -> None:
    (tmp_path / "bin").mkdir()
    for name, result in (("uv", uv), ("bin/python", pip)):
        script = f'#!/bin/sh\nprintf "%s\\n" "$0 $*" >> {tmp_path}/asked\nexit {result}\n'
        (tmp_path / name).write_text(script)
        (tmp_path / name).chmod(0o755)
    (tmp_path / "a.lock").write_text("a==1\n")
    command = [sys.executable, ROOT / "building" / "install_packages.py", tmp_path]
    command += [tmp_path / "a.lock", tmp_path / "uv"]
    ended = subprocess.run(command, capture_output=True, text=True, check=False)
    lines = (tmp_path / "asked").read_text().splitlines()
    assert " ".join("uv" if line.startswith(f"{tmp_path}/uv ") else "pip" for line in lines) == asked
    assert all(line.endswith(f"--require-hashes -r {tmp_path}/a.lock") for line in lines)
    assert ended.returncode == code
    assert ended.stdout.startswith("installing at most 1 packages")
    assert ("installed: " in ended.stdout) == (code == 0)


def test_an_installation_says_what_it_takes(tmp_path: Path) -> None:
    (tmp_path / "a").mkdir()
    (tmp_path / "a" / "b").write_bytes(b"x" * 700)
    (tmp_path / "c").write_bytes(b"x" * 300)
    (tmp_path / "link").symlink_to(tmp_path / "c")
    assert install_packages.folder_bytes(tmp_path) == 1000
