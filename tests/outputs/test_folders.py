"""Outputs of many language pairs in folders, one for each kind of file."""

from __future__ import annotations

from pathlib import Path

import diglot
from diglot.evaluation.gold import read_pairs
from diglot.outputs.corpus_files import KINDS
from diglot.outputs.run_text import finished_text
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


def test_what_a_run_writes_into_folders_is_deleted_with_its_outputs(tmp_path: Path) -> None:
    run = diglot.harvest(as_lett(tmp_path / "site.lett"), LANGS, tmp_path / "run", jobs=1, folders=True)
    (page, *_) = run.pairs()
    diglot.forget(run, url=page.src_url, jobs=1)
    assert all(page.src_url.encode() not in text for text in files(run.path).values())
