"""The list of the files that a run wrote, with their hashes. Files outside the list are never deleted or replaced."""

from __future__ import annotations

import os
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import xxhash

from diglot.disk.atomic import keep_aside

TABLE = "CREATE TABLE IF NOT EXISTS file (path TEXT, hash TEXT, PRIMARY KEY (path, hash)) WITHOUT ROWID"
_FOR_MACHINES = re.compile(r"[a-z_]+/[\w-]+-(?:\d{5}|dealt|candidates|decided)\.p\w+|tasks/.*|warc/.*")
"""Files for programs alone: stages, and files between tasks and crawls. A damaged one is simply made again."""
_PIECE_BYTES = 1 << 20


def file_hash(path: Path) -> str:
    """Hash of the content of a file, XXH3 of 128 bits as hexadecimal digits."""
    found = xxhash.xxh3_128()
    with path.open("rb") as file:
        while piece := file.read(_PIECE_BYTES):
            found.update(piece)
    return found.hexdigest()


class WrittenFiles:
    """The table ``file`` in the journal of a run. A file has two rows while it is replaced: after a kill one of them is
    right.

    ``ask``: runs a statement on the journal and returns the rows.
    """

    def __init__(self, run: Path, ask: Callable[..., list[tuple[Any, ...]]]) -> None:
        self._run = run
        self._ask = ask
        # Workers have no journal, and write files of stages only.
        self._owner = os.getpid()

    def hashes(self, path: Path) -> set[str]:
        """Hashes that a file of the run may have; empty for a file outside the list."""
        return {each for (each,) in self._ask("SELECT hash FROM file WHERE path = ?", self._name(path))}

    def names(self) -> list[str]:
        """Paths of all files in the list, relative to the run."""
        return [name for (name,) in self._ask("SELECT DISTINCT path FROM file ORDER BY path")]

    def is_ours(self, path: Path) -> bool:
        """Whether a file is as the run wrote it."""
        hashes = self.hashes(path)
        return bool(hashes) and path.is_file() and file_hash(path) in hashes

    def note(self, path: Path) -> None:
        """Add a file that a worker wrote."""
        self._set(path, file_hash(path))

    def replace(self, target: Path, temporary: Path, *, revises: bool) -> None:
        """Move a complete file to its place. A file of the user there, or a changed file, is first renamed.

        ``revises``: the new file is made of the old file, which is then not kept. A file of the user stays outside the
        list.
        """
        if os.getpid() != self._owner:
            os.replace(temporary, target)
            return
        known, new = self.hashes(target), file_hash(temporary)
        old = file_hash(target) if target.is_file() else ""
        is_foreign = bool(old) and old not in known
        if is_foreign and revises:
            os.replace(temporary, target)
            return
        if is_foreign and old != new and _FOR_MACHINES.fullmatch(self._name(target)) is None:
            keep_aside(target)
        self._ask("INSERT OR IGNORE INTO file VALUES (?, ?)", self._name(target), new)
        os.replace(temporary, target)
        self._set(target, new)

    def remove(self, path: Path, *, is_output: bool = False) -> None:
        """Delete a file that is as the run wrote it, and rename a changed file. A file outside the list stays.

        ``is_output``: the run needs the name for an output, so that a file outside the list is renamed as well.
        """
        known = self.hashes(path)
        if path.is_file() and (known or is_output):
            if file_hash(path) in known:
                path.unlink()
            else:
                keep_aside(path)
        if known:
            self._ask("DELETE FROM file WHERE path = ?", self._name(path))

    def _set(self, path: Path, found: str) -> None:
        name = self._name(path)
        self._ask("INSERT OR IGNORE INTO file VALUES (?, ?)", name, found)
        self._ask("DELETE FROM file WHERE path = ? AND hash <> ?", name, found)

    def _name(self, path: Path) -> str:
        return path.resolve().relative_to(self._run.resolve()).as_posix()
