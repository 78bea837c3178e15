"""The list of files that runs wrote into a folder outside of them, in that folder.

The journal of a run knows what the run wrote elsewhere, but a run that is made anew has another journal, and a second
run that writes into the same folder has its own. Without the list the files of both would be taken for the user's.
"""

from __future__ import annotations

import contextlib
import os
import secrets
from collections import defaultdict
from dataclasses import dataclass
from pathlib import Path

import xxhash

LIST = ".diglot-files.tsv"
HEAD = "file\thash\trun\tplace\n"
_COLUMNS = HEAD.count("\t") + 1
MAX_LIST_BYTES = 64 << 20
"""A longer list is not read: nobody writes half a million files into one folder."""


@dataclass(frozen=True, slots=True)
class _Row:
    """A line of the list. ``place``: hash of the path of the run, which may be nobody's business."""

    hash: str
    run: str
    place: str


class FolderList:
    """The list in a folder, for one run.

    A listed file with a listed hash is Diglot's; with another hash, the user has changed the file.
    A line is added before each file is written, and at the end only the last line of each file stays. So a kill leaves
    no file that looks like the user's. ``replaced``: files of other runs that this one has replaced, by run.
    """

    def __init__(self, folder: Path, run: Path) -> None:
        self._folder = folder.resolve()
        self._run = " ".join(run.resolve().name.split())
        self._place = xxhash.xxh3_64_hexdigest(os.fsencode(run.resolve()))
        self._rows = self._read()
        self._own: dict[str, _Row | None] = {}
        self.replaced: dict[str, set[Path]] = {}

    def hashes(self, path: Path) -> set[str]:
        """Hashes that a file may have; empty for a file outside the list."""
        return {row.hash for row in self._rows.get(self._name(path), ())}

    def add(self, path: Path, found: str) -> None:
        """Note the hash of a file that is about to be written."""
        name = self._name(path)
        rows = self._rows.setdefault(name, [])
        # A file that was changed has another name by now.
        if rows and rows[-1].place != self._place and rows[-1].hash != found and path.is_file():
            self.replaced.setdefault(rows[-1].run, set()).add(path)
        self._own[name] = row = _Row(found, self._run, self._place)
        rows.append(row)
        # Where it cannot be written, the files will keep another name, as without a list.
        with contextlib.suppress(OSError):
            self._append(name, row)

    def drop(self, path: Path) -> None:
        """Take a file out of the list."""
        name = self._name(path)
        self._rows.pop(name, None)
        self._own[name] = None

    def close(self) -> None:
        """Write the list anew: the last line of each file in the folder, with the lines that other commands added."""
        last = {name: rows[-1] for name, rows in self._read().items()} | self._own
        path, temporary = self._folder / LIST, self._folder / f"{LIST}.{secrets.randbits(64)}.part"
        with contextlib.suppress(OSError):
            lines = [_line(name, row) for name, row in sorted(last.items()) if row and (self._folder / name).is_file()]
            if not lines:
                path.unlink(missing_ok=True)
                return
            # A new file: nobody else's link.
            with temporary.open("x", encoding="utf-8", newline="\n") as file:
                file.write(HEAD + "".join(lines))
            os.replace(temporary, path)
        with contextlib.suppress(OSError):
            temporary.unlink(missing_ok=True)

    def _read(self) -> dict[str, list[_Row]]:
        path, found = self._folder / LIST, defaultdict[str, list[_Row]](list)
        with contextlib.suppress(OSError):
            if path.is_symlink() or not path.is_file() or path.stat().st_size > MAX_LIST_BYTES:
                return {}
            for line in path.read_text(encoding="utf-8", errors="replace").split("\n"):
                # Somebody else may have written the list, and the name of the run goes to the terminal.
                name, *values = ["".join(filter(str.isprintable, cell)) for cell in line.split("\t")]
                # A line that a kill cut is none.
                if len(values) == _COLUMNS - 1:
                    found[name].append(_Row(*values))
        return dict(found)

    def _append(self, name: str, row: _Row) -> None:
        # Not through a link, whose target somebody else may have chosen.
        flags = os.O_WRONLY | os.O_APPEND | os.O_CREAT | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0)
        file = os.open(self._folder / LIST, flags, 0o666)
        try:
            os.write(file, _line(name, row).encode())
        finally:
            os.close(file)

    def _name(self, path: Path) -> str:
        return os.path.relpath(path.resolve(), self._folder).replace(os.sep, "/")


def _line(name: str, row: _Row) -> str:
    return f"{name}\t{row.hash}\t{row.run}\t{row.place}\n"
