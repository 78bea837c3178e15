"""``diglot verify``: a run as it was written is right after every command; each damaged file is named with a remedy."""

from __future__ import annotations

import gzip
import json
import os
import shlex
import shutil
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest
from made_runs import PAGE

from diglot.cli import main
from diglot.corpus.flags import MEANINGS, flag_meaning
from diglot.errors import RunFolderError
from diglot.merging import merge
from diglot.results.run import Run
from diglot.verifying import CHANGED, DAMAGED, MISSING, verify_run


@pytest.fixture
def run(whole: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(whole, tmp_path / "run"))


@pytest.fixture
def without_exports(finished: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(finished, tmp_path / "run"))


def flip(path: Path, at: float = 0.5) -> None:
    """Flip a bit of a file, at a share of its bytes."""
    content = bytearray(path.read_bytes())
    content[int(at * len(content))] ^= 16
    path.write_bytes(content)


def test_a_run_is_as_it_was_written_after_every_command(run: Path, tmp_path: Path) -> None:
    other = Path(shutil.copytree(run, tmp_path / "other"))
    assert not [name for name in verify_run(run).yours if name.startswith("warc/")]
    for command in (
        ["clean", str(run), "--min-score", "0.5"],
        ["pair", str(run), "--recipe", "strand_em"],
        ["align", str(run)],
        ["sample", str(run), "-n", "3", "-o", str(run / "drawn.tsv")],
    ):
        assert main(command) == 0
        assert verify_run(run).faults == []
    assert main(["forget", str(other), "--url", PAGE]) == 0
    assert verify_run(other).faults == []
    merge([run, Path(shutil.copytree(run, tmp_path / "third"))], tmp_path / "merged")
    found = verify_run(tmp_path / "merged")
    assert (found.faults, found.remedy.split()[:2]) == ([], ["diglot", "merge"])


def test_each_damaged_file_is_named(run: Path, capsys: pytest.CaptureFixture[str]) -> None:
    stages = sorted(run.glob("*/*-00000.parquet"))
    (archive,) = run.glob("warc/*.warc.gz")
    for path in (*stages, archive, run / "out" / "en-fr.xlsx"):
        flip(path)
    (run / "out" / "pages.tsv").unlink()
    (run / "out" / "mine.tmx").write_text("of the user")
    capsys.readouterr()
    assert main(["verify", str(run), "--json"]) == 1
    found = json.loads(capsys.readouterr().out)
    kinds = {fault["path"]: (fault["kind"], fault["stage"]) for fault in found["faults"]}
    assert kinds == {
        **{path.relative_to(run).as_posix(): (DAMAGED, path.parent.name) for path in stages},
        f"warc/{archive.name}": (DAMAGED, ""),
        "out/en-fr.xlsx": (CHANGED, "exports"),
        "out/pages.tsv": (MISSING, "outputs"),
    }
    # Of a record the address is named.
    (record,) = (fault["why"] for fault in found["faults"] if fault["path"].startswith("warc/"))
    assert ": http://docs.example.org/" in record
    assert "out/mine.tmx" in found["yours"]
    assert main(["verify", str(run)]) == 1
    told = capsys.readouterr().out
    assert f"rm {shlex.join(map(str, stages))} && diglot harvest --config" in told
    assert "out/mine.tmx" in told
    assert "restore the files of warc/ from a copy" in told


def test_what_is_to_be_typed_makes_the_files_again(whole: Path, tmp_path: Path) -> None:
    """A run of files, for the crawl of this one would ask a network."""
    (archive,) = whole.glob("warc/*.warc.gz")
    run = tmp_path / "run"
    assert main(["harvest", str(archive), "-l", "en,fr", "-o", str(run), "--jobs", "1"]) == 0
    before = {path: path.read_bytes() for path in run.glob("*/*") if path.name != "summary.json"}
    for path in [*run.glob("*/*.parquet"), run / "out" / "en-fr.tmx"]:
        flip(path)
    found = verify_run(run)
    for fault in found.faults:
        if fault.kind == DAMAGED:
            (run / fault.path).unlink()
    assert main(shlex.split(found.remedy)[1:]) == 0
    assert verify_run(run).faults == []
    assert {path: path.read_bytes() for path in before} == before
    # An output may have been changed by its user.
    assert (run / "out" / "en-fr.tmx.yours").is_file()


