"""What carries out tasks over files, on this machine or on others."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Protocol


class Executor(Protocol):
    """Carries out tasks, of which it knows nothing: each is a line of text, and so is its outcome."""

    def run(self, work: Callable[[str, str], str], place: str, tasks: Sequence[str]) -> Iterator[str]:
        """``work(place, task)`` of every task, begun in this order; outcomes as they come, in any order.

        ``work`` is a function that can be imported by its name wherever tasks are carried out.
        """
