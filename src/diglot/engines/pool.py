"""A pool of worker processes, and stages mapped over tables in it.

Workers may die, hang or run out of memory. :meth:`LocalEngine.map` then cuts the table into rows and gives up the row
at fault. :meth:`LocalEngine.map_whole` and :class:`diglot.engines.executor.LocalExecutor` try the task once more.
"""

from __future__ import annotations

import contextlib
import math
import os
import pickle
import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field, replace
from functools import partial
from multiprocessing.connection import Connection, wait
from multiprocessing.reduction import ForkingPickler
from typing import Any, Self, TypeAlias

import pyarrow as pa

from diglot.engines.children import (
    START_TIMEOUT_S,
    Child,
    cause_of_death,
    end_child,
    end_with_program,
    late_start_error,
    limit_memory,
    processor_seconds,
    resident_bytes,
    start_child,
    start_error,
)
from diglot.engines.reorder_buffer import ReorderBuffer
from diglot.errors import describe_failure
from diglot.reasons import Reason

TABLE_TIMEOUT_S = 20.0
"""Limit of the processor time of one table. Tables are cut small: most take well under a second."""
WORKER_MEMORY_BYTES = 3 << 30
"""Limit of the address space added to a worker by a stage."""
KEPT_BYTES = 1 << 30
"""A worker with more resident memory is replaced before the next stage."""
STILL = 0.02
"""A worker with less than this share of a core hangs. On a busy machine it has more: one of ten on two cores has .2."""
_AHEAD = 4
"""Tables in flight for each worker."""

Stage = Callable[[pa.Table], pa.Table]
Failure = Callable[[pa.Table, Reason, str], pa.Table]


@dataclass(frozen=True, slots=True, eq=False)
class Task:
    """A table, or a task as a line of text."""

    payload: Any
    order: tuple[int, ...] = ()
    """Number of the table, then number of the row; () for a line."""
    tries_left: int = 0
    """Further tries of the whole payload after a failure."""


@dataclass(frozen=True, slots=True)
class TaskFailure:
    """Failure of a task: an exception in the worker, its death, or the time limit."""

    reason: Reason
    detail: str


Outcome: TypeAlias = "bytes | TaskFailure | None"
"""Answer of the worker, a failure, or None: the task was never begun."""


@dataclass(frozen=True, slots=True, eq=False)
class _Job:
    """Function of a run as workers receive it, before their first task of the run."""

    memory_bytes: int | None
    pickled: bytes


@dataclass(slots=True, eq=False)
class _Worker:
    process: Child
    pipe: Connection
    job: _Job | None = None
    task: Task | None = None
    deadline: float = 0.0
    """When to look at the time of the task, by the clock."""
    pause_s: float = 0.0
    """Seconds from the last look, or the begin of the task, to the deadline."""
    used_s: float = 0.0
    """Processor time of the process when its task began."""
    seen_s: float = 0.0
    """Processor time at the last look, or when the task began."""
    loaded: bool = False
    """Whether the worker has loaded the last job received."""
    proven: bool = False
    """Whether the worker has loaded any job."""


