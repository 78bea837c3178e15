"""Child processes: started without the user's script, limited in memory, and ended with the program."""

from __future__ import annotations

import atexit
import contextlib
import importlib
import multiprocessing as mp
import os
import signal
import sys
import threading
import time
import types
import weakref
from collections.abc import Callable, Iterator, Sequence
from mmap import PAGESIZE
from multiprocessing.connection import Connection, wait
from multiprocessing.process import BaseProcess
from typing import Protocol

from diglot.engines.server import can_fork, fork_child, parent_pipe
from diglot.errors import DiglotError, describe_error

START_TIMEOUT_S = 600.0
"""Time limit of a worker's start, including the load of its job. A start takes a second, and far more on a busy machine
with a slow disk."""
_ADDRESS_SPACE, _RESIDENT = 0, 1
"""Columns of ``/proc/PID/statm``, in pages of memory."""
_spawned: weakref.WeakSet[BaseProcess] = weakref.WeakSet()
_main_lock = threading.Lock()


class Child(Protocol):
    """A started process."""

    @property
    def pid(self) -> int | None:
        """Process id."""

    @property
    def exitcode(self) -> int | None:
        """None while the process runs; minus the signal's number if a signal ended it."""

    def is_alive(self) -> bool:
        """Whether the process runs."""

    def join(self, timeout_s: float | None = None, /) -> None:
        """Wait for the end of the process, at most ``timeout_s``."""

    def kill(self) -> None:
        """Send SIGKILL."""


def start_child(preload: Sequence[str], body: Callable[[Connection], None]) -> tuple[Child, Connection]:
    """Start a process that has imported ``preload`` and runs ``body`` with its end of a pipe; the process and our end.

    The process is forked from the server, or spawned where the system cannot fork.
    Raises: DiglotError where no process can be started.
    """
    ours, theirs = mp.Pipe()
    with theirs:
        if can_fork():
            return fork_child(preload, body, theirs), ours
        return _spawn_child(preload, body, theirs), ours


def end_child(process: Child, pipe: Connection) -> None:
    """Kill a process and wait for its end."""
    pipe.close()
    process.kill()
    # Without the join the process would remain as a zombie.
    process.join()


@contextlib.contextmanager
def hide_main() -> Iterator[None]:
    """Hide ``__main__`` from a spawned process: an import of the user's script would start another run.

    Threads wait for each other. Meanwhile other threads cannot pickle what is defined in the script.
    """
    # Of two threads at once, one would take the empty module for the script and leave it there.
    with _main_lock:
        main = sys.modules["__main__"]
        # multiprocessing finds the script by __main__.__file__, and an empty module has none.
        sys.modules["__main__"] = types.ModuleType("__main__")
        try:
            yield
        finally:
            sys.modules["__main__"] = main


def end_with_program() -> None:
    """End this process when its parent program ends, and leave interrupts to the program."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    if not can_fork():
        _end_with_parent()
        return
    parent = parent_pipe()
    if parent is None:
        return
    import fcntl

    # The kernel sends SIGIO, whose default is death, as the pipe closes. A thread that waits for it would not run while
    # a table holds the interpreter.
    signal.signal(signal.SIGIO, signal.SIG_DFL)
    fcntl.fcntl(parent, fcntl.F_SETOWN, os.getpid())
    flags = fcntl.fcntl(parent, fcntl.F_GETFL)
    fcntl.fcntl(parent, fcntl.F_SETFL, flags | os.O_ASYNC)
    # The pipe may have closed before the signal was asked for.
    if wait([parent], 0):
        os._exit(1)


def cause_of_death(process: Child) -> str:
    """Signal or exit code of an ending process."""
    # The pipe closes a moment before the system reports the exit code.
    process.join(5)
    code = process.exitcode
    if code is not None and code < 0:
        with contextlib.suppress(ValueError):
            return f"killed by {signal.Signals(-code).name}"
    return f"exit code {code}"


def start_error(process: Child) -> DiglotError:
    """Error for a death during the load of a worker's first job."""
    cause = cause_of_death(process)
    return DiglotError(f"a worker process died as it started ({cause}); free memory or try jobs=1")


def late_start_error(limit_s: float) -> DiglotError:
    """Error for a worker start beyond the time limit."""
    return DiglotError(f"no worker process started within {limit_s:g} s; try again")


# -- systems without fork ----------------------------------------------------------------------


def _spawn_child(preload: Sequence[str], body: Callable[[Connection], None], pipe: Connection) -> BaseProcess:
    """Start a new interpreter, import ``preload`` there and run ``body``."""
    process = mp.get_context("spawn").Process(target=_run_spawned, args=(tuple(preload), body, pipe))
    try:
        with hide_main():
            process.start()
    except OSError as error:
        raise DiglotError(
            f"a worker process cannot be started ({describe_error(error)}); free memory or try jobs=1"
        ) from error
    _spawned.add(process)
    return process


def _run_spawned(preload: Sequence[str], body: Callable[[Connection], None], pipe: Connection) -> None:
    for name in preload:
        # Preloading only saves time: a missing module is reported by the code that needs it.
        with contextlib.suppress(ImportError):
            importlib.import_module(name)
    body(pipe)


def _end_with_parent() -> None:
    """End this spawned process with its parent, though no sooner than the interpreter is free."""
    parent = mp.parent_process()
    if parent is not None:
        threading.Thread(target=_exit_after, args=(parent,), daemon=True).start()


def _exit_after(parent: BaseProcess) -> None:
    parent.join()
    os._exit(1)


@atexit.register
def _kill_spawned() -> None:
    """Kill spawned processes when the program exits; multiprocessing would wait for them for ever."""
    for process in list(_spawned):
        process.kill()


# -- memory ------------------------------------------------------------------------------------


def limit_memory(memory_bytes: int | None) -> None:
    """Limit this process to ``memory_bytes`` beyond its present address space; None: to the hard limit of the system.

    Does nothing where the system cannot limit memory, see :func:`can_limit_memory`.
    """
    try:
        import resource
    except ImportError:
        return
    try:
        _, hard = resource.getrlimit(resource.RLIMIT_AS)
        limit = hard if memory_bytes is None else _memory_bytes("self", _ADDRESS_SPACE) + memory_bytes
        # setrlimit refuses a soft limit above the hard one.
        if hard != resource.RLIM_INFINITY:
            limit = min(limit, hard)
        resource.setrlimit(resource.RLIMIT_AS, (limit, hard))
    except (OSError, ValueError):
        return


def can_limit_memory() -> bool:
    """Whether this system can limit the memory of a process; elsewhere only the time of a worker is limited."""
    try:
        import resource

        return resource.RLIMIT_AS >= 0 and _memory_bytes("self", _ADDRESS_SPACE) > 0
    except (ImportError, OSError):
        return False


def resident_bytes(pid: int | None) -> int:
    """Resident memory of a process; 0 where the system does not say."""
    try:
        return _memory_bytes(str(pid), _RESIDENT)
    except (OSError, ValueError):
        return 0


def processor_seconds(pid: int | None) -> float:
    """Processor time of all threads of a process; 0 where the system does not say."""
    try:
        return time.clock_gettime((~(pid or 0) << 3) | 2)  # the clock of a process, as clock_getcpuclockid makes it
    except (AttributeError, OSError):
        return 0.0


def _memory_bytes(process: str, column: int) -> int:
    with open(f"/proc/{process}/statm", "rb") as statm:
        return int(statm.read().split()[column]) * PAGESIZE
