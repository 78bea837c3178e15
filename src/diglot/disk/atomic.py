"""Files shared by processes: atomic writes, completely or not at all, and locks."""

from __future__ import annotations

import hashlib
import importlib
import os
import re
import secrets
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext, suppress
from io import BufferedWriter, FileIO
from itertools import chain, count
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, BinaryIO

import xxhash

from diglot.errors import UsageError, describe_error

if TYPE_CHECKING:
    from _typeshed import ReadableBuffer

_SCHEME = re.compile("[a-z][a-z0-9+]+:/", re.IGNORECASE)
"""Begin of an address, which is longer than the letter of a drive."""
_UNFINISHED = re.compile(r"\..+\.\d+\.part")


def require_local(path: str | os.PathLike[str]) -> None:
    """Raise :class:`UsageError` for an address: as a path it would be a new folder with the name of its scheme."""
    # A path has lost one of the two slashes of an address.
    if _SCHEME.match(os.fspath(path)):
        raise UsageError(f"{path}: is an address; give a path of this machine, and copy the result to the store")


def remove_unfinished(folder: Path) -> None:
    """Delete unfinished files of killed writers under a folder, in which nobody may be writing."""
    for path in folder.rglob(".*.part"):
        if _UNFINISHED.fullmatch(path.name):
            path.unlink(missing_ok=True)


def unfinished_by(folder: Path, mark: str) -> list[Path]:
    """Unfinished files of writers with this :attr:`Keeper.mark` in a folder, and in the folders in it."""
    # No deeper: the folder may be the home of its user.
    try:
        found = [*folder.glob(f".*.{mark}*.part"), *folder.glob(f"*/.*.{mark}*.part")]
    except OSError:  # a folder that is closed or not mounted by now
        return []
    return [path for path in found if _UNFINISHED.fullmatch(path.name)]


def remove_unfinished_by(folder: Path, mark: str) -> None:
    """Delete :func:`unfinished_by` writers that have ended."""
    for path in unfinished_by(folder, mark):
        # The folder may be read-only by now.
        with suppress(OSError):
            path.unlink()


