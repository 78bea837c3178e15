"""File locks, released by the system at the death of the process."""

from __future__ import annotations

import importlib
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import ModuleType


def _locks_of_unix() -> ModuleType | None:
    try:
        return importlib.import_module("fcntl")
    except ImportError:  # Windows
        return None


fcntl = _locks_of_unix()


@contextmanager
def lock_file(path: str | os.PathLike[str], *, shared: bool = False) -> Iterator[None]:
    """Lock a file exclusively, or ``shared`` with other shared locks. The file is created, and remains.

    On systems without shared locks every lock is exclusive.

    Raises: BlockingIOError where another process holds the lock; other OSErrors where the file cannot be opened.
    """
    if fcntl is None:
        with _lock_alone(Path(path)):
            yield
        return
    with open(path, "ab") as handle:
        try:
            fcntl.flock(handle, (fcntl.LOCK_SH if shared else fcntl.LOCK_EX) | fcntl.LOCK_NB)
        except OSError as error:
            raise BlockingIOError(error.errno, "held by another", os.fspath(path)) from error
        yield


@contextmanager
def _lock_alone(path: Path) -> Iterator[None]:
    from filelock import FileLock, Timeout

    # The file itself shows that there is a lock, and its creation fails with the same errors as on Unix.
    with open(path, "ab"):
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
