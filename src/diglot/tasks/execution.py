"""Execution of tasks: hand them to an executor until all are done."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING

from diglot.disk.store import Store
from diglot.engines.executor import Executor, LocalExecutor
from diglot.errors import DiglotError, UsageError
from diglot.layout import count_text
from diglot.progress import Progress
from diglot.run.work import PRELOAD
from diglot.tasks.task import Outcome, Task, describe_failures, heaviest_first
from diglot.tasks.work import done_tasks, lost_outcome, run_line

if TYPE_CHECKING:
    from diglot.engines.spark import Spark

LOCAL, SPARK = "local", "spark"
"""Values of ``--engine``: processes of this machine, and a Spark cluster."""
_MASTER = re.compile(
    r"spark://[^\s/,]+:\d+(,[^\s/,]+:\d+)*"
    r"|yarn|k8s://\S+"
    r"|local(\[\s*([1-9]\d*|\*)\s*(,\s*[1-9]\d*\s*)?\])?"
    r"|local-cluster\[\s*\d+\s*,\s*\d+\s*,\s*\d+\s*\]"
)
"""The forms of a master that Spark itself takes; for another it gives a trace of Java."""
MASTER_FORMS = "spark://HOST:PORT (several: spark://HOST1:PORT1,HOST2:PORT2), yarn, k8s://ADDRESS or local[N]"
ROUNDS = 4
"""Rounds for tasks with dying processes: two ordinary rounds, then two with each site in isolation."""


def check_engine(engine: str, master: str) -> None:
    """Raise :class:`UsageError` for an unknown engine, Spark without a master, a master without Spark or of no form."""
    if engine not in (LOCAL, SPARK):
        raise UsageError(f"--engine {engine}: give {LOCAL} or {SPARK}")
    if (engine == SPARK) != bool(master):
        raise UsageError("engine spark needs a master, such as spark://HOST:7077 or yarn; no other engine takes one")
    if master and _MASTER.fullmatch(master) is None:
        raise UsageError(f"--master {master}: no address of a Spark cluster; give {MASTER_FORMS}")


def spark_executor(master: str) -> Spark:
    """Executor on a Spark cluster."""
    from diglot.engines.spark import Spark

    return Spark(master, lost_outcome)


def local_executor(jobs: int) -> LocalExecutor:
    """Executor of ``jobs`` processes on this machine; 0: as many as cores."""
    return LocalExecutor(lost=lost_outcome, jobs=jobs, preload=PRELOAD)


def execute(store: Store, tasks: Sequence[Task], executor: Executor, progress: Progress) -> None:
    """Do all unfinished tasks, the heaviest first.

    Raises: DiglotError where tasks fail; finished tasks stay finished.
    """
    left = _unfinished_tasks(store, tasks)
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
        # The store decides, not the outcome: another scheduler may have done a task meanwhile.
        left = _unfinished_tasks(store, left)
        # Only a lost process is a matter of luck or memory; any other error would come again.
        if not left or not any(outcome.lost for outcome in failed):
            break
    if left:
        raise DiglotError(
            f"{len(left)} of {len(tasks)} tasks are not done ({describe_failures(failed)}); "
            "the same command tries them again"
        )
    progress.finish(f"{count_text(len(tasks), 'task')} done")


def _unfinished_tasks(store: Store, tasks: Sequence[Task]) -> list[Task]:
    """Tasks without an outcome in the store, the heaviest first."""
    done = done_tasks(store, tasks)
    return heaviest_first(task for task in tasks if task.number not in done)
