"""Run folder: Parquet files of each stage, a journal of finished work, a single owner at a time."""

from __future__ import annotations

import contextlib
import errno
import json
import os
import secrets
import shlex
import sqlite3
import sys
import threading
import tomllib
from collections.abc import Collection, Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa
import tomli_w
import xxhash

from diglot.disk.atomic import (
    file_hash,
    kept_by,
    lock_file,
    remove_unfinished,
    remove_unfinished_by,
    replacing,
    require_local,
    unfinished_by,
)
from diglot.disk.journal_file import (
    LARGEST_CHECKED_BYTES,
    LOCK,
    NAME,
    closed_on_error,
    journal_error,
    open_journal,
    require_sealed,
    seal,
    unseal,
)
from diglot.disk.stage_files import count_rows, damage_error, read_stage_file, write_stage_file
from diglot.disk.stated_paths import (
    require_archive_name,
    require_command,
    require_name,
    require_no_way_out,
    require_own_journal,
)
from diglot.disk.written import TABLE, WrittenFiles
from diglot.errors import RunFolderError, UsageError, describe_error

LAYOUT = 5
"""Version of the layout. It is part of every key, so files of another layout are never read."""

RUN_PLAN = "tasks/run.json"
"""Plan of a run by tasks; the folder is no run before all tasks are finished."""
_TASK = ("task", "open")
_WRITING = "writing"
"""Kind of the notes on folders outside of the run in which a command is writing, or was when it was killed."""
_TABLES = (
    "CREATE TABLE IF NOT EXISTS shard (stage TEXT, name TEXT, rows INT, PRIMARY KEY (stage, name))",
    "CREATE TABLE IF NOT EXISTS done (stage TEXT, key TEXT, shards INT, PRIMARY KEY (stage, key))",
    "CREATE TABLE IF NOT EXISTS note (kind TEXT, key TEXT, json TEXT, PRIMARY KEY (kind, key))",
    TABLE,
)


def content_key(*parts: object) -> str:
    """Short stable hash of values with a stable ``repr``: key of a stage output by its input and options."""
    return xxhash.xxh3_128_hexdigest("\x1f".join(map(repr, (LAYOUT, *parts))).encode())[:20]


def require_outside_of_runs(out: str | os.PathLike[str]) -> None:
    """Raise :class:`UsageError` for a folder in a run, where `diglot forget` would not find what is written there."""
    run = _run_around(out)
    if run is not None:
        raise UsageError(
            f"{out}: is in the run folder {run}, but `diglot forget` would delete nothing there; name a folder outside"
        )


def _run_around(path: str | os.PathLike[str]) -> Path | None:
    """The run folder that a path is in, or is itself; None outside of runs."""
    place = Path(path).resolve()
    return next((run for run in (place, *place.parents) if (run / NAME).is_file()), None)


def shard_name(stage: str, key: str, number: int) -> str:
    """Relative path of shard ``number`` (from 0) of the stage output ``key``.

    Raises: RunFolderError for a stage or key that is no name; journals state them.
    """
    return f"{require_name(stage)}/{require_name(key)}-{number:05d}.parquet"


def _working_folder() -> Path:
    try:
        return Path.cwd()
    except OSError:  # deleted: relative paths lead nowhere
        return Path()


