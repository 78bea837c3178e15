"""Tasks given to an executor until all are done."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from diglot.disk.store import Store
from diglot.engines.executor import Executor, LocalExecutor
from diglot.errors import DiglotError, UsageError
from diglot.progress import Progress
from diglot.run.work import PRELOAD
from diglot.tasks.task import Outcome, Task, heaviest_first, told
from diglot.tasks.work import done_tasks, lost_task, run_line

if TYPE_CHECKING:
    from diglot.engines.spark import Spark

LOCAL, SPARK = "local", "spark"
"""Engines: processes of this machine, and a Spark cluster."""
ROUNDS = 4
"""Times that a task is given out: twice as others are, and where its process was lost, twice with care."""


def check_engine(engine: str, master: str) -> None:
    """Raise :class:`UsageError` for an engine that is none, and where only one of Spark and a master is named."""
    if engine not in (LOCAL, SPARK):
        raise UsageError(f"--engine {engine}: give {LOCAL} or {SPARK}")
    if (engine == SPARK) != bool(master):
        raise UsageError(
            "--engine spark needs --master URL, such as spark://HOST:7077 or yarn; no other engine takes it"
        )


def spark(master: str) -> Spark:
    """A Spark cluster that carries out tasks."""
    from diglot.engines.spark import Spark

    return Spark(master, lost_task)


def processes(jobs: int) -> LocalExecutor:
    """Processes of this machine that carry out tasks; 0: as many as it has cores."""
    return LocalExecutor(lost=lost_task, jobs=jobs, preload=PRELOAD)


def do_all(store: Store, tasks: Sequence[Task], executor: Executor, progress: Progress) -> None:
    """Have every task done that is not, the heaviest begun first.

    Raises: DiglotError where some cannot be done; those that are done need not be done again.
    """
    left = _left(store, tasks)
    progress.start(tasks[0].stage if tasks else "", len(tasks), "tasks")
    progress.advance(len(tasks) - len(left))
    failed: list[Outcome] = []
    for _ in range(ROUNDS):
        failed = []
        for line in executor.run(run_line, store.uri, [task.to_line() for task in left]):
            outcome = Outcome.from_line(line)
            if outcome.error:
                failed.append(outcome)
            else:
                progress.advance(1)
        left = _left(store, left)
        if not left or not any(outcome.lost for outcome in failed):
            break
    if left:
        raise DiglotError(
            f"{len(left)} of {len(tasks)} tasks are not done ({told(failed)}); the same command tries them again"
        )
    progress.finish(f"{len(tasks)} {'task' if len(tasks) == 1 else 'tasks'} done")


def _left(store: Store, tasks: Sequence[Task]) -> list[Task]:
    """The tasks that are not done, the heaviest first."""
    done = done_tasks(store, tasks)
    return heaviest_first(task for task in tasks if task.number not in done)
