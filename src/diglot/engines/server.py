"""Fork server: imports the modules of workers once, then forks every worker.

One server serves all processes of a run; the server of :mod:`multiprocessing` serves only its own parent (decision 14).
"""

from __future__ import annotations

import atexit
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
"""Message of the server about a child: process id at the start, exit code at the end."""
_MAX_REQUEST_BYTES = 1 << 17
_FDS = 3
"""Descriptors of a request: the child's end of the pipe to the parent, the pipe for process id and exit code, and a
pipe that reads EOF when the requesting process ends."""
_START = "import sys; sys.path[:] = {path!r}; from diglot.engines import server; server.start({fds!r}, {preload!r})"


@dataclass(slots=True)
class _Server:
    """Handles of the fork server in this process; workers inherit them."""

    requests: socket.socket | None = None
    """Client end of the request socket."""
    alive: int = -1
    """Write end of a pipe; closing the pipe ends the server."""
    program: int = -1
    """Process id of the program that started the server."""
    process: subprocess.Popen[bytes] | None = None
    parent: int = -1
    """Read end of the pipe that reads EOF when the parent of this process ends."""
    lock: threading.Lock = field(default_factory=threading.Lock)


_server = _Server()


@dataclass(slots=True, eq=False)
class ForkedChild:
    """A :class:`diglot.engines.children.Child` forked from the server."""

    pid: int
    _status: int
    """Read end of the pipe on which the server sends the exit code."""
    _parent: int
    """Write end of a pipe; closing the pipe ends the child."""
    _exit_code: int | None = None

    @property
    def exitcode(self) -> int | None:
        """None while the process runs; minus the signal's number if a signal ended it."""
        self.join(0)
        return self._exit_code

    def is_alive(self) -> bool:
        """Whether the process runs."""
        return self.exitcode is None

    def join(self, timeout_s: float | None = None) -> None:
        """Wait for the end of the process, at most ``timeout_s``."""
        if self._exit_code is None and wait([self._status], timeout_s):
            # No number comes if the server is gone; the child then ends because `_parent` is closed.
            self._exit_code = _read_number(self._status, default=-signal.SIGKILL)
            os.close(self._status)
            os.close(self._parent)

    def kill(self) -> None:
        """Send SIGKILL."""
        if self.is_alive():
            with contextlib.suppress(ProcessLookupError):
                os.kill(self.pid, signal.SIGKILL)


def can_fork() -> bool:
    """Whether processes may be forked. On macOS they may not: system libraries fail in a forked process."""
    return hasattr(os, "fork") and sys.platform != "darwin"


def serve_from_here(preload: Sequence[str]) -> None:
    """Import ``preload`` and fork the server from this process, so that nothing is imported twice.

    Does nothing where there is a server, or where the program is not Diglot's own. Call it before files are opened that
    workers should not inherit.
    """
    # With other threads, a fork is unsafe: the new process has only this thread, but all locks that others hold.
    if not can_fork() or not engines.is_own_program or _server.requests is not None or threading.active_count() > 1:
        return
    _load(preload)
    requests, incoming = socket.socketpair(socket.AF_UNIX, socket.SOCK_DGRAM)
    ended, alive = os.pipe()
    _flush()
    program = os.getpid()
    if os.fork() == 0:
        try:
            os.close(alive)
            _serve(requests, incoming, ended, program)
        finally:
            os._exit(1)
    incoming.close()
    os.close(ended)
    _server.requests, _server.alive, _server.program = requests, alive, program


def start(fds: tuple[int, int, int, int], preload: Sequence[str]) -> None:
    """Main function of a server in a separate program.

    ``fds``: client and server end of the request socket, a pipe that reads EOF when the parent ends, the parent's pid.
    """
    requests, incoming, ended, program = fds
    _load(preload)
    _serve(socket.socket(fileno=requests), socket.socket(fileno=incoming), ended, program)


def fork_child(preload: Sequence[str], body: Body, pipe: Connection) -> ForkedChild:
    """Fork a process from the server with ``preload`` imported; the process runs ``body`` with ``pipe``.

    Raises: DiglotError if there is no server and a new one cannot be started.
    """
    request = pickle.dumps((os.getcwd(), sys.path, bytes(ForkingPickler.dumps(body))))
    status, numbers = os.pipe()
    ended, parent = os.pipe()
    try:
        try:
            _send(preload, request, [pipe.fileno(), numbers, ended])
        finally:
            # The server has copies; with ours open, its death would never be read as the end of the file.
            os.close(numbers)
            os.close(ended)
        pid = _read_number(status, default=-1)
        if pid < 0:
            raise DiglotError("the process that starts workers has died; free memory or try jobs=1")
    except BaseException:
        os.close(status)
        os.close(parent)
        raise
    return ForkedChild(pid, status, parent)


def parent_pipe() -> int | None:
    """Pipe that reads EOF when the parent of this worker ends; None outside workers."""
    return None if _server.parent < 0 else _server.parent