@dataclass(slots=True)
class Pool:
    """``jobs`` worker processes (0: one for each core), started on demand and kept from run to run.

    ``preload``: modules that workers have imported when they start. Workers end when the program does, even in the
    middle of a task. A pool has one run at a time: the first result requested of a run ends the run before it. Raises
    :class:`diglot.errors.DiglotError` where workers cannot start, or not within :data:`START_TIMEOUT_S`.
    """

    jobs: int = 0
    preload: tuple[str, ...] = ()
    _workers: list[_Worker] = field(default_factory=list)
    _stage: object = None
    _memory_bytes: int | None = None
    _job: _Job | None = None
    _call: Callable[[Any, bytes], bytes] | None = None
    _time_limit_s: Callable[[Any], float] | None = None
    _current: object = None
    """Token of the run in possession of the workers."""

    @property
    def processes(self) -> int:
        """Number of workers at full load."""
        return self.jobs or os.cpu_count() or 1

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_exc: object) -> None:
        self.close()

    def close(self) -> None:
        """Kill all workers."""
        # First all kills, then the waits: workers end beside each other.
        for worker in self._workers:
            worker.process.kill()
        for worker in list(self._workers):
            self._remove(worker)

    @contextlib.contextmanager
    def _begin(
        self,
        call: Callable[[Any, bytes], bytes],
        stage: object,
        *,
        memory_bytes: int | None = None,
        time_limit_s: Callable[[Any], float] | None = None,
    ) -> Iterator[object]:
        """Give the workers to a new run of ``call(stage, payload)``; yields the token of the run.

        An exception in the block kills the workers, unless another run has taken them over.
        """
        run = self._current = object()
        self._prepare(stage, memory_bytes)
        self._call, self._time_limit_s = call, time_limit_s
        try:
            yield run
        except BaseException:
            if self._current is run:
                self.close()
            raise

    def _prepare(self, stage: object, memory_bytes: int | None) -> None:
        """Remove workers busy with an earlier run and, before another stage, workers with much memory."""
        changes = stage is not self._stage or memory_bytes != self._memory_bytes
        for worker in list(self._workers):
            if worker.task is not None or (changes and resident_bytes(worker.process.pid) > KEPT_BYTES):
                self._remove(worker)
        if changes:
            self._stage, self._memory_bytes, self._job = stage, memory_bytes, None

    def _require_current(self, run: object) -> None:
        if self._current is not run:
            raise RuntimeError("another run of this pool has begun and ended this one")

    def _advance(self, waiting: deque[Task]) -> list[tuple[Task, Outcome]]:
        """Hand out waiting tasks, then wait until workers answer, die or run late; outcomes of their tasks."""
        self._assign(waiting)
        return self._collect()

    def _assign(self, waiting: deque[Task]) -> None:
        idle = [worker for worker in self._workers if worker.task is None]
        while waiting and (idle or len(self._workers) < self.processes):
            worker = idle.pop() if idle else self._start_worker()
            task = waiting.popleft()
            try:
                self._send_job(worker)
                worker.pipe.send_bytes(_to_bytes(task.payload))
            except OSError:
                if not worker.proven:
                    self._confirm_loaded(worker)
                # A proven worker was killed while it was idle: no fault of this task.
                self._remove(worker)
                waiting.appendleft(task)
                continue
            worker.task = task
            self._time(worker, self._limit_s(task) if worker.loaded else START_TIMEOUT_S)

    def _time(self, worker: _Worker, limit_s: float) -> None:
        """Begin to count the time of the worker's task."""
        worker.used_s = processor_seconds(worker.process.pid)
        self._look_after(worker, limit_s, worker.used_s)

    def _look_after(self, worker: _Worker, pause_s: float, seen_s: float) -> None:
        """Set the next look at the time of the worker's task."""
        worker.deadline, worker.pause_s, worker.seen_s = time.monotonic() + pause_s, pause_s, seen_s

    def _overrun(self, worker: _Worker, limit_s: float) -> str:
        """Why a task ends at its deadline: the worker hangs, or has used up its processor time.

        "" if other programs kept the processor busy; the worker then has a later deadline.
        """
        seen_s = processor_seconds(worker.process.pid)
        left_s = limit_s - (seen_s - worker.used_s)
        if left_s <= 0:
            return f"not done after {limit_s:g} s of processor time"
        if seen_s - worker.seen_s < STILL * worker.pause_s:
            return f"not done after {limit_s:g} s"
        self._look_after(worker, max(left_s, limit_s / 10), seen_s)
        return ""

    def _limit_s(self, task: Task) -> float:
        return self._time_limit_s(task.payload) if self._time_limit_s else math.inf

    def _send_job(self, worker: _Worker) -> None:
        """Send the job of this run, or None if the worker has loaded this job already."""
        job = self._job or self._make_job()
        if worker.job is job:
            worker.pipe.send(None)
        else:
            worker.job, worker.loaded = job, False
            worker.pipe.send((job.memory_bytes, job.pickled))

    def _make_job(self) -> _Job:
        assert self._call is not None
        pickled = bytes(ForkingPickler.dumps(partial(self._call, self._stage)))
        self._job = _Job(self._memory_bytes, pickled)
        return self._job

    def _collect(self) -> list[tuple[Task, Outcome]]:
        """Wait until workers answer, die or run late; outcomes of their tasks."""
        busy = [worker for worker in self._workers if worker.task is not None]
        if not busy:
            return []
        patience = max(0.0, min(worker.deadline for worker in busy) - time.monotonic())
        # Both the answer and the death of a worker make its pipe readable.
        ready = set(wait([worker.pipe for worker in busy], timeout=None if math.isinf(patience) else patience))
        outcomes: list[tuple[Task, Outcome]] = []
        for worker in busy:
            task = worker.task
            assert task is not None
            outcome: Outcome = None
            if worker.pipe in ready and not worker.loaded:
                if self._confirm_loaded(worker):
                    continue
            elif worker.pipe in ready:
                outcome = self._receive(worker)
            elif time.monotonic() >= worker.deadline:
                if not worker.loaded:
                    raise late_start_error(START_TIMEOUT_S)
                if not (detail := self._overrun(worker, self._limit_s(task))):
                    continue
                # A stage may hang in compiled code, which only SIGKILL ends.
                self._remove(worker)
                outcome = TaskFailure(Reason.PARSER_TIMEOUT, detail)
            else:
                continue
            worker.task = None
            outcomes.append((task, outcome))
        return outcomes

    def _confirm_loaded(self, worker: _Worker) -> bool:
        """Receive the confirmation of a loaded job; False if the worker died instead.

        Raises: DiglotError for a death during the first job of a worker: the next worker would die as well.
        """
        try:
            worker.pipe.recv()
        except (EOFError, OSError) as error:
            if not worker.proven:
                raise start_error(worker.process) from error
            # A worker that has worked before may have been killed for want of memory: another takes its task.
            self._remove(worker)
            return False
        worker.loaded = worker.proven = True
        if worker.task is not None:
            # Only now does the time of the task run: loading a stage is not the fault of its first table.
            self._time(worker, self._limit_s(worker.task))
        return True

    def _receive(self, worker: _Worker) -> bytes | TaskFailure:
        try:
            answer: bytes | TaskFailure = worker.pipe.recv()
        except (EOFError, OSError):
            cause = cause_of_death(worker.process)
            self._remove(worker)
            return TaskFailure(Reason.PARSER_CRASH, cause)
        return answer

    def _start_worker(self) -> _Worker:
        self._workers.append(worker := _Worker(*start_child(self.preload, _work)))
        return worker

    def _remove(self, worker: _Worker) -> None:
        end_child(worker.process, worker.pipe)
        self._workers.remove(worker)


