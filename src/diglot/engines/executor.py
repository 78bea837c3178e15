"""Executors of tasks: the protocol they share, and the executor on this machine."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Protocol

from diglot.engines.pool import Pool, Task

Work = Callable[[str, str], str]
"""``work(place, task) -> outcome``: an importable top-level function, pickled by name. ``place`` is the URI of the
store; task and outcome are a line of JSON each."""
Lost = Callable[[str, str], str]
"""``lost(task, detail) -> outcome``: outcome after an exception or the death of the process; importable as well."""


class Executor(Protocol):
    """Does tasks on this machine or on a cluster."""

    def run(self, work: Work, place: str, tasks: Sequence[str]) -> Iterator[str]:
        """Outcomes of all tasks, in any order, as they come.

        Tasks are begun in the order given, so the largest should be first. A failed task has an outcome, too; where no
        task can be done, :class:`diglot.errors.DiglotError` is raised. Consume the outcomes before another run begins.
        """
        ...


def attempt(work: Work, lost: Lost, place: str, task: str) -> str:
    """Do a task in this process; returns its outcome, or the outcome of a lost task if ``work`` raises."""
    try:
        return work(place, task)
    except Exception as error:  # noqa: BLE001  the process boundary: the outcome names it
        return lost(task, f"{type(error).__name__}: {error}")


@dataclass(slots=True, kw_only=True)
class LocalExecutor(Pool):
    """An :class:`Executor` of ``jobs`` processes on this machine; tasks may start further workers.

    After the death of a process another process tries its task once more; then ``lost`` makes the outcome. Tasks have
    no time limit.
    """

    lost: Lost

    def run(self, work: Work, place: str, tasks: Sequence[str]) -> Iterator[str]:
        """See :meth:`Executor.run`."""
        waiting = deque(Task(line, tries_left=1) for line in tasks)
        missing = len(waiting)
        with self._begin(_do_line, partial(attempt, work, self.lost, place)) as run:
            while missing:
                for task, outcome in self._advance(waiting):
                    if outcome is None:
                        # Never begun, so no try is used up.
                        waiting.appendleft(task)
                        continue
                    if not isinstance(outcome, bytes) and task.tries_left:
                        waiting.appendleft(replace(task, tries_left=task.tries_left - 1))
                        continue
                    missing -= 1
                    if isinstance(outcome, bytes):
                        yield outcome.decode()
                    else:
                        yield self.lost(task.payload, f"the process at it died twice, last {outcome.detail}")
                    self._require_current(run)


def _do_line(do: Callable[[str], str], payload: bytes) -> bytes:
    return do(payload.decode()).encode()
