"""The local engine: a pool of processes that may die, hang or run out of memory without taking the run along."""

from __future__ import annotations

import contextlib
import os
import pickle
import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field, replace
from mmap import PAGESIZE
from multiprocessing.connection import Connection, wait
from multiprocessing.reduction import ForkingPickler
from typing import TypeAlias

import pyarrow as pa

from diglot.engines.children import (
    START_TIMEOUT_S,
    Child,
    cannot_start,
    cause_of_death,
    end_child,
    end_with_program,
    start_child,
    starts_too_late,
    without_main,
)
from diglot.engines.reorder_buffer import Shelf
from diglot.records import Reason

TABLE_TIMEOUT_S = 20.0
"""Time one table may take. Tables are cut so that a common one takes well under a second."""
WORKER_MEMORY_BYTES = 3 << 30
"""Address space of a worker beyond what it has when it is given a stage."""
KEPT_BYTES = 1 << 30
"""Memory of a worker that goes on to another stage; one that holds more is replaced."""
_AHEAD = 4
"""Tables in flight a worker."""
_ADDRESS_SPACE, _RESIDENT = 0, 1
"""Columns of what Linux says about a process's memory."""

Stage = Callable[[pa.Table], pa.Table]
Failure = Callable[[pa.Table, Reason, str], pa.Table]
_Outcome: TypeAlias = "pa.Table | tuple[Reason, str] | None"
"""What a table became, why it failed, or None: it was not begun."""


@dataclass(slots=True, eq=False)
class _Task:
    order: tuple[int, ...]
    table: pa.Table
    tries_left: int = 0
    """How often it is tried again as it is."""


def _rows(task: _Task) -> list[_Task]:
    """Every row of a table as a task of its own."""
    return [_Task((*task.order, row), task.table.slice(row, 1)) for row in range(task.table.num_rows)]


@dataclass(frozen=True, slots=True, eq=False)
class _Order:
    """What a worker is told before the first table of a stage."""

    memory_bytes: int
    pickled_stage: bytes


@dataclass(slots=True, eq=False)
class _Worker:
    process: Child
    pipe: Connection
    order: _Order | None = None
    task: _Task | None = None
    deadline: float = 0.0
    ready: bool = False
    """Whether it has loaded the stage it was told last."""
    proven: bool = False
    """Whether it has ever loaded one."""


