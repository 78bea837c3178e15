"""Outputs of many language pairs in folders, one for each kind of file."""

from __future__ import annotations

from pathlib import Path

import pytest

import diglot
from diglot.evaluation.gold import read_pairs
from diglot.outputs.corpus_files import KINDS
from diglot.outputs.run_text import finished_text
from diglot.run import settings
from diglot.run.settings import settings_of_found
from diglot.workbench.commands import Pairs
from made_website import as_lett

LANGS = "en,fr,it"


def files(run: Path) -> dict[str, bytes]:
    return {path.relative_to(run / "out").as_posix(): path.read_bytes() for path in (run / "out").rglob("*.*")}


def test_folders_hold_the_same_files_and_change_back(tmp_path: Path) -> None:
    site, out = as_lett(tmp_path / "site.lett"), tmp_path / "run"
    flat = diglot.harvest(site, LANGS, out, jobs=1)
    before, pairs = files(out), read_pairs(out)
    assert diglot.harvest(site, LANGS, out, jobs=1, folders=True).summary()["kept"] == flat.summary()["kept"]
    after = files(out)
    assert sorted(name for name in after if "/" not in name) == ["pages.tsv", "summary.json"]
    assert {name.partition("/")[0] for name in after if "/" in name} == {*KINDS}
    assert {name.rpartition("/")[2]: text for name, text in after.items() if "summary" not in name} == {
        name: text for name, text in before.items() if "summary" not in name
    }
    assert read_pairs(out) == pairs
    assert "tmx/en-fr.tmx" in finished_text(out, flat.summary())
    diglot.harvest(site, LANGS, out, jobs=1)
    assert {*files(out)} == {*before}


@pytest.mark.parametrize(
    ("count", "pivot", "has_folders"), [(5, "", False), (6, "", True), (13, "en", False), (14, "en", True)]
)
def test_more_than_twelve_pairs_are_many(count: int, pivot: str, has_folders: bool) -> None:
    """Four files a pair, at most fifty in a folder."""
    langs = ["en", "de", "fr", "it", "es", "pt", "nl", "sv", "da", "fi", "pl", "cs", "hu", "el"][:count]
    assert settings_of_found(langs, pivot, {}).folders == has_folders
    assert ("--folders" in Pairs(tuple(langs), pivot).words) == has_folders
    assert settings_of_found(langs[:2], "", {"folders": True}).folders


@pytest.mark.slow
def test_languages_that_diglot_chose_get_folders_and_named_ones_do_not(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(settings, "MANY_PAIRS", 0)
    site = as_lett(tmp_path / "site.lett")
    assert (diglot.harvest(site, "all", tmp_path / "all", jobs=1).path / "out" / "tmx").is_dir()
    assert not (diglot.harvest(site, LANGS, tmp_path / "named", jobs=1).path / "out" / "tmx").exists()


def test_what_a_run_writes_into_folders_is_deleted_with_its_outputs(tmp_path: Path) -> None:
    run = diglot.harvest(as_lett(tmp_path / "site.lett"), LANGS, tmp_path / "run", jobs=1, folders=True)
    (page, *_) = run.pairs()
    diglot.forget(run, url=page.src_url, jobs=1)
    assert all(page.src_url.encode() not in text for text in files(run.path).values())
