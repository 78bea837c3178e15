"""The run folder: whole files or none, one owner, what is done is not done again, and clear words when it fails."""

from __future__ import annotations

import errno
import os
import shutil
import sqlite3
import subprocess
import sys
import time
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from diglot.disk.folder import RunFolder, content_key
from diglot.errors import DiglotError, RunFolderError, UsageError

SCHEMA = pa.schema([("number", pa.int64())])
STAGE = "documents"


def numbers(*values: int) -> pa.Table:
    return pa.table([values], schema=SCHEMA)


@pytest.mark.parametrize("name", ["run", "deep/er/run", "a=b/c d/é"])
def test_what_is_written_is_read_back(name: str, tmp_path: Path) -> None:
    with RunFolder(tmp_path / name) as folder, folder.lock():
        folder.write_shard(STAGE, "k", 0, numbers(1, 2))
        assert folder.read(STAGE, "k", SCHEMA) is None
        folder.write_shard(STAGE, "k", 1, numbers(3))
        folder.finish(STAGE, "k", 2)
        folder.remember("kind", "key", {"a": [1, None]})
        folder.write_settings({"langs": ["en", "fr"], "deep": {"x": 1.5}})
    with RunFolder(tmp_path / name, create=False) as folder:
        table = folder.read(STAGE, "k", SCHEMA)
        assert table is not None
        assert table.equals(numbers(1, 2, 3))
        assert [folder.has_shard(STAGE, "k", n) for n in range(3)] == [True, True, False]
        assert folder.recall("kind", "key") == {"a": [1, None]}
        assert folder.recall("kind", "other") is None
        assert folder.settings() == {"langs": ["en", "fr"], "deep": {"x": 1.5}}


def test_keys_tell_their_parts_apart() -> None:
    assert content_key("a", 1) == content_key("a", 1)
    assert len({content_key("a", 1), content_key("a", "1"), content_key("a1"), content_key("a", 1, "")}) == 4


def test_an_empty_output_is_an_empty_table(tmp_path: Path) -> None:
    with RunFolder(tmp_path) as folder:
        folder.finish(STAGE, "k", 0)
        assert folder.read(STAGE, "k", SCHEMA) == SCHEMA.empty_table()


class Crash(BaseException):
    """The process dies here."""


def test_a_crash_between_writing_and_renaming_leaves_nothing_under_the_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def crash(*_: object) -> None:
        raise Crash

    with RunFolder(tmp_path) as folder:
        folder.write_shard(STAGE, "k", 0, numbers(1))
        with monkeypatch.context() as patched:
            patched.setattr(os, "replace", crash)
            for number in (0, 1):
                with pytest.raises(Crash):
                    folder.write_shard(STAGE, "k", number, numbers(9, 9))
        assert pq.read_table(folder.shard_path(STAGE, "k", 0)).equals(numbers(1))
        assert not folder.has_shard(STAGE, "k", 1)
        folder.write_shard(STAGE, "k", 1, numbers(2))
        folder.finish(STAGE, "k", 2)
        assert folder.read(STAGE, "k", SCHEMA) == numbers(1, 2)


def test_a_crash_between_renaming_and_the_journal_costs_one_shard(tmp_path: Path) -> None:
    with RunFolder(tmp_path) as folder:
        folder.write_shard(STAGE, "k", 0, numbers(1))
        shutil.copy(folder.shard_path(STAGE, "k", 0), folder.shard_path(STAGE, "k", 1))
        assert not folder.has_shard(STAGE, "k", 1)


def test_a_shard_that_went_missing_makes_its_output_incomplete(tmp_path: Path) -> None:
    with RunFolder(tmp_path) as folder:
        folder.write_shard(STAGE, "k", 0, numbers(1))
        folder.finish(STAGE, "k", 1)
        folder.shard_path(STAGE, "k", 0).unlink()
        assert folder.shards(STAGE, "k") is None
        assert not folder.has_shard(STAGE, "k", 0)


@pytest.mark.parametrize("damage", ["cut", "flipped", "emptied", "other columns"])
def test_a_damaged_stage_file_is_named(damage: str, tmp_path: Path) -> None:
    with RunFolder(tmp_path) as folder:
        folder.write_shard(STAGE, "k", 0, numbers(*range(1000)))
        folder.finish(STAGE, "k", 1)
        path = folder.shard_path(STAGE, "k", 0)
        content = path.read_bytes()
        if damage == "other columns":
            pq.write_table(pa.table({"text": ["a"]}), path)
        else:
            path.write_bytes({"cut": content[:-40], "flipped": content[:-5] + b"\xff" * 5, "emptied": b""}[damage])
        with pytest.raises(
            RunFolderError, match=r"documents/k-00000\.parquet: a stage file is damaged .*stage documents again"
        ):
            folder.read(STAGE, "k", SCHEMA)


def test_outputs_of_other_options_and_files_cut_short_are_discarded(tmp_path: Path) -> None:
    with RunFolder(tmp_path) as folder:
        for key in ("old", "new", "new-er"):
            folder.write_shard(STAGE, key, 0, numbers(1))
        (tmp_path / STAGE / ".new-00001.parquet.77.part").write_bytes(b"PAR1")
        folder.discard_others(STAGE, {"new"})
        folder.discard_others("segments", {"new"})
        assert [path.name for path in (tmp_path / STAGE).iterdir()] == ["new-00000.parquet"]
        assert not folder.has_shard(STAGE, "old", 0)


LOCKING = """
import sys
from diglot.disk.folder import RunFolder
with RunFolder(sys.argv[1]) as folder, folder.lock():
    print("mine", flush=True)
    input()
"""


