"""The local engine: a pool of processes that may die, hang or run out of memory without taking the run along."""

from __future__ import annotations

import contextlib
import multiprocessing as mp
import os
import signal
import sys
import threading
import time
import types
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field, replace
from multiprocessing.connection import Connection, wait
from multiprocessing.context import ForkServerContext, SpawnContext

import pyarrow as pa

from diglot.engines.shelf import Shelf
from diglot.errors import DiglotError
from diglot.records import Reason

START_TIMEOUT_S = 600.0
"""Time a worker may take to start, which is not its table's: the first one after an installation compiles what reading
needs, half a minute's work, and several on a busy machine."""
TABLE_TIMEOUT_S = 20.0
"""Time one table may take. Tables are cut so that a common one takes well under a second."""
WORKER_MEMORY_BYTES = 3 << 30
"""Address space of a worker beyond what it has when it starts."""
_AHEAD = 4
"""Tables in flight a worker."""

Stage = Callable[[pa.Table], pa.Table]
Failure = Callable[[pa.Table, Reason, str], pa.Table]


@dataclass(slots=True, eq=False)
class _Task:
    order: tuple[int, ...]
    table: pa.Table
    tries_left: int = 0
    """How often it is tried again as it is."""


def _rows(task: _Task) -> list[_Task]:
    """Every row of a table as a task of its own."""
    return [_Task((*task.order, row), task.table.slice(row, 1)) for row in range(task.table.num_rows)]


@dataclass(slots=True, eq=False)
class _Worker:
    process: mp.process.BaseProcess
    pipe: Connection
    task: _Task | None = None
    deadline: float = 0.0
    started: bool = False