@dataclass(slots=True)
class LocalEngine(Pool):
    """A pool for stages mapped over tables.

    The result of a failed task is the table ``failed(table, reason, detail)``, at the same place in the order.
    """

    def map(
        self, stage: Stage, tables: Iterable[pa.Table], *, failed: Failure, timeout_s: float = TABLE_TIMEOUT_S
    ) -> Iterator[pa.Table]:
        """Apply ``stage`` (picklable) to every table; results have the order of ``tables``.

        A table whose worker dies, raises or exceeds ``timeout_s`` is cut into rows, each tried alone once.
        """
        return self._map(stage, tables, failed, lambda _: timeout_s, WORKER_MEMORY_BYTES, cut=True)

    def map_whole(
        self,
        stage: Stage,
        tables: Iterable[pa.Table],
        *,
        failed: Failure,
        timeout_s: Callable[[pa.Table], float],
        memory_bytes: int = WORKER_MEMORY_BYTES,
    ) -> Iterator[pa.Table]:
        """As :meth:`map`, for tables with rows that belong together, such as the pages of a site.

        A failed table is tried a second time and then given up as a whole.
        """
        return self._map(stage, tables, failed, timeout_s, memory_bytes, cut=False)

    def _map(
        self,
        stage: Stage,
        tables: Iterable[pa.Table],
        failed: Failure,
        timeout_s: Callable[[pa.Table], float],
        memory_bytes: int,
        *,
        cut: bool,
    ) -> Iterator[pa.Table]:
        waiting: deque[Task] = deque()
        results, source, exhausted = ReorderBuffer(), iter(tables), False
        with self._begin(_apply_stage, stage, memory_bytes=memory_bytes, time_limit_s=timeout_s) as run:
            while not exhausted or results.pending:
                # A bound on the tables in memory: one slow table holds back the results of all later ones.
                while not exhausted and results.pending < _AHEAD * self.processes:
                    table = next(source, None)
                    exhausted = table is None
                    if table is not None:
                        waiting.append(Task(table, (results.reserve(),), tries_left=0 if cut else 1))
                yield from results.take()
                self._require_current(run)
                for task, outcome in self._advance(waiting):
                    if isinstance(outcome, bytes):
                        results.put(task.order, _from_bytes(outcome))
                    elif outcome is None:
                        waiting.appendleft(task)
                    elif task.tries_left:
                        waiting.appendleft(replace(task, tries_left=task.tries_left - 1))
                    elif cut and task.payload.num_rows > 1:
                        # In front, since later results wait for this table.
                        table, order = task.payload, task.order
                        rows = [Task(table.slice(n, 1), (*order, n)) for n in range(table.num_rows)]
                        waiting.extendleft(reversed(rows))
                        results.split(order, len(rows))
                    else:
                        results.put(task.order, failed(task.payload, outcome.reason, outcome.detail))


