"""Outputs of a run whose pairs or segments an earlier version of Diglot made say so."""

from __future__ import annotations

import json
import shutil
import tomllib
from pathlib import Path

import pytest

from diglot.disk.folder import RunFolder
from diglot.errors import UsageError
from diglot.harvesting import clean_run, harvest
from diglot.merging import merge
from diglot.results.run import Run
from diglot.run.work import MADE_BY
from diglot.version import __version__
from two_sites import HOSTS, sites, write_mixed


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    """A run of each site."""
    folder = tmp_path_factory.mktemp("runs")
    for host, lines in sites().items():
        harvest(write_mixed(folder / f"{host}-pages", {host: lines}), "en,fr", folder / host, jobs=1)
    return [folder / host for host in HOSTS]


def made_earlier(run: Path, copy: Path, *stages: str) -> Path:
    """A copy of a run of which version 0.0.9 made these stages; cleaned by this version."""
    shutil.copytree(run, copy)
    with RunFolder(copy, create=False) as folder:
        for stage in stages:
            name = f"{stage} {folder.recall('run', stage)}"
            assert folder.recall(MADE_BY, name) == __version__
            folder.remember(MADE_BY, name, "0.0.9")
    clean_run(copy, min_score=0.5)
    return copy


def signatures(run: Path) -> set[str]:
    """The signature in every place that has one."""
    tmx = (run / "out" / "en-fr.tmx").read_text(encoding="utf-8")
    (run / "card").mkdir(exist_ok=True)
    Run(run).export(["parquet", "tmx-multi"], run / "card")
    return {
        tomllib.loads((run / "diglot.toml").read_text())["signature"],
        json.loads((run / "out" / "summary.json").read_text())["recipe"],
        tmx.partition('"x-signature">')[2].partition("<")[0],
        (run / "card" / "multilingual.tmx").read_text().partition('"x-signature">')[2].partition("<")[0],
        (run / "card" / "README.md").read_text().partition("Recipe: `")[2].partition("`")[0],
    }


@pytest.mark.parametrize(
    ("stages", "ending"),
    [
        ((), ""),
        (("pairs",), "|pairs:0.0.9"),
        (("segments",), "|segments:0.0.9"),
        (("pairs", "segments"), "|pairs:0.0.9|segments:0.0.9"),
    ],
)
def test_the_signature_names_the_version_of_stages_that_an_earlier_one_made(
    runs: list[Path], tmp_path: Path, stages: tuple[str, ...], ending: str
) -> None:
    own = f"|aligner=lexical|diglot:{__version__}"
    (signature,) = signatures(made_earlier(runs[0], tmp_path / "run", *stages))
    assert signature.endswith(own + ending)


def test_a_merge_keeps_the_versions_of_its_runs_and_refuses_others(runs: list[Path], tmp_path: Path) -> None:
    both = [made_earlier(run, tmp_path / run.name, "pairs", "segments") for run in runs]
    merged = merge(both, tmp_path / "merged")
    assert signatures(merged.path) == signatures(both[0])
    refusal = "differ in signature (pairs:0.0.9,segments:0.0.9 and ''); both need the same; make one of them again"
    with pytest.raises(UsageError) as refused:
        merge([both[0], runs[1]], tmp_path / "other")
    assert refusal in str(refused.value)