def test_a_second_owner_is_refused_at_once_and_a_dead_one_frees_the_folder(tmp_path: Path) -> None:
    owner = subprocess.Popen(
        [sys.executable, "-c", LOCKING, str(tmp_path)], stdout=subprocess.PIPE, stdin=subprocess.PIPE, text=True
    )
    assert owner.stdout is not None
    assert owner.stdout.readline() == "mine\n"
    with RunFolder(tmp_path) as folder:
        started = time.monotonic()
        with pytest.raises(RunFolderError, match="another run is at work on this folder"), folder.lock():
            raise AssertionError("not reached")
        assert time.monotonic() - started < 20  # the journal is waited for 30 s, where it is held
        folder.recall("run", STAGE)
        owner.kill()
        owner.communicate(timeout=60)
        with folder.lock():
            pass


def test_what_is_no_run_folder_is_said_to_be_none(tmp_path: Path) -> None:
    for path in (tmp_path, tmp_path / "none"):
        with pytest.raises(RunFolderError, match="not a run folder; name one that"):
            RunFolder(path, create=False)
    (tmp_path / "file").write_text("x")
    for path in (tmp_path / "file", tmp_path / "file" / "below", Path("/proc/none")):
        with pytest.raises(RunFolderError, match="cannot be used as a run folder"):
            RunFolder(path)


def test_a_journal_that_is_no_database_is_named_with_a_remedy(tmp_path: Path) -> None:
    (tmp_path / "journal.db").write_bytes(b"no database at all, " * 100)
    with pytest.raises(
        RunFolderError, match=r"journal\.db: its content is damaged; restore it from a copy, or make the"
    ):
        RunFolder(tmp_path)


def test_an_address_is_no_place_for_a_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for address in ("s3://bucket/run", Path("gs://bucket/run"), "file:///tmp/run"):
        with pytest.raises(UsageError, match="is an address; give a path of this machine"):
            RunFolder(address)
    assert not list(tmp_path.iterdir())


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write anywhere")
def test_a_folder_that_may_not_be_written(tmp_path: Path) -> None:
    tmp_path.chmod(0o500)
    with pytest.raises(RunFolderError, match="cannot be used as a run folder"):
        RunFolder(tmp_path)


def test_a_lock_file_that_cannot_be_opened(tmp_path: Path) -> None:
    with RunFolder(tmp_path) as folder:
        (tmp_path / "run.lock").mkdir()
        with pytest.raises(RunFolderError, match=r"cannot be written \(a folder; name a file\)$"), folder.lock():
            raise AssertionError("not reached")
    with pytest.raises(RunFolderError, match=r"run\.lock: a link, or no file"):
        RunFolder(tmp_path)


def test_a_full_disk_is_said_in_a_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    with RunFolder(tmp_path) as folder:
        monkeypatch.setattr(os, "fsync", full)
        with pytest.raises(DiglotError, match="the disk is full; free space"):
            folder.write_shard(STAGE, "k", 0, numbers(1))
        with pytest.raises(DiglotError, match="the disk is full; free space"):
            folder.write_settings({})
        assert list((tmp_path / STAGE).iterdir()) == []


def test_a_journal_that_cannot_be_written_is_said_in_a_line(tmp_path: Path) -> None:
    with RunFolder(tmp_path) as folder:
        folder._journal.execute("PRAGMA query_only=ON")
        for write in (
            lambda: folder.write_shard(STAGE, "k", 0, numbers(1)),
            lambda: folder.finish(STAGE, "k", 1),
            lambda: folder.remember("kind", "key", 1),
        ):
            with pytest.raises(RunFolderError, match=r"journal\.db: the place is read-only; choose another"):
                write()


def test_a_journal_damaged_inside_is_said_in_a_line(tmp_path: Path) -> None:
    with RunFolder(tmp_path) as folder:
        for number in range(300):
            folder.remember("kind", str(number), "x" * 100)
    journal = tmp_path / "journal.db"
    content = bytearray(journal.read_bytes())
    content[8192:] = b"\xff" * (len(content) - 8192)
    journal.write_bytes(content)
    with pytest.raises(RunFolderError, match=r"journal\.db"), RunFolder(tmp_path) as folder:
        [folder.recall("kind", str(number)) for number in range(300)]


def test_a_folder_without_settings_says_so_without_a_number(tmp_path: Path) -> None:
    with RunFolder(tmp_path) as folder, pytest.raises(RunFolderError, match="holds no run that was begun") as error:
        folder.settings()
    assert "Errno" not in str(error.value)


@pytest.mark.parametrize("content", [b"langs = [", b"\xff\xfe\x00", b"= 3"])
def test_settings_that_cannot_be_read(content: bytes, tmp_path: Path) -> None:
    with RunFolder(tmp_path) as folder:
        (tmp_path / "diglot.toml").write_bytes(content)
        with pytest.raises(RunFolderError, match=r"diglot\.toml: cannot be read .*run `diglot harvest` again"):
            folder.settings()


def test_the_journal_of_a_copied_folder_is_whole(tmp_path: Path) -> None:
    with RunFolder(tmp_path / "a") as folder:
        folder.remember("kind", "key", 1)
        shutil.copytree(tmp_path / "a", tmp_path / "b")
    with RunFolder(tmp_path / "b", create=False) as copied:
        assert copied.recall("kind", "key") == 1
    with sqlite3.connect(tmp_path / "b" / "journal.db") as journal:
        assert journal.execute("PRAGMA integrity_check").fetchone() == ("ok",)
    journal.close()
