"""What is installed beside us: pinned by hash, agreeing with pyproject, under licences that go with ours."""

from __future__ import annotations

import json
import re
import subprocess
import sys
import tomllib
from importlib.metadata import distribution, packages_distributions
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT / "supply_chain"))

from licences import ALLOWED, is_copyleft, licence_of, pinned, problem  # noqa: E402
from vulnerabilities import NOT_CHECKED, known, records, verdict  # noqa: E402

LOCKS = [ROOT / "requirements.lock", ROOT / "requirements-dev.lock", ROOT / "requirements-spark.lock"]


INDIRECT = {"click", "markdown-it-py", "pygments", "requests", "requests-file", "shellingham", "typing-extensions"}
"""Packages that our own dependencies need: typer, rich and tldextract."""


@pytest.mark.parametrize("lock", LOCKS, ids=lambda path: path.name)
def test_every_line_of_a_lock_has_hashes(lock: Path) -> None:
    """Every package has an entry with hashes, whatever their number: those we ask for, and those that these need."""
    text = lock.read_text()
    entries = re.split(r"\n(?=\S)", text.strip())
    names = {entry.partition("==")[0] for entry in entries}
    assert names == pinned(lock).keys()
    assert len(entries) == len(names) == len(re.findall(r"^[\w.-]+==", text, re.MULTILINE))
    assert names >= asked_packages() | INDIRECT
    assert all(re.search(r"--hash=sha256:[0-9a-f]{64}", entry) for entry in entries)


def asked_packages() -> set[str]:
    """Names of the packages of a harvest and of a crawl in pyproject."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    needs = project["dependencies"] + project["optional-dependencies"]["crawl"]
    return {re.split(r"[\[<>=!;]", need)[0].strip().lower().replace("_", "-") for need in needs}


def test_the_locks_agree_with_each_other_and_with_pyproject() -> None:
    release, development, spark = map(pinned, LOCKS)
    assert asked_packages() <= release.keys()
    assert release.items() <= development.items()
    assert release.items() <= spark.items()
    assert spark.keys() - release.keys() == {"pyspark", "py4j"}
    assert "pyspark" not in development


def test_nothing_imported_is_under_a_licence_that_would_bind_us() -> None:
    """Of the packages that a harvest reaches, asked of the process itself."""
    code = (
        "import sys, ftfy, diglot.sparse, diglot.cli, diglot.harvesting, diglot.crawl.child, diglot.run.preload, "
        "diglot.run.align, diglot.recipes.fused, diglot.corpus.formats.sheets; "
        "print(*{n.split('.')[0] for n in sys.modules})"
    )
    modules = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.split()
    of_module = packages_distributions()
    packages = {name.lower() for module in modules for name in of_module.get(module, ())} - {"diglot"}
    assert {"ftfy", "h11", "langcodes", "lxml", "numpy", "pyarrow", "selectolax", "xlsxwriter"} <= packages
    told = {name: licence_of(distribution(name)) for name in packages}
    assert not [name for name, licence in told.items() if problem(name.replace("_", "-"), licence)]
    assert not [name for name, licence in told.items() if re.search(r"(?<![L-])A?GPL", licence)]


BINDING = ["GPL-3.0-only", "GNU Affero General Public License v3", "MPL-2.0", "LGPL-2.1"]
FREE = ["MIT", "Apache-2.0 AND MIT", "BSD-3-Clause", "Python Software Foundation License"]


@pytest.mark.parametrize("licence", [*BINDING, *FREE])
def test_copyleft_is_told(licence: str) -> None:
    assert is_copyleft(licence) == (licence in BINDING)
    assert bool(problem("planted", licence)) == (licence in BINDING)
    assert not problem(next(iter(ALLOWED)), licence)


def test_a_licence_may_be_chosen_and_none_is_a_problem() -> None:
    assert not problem("planted", "MIT OR GPL-2.0-only")
    assert problem("planted", "GPL-2.0-only OR LGPL-3.0-only")
    assert problem("planted", "")


def test_a_known_vulnerability_is_found_in_a_local_database(tmp_path: Path) -> None:
    events = [{"introduced": "0"}, {"fixed": "2.0"}, {"introduced": "3.0"}]
    affected = {
        "package": {"ecosystem": "PyPI", "name": "Plan_ted"},
        "ranges": [{"type": "ECOSYSTEM", "events": events}],
    }
    (tmp_path / "PYSEC-1.json").write_text(json.dumps({"id": "PYSEC-1", "summary": "bad", "affected": [affected]}))
    database = list(records(tmp_path))
    found = {version: known({"plan-ted": version}, database) for version in ("1.9", "2.0", "2.5", "3.1")}
    assert [version for version in found if found[version]] == ["1.9", "3.1"]
    assert found["1.9"] == ["plan-ted 1.9: PYSEC-1 bad"]
    assert not known({"other": "1.0"}, database)


def test_what_could_not_be_asked_about_is_not_checked() -> None:
    fine = {"name": "fine", "version": "1.0", "vulns": []}
    faulty = {"name": "faulty", "version": "1.0", "vulns": [{"id": "PYSEC-1"}]}
    unknown = {"name": "strange", "skip_reason": "Dependency not found on PyPI"}
    assert verdict(json.dumps({"dependencies": [fine]})) == (0, ["1 packages: none known"])
    assert verdict(json.dumps({"dependencies": [fine, faulty]})) == (1, ["faulty 1.0: PYSEC-1"])
    for report in ("", "{}", "no answer", json.dumps({"dependencies": [fine, unknown]})):
        code, (line,) = verdict(report)
        assert (code, line[:11]) == (NOT_CHECKED, "NOT CHECKED")
