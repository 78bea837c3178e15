"""The journal's seal, runs that are read-only, and disks that are full."""

from __future__ import annotations

import os
import shutil
import sqlite3
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from diglot.cli import main
from diglot.crawl.queue.frontier import Frontier
from diglot.disk import journal_file
from diglot.disk.folder import RunFolder
from diglot.errors import RunFolderError, UsageError
from diglot.harvesting import harvest
from made_website import HOST, as_lett


@pytest.fixture(scope="module")
def finished(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("finished")
    harvest(as_lett(place / "site.lett"), "en,fr", place / "run", jobs=1)
    return place / "run"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A run with a note, whose journal is one file."""
    with RunFolder(tmp_path / "run") as run, run.lock():
        run.remember("kind", "key", "value of the note")
    return tmp_path / "run"


def flip(path: Path, text: bytes) -> None:
    content = path.read_bytes()
    at = content.index(text)
    path.write_bytes(content[:at] + bytes([content[at] ^ 1]) + content[at + 1 :])


def test_a_flipped_bit_in_the_journal_is_told(folder: Path) -> None:
    flip(folder / "journal.db", b"value of the note")
    with pytest.raises(RunFolderError, match=r"journal\.db: damaged"):
        RunFolder(folder)


def test_a_killed_command_leaves_no_seal(folder: Path) -> None:
    script = f"import os\nfrom diglot.disk.folder import RunFolder\nrun = RunFolder({str(folder)!r})\n"
    script += "with run.lock():\n    run.remember('kind', 'other', 1)\n    os._exit(9)\n"
    subprocess.run(
        ["python", "-c", script], check=False, env={**os.environ, "PATH": os.path.dirname(os.sys.executable)}
    )
    assert (folder / "run.lock").read_bytes() == b""
    with RunFolder(folder) as run:
        assert run.recall("kind", "other") == 1
        with run.lock():
            pass
    assert len((folder / "run.lock").read_bytes()) == 32


def test_writes_without_the_lock_break_the_seal_first(folder: Path) -> None:
    with RunFolder(folder) as run:
        run.remember("kind", "outside", 1)
        assert (folder / "run.lock").read_bytes() == b""
        # At the end of a reading command it is sealed again.
        with run.read_lock():
            run.remember("kind", "outside", 2)
    assert len((folder / "run.lock").read_bytes()) == 32
    Frontier(folder / "journal.db").close()
    with RunFolder(folder) as run:
        assert run.recall("kind", "outside") == 2


def test_a_refused_command_seals_the_journal_again(folder: Path) -> None:
    """A refusal after a note, as of an export that a merge cannot write, is no kill."""

    def note_and_refuse() -> None:
        with RunFolder(folder) as run, run.read_lock():
            run.remember("kind", "outside", 1)
            raise UsageError("no such pages")

    with pytest.raises(UsageError, match="no such pages"):
        note_and_refuse()
    with RunFolder(folder) as run:
        assert run.require_intact_journal()


def test_a_reader_beside_a_writer_finds_no_damage(folder: Path) -> None:
    with RunFolder(folder) as writer, writer.lock():
        writer.remember("kind", "key", "another")
        with RunFolder(folder) as reader:
            assert reader.recall("kind", "key") == "another"
    with RunFolder(folder) as reader:
        assert reader.require_intact_journal()


@pytest.fixture
def read_only(finished: Path, tmp_path: Path) -> Iterator[Path]:
    """The finished run on a read-only mount or, where nothing can be mounted, as the system would tell it."""
    place = tmp_path / "run"
    shutil.copytree(finished, place)
    mount = ["mount", "--bind", "-o", "ro", str(place), str(place)]
    if os.geteuid() or subprocess.run(mount, check=False, capture_output=True).returncode:
        pytest.skip("needs to mount")
    try:
        yield place
    finally:
        subprocess.run(["umount", "-l", str(place)], check=True)


def test_a_read_only_run_is_read(read_only: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    other = Path(shutil.copytree(read_only, tmp_path / "other"))
    url = f"{HOST}/en/chapter2.html"
    for command in (
        ["stats", str(read_only)],
        ["search", str(read_only), "e"],
        ["why", str(read_only), url],
        ["open", str(read_only), "--path"],
        ["verify", str(read_only)],
        ["export", str(read_only), "--to", "csv", "-o", str(tmp_path / "exported")],
        ["merge", str(read_only), str(other), "-o", str(tmp_path / "merged")],
    ):
        assert main(command) == 0, command
    capsys.readouterr()
    for command, said in (
        (["clean", str(read_only)], "the place is read-only; choose another, or make it writable"),
        (["export", str(read_only), "--to", "csv"], f"{read_only}: is read-only; name another folder to write to: "),
    ):
        assert main(command) == 2
        assert said in capsys.readouterr().err


@pytest.mark.parametrize("killed", [False, True])
def test_the_journal_of_a_read_only_run(killed: bool, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without a mount: the end of a journal may be in a second file, which a kill leaves."""
    open_beside = RunFolder(folder) if killed else None
    if open_beside is not None:
        with open_beside.lock():
            open_beside.remember("kind", "key", "value of the note")
            open_beside.remember("kind", "last", 7)
    assert (folder / "journal.db-wal").is_file() is killed
    before = {path.name: path.read_bytes() for path in folder.iterdir()}
    monkeypatch.setattr(journal_file.os, "access", lambda *_: False)
    with RunFolder(folder, create=False) as run:
        assert run.is_read_only
        assert run.recall("kind", "key") == "value of the note"
        assert run.recall("kind", "last") == (7 if killed else None)
        with run.read_lock():
            pass
        with pytest.raises(RunFolderError, match="read-only"), run.lock():
            pass
        with pytest.raises(RunFolderError, match="read-only"):
            run.remember("kind", "key", 1)
    assert {path.name: path.read_bytes() for path in folder.iterdir()} == before


@pytest.mark.parametrize("said", ["database or disk is full", "disk I/O error"])
def test_a_full_disk_is_told_as_such(said: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object, **__: object) -> None:
        raise sqlite3.OperationalError(said)

    frontier = Frontier(tmp_path / "journal.db")
    monkeypatch.setattr(journal_file.sqlite3, "connect", fail)
    with pytest.raises(RunFolderError, match=r"journal\.db: the disk is full"):
        Frontier(tmp_path / "journal.db")
    with pytest.raises(RunFolderError, match=r"the disk is full"):
        RunFolder(tmp_path)
    monkeypatch.undo()
    frontier._db.execute("PRAGMA max_page_count=1")
    with pytest.raises(RunFolderError, match=r"journal\.db: the disk is full; free space"):
        frontier.note_robots("a.example", "http", b"x" * 100_000, 200, 0.0)
    frontier.close()


@pytest.mark.parametrize("opened", [Frontier, lambda journal: RunFolder(journal.parent)])
def test_a_journal_that_cannot_be_prepared_is_closed(opened: Callable[[Path], object], tmp_path: Path) -> None:
    journal = tmp_path / "journal.db"
    journal.write_bytes(b"no database" * 100)
    with pytest.raises(RunFolderError, match="its content is damaged") as error:
        opened(journal)
    held = {os.path.realpath(f"/proc/self/fd/{number}") for number in os.listdir("/proc/self/fd")}
    assert str(journal) not in held, error  # whose frames would keep a connection


@pytest.mark.parametrize("kib", [40, 300])
def test_a_harvest_onto_a_full_disk(kib: int, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    place = tmp_path / "small"
    place.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", f"size={kib}k", "tmpfs", str(place)]
    if os.geteuid() or subprocess.run(mount, check=False, capture_output=True).returncode:
        pytest.skip("needs to mount")
    try:
        site = as_lett(tmp_path / "site.lett")
        (place / "filled").write_bytes(b"x" * ((kib - 24) * 1024))
        assert main(["harvest", str(site), "-l", "en,fr", "-o", str(place / "run"), "--jobs", "1"]) == 2
    finally:
        subprocess.run(["umount", "-l", str(place)], check=True)
    told = capsys.readouterr().err
    assert "the disk is full; free space" in told
    assert "Errno" not in told
