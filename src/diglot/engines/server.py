"""A process that has loaded what workers need, and from which they are forked, whichever process asks for one."""

from __future__ import annotations

import contextlib
import gc
import importlib
import os
import pickle
import selectors
import signal
import socket
import struct
import subprocess
import sys
import threading
import traceback
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from multiprocessing.connection import Connection, wait
from multiprocessing.reduction import ForkingPickler
from typing import Any

from diglot import engines
from diglot.errors import DiglotError

Body = Callable[[Connection], None]

_NUMBER = struct.Struct("q")
"""What the server says of a process: its number as it starts and its exit code as it ends."""
_MAX_REQUEST_BYTES = 1 << 17
_FDS = 3
"""Descriptors that come with a request: the process's end of its pipe, where to say its number and exit code, and what
is closed on its other side when the process that asks is gone."""
_BEGIN = "import sys; sys.path[:] = {path!r}; from diglot.engines import server; server.begin({fds!r}, {preload!r})"


@dataclass(slots=True)
class _Server:
    """The server that this process knows, which its workers know as well."""

    ask: socket.socket | None = None
    """Where to ask for a process."""
    alive: int = -1
    """What is closed when the program ends, and the server with it."""
    program: int = -1
    """The process that started it; those that others ask for know it from the server."""
    process: subprocess.Popen[bytes] | None = None
    parent: int = -1
    """What is closed on its other side when the process that asked for this one is gone."""
    lock: threading.Lock = field(default_factory=threading.Lock)


_known = _Server()


@dataclass(slots=True, eq=False)
class ForkedChild:
    """A :class:`diglot.engines.children.Child` that was forked from the server."""

    pid: int
    _status: int
    _parent: int
    _exit_code: int | None = None

    @property
    def exitcode(self) -> int | None:
        """None while it runs; of one that a signal ended, the signal's number below 0."""
        self.join(0)
        return self._exit_code

    def is_alive(self) -> bool:
        """Whether it still runs."""
        return self.exitcode is None

    def join(self, timeout_s: float | None = None) -> None:
        """Wait for its end, no longer than that."""
        if self._exit_code is None and wait([self._status], timeout_s):
            self._exit_code = _read_number(self._status, default=-signal.SIGKILL)
            os.close(self._status)
            os.close(self._parent)

    def kill(self) -> None:
        """End it, whatever it is at."""
        if self.is_alive():
            with contextlib.suppress(ProcessLookupError):
                os.kill(self.pid, signal.SIGKILL)


def can_fork() -> bool:
    """Whether a process may be forked here. macOS can, but its own libraries do not bear it."""
    return hasattr(os, "fork") and sys.platform != "darwin"


def serve_from_here(preload: Sequence[str]) -> None:
    """Have workers forked from what this process loads now, where nothing else runs in it and there is no server yet.

    To be called before anything is opened that no worker should hold.
    """
    if not can_fork() or not engines.is_own_program or _known.ask is not None or threading.active_count() > 1:
        return
    _load(preload)
    ask, asked = socket.socketpair(socket.AF_UNIX, socket.SOCK_DGRAM)
    ended, alive = os.pipe()
    _flush()
    program = os.getpid()
    if os.fork() == 0:
        try:
            os.close(alive)
            _serve(ask, asked, ended, program)
        finally:
            os._exit(1)
    asked.close()
    os.close(ended)
    _known.ask, _known.alive, _known.program = ask, alive, program


def begin(fds: tuple[int, int, int, int], preload: Sequence[str]) -> None:
    """Serve in a program that was started for it; ``fds``: where to ask, where that is heard, what is closed on its
    other side when the program that started it is gone, and the number of that program."""
    ask, asked, ended, program = fds
    _load(preload)
    _serve(socket.socket(fileno=ask), socket.socket(fileno=asked), ended, program)


def fork_child(preload: Sequence[str], body: Body, pipe: Connection) -> ForkedChild:
    """Start a process that runs ``body`` with that end of a pipe, from a server that has imported ``preload``.

    Raises :class:`DiglotError` where there is no server and none can be started.
    """
    request = pickle.dumps((os.getcwd(), sys.path, bytes(ForkingPickler.dumps(body))))
    status, told = os.pipe()
    ended, parent = os.pipe()
    try:
        try:
            _send(preload, request, [pipe.fileno(), told, ended])
        finally:
            os.close(told)
            os.close(ended)
        pid = _read_number(status, default=-1)
        if pid < 0:
            raise DiglotError("the process that starts workers has died; free memory or try --jobs 1")
    except BaseException:
        os.close(status)
        os.close(parent)
        raise
    return ForkedChild(pid, status, parent)


def parent_end() -> int | None:
    """A descriptor that is closed on its other side when the process that asked for this one is gone; None where nobody
    asked for it."""
    return None if _known.parent < 0 else _known.parent