def file_hash(path: Path) -> str:
    """Hash of the content of a file, XXH3 of 128 bits as hexadecimal digits."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, xxhash.xxh3_128).hexdigest()


kept_aside: list[tuple[Path, Path, bool]] = []
"""Files of the user with their new names, and whether Diglot wrote them before; the command line tells."""


def keep_aside(path: Path, *, was_ours: bool) -> None:
    """Give a file of the user another name, noted in :data:`kept_aside`."""
    names = chain([f"{path.name}.yours"], (f"{path.name}.{number}.yours" for number in count(2)))
    other = next(each for name in names if not (each := path.with_name(name)).exists())
    path.rename(other)
    kept_aside.append((path, other, was_ours))


class Keeper:
    """A list of the files that Diglot wrote, with their hashes: these files may be replaced and deleted.

    A file has two hashes while it is replaced: after a kill one of them is right. This list ends with its process.
    """

    mark = ""
    """Digits in the names of unfinished files: a run knows its files by them in a folder with files of other runs."""

    def __init__(self) -> None:
        self._listed: dict[Path, set[str]] = {}

    def hashes(self, path: Path) -> set[str]:
        """Hashes that a file may have; empty for a file outside the list."""
        return self._listed.get(path.resolve(), set())

    def _add(self, path: Path, found: str) -> None:
        self._listed.setdefault(path.resolve(), set()).add(found)

    def _set(self, path: Path, found: str) -> None:
        """Let a file in the list have only this hash."""
        self._listed[path.resolve()] = {found}

    def _drop(self, path: Path) -> None:
        self._listed.pop(path.resolve(), None)

    def is_ours(self, path: Path) -> bool:
        """Whether a file is as it was written."""
        hashes = self.hashes(path)
        return bool(hashes) and path.is_file() and file_hash(path) in hashes

    def replace(self, target: Path, temporary: Path, *, for_programs: bool, revises: bool) -> None:
        """Move a complete file to its place. A file of the user there, or a changed file, is first renamed.

        It is not renamed ``for_programs``, where it has the new bytes, or where the new file ``revises`` it (see
        :func:`replacing`). A revised file of the user stays outside the list.
        """
        new = file_hash(temporary)
        old = file_hash(target) if target.is_file() else ""
        is_foreign = bool(old) and old not in self.hashes(target)
        if is_foreign and revises:
            os.replace(temporary, target)
            return
        if is_foreign and old != new and not for_programs:
            keep_aside(target, was_ours=bool(self.hashes(target)))
        self._add(target, new)
        os.replace(temporary, target)
        self._set(target, new)

    def remove(self, path: Path, *, is_output: bool = False) -> None:
        """Delete a file that is as it was written, and rename a changed file. A file outside the list stays.

        ``is_output``: the name is needed for an output, so that a file outside the list is renamed as well.
        """
        known = self.hashes(path)
        if path.is_file() and (known or is_output):
            if file_hash(path) in known:
                path.unlink()
            else:
                keep_aside(path, was_ours=bool(known))
        if known:
            self._drop(path)


_keepers: list[tuple[Path, Keeper]] = []
"""Folders with a list of their own."""
_elsewhere = Keeper()
"""List for files in all other folders."""


@contextmanager
def kept_by(folder: Path, keeper: Keeper) -> Iterator[None]:
    """Ask ``keeper`` about every file below ``folder`` that is replaced or removed during the block."""
    entry = (folder.resolve(), keeper)
    _keepers.append(entry)
    try:
        yield
    finally:
        _keepers.remove(entry)


def _keeper_of(path: Path) -> Keeper:
    parent = path.parent.resolve()
    parents = parent, *parent.parents
    return next((keeper for folder, keeper in reversed(_keepers) if folder in parents), _elsewhere)


def remove_file(path: Path) -> None:
    """Delete an earlier output listed by its folder. Rename any other file: the user may have made it."""
    _keeper_of(path).remove(path, is_output=True)


@contextmanager
def replacing(path: str | os.PathLike[str], *, for_programs: bool = False, revises: bool = False) -> Iterator[BinaryIO]:
    """Open a binary handle whose bytes appear at ``path`` only when the block ends without an error.

    The bytes go to a hidden file beside ``path``. An interrupted block removes the hidden file and leaves ``path`` as
    it was. Missing folders are created. A file at ``path`` is renamed, unless it is as we wrote it, or has the new
    bytes. ``for_programs``: nobody edits this file, and a damaged one is replaced; ``revises``: the new bytes are made
    of the old ones, which need not be kept.

    Raises: UsageError where ``path`` cannot be written (permission, full disk, a folder of the same name). Errors that
    the block meets elsewhere, as in a file that it reads, stay as they are.
    """
    require_local(path)
    target = Path(path)
    if not target.name:
        raise UsageError(f"{target}: a folder; name a file to write")
    # A random number, for processes on two machines may have the same id.
    mark = ""
    with suppress(OSError):  # a working folder that is gone; writing says so
        mark = _keeper_of(target).mark
    temporary = target.with_name(f".{target.name}.{mark}{secrets.randbits(64)}.part")
    raised: OSError | None = None
    try:
        # os.replace would remove a device or pipe.
        if target.exists() and not (target.is_file() or target.is_dir()):
            raise UsageError(f"{target}: a device, pipe or socket; name a file to write")
        target.parent.mkdir(parents=True, exist_ok=True)
        output = _Output(temporary, "w")
        with BufferedWriter(output) as handle:
            try:
                yield handle
            except OSError as error:
                # The block may read other files, and write to other handles.
                raised = None if output.has_failed else error
                raise
            handle.flush()
            # Without fsync a power failure can leave an empty file under the final name.
            os.fsync(handle.fileno())
        _keeper_of(target).replace(target, temporary, for_programs=for_programs, revises=revises)
    except OSError as error:
        if error is raised:
            raise
        why = describe_error(error)
        advice = "" if "choose" in why else "; or choose another place"
        raise UsageError(f"{target}: cannot be written ({why}){advice}") from error
    finally:
        with suppress(OSError):
            temporary.unlink()


class _Output(FileIO):
    """A file with a note of failed writes."""

    has_failed = False

    def write(self, data: ReadableBuffer, /) -> int:
        try:
            return super().write(data)
        except OSError:
            self.has_failed = True
            raise


# -- locks -------------------------------------------------------------------------------------


def _locks_of_unix() -> ModuleType | None:
    try:
        return importlib.import_module("fcntl")
    except ImportError:  # Windows
        return None


fcntl = _locks_of_unix()


def _open_no_link(path: str, flags: int) -> int:
    """Open a file, but not through a link, whose target would be created; a pipe must not block."""
    return os.open(path, flags | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0), 0o666)


@contextmanager
def lock_file(path: str | os.PathLike[str], *, shared: bool = False, writable: bool = True) -> Iterator[None]:
    """Lock a file exclusively, or ``shared`` with other shared locks. A missing file is created where ``writable``.

    The file remains. The system releases the lock at the death of the process. On systems without shared locks every
    lock is exclusive, and a file that is not ``writable`` is not locked.

    Raises: BlockingIOError where another process holds the lock; other OSErrors where the file cannot be opened.
    """
    if fcntl is None:
        with _lock_alone(Path(path)) if writable else nullcontext():
            yield
        return
    with open(path, "ab" if writable else "rb", opener=_open_no_link) as handle:
        try:
            fcntl.flock(handle, (fcntl.LOCK_SH if shared else fcntl.LOCK_EX) | fcntl.LOCK_NB)
        except OSError as error:
            raise BlockingIOError(error.errno, "held by another", os.fspath(path)) from error
        yield


@contextmanager
def _lock_alone(path: Path) -> Iterator[None]:
    from filelock import FileLock, Timeout

    # The file itself shows that there is a lock, and its creation fails with the same errors as on Unix.
    with open(path, "ab", opener=_open_no_link):
        pass
    lock = FileLock(f"{path}.held", timeout=0)
    try:
        lock.acquire()
    except Timeout as error:
        raise BlockingIOError(0, "held by another", os.fspath(path)) from error
    try:
        yield
    finally:
        lock.release()
