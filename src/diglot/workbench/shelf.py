"""The folder of the workbench: the runs in it, and the workbench's own files beside them."""

from __future__ import annotations

import json
import os
import re
import secrets
import shutil
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from functools import lru_cache
from pathlib import Path
from typing import Any

from diglot.disk.atomic import lock_file, replacing
from diglot.errors import UsageError, describe_error

OWN = ".workbench"
"""Folder of the workbench's own files; nothing in a run folder is the workbench's."""
SERVER = "server.json"
DROPPED = "dropped"
"""Folder of dropped files of which no site was made yet. Those of a site lie in ``files`` and stay: its run folder
names them, and the user may have renamed it."""
FOLDERS_OF_A_RUN = ("files", "terms")
FILES_OF_A_RUN = {
    "jobs": ("json", "events", "result", "lock"),
    "verdicts": ("waiting.json", "taking.json"),
    "words": ("db",),
}
"""The workbench's own files of a run: a folder, and the endings of files there that are named like the run."""
MAX_NAME_CHARS = 100
MAX_WISHED_CHARS = 255
"""Characters read of a host or of the name of a file."""
_NAME = re.compile(r"[^\W_][^/\\\x00-\x1f\x7f]*")
_NOT_IN_NAME = re.compile(r"[^a-z0-9.-]+")


class NotHere(UsageError):
    """A request for a run, an action or a file that does not exist."""


class Shelf:
    """The folder of ``diglot ui``: each run is a folder in it, and the name of the folder is its name."""

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self.path = Path(path).expanduser().resolve()
        try:
            self.own("jobs").mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise UsageError(f"{self.path}: {describe_error(error)}; or name another FOLDER") from error

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
            raise NotHere(f"There is no site named {name[:MAX_NAME_CHARS]}.")
        return path

    def new_name(self, wished: str) -> str:
        """A name for a new run, made of a host or of the name of a file."""
        wished = wished[:MAX_WISHED_CHARS].lower().removeprefix("www.")
        plain = _NOT_IN_NAME.sub("-", wished).strip("-.")[:60] or "site"
        name, number = plain, 1
        while self._is_taken(name):
            number += 1
            name = f"{plain}-{number}"
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
        for kind in ("run", *FOLDERS_OF_A_RUN):
            path = self.run(name) if kind == "run" else self.own(kind, name)
            if path.exists():
                # A rename is whole or not at all: no half of a run is left under its name.
                path.rename(gone / kind)
        for folder, endings in FILES_OF_A_RUN.items():
            # No pattern: a.example.org is another run than a.example.
            for ending in endings:
                self.own(folder, f"{name}.{ending}").unlink(missing_ok=True)
        self.empty_trash()

    def empty_trash(self) -> None:
        """Delete rests of deleted runs and of downloads."""
        self._delete("trash", "downloads")

    def delete_rests(self) -> None:
        """At the start of a server: :meth:`empty_trash`, and delete dropped files of which no site was made."""
        self._delete("trash", "downloads", DROPPED)

    def _delete(self, *folders: str) -> None:
        for folder in folders:
            shutil.rmtree(self.own(folder), ignore_errors=True)

    @contextmanager
    def lock(self) -> Iterator[None]:
        """Own the folder as its only server; BlockingIOError where another server does."""
        with lock_file(self.own("server.lock")):
            yield


def is_name(name: str) -> bool:
    """Whether a text can be the name of a run: a single part of a path, not hidden."""
    return len(name) <= MAX_NAME_CHARS and _NAME.fullmatch(name) is not None and not name.endswith((".", " "))


# The list of sites needs the path of every run, and a known path takes a tenth of the time.
@lru_cache(maxsize=4096)
def _path_of_run(folder: Path, name: str) -> Path:
    return folder / name


def is_run(path: str | os.PathLike[str]) -> bool:
    """Whether a folder holds a run, finished or not."""
    return os.path.isfile(f"{os.fspath(path)}/journal.db")


def read_json(path: Path) -> dict[str, Any]:
    """An own file as a table; empty for a file that is missing or no table."""
    try:
        value = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return value if isinstance(value, dict) else {}


def write_json(path: Path, value: Mapping[str, Any]) -> None:
    """Write an own file, whole or not at all. Raises: UsageError where the disk is full."""
    with replacing(path) as handle:
        handle.write(json.dumps(value, ensure_ascii=False).encode("utf-8", "replace"))