@dataclass(slots=True)
class LocalEngine:
    """Runs stages on this machine.

    ``jobs`` processes (0: as many as cores), which stay for all stages. A table on which a worker dies, raises or
    exceeds its time is cut into rows, each tried alone; a row that fails again is given to the caller's
    ``failed(row, reason, detail)``, whose table takes its place. Where workers cannot even start, or not in time,
    :class:`DiglotError` is raised. Workers end when the program does, even in the middle of a table. One run at a time:
    the first table asked of a run ends the one before it.
    """

    jobs: int = 0
    preload: tuple[str, ...] = ()
    _workers: list[_Worker] = field(default_factory=list)
    _stage: Stage | None = None
    _timeout_s: float | Callable[[pa.Table], float] = TABLE_TIMEOUT_S
    _memory_bytes: int = WORKER_MEMORY_BYTES
    _order: _Order | None = None
    _current: object = None
    """The run that workers are at."""

    @property
    def processes(self) -> int:
        """How many work at a time."""
        return self.jobs or os.cpu_count() or 1

    def map(
        self, stage: Stage, tables: Iterable[pa.Table], *, failed: Failure, timeout_s: float = TABLE_TIMEOUT_S
    ) -> Iterator[pa.Table]:
        """Apply ``stage`` (picklable) to every table; results come in the order of ``tables``."""
        return self._run(stage, tables, failed, timeout_s, WORKER_MEMORY_BYTES, cut=True)

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
        return self._run(stage, tables, failed, timeout_s, memory_bytes, cut=False)

    def _prepare(self, stage: Stage, memory_bytes: int) -> None:
        """Have no worker that is at an earlier run's table, nor a large one of an earlier stage."""
        changes = stage is not self._stage or memory_bytes != self._memory_bytes
        for worker in list(self._workers):
            if worker.task is not None or (changes and _resident_bytes(worker.process.pid) > KEPT_BYTES):
                self._bury(worker)
        if changes:
            self._stage, self._memory_bytes, self._order = stage, memory_bytes, None

    def _run(
        self,
        stage: Stage,
        tables: Iterable[pa.Table],
        failed: Failure,
        timeout_s: float | Callable[[pa.Table], float],
        memory_bytes: int,
        *,
        cut: bool,
    ) -> Iterator[pa.Table]:
        run = self._current = object()
        self._prepare(stage, memory_bytes)
        self._timeout_s = timeout_s
        waiting: deque[_Task] = deque()
        shelf, source, exhausted = Shelf(), iter(tables), False
        try:
            while not exhausted or shelf.open:
                while not exhausted and shelf.open < _AHEAD * self.processes:
                    table = next(source, None)
                    exhausted = table is None
                    if table is not None:
                        waiting.append(_Task((shelf.reserve(),), table, tries_left=0 if cut else 1))
                yield from shelf.take()
                if self._current is not run:
                    raise RuntimeError("another run of this engine has begun, which ended this one")
                self._assign(waiting)
                for task, outcome in self._collect():
                    if isinstance(outcome, pa.Table):
                        shelf.put(task.order, outcome)
                    elif outcome is None:
                        waiting.appendleft(task)
                    elif task.tries_left:
                        waiting.appendleft(replace(task, tries_left=task.tries_left - 1))
                    elif cut and task.table.num_rows > 1:
                        waiting.extendleft(reversed(_rows(task)))
                        shelf.expect(task.order, task.table.num_rows)
                    else:
                        shelf.put(task.order, failed(task.table, *outcome))
        except BaseException:
            if self._current is run:
                self.close()
            raise

    def __enter__(self) -> LocalEngine:
        return self

    def __exit__(self, *_exc: object) -> None:
        self.close()

    def close(self) -> None:
        """Stop all workers."""
        for worker in self._workers:
            end_child(worker.process, worker.pipe)
        self._workers.clear()

    def _patience_s(self, task: _Task) -> float:
        return self._timeout_s(task.table) if callable(self._timeout_s) else self._timeout_s

    def _assign(self, waiting: deque[_Task]) -> None:
        idle = [worker for worker in self._workers if worker.task is None]
        while waiting and (idle or len(self._workers) < self.processes):
            worker = idle.pop() if idle else self._start()
            task = waiting.popleft()
            try:
                self._tell(worker)
                worker.pipe.send_bytes(_to_bytes(task.table))
            except OSError:
                if not worker.proven:
                    self._greet(worker)
                self._bury(worker)
                waiting.appendleft(task)
                continue
            patience = self._patience_s(task) if worker.ready else START_TIMEOUT_S
            worker.task, worker.deadline = task, time.monotonic() + patience

    def _tell(self, worker: _Worker) -> None:
        """Tell a worker the stage and limit of its next table, if they are not those of its last."""
        order = self._order or self._make_order()
        if worker.order is order:
            worker.pipe.send(None)
        else:
            worker.order, worker.ready = order, False
            worker.pipe.send((order.memory_bytes, order.pickled_stage))

    def _make_order(self) -> _Order:
        with without_main():
            self._order = _Order(self._memory_bytes, bytes(ForkingPickler.dumps(self._stage)))
        return self._order

    def _collect(self) -> list[tuple[_Task, _Outcome]]:
        """Wait until some worker answers, dies or runs late; what became of those tables."""
        busy = [worker for worker in self._workers if worker.task is not None]
        if not busy:
            return []
        patience = max(0.0, min(worker.deadline for worker in busy) - time.monotonic())
        ready = set(wait([worker.pipe for worker in busy], timeout=patience))
        outcomes: list[tuple[_Task, _Outcome]] = []
        for worker in busy:
            task = worker.task
            if task is None:
                continue
            outcome: _Outcome = None
            if worker.pipe in ready and not worker.ready:
                if self._greet(worker):
                    continue
            elif worker.pipe in ready:
                outcome = self._receive(worker)
            elif time.monotonic() >= worker.deadline:
                if not worker.ready:
                    raise starts_too_late(START_TIMEOUT_S)
                self._bury(worker)
                outcome = (Reason.PARSER_TIMEOUT, f"not done after {self._patience_s(task):g} s")
            else:
                continue
            worker.task = None
            outcomes.append((task, outcome))
        return outcomes

    def _greet(self, worker: _Worker) -> bool:
        """Hear that a worker has loaded its stage, only now does the time of its table run; or that it is dead.

        The death of one that has worked before, as by the system where memory is short, costs nothing but itself.
        """
        try:
            worker.pipe.recv()
        except (EOFError, OSError) as error:
            if not worker.proven:
                raise cannot_start(worker.process) from error
            self._bury(worker)
            return False
        worker.ready = worker.proven = True
        if worker.task is not None:
            worker.deadline = time.monotonic() + self._patience_s(worker.task)
        return True

    def _receive(self, worker: _Worker) -> pa.Table | tuple[Reason, str]:
        try:
            answer = worker.pipe.recv()
        except (EOFError, OSError):
            cause = cause_of_death(worker.process)
            self._bury(worker)
            return Reason.PARSER_CRASH, cause
        if isinstance(answer, bytes):
            return _from_bytes(answer)
        reason, detail = answer
        return Reason(reason), str(detail)

    def _start(self) -> _Worker:
        worker = _Worker(*start_child(self.preload, _work))
        self._workers.append(worker)
        return worker

    def _bury(self, worker: _Worker) -> None:
        end_child(worker.process, worker.pipe)
        self._workers.remove(worker)


