"""The journal of a run, an SQLite file: opened, also in a folder that is read-only, and sealed by its hash.

While a command owns the run, ``run.lock`` is empty. At the end of the command it holds the hash of the journal, so that
a flipped bit is an error and never read as content. After a kill there is no hash until the next command has ended.
"""

from __future__ import annotations

import errno
import os
import re
import shutil
import sqlite3
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import xxhash

from diglot.errors import CONTENT_DAMAGED, RunFolderError, describe_error

NAME, LOCK = "journal.db", "run.lock"
LARGEST_CHECKED_BYTES = 64 << 20
"""A larger journal, of a crawl of tens of thousands of pages, is checked by `diglot verify` alone: the check holds it
twice in memory."""
FULL_BYTES = 1 << 20
"""A disk with less space left counts as full: SQLite asks for some blocks at a time."""
_SEAL = re.compile(rb"[0-9a-f]{32}")


class Connection(sqlite3.Connection):
    """Connection to the journal; errors name the journal and say what to try."""

    path: Path

    def execute(self, *arguments: Any) -> sqlite3.Cursor:
        """As in sqlite3; raises its errors as RunFolderError."""
        return self._ask(super().execute, *arguments)

    def executemany(self, *arguments: Any) -> sqlite3.Cursor:
        """As in sqlite3; raises its errors as RunFolderError."""
        return self._ask(super().executemany, *arguments)

    def executescript(self, *arguments: Any) -> sqlite3.Cursor:
        """As in sqlite3; raises its errors as RunFolderError."""
        return self._ask(super().executescript, *arguments)

    def _ask(self, do: Callable[..., sqlite3.Cursor], *arguments: Any) -> sqlite3.Cursor:
        try:
            return do(*arguments)
        except sqlite3.Error as error:
            raise journal_error(self.path, error) from error


def connect(path: Path, **options: Any) -> Connection:
    """Open a journal; RunFolderError where it cannot be opened."""
    try:
        journal = sqlite3.connect(path, timeout=30, factory=Connection, **options)
    except sqlite3.Error as error:
        raise journal_error(path, error) from error
    journal.path = path
    return journal


def journal_error(path: Path, error: Exception) -> RunFolderError:
    """Error for a journal that cannot be read or written."""
    if "closed database" in str(error):
        return RunFolderError(f"{path.parent}: this run was closed; open it again with diglot.open_run")
    why = describe_error(error)
    # Some calls of SQLite say no more than "disk I/O error".
    if "disk I/O error" in str(error) and shutil.disk_usage(path.parent).free < FULL_BYTES:
        why = describe_error(OSError(errno.ENOSPC, ""))
    advice = "; restore it from a copy, or make the run again in another folder" if why == CONTENT_DAMAGED else ""
    return RunFolderError(f"{path}: {why}{advice}")


def open_journal(run: Path, tables: tuple[str, ...]) -> tuple[sqlite3.Connection, bool]:
    """Open the journal of a run, and whether the run is read-only: then nothing can be written to the journal.

    ``tables``: statements that make the tables of a new journal. The connection may be used by one thread at a time.
    """
    path = run / NAME
    # Root passes all permissions, but no read-only file system.
    if path.is_file() and not (os.access(run, os.W_OK) and os.access(path, os.W_OK)):
        return _open_read_only(path), True
    journal = sqlite3.connect(path, timeout=30, check_same_thread=False)
    with closed_on_error(journal):
        # WAL, so that readers need not wait for a writer.
        journal.execute("PRAGMA journal_mode=WAL")
        # With NORMAL a power failure could undo the last entries, among them the start of a task.
        journal.execute("PRAGMA synchronous=FULL")
        # `diglot forget` must leave no trace in free pages.
        journal.execute("PRAGMA secure_delete=ON")
        for statement in tables:
            journal.execute(statement)
        journal.commit()
    return journal, False


def _open_read_only(path: Path) -> sqlite3.Connection:
    if not path.with_name(f"{NAME}-wal").is_file():
        # SQLite makes files beside a journal, except beside one that is promised not to change.
        journal = sqlite3.connect(f"{path.resolve().as_uri()}?immutable=1", uri=True, check_same_thread=False)
    else:
        # The last entries are in a second file, which SQLite would join to the first.
        with tempfile.TemporaryDirectory(prefix="diglot-") as scratch:
            for name in (NAME, f"{NAME}-wal"):
                shutil.copyfile(path.with_name(name), Path(scratch, name))
            journal = sqlite3.connect(Path(scratch, NAME), check_same_thread=False)
            # Opens both; after that they need no names.
            with closed_on_error(journal):
                journal.execute("SELECT count(*) FROM sqlite_master").fetchone()
    with closed_on_error(journal):
        journal.execute("PRAGMA query_only=ON")
    return journal


@contextmanager
def closed_on_error(journal: sqlite3.Connection) -> Iterator[None]:
    """Close the journal if it cannot be prepared: nobody else knows of the connection."""
    try:
        yield
    except (sqlite3.Error, RunFolderError):
        journal.close()
        raise


def unseal(run: Path) -> None:
    """Remove the hash before the journal changes."""
    lock = run / LOCK
    with suppress(FileNotFoundError):
        if lock.stat().st_size:
            _write(lock, b"")


def seal(run: Path, journal: sqlite3.Connection) -> None:
    """Note the hash of the journal, which nobody may be changing."""
    # On a full disk there is no seal, and then nothing is checked.
    with suppress(OSError, sqlite3.Error):
        _write(run / LOCK, _hash(journal))


def is_as_sealed(run: Path, journal: sqlite3.Connection) -> bool | None:
    """Whether the journal has the hash that was noted; None if none is noted, as while a command changes it."""
    while (noted := _read_seal(run)) is not None:
        if _hash(journal) == noted:
            return True
        # A command may have begun or ended meanwhile.
        if _read_seal(run) == noted:
            return False
    return None


def require_sealed(run: Path, journal: sqlite3.Connection, *, largest_bytes: int) -> bool:
    """Raise RunFolderError for a journal that is not as the last command left it. Returns whether it was checked.

    A journal of more than ``largest_bytes``, or without a noted hash, is not checked.
    """
    checked = is_as_sealed(run, journal) if (run / NAME).stat().st_size <= largest_bytes else None
    if checked is False:
        raise RunFolderError(
            f"{run / NAME}: damaged, or changed by another program (its hash is not the noted one); restore it from a "
            "copy, or make the run again in another folder"
        )
    return checked is True


def _read_seal(run: Path) -> bytes | None:
    try:
        content = (run / LOCK).read_bytes()
    except FileNotFoundError:
        return None
    return content if _SEAL.fullmatch(content) else None


def _hash(journal: sqlite3.Connection) -> bytes:
    return xxhash.xxh3_128_hexdigest(journal.serialize()).encode()


def _write(path: Path, content: bytes) -> None:
    handle = os.open(path, os.O_WRONLY | os.O_TRUNC | getattr(os, "O_NOFOLLOW", 0), 0o666)
    try:
        os.write(handle, content)
        # A hash that a power failure brings back would belong to an earlier journal.
        os.fsync(handle)
    finally:
        os.close(handle)