def _send(preload: Sequence[str], request: bytes, fds: list[int]) -> None:
    """Send a request to the server; a missing or dead server of this program is started first."""
    with _server.lock:
        # Twice: the first send may find that the server has died.
        for _ in range(2):
            if _server.requests is None:
                _start_program(preload)
            assert _server.requests is not None
            try:
                socket.send_fds(_server.requests, [request], fds)
                return
            except OSError as error:
                if _server.program != os.getpid():
                    raise DiglotError(f"the process that starts workers is gone ({error.strerror})") from error
            _end_server()
    raise DiglotError("the process that starts workers dies as it starts; free memory and processes")


def _start_program(preload: Sequence[str]) -> None:
    """Start the server as a separate program: this process may have threads and cannot be forked safely."""
    requests, incoming = socket.socketpair(socket.AF_UNIX, socket.SOCK_DGRAM)
    ended, alive = os.pipe()
    fds = (requests.fileno(), incoming.fileno(), ended)
    code = _START.format(path=sys.path, fds=(*fds, os.getpid()), preload=list(preload))
    with block_interrupts():
        _server.process = subprocess.Popen([sys.executable, "-c", code], pass_fds=fds, stdin=subprocess.DEVNULL)
    incoming.close()
    os.close(ended)
    _server.requests, _server.alive, _server.program = requests, alive, os.getpid()


@atexit.register
def _end_server() -> None:
    """Close the handles of the server if this program started it; Python would warn of open ones at exit."""
    if _server.requests is None or _server.program != os.getpid():
        return
    _server.requests.close()
    os.close(_server.alive)
    _server.requests = None
    if _server.process is not None:
        # A program forked from this one may hold `alive` open, and the server would never read EOF.
        _server.process.kill()
        _server.process.wait()


@contextlib.contextmanager
def block_interrupts() -> Iterator[None]:
    """Start a program with SIGINT blocked, where the system can block signals.

    A terminal sends Ctrl-C to all of its programs, and a program still importing modules would print a traceback.
    """
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
    gc.freeze()  # modules are never freed: the collector need not visit them, nor copy their pages in every worker


def _serve(requests: socket.socket, incoming: socket.socket, ended: int, program: int) -> None:
    """Fork a process for each request and report exit codes, until the program ends."""
    _server.requests, _server.program, _server.alive, _server.process = requests, program, -1, None
    # A worker must not read the input of the terminal.
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    awake, wake = os.pipe()
    os.set_blocking(awake, False)
    os.set_blocking(wake, False)
    # The program handles SIGTERM with a last message; the server and its workers just end.
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    usual = {sign: signal.signal(sign, _wake) for sign in (signal.SIGCHLD, signal.SIGINT)}
    signal.set_wakeup_fd(wake, warn_on_full_buffer=False)
    reports: dict[int, int] = {}
    selector = selectors.DefaultSelector()
    for source in (incoming, ended, awake):
        selector.register(source, selectors.EVENT_READ)
    while True:
        ready = {key.fileobj for key, _ in selector.select()}
        if ended in ready:
            os._exit(0)
        if awake in ready:
            with contextlib.suppress(BlockingIOError):
                os.read(awake, 1 << 16)
            _report_ended(reports)
        if incoming in ready:
            request, (pipe, report, parent), _, _ = socket.recv_fds(incoming, _MAX_REQUEST_BYTES, _FDS)
            pid = os.fork()
            if pid == 0:
                selector.close()
                incoming.close()
                # Inherited write ends would keep pipes of other children open after the server's death.
                for fd in (ended, awake, wake, report, *reports.values()):
                    os.close(fd)
                signal.set_wakeup_fd(-1)
                for sign, handler in usual.items():
                    signal.signal(sign, handler)
                _server.parent = parent
                _run(request, pipe)
            _write_number(report, pid)
            reports[pid] = report
            os.close(pipe)
            os.close(parent)


def _wake(*_: Any) -> None:
    """Do nothing: the byte in the wakeup pipe is enough."""


def _report_ended(reports: dict[int, int]) -> None:
    """Reap ended children and send their exit codes."""
    with contextlib.suppress(ChildProcessError):
        while True:
            pid, status = os.waitpid(-1, os.WNOHANG)
            if not pid:
                return
            report = reports.pop(pid)
            _write_number(report, os.waitstatus_to_exitcode(status))
            os.close(report)


def _run(request: bytes, pipe: int) -> None:
    """Carry out a request in this process, then exit."""
    code = 1
    try:
        folder, path, body = pickle.loads(request)
        os.chdir(folder)
        sys.path[:] = path
        pickle.loads(body)(Connection(pipe))
        code = 0
    except SystemExit as stop:
        code = stop.code if isinstance(stop.code, int) else 1
    except BaseException:  # noqa: BLE001  the end of the process, which Python would print as well
        traceback.print_exc()
    finally:
        _flush()
        os._exit(code)


def _flush() -> None:
    """Flush the standard streams: a forked process would print their buffers again."""
    for stream in (sys.stdout, sys.stderr):
        with contextlib.suppress(OSError, ValueError):
            stream.flush()


def _write_number(fd: int, number: int) -> None:
    with contextlib.suppress(BrokenPipeError):  # the process that asked has ended
        os.write(fd, _NUMBER.pack(number))


def _read_number(fd: int, *, default: int) -> int:
    """Next number from a pipe; ``default`` if the pipe is closed first."""
    try:
        return int(_NUMBER.unpack(os.read(fd, _NUMBER.size))[0])
    except struct.error:
        return default
