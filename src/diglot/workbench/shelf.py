"""The folder of the workbench: the runs in it, and the workbench's own files beside them."""

from __future__ import annotations

import json
import os
import re
import secrets
import shlex
import shutil
import tomllib
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from functools import lru_cache
from pathlib import Path
from typing import Any
from unicodedata import normalize

from diglot.disk.atomic import lock_file, replacing
from diglot.errors import UsageError, describe_error

OWN = ".workbench"
"""Folder of the workbench's own files; nothing in a run folder is the workbench's."""
SERVER = "server.json"
DROPPED = "dropped"
"""Folder of dropped files that belong to no site yet. Files of a site lie in ``files`` and stay there: the run folder
of the site names them, and the user may have renamed the site."""
FILES_OF_A_RUN = {
    "jobs": ("json", "events", "result", "lock"),
    "verdicts": ("waiting.json", "taking.json"),
    "words": ("db",),
}
"""Own files about the run ``NAME``, besides the folder ``terms/NAME``: each folder holds ``NAME`` with each ending."""
RUNS = "runs.json"
"""Inode numbers of the runs by name, at the last look: a run with known numbers and a new name was renamed."""
MAX_NAME_CHARS = 100
MAX_WISHED_CHARS = 255
"""Most characters of the name of a run, and of a host or file name that a name is made of."""
_NAME = re.compile(r"[^\W_][^/\\\x00-\x1f\x7f]*")
_NOT_IN_NAME = re.compile(r'[<>:"/\\|?*\x00-\x1f\x7f\u202a-\u202e\u2066-\u2069]+')
"""Characters refused by a usual file system, so that a run can be copied to any; and marks of writing direction, which
let one name look like another."""


class NotHere(UsageError):
    """A request for a run, an action or a file that does not exist."""


class Shelf:
    """The folder of ``diglot ui``: each run is a folder in it, and the name of the folder is its name."""

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self.path = Path(path).expanduser().resolve()
        if is_run(self.path):
            shown = shlex.quote(os.fspath(path))
            raise UsageError(f"{path}: a run; name the folder above it, or `diglot open {shown}`")
        try:
            self.own("jobs").mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise self.folder_error(error) from error
        self._renamed: dict[str, str] = {}

    def folder_error(self, error: OSError) -> UsageError:
        """The error of a folder that the workbench cannot write to."""
        return UsageError(f"{self.path}: {describe_error(error)}; or name another FOLDER")

    def own(self, *parts: str) -> Path:
        """A path among the workbench's own files."""
        return self.path.joinpath(OWN, *parts)

    def names(self) -> list[str]:
        """Names of the runs in the folder, sorted."""
        with os.scandir(self.path) as entries:
            return sorted(
                entry.name
                for entry in entries
                if is_name(entry.name) and entry.is_dir(follow_symlinks=False) and is_run(entry.path)
            )

    def run(self, name: str) -> Path:
        """Path of the run of this name, which need not be there yet.

        Raises: NotHere for a name that leads elsewhere.
        """
        path = _path_of_run(self.path, name)
        if not is_name(name) or os.path.islink(path):
            raise NotHere(f"There is no site named {name[:MAX_NAME_CHARS]}." if name else "The address names no site.")
        return path

    def new_name(self, wished: str) -> str:
        """A name for a new run, made of a host or of the name of a file."""
        first = first_name(wished)
        name, number = first, 1
        while self._is_taken(name):
            number += 1
            name = f"{first}-{number}"
        return name

    def _is_taken(self, name: str) -> bool:
        own = (self.own("jobs", f"{name}.json"), self.own("files", name), self.own(DROPPED, name))
        return any(map(os.path.lexists, (self.path / name, *own)))

    def keep_dropped(self, name: str) -> None:
        """Keep the dropped files of a name as the sources of a run. Raises: UsageError where they cannot be moved."""
        try:
            self.own("files").mkdir(exist_ok=True)
            self.own(DROPPED, name).rename(self.own("files", name))
        except OSError as error:
            raise UsageError(f"The files of {name} cannot be moved: {describe_error(error)}.") from error

    def remove(self, name: str) -> None:
        """Delete a run and the workbench's files of it. After a kill, the next start deletes the rest."""
        gone = self.own("trash", secrets.token_hex(8))
        gone.mkdir(parents=True)
        files = {name, *self._files_named_by(name)}
        files.difference_update(*(self._files_named_by(other) for other in self.names() if other != name))
        folders = [self.run(name), self.own("terms", name), *(self.own("files", each) for each in sorted(files))]
        for number, path in enumerate(folders):
            if path.exists():
                # A rename is whole or not at all: no half of a run is left under its name.
                path.rename(gone / str(number))
        for folder in FILES_OF_A_RUN:
            for path in self._files_of(folder, name):
                path.unlink(missing_ok=True)
        self.empty_trash()

    def rename(self, name: str, to: str) -> str:
        """Rename a run, with the workbench's files of it; returns the name, its accents composed (NFC).

        Raises: UsageError for a name that is no name, or taken.
        """
        to = normalize("NFC", to)
        if not is_name(to) or to != plain_name(to).strip():
            raise UsageError(
                f"{to[:MAX_NAME_CHARS] or 'An empty name'} cannot be the name of a site. A name begins with a letter "
                f"or digit, ends without a full stop, has at most {MAX_NAME_CHARS} characters, "
                'and none of < > : " / \\ | ? * in it.'
            )
        if self._is_taken(to):
            raise UsageError(f"{to} is the name of another site; choose another.")
        self.follow_renames()  # so that the run is known by its present name
        try:
            self.run(name).rename(self.run(to))
        except OSError as error:
            raise UsageError(f"{name} cannot be renamed: {describe_error(error)}.") from error
        self.follow_renames()
        return to

    def _files_of(self, folder: str, name: str) -> list[Path]:
        """Paths of the files of a run in a folder of own files."""
        # No pattern: a.example.org is another run than a.example.
        return [self.own(folder, f"{name}.{ending}") for ending in FILES_OF_A_RUN[folder]]

    def _files_named_by(self, name: str) -> set[str]:
        """Names of the folders of dropped files that a run was made of."""
        try:
            text = (self.run(name) / "diglot.toml").read_text(encoding="utf-8")
            own = f"{self.own('files')}{os.sep}"
            stated = tomllib.loads(text).get("sources", []) if own in text else []
            paths = [each["path"] for each in stated if each.get("path", "").startswith(own)]
        except (OSError, ValueError, AttributeError, TypeError):  # missing, or damaged by hand
            return set()
        return {path.removeprefix(own).partition(os.sep)[0] for path in paths}

    def follow_renames(self) -> None:
        """Rename own files after the user has renamed run folders, so that decisions stay with their run."""
        known, now = read_json(self.own(RUNS)), {name: _inodes_of(self.path / name) for name in self.names()}
        for name in known.keys() - now.keys():
            renamed = (each for each, mark in now.items() if each not in known and mark == known[name])
            for new in renamed:
                self._rename_own(name, new)
        if now != known:
            write_json(self.own(RUNS), now)

    def present_name(self, name: str) -> str:
        """The present name of a run; a page that was open during a rename still asks by the earlier name."""
        while name in self._renamed and not is_run(self.run(name)):
            name = self._renamed[name]
        return name

    def _rename_own(self, name: str, new: str) -> None:
        """Rename the own files of a run that hold work of the user; others are made again."""
        self._renamed[name] = new
        self._renamed.pop(new, None)  # a run that has its first name again
        moved = [(self.own("terms", name), self.own("terms", new))]
        moved += zip(self._files_of("verdicts", name), self._files_of("verdicts", new), strict=True)
        for path, target in moved:
            if path.exists() and not target.exists():
                path.rename(target)
        for path in self._files_of("words", name):
            path.unlink(missing_ok=True)

    def empty_trash(self) -> None:
        """Delete rests of deleted runs and of downloads."""
        for folder in ("trash", "downloads"):
            shutil.rmtree(self.own(folder), ignore_errors=True)

    def delete_rests(self) -> None:
        """At the start of a server: :meth:`empty_trash`, and delete dropped files that belong to no site."""
        self.empty_trash()
        shutil.rmtree(self.own(DROPPED), ignore_errors=True)

    @contextmanager
    def lock(self) -> Iterator[None]:
        """Own the folder as its only server; BlockingIOError where another server does."""
        with lock_file(self.own("server.lock")):
            yield