@dataclass(slots=True)
class LocalEngine:
    """Runs stages on this machine.

    ``jobs`` processes (0: as many as cores). A table on which a worker dies, raises or exceeds its
    time is cut into rows, each tried alone in a fresh worker; a row that fails again is given to
    the caller's ``failed(row, reason, detail)``, whose table takes its place. Where workers cannot even
    start, or not in time, :class:`DiglotError` is raised. Workers end when the program does, even in the middle
    of a table.
    """

    jobs: int = 0
    preload: tuple[str, ...] = ()
    _workers: list[_Worker] = field(default_factory=list)
    _stage: Stage | None = None
    _timeout_s: float | Callable[[pa.Table], float] = TABLE_TIMEOUT_S
    _memory_bytes: int = WORKER_MEMORY_BYTES
    _context: ForkServerContext | SpawnContext | None = None

    def map(
        self, stage: Stage, tables: Iterable[pa.Table], *, failed: Failure, timeout_s: float = TABLE_TIMEOUT_S
    ) -> Iterator[pa.Table]:
        """Apply ``stage`` (picklable) to every table; results come in the order of ``tables``."""
        self._prepare(stage, timeout_s, WORKER_MEMORY_BYTES)
        return self._run(stage, tables, failed, cut=True)

    def whole(
        self,
        stage: Stage,
        tables: Iterable[pa.Table],
        *,
        failed: Failure,
        timeout_s: Callable[[pa.Table], float],
        memory_bytes: int = WORKER_MEMORY_BYTES,
    ) -> Iterator[pa.Table]:
        """As :meth:`map`, for tables whose rows mean nothing alone, such as a site's pages: one that fails is tried
        once more as it is, and then given to ``failed(table, reason, detail)``."""
        self._prepare(stage, timeout_s, memory_bytes)
        return self._run(stage, tables, failed, cut=False)

    def _prepare(self, stage: Stage, timeout_s: float | Callable[[pa.Table], float], memory_bytes: int) -> None:
        """Have workers for this stage only."""
        if stage is not self._stage or memory_bytes != self._memory_bytes:
            self.close()
            self._stage, self._memory_bytes = stage, memory_bytes
        self._timeout_s = timeout_s

    def _run(self, stage: Stage, tables: Iterable[pa.Table], failed: Failure, *, cut: bool) -> Iterator[pa.Table]:
        waiting: deque[_Task] = deque()
        shelf, source, exhausted = Shelf(), iter(tables), False
        try:
            while not exhausted or shelf.open:
                while not exhausted and shelf.open < _AHEAD * self._job_count():
                    table = next(source, None)
                    exhausted = table is None
                    if table is not None:
                        waiting.append(_Task((shelf.reserve(),), table, tries_left=0 if cut else 1))
                yield from shelf.take()
                self._assign(stage, waiting)
                for task, outcome in self._collect():
                    if isinstance(outcome, pa.Table):
                        shelf.put(task.order, outcome)
                    elif task.tries_left:
                        waiting.appendleft(replace(task, tries_left=task.tries_left - 1))
                    elif cut and task.table.num_rows > 1:
                        waiting.extendleft(reversed(_rows(task)))
                        shelf.expect(task.order, task.table.num_rows)
                    else:
                        shelf.put(task.order, failed(task.table, *outcome))
        except BaseException:
            self.close()
            raise

    def __enter__(self) -> LocalEngine:
        return self

    def __exit__(self, *_exc: object) -> None:
        self.close()

    def close(self) -> None:
        """Stop all workers."""
        for worker in self._workers:
            worker.pipe.close()
            worker.process.kill()
            worker.process.join()
        self._workers.clear()

    def _patience_s(self, task: _Task) -> float:
        return self._timeout_s(task.table) if callable(self._timeout_s) else self._timeout_s

    def _job_count(self) -> int:
        return self.jobs or os.cpu_count() or 1

    def _assign(self, stage: Stage, waiting: deque[_Task]) -> None:
        idle = [worker for worker in self._workers if worker.task is None]
        while waiting and (idle or len(self._workers) < self._job_count()):
            worker = idle.pop() if idle else self._start(stage)
            task = waiting.popleft()
            try:
                worker.pipe.send_bytes(_to_bytes(task.table))
            except OSError:
                if not worker.started:
                    self._greet(worker)
                self._bury(worker)
                waiting.appendleft(task)
                continue
            patience = self._patience_s(task) if worker.started else START_TIMEOUT_S
            worker.task, worker.deadline = task, time.monotonic() + patience

    def _collect(self) -> list[tuple[_Task, pa.Table | tuple[Reason, str]]]:
        """Wait until some worker answers, dies or runs late; what became of those tables."""
        busy = [worker for worker in self._workers if worker.task is not None]
        if not busy:
            return []
        patience = max(0.0, min(worker.deadline for worker in busy) - time.monotonic())
        ready = set(wait([worker.pipe for worker in busy], timeout=patience))
        outcomes: list[tuple[_Task, pa.Table | tuple[Reason, str]]] = []
        for worker in busy:
            task = worker.task
            if task is None:
                continue
            if worker.pipe in ready and not worker.started:
                self._greet(worker)
                continue
            if worker.pipe in ready:
                outcome = self._receive(worker)
            elif time.monotonic() >= worker.deadline:
                if not worker.started:
                    raise DiglotError(f"no worker process started within {START_TIMEOUT_S:g} s; try again")
                self._bury(worker)
                outcome = (Reason.PARSER_TIMEOUT, f"not done after {self._patience_s(task):g} s")
            else:
                continue
            worker.task = None
            outcomes.append((task, outcome))
        return outcomes

    def _greet(self, worker: _Worker) -> None:
        """Hear that a worker has started, or died doing so; only now does the time of its table run."""
        try:
            worker.pipe.recv()
        except (EOFError, OSError) as error:
            worker.process.join(5)
            cause = _cause_of_death(worker.process.exitcode)
            raise DiglotError(f"a worker process died as it started ({cause}); free memory or try --jobs 1") from error
        worker.started = True
        if worker.task is not None:
            worker.deadline = time.monotonic() + self._patience_s(worker.task)

    def _receive(self, worker: _Worker) -> pa.Table | tuple[Reason, str]:
        try:
            answer = worker.pipe.recv()
        except (EOFError, OSError):
            worker.process.join(5)
            code = worker.process.exitcode
            self._bury(worker)
            return Reason.PARSER_CRASH, _cause_of_death(code)
        if isinstance(answer, bytes):
            return _from_bytes(answer)
        reason, detail = answer
        return Reason(reason), str(detail)

    def _start(self, stage: Stage) -> _Worker:
        context = self._make_context()
        ours, theirs = context.Pipe()
        process = context.Process(target=_work, args=(theirs, stage, self._memory_bytes), daemon=True)
        with _without_main():
            process.start()
        theirs.close()
        worker = _Worker(process, ours)
        self._workers.append(worker)
        return worker

    def _bury(self, worker: _Worker) -> None:
        worker.pipe.close()
        worker.process.kill()
        worker.process.join()
        self._workers.remove(worker)

    def _make_context(self) -> ForkServerContext | SpawnContext:
        if self._context is None:
            if "forkserver" in mp.get_all_start_methods():
                self._context = mp.get_context("forkserver")
                self._context.set_forkserver_preload(list(self.preload))
            else:
                self._context = mp.get_context("spawn")
        return self._context


