"""Tasks done by processes of this machine, each of which may have processes of its own."""

from __future__ import annotations

import contextlib
import os
import time
from collections import deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from multiprocessing.connection import Connection, wait

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
from diglot.engines.executor import Lost, Work, attempt


@dataclass(frozen=True, slots=True)
class _Task:
    line: str
    tries_left: int = 1
    """How often it is tried again."""


@dataclass(slots=True, eq=False)
class _Worker:
    process: Child
    pipe: Connection
    deadline: float
    """When it must have started."""
    started: bool = False
    task: _Task | None = None


@dataclass(slots=True)
class Processes:
    """An :class:`diglot.engines.executor.Executor`: ``jobs`` processes of this machine (0: as many as cores), which
    stay for all runs.

    A task whose process dies is tried once more by another; then ``lost`` makes its outcome. Where processes cannot
    even start, or not in time, :class:`diglot.errors.DiglotError` is raised. ``preload``: modules that processes have
    from the start. They end when the program does, and their own with them, even in the middle of a task.
    """

    lost: Lost
    jobs: int = 0
    preload: tuple[str, ...] = ()
    _workers: list[_Worker] = field(default_factory=list)
    _current: object = None
    """The run that workers are at."""

    def run(self, work: Work, place: str, tasks: Sequence[str]) -> Iterator[str]:
        """See :meth:`diglot.engines.executor.Executor.run`."""
        run = self._current = object()
        for worker in [worker for worker in self._workers if worker.task]:
            self._bury(worker)
        waiting = deque(map(_Task, tasks))
        try:
            while waiting or any(worker.task for worker in self._workers):
                self._assign(work, place, waiting)
                for outcome in self._collect(waiting):
                    yield outcome
                    if self._current is not run:
                        raise RuntimeError("another run of these processes has begun, which ended this one")
        except BaseException:
            if self._current is run:
                self.close()
            raise

    def __enter__(self) -> Processes:
        return self

    def __exit__(self, *_exc: object) -> None:
        self.close()

    def close(self) -> None:
        """Stop all processes, whatever they are at."""
        for worker in self._workers:
            worker.process.kill()
        for worker in list(self._workers):
            self._bury(worker)

    def _assign(self, work: Work, place: str, waiting: deque[_Task]) -> None:
        idle = [worker for worker in self._workers if worker.task is None]
        while waiting and (idle or len(self._workers) < (self.jobs or os.cpu_count() or 1)):
            worker = idle.pop() if idle else self._start()
            task = waiting.popleft()
            try:
                with without_main():
                    worker.pipe.send((work, self.lost, place, task.line))
            except OSError as error:
                if not worker.started:
                    raise cannot_start(worker.process) from error
                self._bury(worker)
                waiting.appendleft(task)
                continue
            worker.task = task

    def _collect(self, waiting: deque[_Task]) -> list[str]:
        """Wait until some worker answers, dies or starts too late; the outcomes there are. What is to be tried again
        goes to the front of those waiting."""
        busy = [worker for worker in self._workers if worker.task]
        starts = [worker.deadline for worker in busy if not worker.started]
        patience = max(0.0, min(starts) - time.monotonic()) if starts else None
        ready = set(wait([worker.pipe for worker in busy], timeout=patience))
        outcomes = []
        for worker in busy:
            if worker.pipe not in ready:
                if not worker.started and time.monotonic() >= worker.deadline:
                    raise starts_too_late(START_TIMEOUT_S)
                continue
            outcome = self._receive(worker, waiting)
            if outcome is not None:
                outcomes.append(outcome)
        return outcomes

    def _receive(self, worker: _Worker, waiting: deque[_Task]) -> str | None:
        """The outcome of a worker's task, unless the worker has just started or its task is to be tried again."""
        task = worker.task
        assert task is not None
        try:
            outcome: str | None = worker.pipe.recv()
        except (EOFError, OSError) as error:
            if not worker.started:
                raise cannot_start(worker.process) from error
            cause = cause_of_death(worker.process)
            self._bury(worker)
            if task.tries_left:
                waiting.appendleft(replace(task, tries_left=task.tries_left - 1))
                return None
            return self.lost(task.line, f"the process at it died twice, last {cause}")
        if not worker.started:
            worker.started = True
            return None
        worker.task = None
        return outcome

    def _start(self) -> _Worker:
        worker = _Worker(*start_child(self.preload, _work), time.monotonic() + START_TIMEOUT_S)
        self._workers.append(worker)
        return worker

    def _bury(self, worker: _Worker) -> None:
        end_child(worker.process, worker.pipe)
        self._workers.remove(worker)


def _work(pipe: Connection) -> None:
    """Body of a process: tasks in, outcomes out, until the program that asks is gone."""
    end_with_program()
    with contextlib.suppress(EOFError, BrokenPipeError, ConnectionResetError):
        pipe.send(None)
        while True:
            pipe.send(attempt(*pipe.recv()))