def _work(pipe: Connection) -> None:
    """Body of a worker: tables in, each after what is new of its stage; tables or the name of a failure out, until the
    program that asks is gone."""
    end_with_program()
    stage: Stage | None = None
    with contextlib.suppress(EOFError, BrokenPipeError, ConnectionResetError):
        while True:
            order = pipe.recv()
            if order is not None:
                stage = None
                stage = _load(*order)
                pipe.send(None)
            assert stage is not None
            pipe.send(_answer(stage, _from_bytes(pipe.recv_bytes())))


def _load(memory_bytes: int, pickled_stage: bytes) -> Stage:
    """A stage, loaded without limit, after which the limit is that of its tables."""
    limit_memory(None)
    stage: Stage = pickle.loads(pickled_stage)
    limit_memory(memory_bytes)
    return stage


def _answer(stage: Stage, table: pa.Table) -> bytes | tuple[str, str]:
    try:
        return bytes(_to_bytes(stage(table)))
    except MemoryError:
        return Reason.PARSER_MEMORY.value, "memory limit reached"
    except Exception as error:  # noqa: BLE001  the process boundary: the parent names and counts it
        return Reason.PARSER_CRASH.value, f"{type(error).__name__}: {error}"


def limit_memory(memory_bytes: int | None) -> None:
    """Let this process have so much beyond what it has now; None: as much as the system lets it."""
    try:
        import resource
    except ImportError:
        return  # see limits_memory
    try:
        _, most = resource.getrlimit(resource.RLIMIT_AS)
        limit = most if memory_bytes is None else _memory_bytes("self", _ADDRESS_SPACE) + memory_bytes
        if most != resource.RLIM_INFINITY:
            limit = min(limit, most)
        resource.setrlimit(resource.RLIMIT_AS, (limit, most))
    except (OSError, ValueError):
        return  # likewise


def limits_memory() -> bool:
    """Whether this system lets a process say how much memory it may have; where it does not, time is limited alone."""
    try:
        import resource

        return resource.RLIMIT_AS >= 0 and _memory_bytes("self", _ADDRESS_SPACE) > 0
    except (ImportError, OSError):
        return False


def _resident_bytes(pid: int | None) -> int:
    """Memory a process holds; 0 where the system does not say."""
    try:
        return _memory_bytes(str(pid), _RESIDENT)
    except (OSError, ValueError):
        return 0


def _memory_bytes(process: str, column: int) -> int:
    with open(f"/proc/{process}/statm", "rb") as statm:
        return int(statm.read().split()[column]) * PAGESIZE


def _to_bytes(table: pa.Table) -> memoryview:
    """Arrow IPC: a slice costs its rows, where a pickle carries the whole parent."""
    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, table.schema) as writer:
        writer.write_table(table)
    return memoryview(sink.getvalue())


def _from_bytes(data: bytes) -> pa.Table:
    with pa.ipc.open_stream(data) as reader:
        return reader.read_all()