@contextlib.contextmanager
def _without_main() -> Iterator[None]:
    """Hide ``__main__`` from a starting worker, which would import the user's script and start a run of its own."""
    main = sys.modules["__main__"]
    sys.modules["__main__"] = types.ModuleType("__main__")
    try:
        yield
    finally:
        sys.modules["__main__"] = main


def _work(pipe: Connection, stage: Stage, memory_bytes: int) -> None:
    """Body of a worker: tables in, tables or the name of a failure out, until the program that asks is gone."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    _end_with_program()
    _limit_memory(memory_bytes)
    with contextlib.suppress(EOFError, BrokenPipeError, ConnectionResetError):
        pipe.send(None)
        while True:
            pipe.send(_answer(stage, _from_bytes(pipe.recv_bytes())))


def _answer(stage: Stage, table: pa.Table) -> bytes | tuple[str, str]:
    try:
        return _to_bytes(stage(table))
    except MemoryError:
        return Reason.PARSER_MEMORY.value, "memory limit reached"
    except Exception as error:  # noqa: BLE001  the process boundary: the parent names and counts it
        return Reason.PARSER_CRASH.value, f"{type(error).__name__}: {error}"


def _end_with_program() -> None:
    """Have this process end when the program that started it does: the system then sends it a signal that nobody
    handles. A thread that waited would not run while a table holds the interpreter."""
    parent = mp.parent_process()
    if parent is None:
        return
    try:
        import fcntl
    except ImportError:  # no such signal on this system
        threading.Thread(target=_exit_after, args=(parent,), daemon=True).start()
        return
    signal.signal(signal.SIGIO, signal.SIG_DFL)
    fcntl.fcntl(parent.sentinel, fcntl.F_SETOWN, os.getpid())
    flags = fcntl.fcntl(parent.sentinel, fcntl.F_GETFL)
    fcntl.fcntl(parent.sentinel, fcntl.F_SETFL, flags | os.O_ASYNC)


def _exit_after(parent: mp.process.BaseProcess) -> None:
    parent.join()
    os._exit(1)


def _limit_memory(memory_bytes: int) -> None:
    try:
        import resource

        with open("/proc/self/statm") as statm:
            used = int(statm.read().split()[0]) * resource.getpagesize()
        resource.setrlimit(resource.RLIMIT_AS, (used + memory_bytes, resource.RLIM_INFINITY))
    except (ImportError, OSError, ValueError):
        return  # a system without these limits; the time limit still holds


def _cause_of_death(code: int | None) -> str:
    if code is not None and code < 0:
        with contextlib.suppress(ValueError):
            return f"killed by {signal.Signals(-code).name}"
    return f"exit code {code}"


def _to_bytes(table: pa.Table) -> bytes:
    """Arrow IPC: a slice costs its rows, where a pickle carries the whole parent."""
    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, table.schema) as writer:
        writer.write_table(table)
    return bytes(sink.getvalue().to_pybytes())


def _from_bytes(data: bytes) -> pa.Table:
    with pa.ipc.open_stream(data) as reader:
        return reader.read_all()
