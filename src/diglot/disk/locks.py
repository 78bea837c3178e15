"""Locks on files: the system takes them back from a process that dies."""

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
def held(path: str | os.PathLike[str], *, shared: bool = False) -> Iterator[None]:
    """Hold a file, alone or, if ``shared``, beside others who share it. The file is made, and stays.

    Where the system knows no shared locks, those who share it keep each other out, too.

    Raises: BlockingIOError, where another holds it; any other OSError, where it cannot be opened.
    """
    if fcntl is None:
        with _held_alone(Path(path)):
            yield
        return
    with open(path, "ab") as handle:
        try:
            fcntl.flock(handle, (fcntl.LOCK_SH if shared else fcntl.LOCK_EX) | fcntl.LOCK_NB)
        except OSError as error:
            raise BlockingIOError(error.errno, "held by another", os.fspath(path)) from error
        yield


@contextmanager
def _held_alone(path: Path) -> Iterator[None]:
    from filelock import FileLock, Timeout

    with open(path, "ab"):
        pass  # for who looks for it, and to fail as elsewhere where it cannot be made
    lock = FileLock(f"{path}.held", timeout=0)
    try:
        lock.acquire()
    except Timeout as error:
        raise BlockingIOError(0, "held by another", os.fspath(path)) from error
    try:
        yield
    finally:
        lock.release()
