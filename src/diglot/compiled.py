"""Functions compiled to machine code, cached on disk where that can be written, and run in threads."""

from __future__ import annotations

import fcntl
import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from typing import Any, TypeVar, cast

import numba
from numba.core.caching import FunctionCache

_Function = TypeVar("_Function", bound=Callable[..., Any])

_held: list[int | None] = []
"""Folders that this process has locked while it compiles: one for the outermost function, None for those it calls."""


def compiled(function: _Function) -> _Function:
    """Compile at the first call, without the interpreter's lock; a type checker still sees the function.

    What is given an array of another type or layout is compiled once more for it.
    """
    dispatcher = numba.njit(nogil=True)(function)
    with suppress(RuntimeError):  # no folder to cache in can be written
        dispatcher._cache = _SharedCache(function)
    return cast(_Function, dispatcher)


class _SharedCache(FunctionCache):  # type: ignore[misc]
    """Machine code of one function on disk; of the processes that miss it one compiles, and the others wait for it.

    numba calls both methods under a lock of its own, the second once the function is compiled. A function that cannot
    be compiled keeps its folder locked until the process ends.
    """

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        found = self._kept(sig, target_context)
        if found is None:
            _held.append(None if _held else _lock(self.cache_path))
            found = self._kept(sig, target_context)
            if found is not None:
                _unlock()
        return found

    def _kept(self, sig: Any, target_context: Any) -> Any:
        """What the folder has; nothing where it was written by a version whose records had other names."""
        try:
            return super().load_overload(sig, target_context)
        except (AttributeError, ImportError):
            self.flush()
            return None

    def save_overload(self, sig: Any, data: Any) -> None:
        try:
            super().save_overload(sig, data)
        finally:
            _unlock()


def _lock(folder: str) -> int | None:
    """Wait until no other process has the folder; None where the file system knows no locks."""
    handle = None
    with suppress(OSError):
        os.makedirs(folder, exist_ok=True)
        handle = os.open(folder, os.O_RDONLY)
        fcntl.flock(handle, fcntl.LOCK_EX)
    return handle


def _unlock() -> None:
    handle = _held.pop()
    if handle is not None:
        fcntl.flock(handle, fcntl.LOCK_UN)  # a child forked meanwhile has the handle, too
        os.close(handle)


def in_threads(work: Callable[[slice], None], count: int, stretch: int) -> None:
    """Call ``work`` with every slice of ``range(count)``, ``stretch`` long, as many at a time as there are cores.

    For compiled functions that fill arrays; numba's own parallel loops take its compiler three times as long.
    """
    slices = [slice(start, min(start + stretch, count)) for start in range(0, count, stretch)]
    threads = min(len(slices), numba.config.NUMBA_NUM_THREADS)
    if threads <= 1:
        for some in slices:
            work(some)
        return
    with ThreadPoolExecutor(threads) as pool:
        for _ in pool.map(work, slices):
            pass