def _send(preload: Sequence[str], request: bytes, fds: list[int]) -> None:
    """Ask the server; one is started where there is none, or where that of this program has died."""
    with _known.lock:
        for _ in range(2):
            if _known.ask is None:
                _start(preload)
            assert _known.ask is not None
            try:
                socket.send_fds(_known.ask, [request], fds)
                return
            except OSError as error:
                if _known.program != os.getpid():
                    raise DiglotError(f"the process that starts workers is gone ({error.strerror})") from error
            _known.ask.close()
            os.close(_known.alive)
            _known.ask = None
    raise DiglotError("the process that starts workers dies as it starts; free memory and processes")


def _start(preload: Sequence[str]) -> None:
    """Start a server as a program of its own: in this process may run what must not be forked."""
    ask, asked = socket.socketpair(socket.AF_UNIX, socket.SOCK_DGRAM)
    ended, alive = os.pipe()
    fds = (ask.fileno(), asked.fileno(), ended)
    begin = _BEGIN.format(path=sys.path, fds=(*fds, os.getpid()), preload=list(preload))
    with interrupts_kept():
        _known.process = subprocess.Popen([sys.executable, "-c", begin], pass_fds=fds, stdin=subprocess.DEVNULL)
    asked.close()
    os.close(ended)
    _known.ask, _known.alive, _known.program = ask, alive, os.getpid()


@contextlib.contextmanager
def interrupts_kept() -> Iterator[None]:
    """Keep interrupts from a program that is started: a terminal sends them to all programs, and one that still loads
    its modules would complain of them. A system that cannot keep them passes them on."""
    mask = getattr(signal, "pthread_sigmask", None)
    before = mask(signal.SIG_BLOCK, {signal.SIGINT}) if mask else None
    try:
        yield
    finally:
        if mask:
            mask(signal.SIG_SETMASK, before)


def _load(preload: Sequence[str]) -> None:
    for name in preload:
        with contextlib.suppress(ImportError):
            importlib.import_module(name)
    gc.collect()
    gc.freeze()  # what is loaded is never freed, so the collector need not look through it


def _serve(ask: socket.socket, asked: socket.socket, ended: int, program: int) -> None:
    """Fork a process for whoever asks, and tell of each its end, until the program is gone."""
    _known.ask, _known.program, _known.alive, _known.process = ask, program, -1, None
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    awake, wake = os.pipe()
    os.set_blocking(awake, False)
    os.set_blocking(wake, False)
    usual = {
        sign: signal.signal(sign, handler) for sign, handler in ((signal.SIGCHLD, _heard), (signal.SIGINT, _heard))
    }
    signal.set_wakeup_fd(wake, warn_on_full_buffer=False)
    told_of: dict[int, int] = {}
    selector = selectors.DefaultSelector()
    for source in (asked, ended, awake):
        selector.register(source, selectors.EVENT_READ)
    while True:
        ready = {key.fileobj for key, _ in selector.select()}
        if ended in ready:
            os._exit(0)
        if awake in ready:
            with contextlib.suppress(BlockingIOError):
                os.read(awake, 1 << 16)
            _tell_of_the_ended(told_of)
        if asked in ready:
            request, fds, _, _ = socket.recv_fds(asked, _MAX_REQUEST_BYTES, _FDS)
            pipe, told, parent = fds
            pid = os.fork()
            if pid == 0:
                selector.close()
                asked.close()
                for fd in (ended, awake, wake, told, *told_of.values()):
                    os.close(fd)
                signal.set_wakeup_fd(-1)
                for sign, handler in usual.items():
                    signal.signal(sign, handler)
                _known.parent = parent
                _run(request, pipe)
            _write_number(told, pid)
            told_of[pid] = told
            os.close(pipe)
            os.close(parent)


def _heard(*_: Any) -> None:
    """A signal that only wakes."""


def _tell_of_the_ended(told_of: dict[int, int]) -> None:
    with contextlib.suppress(ChildProcessError):
        while True:
            pid, status = os.waitpid(-1, os.WNOHANG)
            if not pid:
                return
            told = told_of.pop(pid)
            _write_number(told, os.waitstatus_to_exitcode(status))
            os.close(told)


def _run(request: bytes, pipe: int) -> None:
    """Do in this process what was asked for, and end it."""
    code = 1
    try:
        folder, path, body = pickle.loads(request)
        os.chdir(folder)
        sys.path[:] = path
        pickle.loads(body)(Connection(pipe))
        code = 0
    except SystemExit as stop:
        code = stop.code if isinstance(stop.code, int) else 1
    except BaseException:  # noqa: BLE001  the end of the process: it is said as Python would
        traceback.print_exc()
    finally:
        _flush()
        os._exit(code)


def _flush() -> None:
    """Write what is printed, so that no process that is forked prints it again; where that cannot be, leave it."""
    for stream in (sys.stdout, sys.stderr):
        with contextlib.suppress(OSError, ValueError):
            stream.flush()


def _write_number(fd: int, number: int) -> None:
    with contextlib.suppress(BrokenPipeError):  # the one that asked is gone
        os.write(fd, _NUMBER.pack(number))


def _read_number(fd: int, *, default: int) -> int:
    """The next number; the default where the other side is closed before it comes."""
    try:
        return int(_NUMBER.unpack(os.read(fd, _NUMBER.size))[0])
    except struct.error:
        return default
