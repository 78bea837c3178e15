"""The list of the files that a run wrote, with their hashes. Files outside the list are never deleted or replaced."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import xxhash

from diglot.disk.atomic import Keeper, file_hash
from diglot.disk.folder_list import FolderList

files_replaced: list[tuple[Path, str, int]] = []
"""Folder, run, and number of the files of this run there that another run replaced; the command line tells them."""

TABLE = "CREATE TABLE IF NOT EXISTS file (path TEXT, hash TEXT, PRIMARY KEY (path, hash)) WITHOUT ROWID"


class WrittenFiles(Keeper):
    """The table ``file`` in the journal of a run. Files outside of the run folder have their whole path there.

    ``ask``: runs a statement on the journal and returns the rows.
    """

    def __init__(self, run: Path, ask: Callable[..., list[tuple[Any, ...]]]) -> None:
        self._run = run.resolve()
        # Of its path: a run that is made anew in its place knows the mark.
        self.mark = f"{xxhash.xxh3_64_intdigest(os.fsencode(self._run)):020}"
        self._ask = ask
        # Workers have no journal, and write files of stages only.
        self._owner = os.getpid()
        self._shared: FolderList | None = None

    @contextmanager
    def sharing(self, folder: Path) -> Iterator[None]:
        """Use the list of a folder outside of the run as well during the block, see :mod:`diglot.disk.folder_list`."""
        self._shared = shared = FolderList(folder, self._run)
        try:
            yield
        finally:
            self._shared = None
            shared.close()
            files_replaced.extend((folder, run, len(paths)) for run, paths in shared.replaced.items())

    def hashes(self, path: Path) -> set[str]:
        """Hashes that a file may have; empty for a file outside the list."""
        listed = {each for (each,) in self._ask("SELECT hash FROM file WHERE path = ?", self._name(path))}
        return listed | self._shared.hashes(path) if self._shared else listed

    def names(self) -> list[str]:
        """Paths of all files of the run folder in the list, relative to the folder."""
        return [name for name in self._paths() if not Path(name).is_absolute()]

    def elsewhere(self) -> list[Path]:
        """Files in the list that are outside of the run folder, and still there."""
        return [path for name in self._paths() if (path := Path(name)).is_absolute() and path.is_file()]

    def drop_lost(self) -> None:
        """Take files outside of the run folder out of the list if they are no longer there."""
        for path in map(Path, self._paths()):
            if path.is_absolute() and not path.is_file():
                self._drop(path)

    def _paths(self) -> list[str]:
        return [name for (name,) in self._ask("SELECT DISTINCT path FROM file ORDER BY path")]

    def note(self, path: Path) -> None:
        """Add a file that a worker wrote."""
        found = file_hash(path)
        self._add(path, found)
        self._set(path, found)

    def replace(self, target: Path, temporary: Path, *, for_programs: bool, revises: bool) -> None:
        """Move a complete file to its place, see :meth:`Keeper.replace`; a worker changes no list."""
        if os.getpid() == self._owner:
            super().replace(target, temporary, for_programs=for_programs, revises=revises)
        else:
            os.replace(temporary, target)

    def _add(self, path: Path, found: str) -> None:
        if self._shared:
            self._shared.add(path, found)
        self._ask("INSERT OR IGNORE INTO file VALUES (?, ?)", self._name(path), found)

    def _set(self, path: Path, found: str) -> None:
        self._ask("DELETE FROM file WHERE path = ? AND hash <> ?", self._name(path), found)

    def _drop(self, path: Path) -> None:
        if self._shared:
            self._shared.drop(path)
        self._ask("DELETE FROM file WHERE path = ?", self._name(path))

    def _name(self, path: Path) -> str:
        whole = path.resolve()
        return (whole.relative_to(self._run) if whole.is_relative_to(self._run) else whole).as_posix()
