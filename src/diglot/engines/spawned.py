"""Processes started afresh, where a system cannot fork: each is a new interpreter that loads what it needs."""

from __future__ import annotations

import atexit
import contextlib
import importlib
import multiprocessing as mp
import multiprocessing.util  # what it has done at the end is done after what is asked for below
import os
import threading
import weakref
from collections.abc import Callable, Sequence
from multiprocessing.connection import Connection
from multiprocessing.process import BaseProcess

from diglot.errors import DiglotError

_started: weakref.WeakSet[BaseProcess] = weakref.WeakSet()


def spawn_child(preload: Sequence[str], body: Callable[[Connection], None], pipe: Connection) -> BaseProcess:
    """Start a process that imports ``preload`` and runs ``body`` with that end of a pipe.

    Raises :class:`DiglotError` where none can be started.
    """
    process = mp.get_context("spawn").Process(target=_run, args=(tuple(preload), body, pipe))
    try:
        process.start()
    except OSError as error:
        raise DiglotError(f"a worker process cannot be started ({error}); free memory or try --jobs 1") from error
    _started.add(process)
    return process


def end_with_parent() -> None:
    """Have this process end when the one that started it does, though no sooner than the interpreter is free."""
    parent = mp.parent_process()
    if parent is not None:
        threading.Thread(target=_end_after, args=(parent,), daemon=True).start()


def _end_after(parent: BaseProcess) -> None:
    parent.join()
    os._exit(1)


def _run(preload: Sequence[str], body: Callable[[Connection], None], pipe: Connection) -> None:
    for name in preload:
        with contextlib.suppress(ImportError):
            importlib.import_module(name)
    body(pipe)


@atexit.register
def _end_all() -> None:
    """Let no process outlive the program; multiprocessing would wait for them for ever."""
    for process in list(_started):
        process.kill()
