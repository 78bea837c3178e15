"""Which files of a run's folder Diglot made, which of them are deleted to be made again, which only lose lines."""

from __future__ import annotations

from pathlib import Path

import pytest

from diglot.disk.folder import RunFolder
from diglot.outputs.exports import Export
from diglot.outputs.made_files import clear_outputs, made_files, strike_lines

EXPORTS = (Export("out", "csv", (("en", "fr"),)), Export("memory", "cesalign", (("en", "fr"),)))
OUTPUTS = (
    *("report.html", "report/a.b.en-fr.curve.svg", "out/pairs.en-fr.tsv", "out/segments.en-fr.tsv"),
    *(
        "out/conflicts.en-fr.tsv",
        "out/en-fr.tmx",
        "out/en-fr.00001.tmx",
        "out/delta/en-fr.tmx",
        "out/delta/counts.tsv",
        "out/pages.tsv",
    ),
    *("out/summary.json", "out/en-fr.csv", "memory/cesalign.en-fr/en-1.xml", "memory/cesalign.en-fr/fr-CA-12.xml"),
    "memory/cesalign.en-fr/en-1_fr-CA-12_m+x.y.xml",
)
"""What a run can make again."""
PLANNED = ("tasks/run.json", "tasks/read/0.json", "tasks/tries/read/0", "diglot.log")
"""Deleted only where the plan goes, too."""
LASTING = (
    *("journal.db", "run.lock", "diglot.toml", "judgements.jsonl", "warc/crawl-00000.warc.gz", "out/fetches.tsv"),
    *("out/changes.tsv", "compared/other/pairs.en-fr.tsv", "documents/k-00000.parquet", "verdicts/k-00000.parquet"),
)
FOREIGN = (
    *("notes.txt", "out/mine.txt", "out/deep/en-fr.tmx", "report/mine.png", "out/pairs.tsv", "warc/other.warc.gz"),
    *("out/en-de.csv", "memory/cesalign.en-fr/1.xml", "memory/cesalign.en-fr/en-1.txt", "documents/mine.txt"),
    *("memory/cesalign.en-fr/en-1_fr-2.xml", "memory/cesalign.en-fr/en--1.xml", "other/k-00000.parquet"),
)
"""What somebody else may have put beside them."""


@pytest.fixture
def run(tmp_path: Path) -> Path:
    with RunFolder(tmp_path):
        pass
    for name in (*OUTPUTS, *PLANNED, *LASTING, *FOREIGN):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        if name != "journal.db":
            (tmp_path / name).write_text(name)
    with RunFolder(tmp_path) as folder:
        for name in OUTPUTS:
            folder.written.note(tmp_path / name)
    return tmp_path


def names_in(run: Path) -> set[str]:
    return {path.relative_to(run).as_posix() for path in run.rglob("*") if path.is_file()}


def test_files_that_diglot_made(run: Path) -> None:
    with RunFolder(run) as folder:
        made = {path.relative_to(run).as_posix() for path in made_files(folder)}
    assert {name for name in made if not name.startswith("journal.db-")} == {*OUTPUTS, *PLANNED, *LASTING}


@pytest.mark.parametrize("tasks", [False, True])
def test_what_can_be_made_again_is_deleted(run: Path, tasks: bool) -> None:
    before = names_in(run)
    with RunFolder(run) as folder:
        clear_outputs(folder, EXPORTS, tasks=tasks)
    assert before - names_in(run) == {*OUTPUTS, *(PLANNED if tasks else ())}
    assert (run / "memory" / "cesalign.en-fr").is_dir()  # it holds files of somebody else


def test_what_the_user_changed_or_put_there_stays(run: Path) -> None:
    for name in OUTPUTS:
        (run / name).write_text(f"{name}, corrected")
    mine = {"out/mine.tmx", "out/en-fr.old.tmx", "out/segments.backup.tsv", "out/pairs.mine.tsv", "report/mine.svg"}
    for name in mine:
        (run / name).write_text("of the user")
    before = names_in(run)
    with RunFolder(run) as folder:
        clear_outputs(folder, EXPORTS)
        assert folder.written.names() == []
    assert names_in(run) == before - {*OUTPUTS} | {f"{name}.yours" for name in OUTPUTS}
    assert all((run / f"{name}.yours").read_text() == f"{name}, corrected" for name in OUTPUTS)


def test_outputs_outside_of_the_list_get_another_name_and_other_files_stay(run: Path) -> None:
    before = names_in(run)
    with RunFolder(run) as folder:
        folder._rows("DELETE FROM file")
        clear_outputs(folder, EXPORTS)
    own = {"report.html", "out/pages.tsv", "out/summary.json", "out/delta/counts.tsv"} | {
        name for name in OUTPUTS if "memory" in name
    }
    own |= {"out/en-fr.csv"}
    assert names_in(run) == before - own | {f"{name}.yours" for name in own}


def test_an_emptied_folder_of_an_export_goes_with_its_files(tmp_path: Path) -> None:
    folder = tmp_path / "memory" / "cesalign.en-fr"
    folder.mkdir(parents=True)
    (folder / "en-1.xml").write_text("")
    with RunFolder(tmp_path) as run:
        run.written.note(folder / "en-1.xml")
        clear_outputs(run, EXPORTS)
    assert not folder.exists()
    assert folder.parent.exists()


def test_lines_that_name_a_forgotten_address_are_struck_from_lists(tmp_path: Path) -> None:
    lists = [tmp_path / "out" / "changes.tsv", tmp_path / "compared" / "other" / "pairs.en-fr.tsv"]
    for path in [*lists, tmp_path / "out" / "pages.tsv"]:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(b"url\tchange\nhttp://a/\tnew\nhttp://b/\thttp://a/\nhttp://a/b\tnew\n\xc2\x85http://a/\n")
    strike_lines(tmp_path, lambda url: url == "http://a/")
    left = b"url\tchange\nhttp://a/b\tnew\n\xc2\x85http://a/\n"
    assert [path.read_bytes() for path in lists] == [left, left]
    assert b"http://a/\tnew" in (tmp_path / "out" / "pages.tsv").read_bytes()  # made again, not mended


def test_a_list_without_the_address_is_not_written_again(tmp_path: Path) -> None:
    path = tmp_path / "out" / "changes.tsv"
    path.parent.mkdir()
    path.write_text("url\tchange\n")
    before = path.stat().st_ino
    strike_lines(tmp_path, lambda url: url == "http://a/")
    assert path.stat().st_ino == before