class RunFolder:
    """A run on disk; the interface page of the documentation describes the layout.

    ``create=False`` opens an existing run and raises :class:`RunFolderError` where there is none.
    Reading needs no lock. Hold :meth:`lock` while stages are written, :meth:`read_lock` while an output is made from
    several reads.

    An unfinished task (:meth:`begin_task`) closes the folder. The command to finish the task opens the folder with
    ``finishing=True``; all other commands get a :class:`RunFolderError` with the name of this command.
    """

    def __init__(self, path: str | os.PathLike[str], *, create: bool = True, finishing: bool = False) -> None:
        self._given, self._place = Path(path), _working_folder()
        self._finishing = finishing
        if create:
            require_local(self.path)
        require_own_journal(self.path)
        if not create and not (self.path / NAME).is_file():
            raise _no_run(self.path)
        self._is_owned = self._is_unsealed = False
        self._one_at_a_time = threading.Lock()
        try:
            self.path.mkdir(parents=True, exist_ok=True)
            self._journal, self.is_read_only = open_journal(self.path, _TABLES)
        except OSError as error:
            raise RunFolderError(f"{self.path}: cannot be used as a run folder ({describe_error(error)})") from error
        except sqlite3.Error as error:
            raise journal_error(self.journal, error) from error
        self.written = WrittenFiles(self.path.absolute(), self._rows)
        with closed_on_error(self._journal):
            self._require_sealed()
            self._require_no_task()

    @property
    def path(self) -> Path:
        """Path of the folder as it was given; absolute once the program has changed its working folder."""
        return self._given if _working_folder() == self._place else self._place / self._given

    @property
    def journal(self) -> Path:
        """Path of the journal."""
        return self.path / NAME

    def close(self) -> None:
        """Close the journal."""
        self._journal.close()

    def __del__(self) -> None:
        # Python 3.13 warns of a journal that is left to it; an `__init__` that raised has none.
        if hasattr(self, "_journal"):
            self._journal.close()

    def __enter__(self) -> RunFolder:
        return self

    def __exit__(self, *_exc: object) -> None:
        self.close()

    @contextlib.contextmanager
    def lock(self) -> Iterator[None]:
        """Lock the folder for writing, and delete unfinished files of killed processes, also outside of the folder.

        Raises: RunFolderError where another process has a lock.
        """
        with self._hold(shared=False):
            unseal(self.path)
            self._is_owned = True
            try:
                remove_unfinished(self.path)
                for key, place in self.recall_all(_WRITING).items():
                    remove_unfinished_by(Path(str(place)), self.written.mark)
                    self.forget_note(_WRITING, key)
                yield
            finally:
                self._is_owned = False
                seal(self.path, self._journal)

    @contextlib.contextmanager
    def read_lock(self) -> Iterator[None]:
        """Lock the folder against changes, shared with other readers; :class:`RunFolderError` while another writes."""
        try:
            with self._hold(shared=True):
                yield
        finally:
            # A note was written, perhaps by a command that was then refused: seal the journal, unless others are at
            # work.
            if self._is_unsealed:
                with contextlib.suppress(RunFolderError), self.lock():
                    self._is_unsealed = False

    def is_at_work(self) -> bool:
        """Whether a command owns the folder, this process included."""
        with contextlib.suppress(OSError):
            try:
                with lock_file(self.path / LOCK, shared=True, writable=not self.is_read_only):
                    return False
            except BlockingIOError:
                return True
        return False

    @contextlib.contextmanager
    def writing_to(self, out: Path, *, shared: bool = False) -> Iterator[None]:
        """:meth:`read_lock`, and list the files written into a folder that may be outside of the run: the run later
        knows them as its own. ``shared``: the folder itself has a list, too, for runs made anew and for other runs.

        Raises: UsageError for a folder in another run, where `diglot forget` would not find what is written there.
        """
        run = _run_around(out)
        if run not in (None, self.path.resolve()):
            raise UsageError(f"{out}: belongs to the run {run}; name a folder outside of it")
        is_noted = run is None and not self.is_read_only
        with contextlib.ExitStack() as stack:
            if is_noted:
                self._remove_unfinished_in(Path(out))
            stack.enter_context(self.read_lock())
            if is_noted:
                stack.enter_context(self._noted_as_writing(out))
            if not self.is_read_only:
                stack.enter_context(kept_by(out, self.written))
                if shared and run is None:
                    stack.enter_context(self.written.sharing(out))
            yield
            if not self.is_read_only:
                self.written.drop_lost()  # users move files away, such as downloads of the workbench

    def _remove_unfinished_in(self, out: Path) -> None:
        """Delete what killed commands on this run left half written in a folder, unless others are at work on it."""
        if unfinished_by(out, self.written.mark):
            # Who writes such files shares the lock.
            with contextlib.suppress(RunFolderError), self.lock():
                remove_unfinished_by(out, self.written.mark)

    @contextlib.contextmanager
    def _noted_as_writing(self, out: Path) -> Iterator[None]:
        """Note a folder outside of the run during the block: after a kill the next command on the run looks there."""
        key = secrets.token_hex(8)
        self.remember(_WRITING, key, os.fspath(Path(out).resolve()))
        try:
            yield
        finally:
            self.forget_note(_WRITING, key)

    @contextlib.contextmanager
    def _hold(self, *, shared: bool) -> Iterator[None]:
        with contextlib.ExitStack() as stack:
            try:
                if self.is_read_only and not shared:
                    raise OSError(errno.EROFS, "read-only")
                if not self.is_read_only or (self.path / LOCK).is_file():
                    stack.enter_context(lock_file(self.path / LOCK, shared=shared, writable=not self.is_read_only))
            except BlockingIOError as error:
                raise RunFolderError(f"{self.path}: another run is at work on this folder; wait for it") from error
            except OSError as error:
                raise RunFolderError(f"{self.path}: cannot be written ({describe_error(error)})") from error
            # A task may have begun since the folder was opened.
            self._require_no_task()
            require_no_way_out(self.path)
            with kept_by(self.path, self.written):
                yield

    # -- a task that must be finished ----------------------------------------------------------

    def begin_task(self, command: str, task: dict[str, Any]) -> None:
        """Close the folder until :meth:`end_task`; ``command`` finishes the task, ``task`` is the data it needs."""
        self.remember(*_TASK, {"command": command, "task": task})

    def task(self) -> dict[str, Any] | None:
        """Data of the unfinished task, None without one."""
        found = self.recall(*_TASK)
        return None if found is None else found["task"]

    def change_task(self, **changes: Any) -> None:
        """Record progress of the unfinished task."""
        found = self.recall(*_TASK)
        self.remember(*_TASK, {**found, "task": {**found["task"], **changes}})

    def end_task(self) -> None:
        """Open the folder again, and remove the task from the journal."""
        self.forget_note(*_TASK)
        self._rows("PRAGMA wal_checkpoint(TRUNCATE)")

    def _require_sealed(self) -> None:
        try:
            require_sealed(self.path, self._journal, largest_bytes=LARGEST_CHECKED_BYTES)
        except (OSError, sqlite3.Error) as error:
            raise journal_error(self.path / NAME, error) from error

    def _require_no_task(self) -> None:
        found = None if self._finishing else self.recall(*_TASK)
        if found is not None:
            command = require_command(self.path / NAME, found["command"])
            raise RunFolderError(f"{self.path}: `{command}` was not finished; run it again before all else")

    # -- stage files ---------------------------------------------------------------------------

    def shard_path(self, stage: str, key: str, number: int) -> Path:
        """Path of shard ``number`` (from 0) of the stage output ``key``."""
        return self.path / shard_name(stage, key, number)

    def write_shard(self, stage: str, key: str, number: int, table: pa.Table) -> None:
        """Write one shard atomically and record it."""
        path = self.shard_path(stage, key, number)
        # The file before its entry: a killed writer leaves at most an unrecorded file.
        write_stage_file(path, table)
        self._ask("INSERT OR REPLACE INTO shard VALUES (?, ?, ?)", stage, path.name, table.num_rows)

    def adopt_shard(self, stage: str, key: str, number: int) -> None:
        """Record a shard written by a worker with :func:`write_stage_file`."""
        path = self.shard_path(stage, key, number)
        self._ask("INSERT OR REPLACE INTO shard VALUES (?, ?, ?)", stage, path.name, count_rows(path))
        self.written.note(path)

    def has_shard(self, stage: str, key: str, number: int) -> bool:
        """Whether the shard is recorded and its file exists."""
        path = self.shard_path(stage, key, number)
        row = self._ask("SELECT 1 FROM shard WHERE stage = ? AND name = ?", stage, path.name)
        return row is not None and path.is_file()

    def finish(self, stage: str, key: str, shards: int) -> None:
        """Record the output ``key`` as complete with ``shards`` shards."""
        self._ask("INSERT OR REPLACE INTO done VALUES (?, ?, ?)", stage, key, shards)

    def shards(self, stage: str, key: str) -> list[Path] | None:
        """Paths of the shards of an output in order; None for an incomplete output."""
        row = self._ask("SELECT shards FROM done WHERE stage = ? AND key = ?", stage, key)
        if row is None:
            return None
        paths = [self.shard_path(stage, key, number) for number in range(row[0])]
        return paths if all(path.is_file() for path in paths) else None

    def rows(self, stage: str, key: str) -> int:
        """Number of rows of an output; 0 for an incomplete output."""
        return sum(count_rows(path) for path in self.shards(stage, key) or ())

    def read(self, stage: str, key: str, schema: pa.Schema) -> pa.Table | None:
        """Output ``key`` of a stage as one table with the columns of ``schema``; None for an incomplete output."""
        if self.shards(stage, key) is None:
            return None
        return pa.concat_tables([schema.empty_table(), *self.each_shard(stage, key, schema)])

    def each_shard(self, stage: str, key: str, schema: pa.Schema) -> Iterator[pa.Table]:
        """Shards of an output in order, one in memory at a time; none for an incomplete output."""
        for path in self.shards(stage, key) or ():
            self.require_intact(path)
            table = read_stage_file(path, schema.names)
            try:
                yield _check_columns(table, path, schema)
            except pa.ArrowException as error:
                raise damage_error(path, error) from error

    def intact_shard(self, stage: str, key: str, number: int) -> Path:
        """Path of a shard of an output that may be incomplete; :class:`RunFolderError` where it is damaged."""
        path = self.shard_path(stage, key, number)
        self.require_intact(path)
        return path

    def require_intact(self, path: Path) -> None:
        """Raise RunFolderError for a stage file whose hash is not in the list of written files; unlisted files pass."""
        known = self.written.hashes(path)
        try:
            # The checksums inside of a Parquet file leave out its footer and the headers of its pages.
            if known and file_hash(path) not in known:
                raise damage_error(path, "its hash is another than that of the file written")
        except OSError as error:
            raise damage_error(path, error) from error

    def remember(self, kind: str, key: str, value: Any) -> None:
        """Store a note (any JSON value) under a kind and key."""
        self._ask("INSERT OR REPLACE INTO note VALUES (?, ?, ?)", kind, key, json.dumps(value))

    def recall(self, kind: str, key: str) -> Any:
        """Value of a note, None without one."""
        row = self._ask("SELECT json FROM note WHERE kind = ? AND key = ?", kind, key)
        return None if row is None else json.loads(row[0])

    def is_unused(self) -> bool:
        """Whether the folder has only a journal without notes, as after a command that was killed at its beginning."""
        names = {path.name.partition("-")[0] for path in self.path.iterdir()}
        return names <= {NAME, LOCK} and self._ask("SELECT 1 FROM note") is None

    def forget_note(self, kind: str, key: str) -> None:
        """Delete a note."""
        self._ask("DELETE FROM note WHERE kind = ? AND key = ?", kind, key)

    def recall_all(self, kind: str) -> dict[str, Any]:
        """All notes of a kind, by key."""
        rows = self._rows("SELECT key, json FROM note WHERE kind = ? ORDER BY key", kind)
        return {key: json.loads(text) for key, text in rows}

    def clear(self, stages: Collection[str], *, keep: Collection[str]) -> None:
        """Delete the files and entries of these stages, and all notes except those of the kinds ``keep`` and the
        unfinished task."""
        for stage in stages:
            self.discard_others(stage, set())
        marks = ",".join("?" * (len(keep) + 1))
        self._rows(f"DELETE FROM note WHERE kind NOT IN ({marks})", _TASK[0], *keep)
        for stage in stages:
            self._rows("DELETE FROM shard WHERE stage = ?", stage)
            self._rows("DELETE FROM done WHERE stage = ?", stage)

    def compact(self) -> None:
        """Rewrite the journal to erase deleted entries from free pages and the log."""
        self._rows("VACUUM")
        self._rows("PRAGMA wal_checkpoint(TRUNCATE)")

    def journal_bytes(self) -> bytes:
        """Bytes of the journal. Opening the file directly would release our locks on it at the close."""
        return self._journal.serialize()

    def require_intact_journal(self) -> bool:
        """Check the journal of any size against its hash; returns False without a noted hash.

        Raises: RunFolderError for a damaged journal.
        """
        try:
            return require_sealed(self.path, self._journal, largest_bytes=sys.maxsize)
        except (OSError, sqlite3.Error) as error:
            raise journal_error(self.path / NAME, error) from error

    def archive_files(self) -> list[tuple[str, int, list[tuple[int, str]]]]:
        """Archive files of a crawl: name, length, and the offset and address of each record in order."""
        tables = {name for (name,) in self._rows("SELECT name FROM sqlite_master")}
        if not {"warc", "record", "address"} <= tables:
            return []
        query = (
            "SELECT r.start, a.url FROM record r JOIN address a ON a.id = r.address WHERE r.warc = ? ORDER BY r.start"
        )
        files = self._rows("SELECT name, length FROM warc ORDER BY name")
        return [
            (require_archive_name(self.path / NAME, name), length, [(s, url) for s, url in self._rows(query, name)])
            for name, length in files
        ]

    def is_journal(self, path: Path) -> bool:
        """Whether a file belongs to the journal or is the lock; on some systems no other process can read these."""
        return path.parent == self.path and path.name.startswith((NAME, LOCK))

    def discard_others(self, stage: str, keys: set[str]) -> None:
        """Delete files of a stage with other keys than ``keys``: outputs of earlier options or inputs."""
        for path in sorted((self.path / stage).glob("*.p*")):
            if path.name.rpartition("-")[0] not in keys:
                path.unlink()
                self._ask("DELETE FROM file WHERE path = ?", f"{stage}/{path.name}")

    def _ask(self, statement: str, *values: object) -> tuple[Any, ...] | None:
        """First row of the result of a statement on the journal, in a separate transaction."""
        return next(iter(self._rows(statement, *values)), None)

    def _rows(self, statement: str, *values: object) -> list[tuple[Any, ...]]:
        """Rows of the result of a statement on the journal, in a separate transaction."""
        try:
            # An export into the run writes notes under a shared lock, so the journal must be unsealed here.
            if not (self._is_owned or self.is_read_only or statement.startswith("SELECT")):
                self._is_unsealed = True
                unseal(self.path)
            with self._one_at_a_time, self._journal:
                return self._journal.execute(statement, values).fetchall()
        except (OSError, sqlite3.Error) as error:
            raise journal_error(self.path / NAME, error) from error

    # -- settings ------------------------------------------------------------------------------

    def write_settings(self, settings: dict[str, Any]) -> None:
        """Write ``diglot.toml`` with every option in force."""
        with replacing(self.path / "diglot.toml") as handle:
            tomli_w.dump(settings, handle)

    def settings_stamp(self) -> tuple[int, ...]:
        """Numbers that change with ``diglot.toml``; () without the file."""
        # Every write makes a new file, so the inode differs even when time and length are equal.
        with contextlib.suppress(OSError):
            found = (self.path / "diglot.toml").stat()
            return found.st_ino, found.st_mtime_ns, found.st_size
        return ()

    def settings(self) -> dict[str, Any]:
        """Read ``diglot.toml``."""
        path = self.path / "diglot.toml"
        try:
            return tomllib.loads(path.read_text(encoding="utf-8"))
        except FileNotFoundError as error:
            if self.written.hashes(path):
                raise RunFolderError(f"{path}: missing; type the command that began this run again") from error
            raise RunFolderError(f"{self.path}: holds no run that was begun; run `diglot harvest`") from error
        except (OSError, ValueError) as error:
            raise RunFolderError(
                f"{path}: cannot be read ({describe_error(error)}); run `diglot harvest` again"
            ) from error


