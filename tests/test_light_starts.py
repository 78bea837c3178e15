"""What a command loads: none waits for modules that it has no use for."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Sequence
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
WRITING = ("lxml", "xml.sax.saxutils", "http.client")
"""What is loaded to write or read XML; the escapes of the standard library load what fetches addresses."""
PROGRAM = """
import json, sys
from diglot.cli import main
for arguments in json.loads(sys.argv[1]):
    try:
        main(arguments)
    except SystemExit:
        pass
    print("\\n" + json.dumps(sorted(sys.modules)))
"""


def modules_of(*commands: Sequence[str]) -> list[frozenset[str]]:
    """Names of all modules that a process has loaded at the end of each of some commands, one after the other."""
    command = [sys.executable, "-c", PROGRAM, json.dumps(commands)]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    return [frozenset(json.loads(line)) for line in done.stdout.splitlines() if line.startswith('["')]


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("light")
    (folder / "site.lett").write_bytes(lett_site(HOST, range(4)))
    harvest(folder / "site.lett", "en,fr", folder / "run", jobs=1)
    return folder / "run"


def test_a_command_that_makes_no_run_loads_nothing_heavy_and_one_that_reads_a_run_no_stage(run: Path) -> None:
    """Each start takes a second: a process loads what each of its commands loads, and no command may load any of it."""
    readers = [["stats", str(run)], ["search", str(run), "museum"], ["open", str(run), "--path"]]
    others = [
        *(["--help"], ["harvest", "--help"], ["recipes"], ["recipes", "fused"], ["evaluate", "--help"]),
        *(["terms", "--help"], ["check", str(run / "out" / "en-fr.tmx")]),
        ["export", str(run), "--to", "tsv,tmx,jsonl", "-o", str(run / "elsewhere")],
    ]
    loaded = modules_of(*readers, *others)
    assert len(loaded) == len(readers) + len(others)
    stages = {f"diglot.run.{name}" for name in ("read", "resolve", "pair", "align", "clean")}
    assert not loaded[len(readers) - 1] & {*stages, *WRITING, "diglot.documents.parse", "diglot.alignment.lexical"}
    for command, modules in zip([*readers, *others], loaded, strict=True):
        assert "diglot.cli.commands" in modules
        assert not modules.intersection(HEAVY), command


def test_help_loads_no_table() -> None:
    assert not modules_of(["--help"])[0] & {"numpy", "pyarrow", "lxml", "langcodes", "multiprocessing"}


def test_the_main_process_of_a_harvest_from_files_loads_nothing_of_a_crawl(tmp_path: Path) -> None:
    source = tmp_path / "site.lett"
    source.write_bytes(lett_site(HOST, range(4)))
    command = ["harvest", str(source), "-l", "en,fr", "-o", str(tmp_path / "run"), "--quiet", "--jobs", "1"]
    (loaded,) = modules_of(command)
    assert "diglot.outputs.finish" in loaded
    assert not loaded.intersection(SELDOM)
    others = ("url_baseline", "bitextor2009", "bitextor2010", "ilsp", "pwcc", "strand_em")
    assert not loaded.intersection(f"diglot.recipes.{name}" for name in others)
    assert not {name for name in loaded if name.startswith("diglot.crawl.")}


def test_the_attribute_costs_no_matrix() -> None:
    program = "import sys, json, diglot; diglot.harvest; print(json.dumps(sorted(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert not set(json.loads(done.stdout)).intersection(HEAVY)