def _work(pipe: Connection) -> None:
    """Body of a worker: receives jobs and payloads, sends answers, until the other end of the pipe closes."""
    end_with_program()
    function: Callable[[bytes], bytes] | None = None
    with contextlib.suppress(EOFError, BrokenPipeError, ConnectionResetError):
        while True:
            job = pipe.recv()
            if job is not None:
                function = None  # the memory of the stage before is free while the next one loads
                function = _load(*job)
                pipe.send(None)
            assert function is not None
            pipe.send(_answer(function, pipe.recv_bytes()))


def _load(memory_bytes: int | None, pickled: bytes) -> Callable[[bytes], bytes]:
    """Load a job without a memory limit, then set the limit of its tasks; None leaves the limit of the system."""
    if memory_bytes is None:
        return pickle.loads(pickled)  # type: ignore[no-any-return]
    # The limit of the stage before may be too low for the modules and tables of this one.
    limit_memory(None)
    function: Callable[[bytes], bytes] = pickle.loads(pickled)
    limit_memory(memory_bytes)
    return function


def _answer(function: Callable[[bytes], bytes], payload: bytes) -> bytes | TaskFailure:
    try:
        return function(payload)
    except MemoryError:
        return TaskFailure(Reason.PARSER_MEMORY, "memory limit reached")
    except Exception as error:  # noqa: BLE001  the process boundary: the parent names and counts it
        return TaskFailure(Reason.PARSER_CRASH, describe_failure(error))


def _apply_stage(stage: Stage, payload: bytes) -> bytes:
    return bytes(_to_bytes(stage(_from_bytes(payload))))


def _to_bytes(payload: pa.Table | str) -> bytes | memoryview:
    """A line as UTF-8, a table as Arrow IPC: there a slice costs its rows, a pickle would carry the whole parent."""
    if isinstance(payload, str):
        return payload.encode()
    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, payload.schema) as writer:
        writer.write_table(payload)
    return memoryview(sink.getvalue())


def _from_bytes(data: bytes) -> pa.Table:
    return pa.ipc.open_stream(data).read_all()