def test_any_flip_in_an_archive_that_changes_a_record_is_seen(run: Path) -> None:
    """The head of a gzip member, and the bits that fill up its last byte, say nothing about the content."""
    (archive,) = run.glob("warc/*.warc.gz")
    content = archive.read_bytes()
    unpacked = gzip.decompress(content)
    for at in range(0, len(content), len(content) // 50):
        flip(archive, at / len(content))
        kinds = [fault.kind for fault in verify_run(run).faults]
        assert kinds == [DAMAGED] or (not kinds and gzip.decompress(archive.read_bytes()) == unpacked)
        archive.write_bytes(content)


def test_bytes_of_a_killed_crawl_are_no_damage(run: Path) -> None:
    (archive,) = run.glob("warc/*.warc.gz")
    with archive.open("ab") as file:
        file.write(b"half a record")
    assert verify_run(run).faults == []
    os.truncate(archive, archive.stat().st_size // 2)
    assert {fault.path for fault in verify_run(run).faults} == {f"warc/{archive.name}"}


def test_a_damaged_journal_is_named(run: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with closing(sqlite3.connect(run / "journal.db")) as base:
        base.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    content = (run / "journal.db").read_bytes()
    at = content.index(b"en-fr.tmx")
    (run / "journal.db").write_bytes(content[:at] + b"em" + content[at + 2 :])
    for command in ("verify", "stats"):
        assert main([command, str(run)]) == 2
        assert "journal.db: damaged" in capsys.readouterr().err
    (run / "run.lock").write_bytes(b"")  # as after a kill
    assert any("journal.db" in line for line in verify_run(run).unchecked)


def test_a_run_killed_while_it_read_its_sources_is_not_finished(run: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for name in ("diglot.toml", "out", "warc", "resolved", "pairs", "segments", "flagged"):
        path = run / name
        shutil.rmtree(path) if path.is_dir() else path.unlink(missing_ok=True)
    found = verify_run(run)
    assert not found.is_finished
    assert "--config" not in found.remedy
    assert main(["verify", str(run)]) == 1
    assert "the command that began this run" in capsys.readouterr().out


EXPORTS = {
    "csv,jsonl": ("out/en-fr.csv", "diglot export {run} --to csv"),
    "moses": ("out/en-fr.fr", "diglot export {run} --to moses"),
    "cesalign": ("out/cesalign.en-fr/en-1.xml", "diglot export {run} --to cesalign"),
    "parquet": ("out/README.md", "diglot export {run} --to parquet"),
    "csv --spreadsheet --min-score 0.7": (
        "out/en-fr.csv",
        "diglot export {run} --to csv --min-score 0.7 --spreadsheet",
    ),
    "xlsx,csv --spreadsheet --min-prob 0.2 -o {run}/mine": (
        "mine/en-fr.xlsx",
        "diglot export {run} --to xlsx -o {run}/mine --min-prob 0.2",
    ),
    "tmx --variant fr-CA --keep numbers,excerpt --drop units -o {run}/mine": (
        "mine/en-fr.tmx",
        "diglot export {run} --to tmx -o {run}/mine --keep excerpt,numbers --drop units --variant fr-CA",
    ),
    "csv --drop excerpt": ("out/en-fr.csv", "diglot export {run} --to csv --drop added_end"),
    "tmx-multi --pivot fr -l fr,en": ("out/multilingual.tmx", "diglot export {run} --to tmx-multi --pivot fr"),
}
"""Options of an export: a file of it, and the command that writes this file again."""


@pytest.mark.parametrize("options", EXPORTS)
def test_an_export_is_written_again_by_its_own_command(
    options: str, without_exports: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A harvest of an unchanged run writes no export."""
    run = without_exports
    name, command = EXPORTS[options]
    assert main(["export", str(run), "--to", *shlex.split(options.format(run=run))]) == 0
    path = next(run.glob(f"{Path(name).parent}/*.xml")) if name.endswith(".xml") else run / name
    before = path.read_bytes()
    path.unlink()
    found = verify_run(run)
    assert [(fault.path, fault.kind, fault.stage) for fault in found.faults] == [
        (path.relative_to(run).as_posix(), MISSING, "exports")
    ]
    assert found.exports == [command.format(run=shlex.quote(str(run)))]
    capsys.readouterr()
    assert main(["verify", str(run)]) == 1
    told = capsys.readouterr().out
    assert f"next      {found.exports[0]}\n" in told
    assert "diglot harvest" not in told
    assert main(shlex.split(found.exports[0])[1:]) == 0
    assert (verify_run(run).faults, path.read_bytes()) == ([], before)


def test_an_output_of_every_run_is_written_again_by_a_harvest(
    without_exports: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    run = without_exports
    assert main(["export", str(run), "--to", "csv"]) == 0
    for name in ("en-fr.csv", "en-fr.tmx"):
        (run / "out" / name).unlink()
    capsys.readouterr()
    assert main(["verify", str(run)]) == 1
    lines = [line for line in capsys.readouterr().out.splitlines() if line.startswith("next")]
    assert [line.split()[1:3] for line in lines] == [["diglot", "harvest"], ["diglot", "export"]]


def cut(path: Path) -> None:
    """Keep the first bytes of a file."""
    path.write_bytes(path.read_bytes()[:50])


@pytest.mark.parametrize("damage", [Path.unlink, cut])
def test_options_that_are_lost_are_typed_again(damage: Callable[[Path], None], run: Path) -> None:
    assert "--config" in verify_run(run).remedy
    damage(run / "diglot.toml")
    remedy = verify_run(run).remedy
    assert remedy.startswith("type the command that began this run again: diglot.toml, which holds its options, is ")
    said = "missing; type the command that began" if damage == Path.unlink else "cannot be read"
    with pytest.raises(RunFolderError, match=rf"diglot\.toml: {said}"):
        Run(run).settings  # noqa: B018


def test_a_crawl_alone_is_finished_and_a_run_killed_while_it_read_the_archive_is_not(run: Path) -> None:
    (run / "diglot.toml").unlink()
    shutil.rmtree(run / "out")
    assert not verify_run(run).is_finished
    shutil.rmtree(run / "documents")
    assert verify_run(run).is_finished


def test_flags_of_another_installation_are_counted(
    run: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    flags = json.loads((run / "out" / "summary.json").read_text(encoding="utf-8"))["flags"]
    unknown = [flag for flag, count in flags.items() if count]
    for flag in unknown:
        monkeypatch.delitem(MEANINGS, flag)
    for command in (["stats", str(run)], ["clean", str(run)]):
        assert main(command) == 0
    shown = capsys.readouterr()
    assert flag_meaning(unknown[0]) in shown.out + shown.err
