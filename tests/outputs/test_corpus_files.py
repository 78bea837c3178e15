"""Files of the folder ``out``, worked by hand: which are written, counted and removed, and what the summary holds."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from made_bundles import SETTINGS, MadeBundles, bundle_of

from diglot.disk.atomic import replacing
from diglot.disk.folder import RunFolder
from diglot.errors import RunFolderError
from diglot.outputs.corpus_files import read_summary, write_outputs, write_summary
from diglot.outputs.finish import _summary
from diglot.outputs.funnel import Counts
from diglot.progress import Silent
from diglot.run.settings import make_settings
from diglot.run.work import MERGED


class Heard(Silent):
    """Steps with their totals, and the sum of what was done."""

    def __init__(self) -> None:
        self.steps: list[tuple[str, int | None]] = []
        self.done = 0

    def step(self, text: str, total: int | None = None, unit: str = "") -> None:
        self.steps.append((text, total))

    def advance(self, done: int) -> None:
        self.done += done


@pytest.fixture
def folder(tmp_path: Path) -> Iterator[RunFolder]:
    with RunFolder(tmp_path / "run") as opened:
        (opened.path / "out").mkdir()
        opened.write_settings({})
        yield opened


def names(folder: RunFolder) -> set[str]:
    return {path.name for path in (folder.path / "out").iterdir()}


OF_PAIR = {"pairs.en-fr.tsv", "segments.en-fr.tsv", "conflicts.en-fr.tsv", "en-fr.tmx"}


def test_four_files_a_language_pair_and_the_pages(folder: RunFolder) -> None:
    heard = Heard()
    bundles = MadeBundles([bundle_of(a=2), bundle_of(b=1)])
    assert write_outputs(folder, SETTINGS, bundles, {"en-fr"}, heard) == {*(folder.path / "out").iterdir()}
    assert names(folder) == {*OF_PAIR, "pages.tsv"}
    assert (heard.steps, heard.done) == ([("writing", 5)], 5)
    lines = {name: (folder.path / "out" / name).read_text().count("\n") for name in ("pages.tsv", "segments.en-fr.tsv")}
    assert lines == {"pages.tsv": 1 + 4, "segments.en-fr.tsv": 1 + 3}


def test_a_language_pair_without_segments_has_files_without_rows(folder: RunFolder) -> None:
    heard = Heard()
    settings = make_settings("en,fr,de", recipe="url_baseline")
    written = write_outputs(folder, settings, MadeBundles([bundle_of(a=2)]), {"en-fr"}, heard)
    assert (heard.steps, heard.done) == ([("writing", 13)], 13)
    assert {path.name for path in written} == names(folder)
    assert (folder.path / "out" / "segments.en-de.tsv").read_text().count("\n") == 1
    assert (folder.path / "out" / "segments.en-fr.tsv").read_text().count("\n") == 3


def test_files_of_language_pairs_of_before_go_and_no_others(folder: RunFolder) -> None:
    out = folder.path / "out"
    stale = ["pairs.en-de.tsv", "segments.en-de.tsv", "conflicts.de-fr.tsv", "en-de.tmx", "en-de.00001.tmx"]
    others = ["multilingual.tmx", "fetches.tsv", "en-fr.csv", "segments.txt"]
    mine = ["my-corrected.tmx", "en-fr.old.tmx", "segments.backup.tsv", "segments.en-fr.judged.tsv", "pairs.mine.tsv"]
    mine += ["en-es.tmx", "en-fr.00001.tmx"]
    with folder.lock():
        for name in (*stale, *others, "de-fr.tmx"):
            with replacing(out / name) as handle:
                handle.write(name.encode())
        for name in mine:
            (out / name).write_text("of the user")
        (out / "de-fr.tmx").write_text("corrected by hand")
        (out / "old.tmx").mkdir()
        write_outputs(folder, SETTINGS, MadeBundles([bundle_of(a=1)]), {"en-fr"}, Silent())
    # The first is corrected and the second has the name of an output, which has other files now.
    kept = {"de-fr.tmx.yours", "en-fr.00001.tmx.yours"}
    assert names(folder) == {*OF_PAIR, "pages.tsv", "old.tmx", *others, *mine, *kept} - {"en-fr.00001.tmx"}
    assert (out / "de-fr.tmx.yours").read_text() == "corrected by hand"
    assert {(out / name).read_text() for name in ("en-fr.00001.tmx.yours", *mine[:-1])} == {"of the user"}


def test_a_summary_is_written_as_people_read_it(folder: RunFolder) -> None:
    summary = {"notes": ["Žluťoučký kůň"], "kept": {"en-fr": 1}}
    write_summary(folder, summary)
    text = (folder.path / "out" / "summary.json").read_text(encoding="utf-8")
    assert text == '{\n  "notes": [\n    "Žluťoučký kůň"\n  ],\n  "kept": {\n    "en-fr": 1\n  }\n}\n'
    assert read_summary(folder) == summary


def test_a_run_without_a_summary_is_not_finished(folder: RunFolder) -> None:
    with pytest.raises(RunFolderError, match=r"summary\.json: no summary; .* not finished, run `diglot harvest` again"):
        read_summary(folder)
    folder.remember(MERGED, MERGED, [])
    with pytest.raises(RunFolderError, match="the run is not finished, run `diglot merge` again"):
        read_summary(folder)


@pytest.mark.parametrize("content", ["", "{", "[]", "7"])
def test_a_damaged_summary_is_called_damaged(content: str, folder: RunFolder) -> None:
    (folder.path / "out" / "summary.json").write_text(content)
    with pytest.raises(RunFolderError, match=r"summary\.json: damaged \(.+`diglot verify` names the command"):
        read_summary(folder)


def summary_of(folder: RunFolder, **options: Any) -> dict[str, Any]:
    settings = make_settings("en,fr", recipe="url_baseline", **options)
    return _summary(folder, settings, Counts(), "pairs key", "segments key")


def test_notes_stand_in_the_order_of_the_stages(folder: RunFolder) -> None:
    assert summary_of(folder)["notes"] == []
    folder.remember("notes", "segments key", ["of aligning"])
    assert summary_of(folder)["notes"] == ["of aligning"]
    folder.remember("notes", "pairs key", ["of pairing"])
    folder.remember("crawl", "notes", ["of the crawl"])
    folder.remember("notes", "another key", ["of other options"])
    assert summary_of(folder)["notes"] == ["of the crawl", "of pairing", "of aligning"]


def test_a_crawl_is_counted_and_sites_are_told_unless_all_are_one(folder: RunFolder) -> None:
    assert not {"crawl", "sites"} <= set(summary_of(folder))
    assert (summary_of(folder)["sites"], "sites" in summary_of(folder, one_site=True)) == ([], False)
    assert "crawl" not in summary_of(folder)
    folder.remember("crawl", "counts", {"stored": 3})
    assert summary_of(folder)["crawl"] == {"stored": 3}