def _no_run(path: Path) -> RunFolderError:
    """Error for a folder that is no run, or none yet."""
    place = shlex.quote(os.fspath(path))
    if (path / RUN_PLAN).is_file():
        return RunFolderError(
            f"{path}: holds tasks that are not finished, and no run yet; `diglot tasks status {place}` prints the next "
            "command"
        )
    return RunFolderError(f"{path}: not a run folder; name one that `diglot harvest ... -o` made")


def _check_columns(table: pa.Table, path: Path, schema: pa.Schema) -> pa.Table:
    """Columns of ``schema``; ArrowInvalid for a missing column, another type, or nulls against the schema.

    A column that may be null may be missing, in a file of an earlier version.
    """
    for column in schema:
        place = table.schema.get_field_index(column.name)
        if place < 0 and column.nullable:
            table = table.append_column(column, pa.nulls(table.num_rows, column.type))
            continue
        if place < 0:
            raise pa.ArrowInvalid(f"{path.name} has no column {column.name}")
        if table.schema.field(place).type != column.type:
            raise pa.ArrowInvalid(f"{path.name}: {column.name} is {table.schema.field(place).type}, not {column.type}")
        if not column.nullable and table.column(place).null_count:
            raise pa.ArrowInvalid(f"{path.name}: {column.name} has empty places")
    return table.select(schema.names)
