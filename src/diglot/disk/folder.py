"""The run folder: Parquet a stage written whole or not at all, a journal of what is done, one owner at a time."""

from __future__ import annotations

import contextlib
import json
import os
import sqlite3
import tomllib
from collections.abc import Collection, Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import tomli_w
import xxhash

from diglot.disk.atomic import remove_unfinished, replacing
from diglot.disk.locks import held
from diglot.errors import RunFolderError

LAYOUT = 5
"""Version of the folder's layout; part of every key, so that files of another layout are never read."""

_TASK = ("task", "open")


def content_key(*parts: object) -> str:
    """Short stable hash of anything with a stable ``repr``: names a stage file by its input and options."""
    return xxhash.xxh3_128_hexdigest("\x1f".join(map(repr, (LAYOUT, *parts))).encode())[:20]


def shard_name(stage: str, key: str, number: int) -> str:
    """Where shard ``number`` (from 0) of the stage output ``key`` lies in a run, wherever that is."""
    return f"{stage}/{key}-{number:05d}.parquet"


class RunFolder:
    """One run on disk, see the interface page of the documentation for what lies where.

    ``create=False`` opens an existing run and raises :class:`RunFolderError` where there is none.
    Reading needs no lock; :meth:`locked` must be held while stages are written, :meth:`read_locked` while what was
    read is written down.

    A task that must be finished before anything else (:meth:`begin_task`) closes the folder to all but the command
    that does so, which says ``finishing=True``; others get a :class:`RunFolderError` that names it.
    """

    def __init__(self, path: str | os.PathLike[str], *, create: bool = True, finishing: bool = False) -> None:
        self.path = Path(path)
        self._finishing = finishing
        if not create and not (self.path / "journal.db").is_file():
            raise RunFolderError(f"{self.path}: not a run folder; make one with `diglot harvest ... -o {self.path}`")
        try:
            self.path.mkdir(parents=True, exist_ok=True)
            self._journal = self._open_journal()
        except (OSError, sqlite3.Error) as error:
            raise RunFolderError(f"{self.path}: cannot be used as a run folder ({error})") from error
        try:
            self._require_no_task()
        except RunFolderError:
            self.close()
            raise

    def _open_journal(self) -> sqlite3.Connection:
        journal = sqlite3.connect(self.path / "journal.db", timeout=30)
        journal.execute("PRAGMA journal_mode=WAL")
        journal.execute("PRAGMA synchronous=FULL")
        journal.execute("PRAGMA secure_delete=ON")
        journal.execute("CREATE TABLE IF NOT EXISTS shard (stage TEXT, name TEXT, rows INT, PRIMARY KEY (stage, name))")
        journal.execute("CREATE TABLE IF NOT EXISTS done (stage TEXT, key TEXT, shards INT, PRIMARY KEY (stage, key))")
        journal.execute("CREATE TABLE IF NOT EXISTS note (kind TEXT, key TEXT, json TEXT, PRIMARY KEY (kind, key))")
        journal.commit()
        return journal

    def close(self) -> None:
        """Close the journal; the folder itself needs no closing."""
        self._journal.close()

    def __enter__(self) -> RunFolder:
        return self

    def __exit__(self, *_exc: object) -> None:
        self.close()

    @contextlib.contextmanager
    def locked(self) -> Iterator[None]:
        """Own the folder; :class:`RunFolderError` where another process does. Freed by the system if we die.

        What killed processes left half written is deleted first.
        """
        with self._held(shared=False):
            remove_unfinished(self.path)
            yield

    @contextlib.contextmanager
    def read_locked(self) -> Iterator[None]:
        """Keep the folder from being changed, beside others who read; :class:`RunFolderError` where it is changed."""
        with self._held(shared=True):
            yield

    @contextlib.contextmanager
    def _held(self, *, shared: bool) -> Iterator[None]:
        with contextlib.ExitStack() as stack:
            try:
                stack.enter_context(held(self.path / "run.lock", shared=shared))
            except BlockingIOError as error:
                raise RunFolderError(
                    f"{self.path}: another run is at work on this folder; wait for it or choose another -o"
                ) from error
            except OSError as error:
                raise RunFolderError(f"{self.path}: cannot be written ({error.strerror}); choose another -o") from error
            self._require_no_task()  # it may have been begun since the folder was opened
            yield

    # -- a task that must be finished ----------------------------------------------------------

    def begin_task(self, command: str, task: dict[str, Any]) -> None:
        """Close the folder until :meth:`end_task`; ``command`` is what finishes it, ``task`` what it will ask for."""
        self.remember(*_TASK, {"command": command, "task": task})

    def task(self) -> dict[str, Any] | None:
        """What was given to :meth:`begin_task`, None where no task is open."""
        found = self.recall(*_TASK)
        return None if found is None else found["task"]

    def change_task(self, **changes: Any) -> None:
        """Note how far the open task has come."""
        found = self.recall(*_TASK)
        self.remember(*_TASK, {**found, "task": {**found["task"], **changes}})

    def end_task(self) -> None:
        """Open the folder again; nothing of the task stays in the journal."""
        self.forget_note(*_TASK)
        self._rows("PRAGMA wal_checkpoint(TRUNCATE)")

    def _require_no_task(self) -> None:
        found = None if self._finishing else self.recall(*_TASK)
        if found is not None:
            raise RunFolderError(f"{self.path}: `{found['command']}` was not finished; run it again before all else")

    # -- stage files ---------------------------------------------------------------------------

    def shard_path(self, stage: str, key: str, number: int) -> Path:
        """Where shard ``number`` (from 0) of the stage output ``key`` lies."""
        return self.path / shard_name(stage, key, number)

    def write_shard(self, stage: str, key: str, number: int, table: pa.Table) -> None:
        """Write one shard: whole under its name, or not at all."""
        path = self.shard_path(stage, key, number)
        write_stage_file(path, table)
        self._ask("INSERT OR REPLACE INTO shard VALUES (?, ?, ?)", stage, path.name, table.num_rows)

    def adopt_shard(self, stage: str, key: str, number: int) -> None:
        """Take note of a shard that a worker has written with :func:`write_stage_file`."""
        path = self.shard_path(stage, key, number)
        self._ask("INSERT OR REPLACE INTO shard VALUES (?, ?, ?)", stage, path.name, pq.read_metadata(path).num_rows)

    def has_shard(self, stage: str, key: str, number: int) -> bool:
        """Whether this shard is written and still there."""
        path = self.shard_path(stage, key, number)
        row = self._ask("SELECT 1 FROM shard WHERE stage = ? AND name = ?", stage, path.name)
        return row is not None and path.is_file()

    def finish(self, stage: str, key: str, shards: int) -> None:
        """Record that ``key`` is complete with that many shards."""
        self._ask("INSERT OR REPLACE INTO done VALUES (?, ?, ?)", stage, key, shards)

    def shards(self, stage: str, key: str) -> list[Path] | None:
        """The shards of a complete output in order, or None where it is not complete."""
        row = self._ask("SELECT shards FROM done WHERE stage = ? AND key = ?", stage, key)
        if row is None:
            return None
        paths = [self.shard_path(stage, key, number) for number in range(row[0])]
        return paths if all(path.is_file() for path in paths) else None

    def rows(self, stage: str, key: str) -> int:
        """How many rows a complete output has; 0 where it is not complete."""
        return sum(pq.read_metadata(path).num_rows for path in self.shards(stage, key) or ())

    def read(self, stage: str, key: str, schema: pa.Schema) -> pa.Table | None:
        """The output ``key`` of a stage as one table, its columns in ``schema``, or None where it is not complete."""
        if self.shards(stage, key) is None:
            return None
        return pa.concat_tables([schema.empty_table(), *self.each_shard(stage, key, schema)])

    def each_shard(self, stage: str, key: str, schema: pa.Schema) -> Iterator[pa.Table]:
        """The shards of a complete output in order, one in memory at a time; none where it is not complete."""
        for path in self.shards(stage, key) or ():
            try:
                with pq.ParquetFile(path) as file:
                    table = _checked(file.read(columns=schema.names), path, schema)
            except (OSError, pa.ArrowException) as error:
                why = " ".join(str(error).split())
                raise RunFolderError(
                    f"{self.path / stage}: a stage file is damaged ({why}); delete the folder"
                ) from error
            yield table

    def remember(self, kind: str, key: str, value: Any) -> None:
        """Note a small fact (anything JSON can hold) under a kind and key."""
        self._ask("INSERT OR REPLACE INTO note VALUES (?, ?, ?)", kind, key, json.dumps(value))

    def recall(self, kind: str, key: str) -> Any:
        """What :meth:`remember` noted; None where nothing was."""
        row = self._ask("SELECT json FROM note WHERE kind = ? AND key = ?", kind, key)
        return None if row is None else json.loads(row[0])

    def forget_note(self, kind: str, key: str) -> None:
        """Take back what :meth:`remember` noted."""
        self._ask("DELETE FROM note WHERE kind = ? AND key = ?", kind, key)

    def recall_all(self, kind: str) -> dict[str, Any]:
        """Every note of a kind, by key."""
        rows = self._rows("SELECT key, json FROM note WHERE kind = ? ORDER BY key", kind)
        return {key: json.loads(text) for key, text in rows}

    def clear(self, stages: Collection[str], *, keep: Collection[str]) -> None:
        """Delete the files of these stages and all that is noted, but for notes of the kinds to ``keep``."""
        for stage in stages:
            self.discard_others(stage, set())
        marks = ",".join("?" * (len(keep) + 1))
        self._rows(f"DELETE FROM note WHERE kind NOT IN ({marks})", _TASK[0], *keep)
        self._rows("DELETE FROM shard")
        self._rows("DELETE FROM done")

    def compact(self) -> None:
        """Write the journal anew without what was deleted from it: no free page and no log holds that any more."""
        self._rows("VACUUM")
        self._rows("PRAGMA wal_checkpoint(TRUNCATE)")

    def journal_bytes(self) -> bytes:
        """The journal as it lies on disk. Whoever opens the file himself takes its locks from us when he closes it."""
        return self._journal.serialize()

    def is_journal(self, path: Path) -> bool:
        """Whether a file is of the journal, or only its lock, which not every system lets others read."""
        return path.parent == self.path and path.name.startswith(("journal.db", "run.lock"))

    def discard_others(self, stage: str, keys: set[str]) -> None:
        """Delete stage files that belong to none of ``keys``: outputs of earlier options or inputs, or cut short."""
        for path in sorted((self.path / stage).glob("*.p*")):
            if path.name.rpartition("-")[0] not in keys:
                path.unlink()

    def _ask(self, statement: str, *values: object) -> tuple[Any, ...] | None:
        """Run one statement on the journal as a transaction of its own; the first row of its answer."""
        return next(iter(self._rows(statement, *values)), None)

    def _rows(self, statement: str, *values: object) -> list[tuple[Any, ...]]:
        """Run one statement on the journal as a transaction of its own; its answer."""
        try:
            with self._journal:
                return self._journal.execute(statement, values).fetchall()
        except sqlite3.Error as error:
            raise RunFolderError(
                f"{self.path / 'journal.db'}: {error}; free space, or delete the folder if the file is damaged"
            ) from error

    # -- settings and whole files --------------------------------------------------------------

    def write_settings(self, settings: dict[str, Any]) -> None:
        """Write ``diglot.toml``: every option in force."""
        with replacing(self.path / "diglot.toml") as handle:
            tomli_w.dump(settings, handle)

    def settings(self) -> dict[str, Any]:
        """What ``diglot.toml`` says."""
        path = self.path / "diglot.toml"
        try:
            return tomllib.loads(path.read_text(encoding="utf-8"))
        except (OSError, ValueError) as error:
            raise RunFolderError(f"{path}: cannot be read ({error}); run `diglot harvest` again") from error


def write_stage_file(path: Path, table: pa.Table) -> None:
    """Write a table as the files of stages are: whole under its name, or not at all."""
    with replacing(path) as handle:
        pq.write_table(table, handle, compression="zstd")


def _checked(table: pa.Table, path: Path, schema: pa.Schema) -> pa.Table:
    """The columns of ``schema``; ArrowInvalid for a file that does not have them, in their types and filled."""
    for column in schema:
        place = table.schema.get_field_index(column.name)
        if place < 0:
            raise pa.ArrowInvalid(f"{path.name} has no column {column.name}")
        if table.schema.field(place).type != column.type:
            raise pa.ArrowInvalid(f"{path.name}: {column.name} is {table.schema.field(place).type}, not {column.type}")
        if not column.nullable and table.column(place).null_count:
            raise pa.ArrowInvalid(f"{path.name}: {column.name} has empty places")
    return table.select(schema.names)
