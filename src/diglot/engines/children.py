"""Processes that never run the user's script again, and end when the program does that started them."""

from __future__ import annotations

import contextlib
import multiprocessing as mp
import os
import signal
import sys
import types
from collections.abc import Callable, Iterator, Sequence
from multiprocessing.connection import Connection, wait
from typing import Protocol

from diglot.engines.server import can_fork, fork_child, parent_end
from diglot.errors import DiglotError

START_TIMEOUT_S = 600.0
"""Time a worker may take to start and to load what it is to do: a second, and far more on a busy machine with a slow
disk."""


class Child(Protocol):
    """A process that was started here."""

    @property
    def pid(self) -> int | None:
        """Its number."""

    @property
    def exitcode(self) -> int | None:
        """None while it runs; of one that a signal ended, the signal's number below 0."""

    def is_alive(self) -> bool:
        """Whether it still runs."""

    def join(self, timeout_s: float | None = None, /) -> None:
        """Wait for its end, no longer than that."""

    def kill(self) -> None:
        """End it, whatever it is at."""


def start_child(preload: Sequence[str], body: Callable[[Connection], None]) -> tuple[Child, Connection]:
    """Start a process that has imported ``preload`` and runs ``body`` with its end of a pipe; the process, and our end.

    It is forked from a server that has imported that already, or where the system cannot fork, started afresh.
    """
    ours, theirs = mp.Pipe()
    with theirs, without_main():
        if can_fork():
            return fork_child(preload, body, theirs), ours
        from diglot.engines.spawned import spawn_child

        return spawn_child(preload, body, theirs), ours


def end_child(process: Child, pipe: Connection) -> None:
    """End a process, whatever it is at."""
    pipe.close()
    process.kill()
    process.join()


@contextlib.contextmanager
def without_main() -> Iterator[None]:
    """Hide ``__main__`` from a starting process, which would import the user's script and start a run of its own."""
    main = sys.modules["__main__"]
    sys.modules["__main__"] = types.ModuleType("__main__")
    try:
        yield
    finally:
        sys.modules["__main__"] = main


def end_with_program() -> None:
    """Have this process end when the program that started it does. An interrupt is the program's.

    The system sends one that was forked a signal that nobody handles. Elsewhere a thread waits, which does not run
    while a table holds the interpreter.
    """
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    if not can_fork():
        from diglot.engines.spawned import end_with_parent

        end_with_parent()
        return
    parent = parent_end()
    if parent is None:
        return
    import fcntl

    signal.signal(signal.SIGIO, signal.SIG_DFL)
    fcntl.fcntl(parent, fcntl.F_SETOWN, os.getpid())
    flags = fcntl.fcntl(parent, fcntl.F_GETFL)
    fcntl.fcntl(parent, fcntl.F_SETFL, flags | os.O_ASYNC)
    if wait([parent], 0):
        os._exit(1)


def cause_of_death(process: Child) -> str:
    """What ended a process that is ending."""
    process.join(5)
    code = process.exitcode
    if code is not None and code < 0:
        with contextlib.suppress(ValueError):
            return f"killed by {signal.Signals(-code).name}"
    return f"exit code {code}"


def cannot_start(process: Child) -> DiglotError:
    """The error where a process ended before it could do anything."""
    cause = cause_of_death(process)
    return DiglotError(f"a worker process died as it started ({cause}); free memory or try --jobs 1")


def starts_too_late(limit_s: float) -> DiglotError:
    """The error where a process has not started in time."""
    return DiglotError(f"no worker process started within {limit_s:g} s; try again")
