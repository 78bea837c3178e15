"""What a command loads: none waits for modules that it has no use for."""

from __future__ import annotations

import json
import subprocess
import sys
from functools import cache
from pathlib import Path

import pytest

from diglot.harvesting import harvest
from made_sites import lett_site

HOST = "light.example"
CRAWLING = ("h11", "playwright", "cryptography", "aiohttp")
# Not pandas: pyarrow itself loads it, where it is installed, to look whether a list holds its objects.
SELDOM = (*CRAWLING, "xlsxwriter", "pyspark", "py4j", "polars", "selenium")
"""What no run on files of this machine has a use for."""
HEAVY = (
    *SELDOM,
    "scipy",
    "tldextract",
    "ftfy",
    "language_data.name_data",
    "multiprocessing.pool",
)
"""What takes a tenth of a second or much memory, and only a run that is made needs."""
PROGRAM = """
import json, sys
from diglot.cli import entry
sys.argv[1:] = json.loads(sys.argv[1])
try:
    entry()
finally:
    print("\\n" + json.dumps(sorted(sys.modules)))
"""


@cache
def modules_of(*arguments: str) -> frozenset[str]:
    """Names of all modules that the first process of a command has loaded when it ends."""
    command = [sys.executable, "-c", PROGRAM, json.dumps(arguments)]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    return frozenset(json.loads(done.stdout.splitlines()[-1]))


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("light")
    (folder / "site.lett").write_bytes(lett_site(HOST, range(4)))
    harvest(folder / "site.lett", "en,fr", folder / "run", jobs=1)
    return folder / "run"


@pytest.mark.parametrize(
    "arguments",
    [
        ["--help"],
        ["harvest", "--help"],
        ["recipes"],
        ["recipes", "fused"],
        ["check", "RUN/out/en-fr.tmx"],
        ["open", "RUN", "--path"],
        ["export", "RUN", "--to", "tsv,tmx,jsonl", "-o", "RUN/elsewhere"],
        ["stats", "RUN"],
        ["search", "RUN", "museum"],
        ["evaluate", "--help"],
        ["terms", "--help"],
    ],
    ids=" ".join,
)
def test_a_command_that_makes_no_run_loads_nothing_heavy(arguments: list[str], run: Path) -> None:
    loaded = modules_of(*(each.replace("RUN", str(run)) for each in arguments))
    assert "diglot.cli.commands" in loaded
    assert not loaded.intersection(HEAVY)


@pytest.mark.parametrize("arguments", [["stats", "RUN"], ["search", "RUN", "museum"], ["open", "RUN", "--path"]])
def test_a_command_that_reads_a_run_loads_no_stage(arguments: list[str], run: Path) -> None:
    loaded = modules_of(*(each.replace("RUN", str(run)) for each in arguments))
    stages = {f"diglot.run.{name}" for name in ("read", "resolve", "pair", "align", "clean")}
    assert not loaded & {*stages, "diglot.documents.parse", "diglot.alignment.lexical"}


def test_help_loads_no_table() -> None:
    assert not modules_of("--help") & {"numpy", "pyarrow", "lxml", "langcodes", "multiprocessing"}


def test_the_main_process_of_a_harvest_from_files_loads_nothing_of_a_crawl(tmp_path: Path) -> None:
    source = tmp_path / "site.lett"
    source.write_bytes(lett_site(HOST, range(4)))
    loaded = modules_of("harvest", str(source), "-l", "en,fr", "-o", str(tmp_path / "run"), "--quiet", "--jobs", "1")
    assert "diglot.outputs.finish" in loaded
    assert not loaded.intersection(SELDOM)
    others = ("url_baseline", "bitextor2009", "bitextor2010", "ilsp", "pwcc", "strand_em")
    assert not loaded.intersection(f"diglot.recipes.{name}" for name in others)
    assert not {name for name in loaded if name.startswith("diglot.crawl.")}


def test_the_attribute_costs_no_matrix() -> None:
    program = "import sys, json, diglot; diglot.harvest; print(json.dumps(sorted(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert not set(json.loads(done.stdout)).intersection(HEAVY)
