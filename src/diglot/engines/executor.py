"""Who has the tasks of a large run done: what all such executors have in common."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Protocol

Work = Callable[[str, str], str]
"""``work(place, task) -> outcome``: an importable function of a module's top level, pickled by name; ``place`` is the
URI of the store, a task and its outcome are a line of JSON each."""
Lost = Callable[[str, str], str]
"""``lost(task, detail) -> outcome``: what stands for the outcome of a task that raised or whose process died; such a
function as well."""


class Executor(Protocol):
    """Has tasks done, on this machine or on others."""

    def run(self, work: Work, place: str, tasks: Sequence[str]) -> Iterator[str]:
        """Outcomes of all tasks as they come, in any order; tasks are begun in the order given, so the largest should
        be first. A task that fails is an outcome too; where nothing can be done :class:`diglot.errors.DiglotError` is
        raised. The outcomes must be asked for before another run begins."""
        ...


def attempt(work: Work, lost: Lost, place: str, task: str) -> str:
    """The outcome of a task, in the process that does it; that of a lost one where ``work`` raises."""
    try:
        return work(place, task)
    except Exception as error:  # noqa: BLE001  the process boundary: the outcome names it
        return lost(task, f"{type(error).__name__}: {error}")