def is_name(name: str) -> bool:
    """Whether a text can be the name of a run: a single part of a path, not hidden."""
    return len(name) <= MAX_NAME_CHARS and _NAME.fullmatch(name) is not None and not name.endswith((".", " "))


def first_name(wished: str) -> str:
    """The name of the first run of a host or of a file."""
    plain = plain_name(wished[:MAX_WISHED_CHARS].removeprefix("www."))
    begin = next((place for place, sign in enumerate(plain) if sign.isalnum()), len(plain))
    return plain[begin:][:60].rstrip(" -.") or "site"


def plain_name(text: str) -> str:
    """A text as a part of a path, in one line."""
    return " ".join(_NOT_IN_NAME.sub("-", normalize("NFC", text)).split())


# The list of sites needs the path of every run, and a known path takes a tenth of the time.
@lru_cache(maxsize=4096)
def _path_of_run(folder: Path, name: str) -> Path:
    return folder / name


def is_run(path: str | os.PathLike[str]) -> bool:
    """Whether a folder holds a run, finished or not."""
    return os.path.isfile(f"{os.fspath(path)}/journal.db")


def _inodes_of(run: Path) -> list[int]:
    """Inode numbers of a run folder and its journal. A rename keeps the numbers."""
    # A new file may get the number of a deleted one. At worst a run gets decisions on texts that it does not have.
    return [path.stat().st_ino if path.exists() else 0 for path in (run, run / "journal.db")]


def read_json(path: Path) -> dict[str, Any]:
    """An own file as a table; empty for a file that is missing or no table."""
    try:
        value = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return value if isinstance(value, dict) else {}


def write_json(path: Path, value: Mapping[str, Any]) -> None:
    """Write an own file, whole or not at all. Raises: UsageError where the disk is full."""
    with replacing(path, for_programs=True) as handle:
        handle.write(json.dumps(value, ensure_ascii=False).encode("utf-8", "replace"))
