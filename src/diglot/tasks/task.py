"""A task and what became of it: one line of JSON each."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from diglot.site import SITE_NUMBERS
from diglot.tasks.stage import Stage

TOLD = 3
"""Errors of tasks that are told at a time."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Task:
    """A piece of work that reads named files and writes files of names known beforehand.

    ``number``: from 0, within its stage. ``key``: content key of what it makes. ``weight``: bytes of a source, or pages
    of sites; the heaviest are best begun first. ``source``: of a task that reads. ``first``, ``last``: of a task of
    sites, the numbers of its sites (:func:`diglot.site.site_number`), both included.
    """

    stage: Stage
    number: int
    key: str
    weight: int
    source: str = ""
    first: int = 0
    last: int = SITE_NUMBERS - 1

    @property
    def name(self) -> str:
        """``site/KEY-00003``: what its files are called by."""
        return f"{self.stage}/{self.key}-{self.number:05d}"

    def to_line(self) -> str:
        """As one line of JSON."""
        return json.dumps(dataclasses.asdict(self))

    @classmethod
    def from_line(cls, line: str) -> Task:
        """Back from :meth:`to_line`."""
        values = json.loads(line)
        return cls(**{**values, "stage": Stage(values["stage"])})


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """What became of a task: ``pages`` that it worked on, or the ``error`` for which it is not done.

    ``lost``: its process ended without a word, so that to try it again may help.
    """

    stage: Stage
    number: int
    pages: int = 0
    seconds: float = 0.0
    error: str = ""
    lost: bool = False

    def to_line(self) -> str:
        """As one line of JSON."""
        return json.dumps(dataclasses.asdict(self), ensure_ascii=False)

    @classmethod
    def from_line(cls, line: str) -> Outcome:
        """Back from :meth:`to_line`."""
        values = json.loads(line)
        return cls(**{**values, "stage": Stage(values["stage"])})


def heaviest_first(tasks: Iterable[Task]) -> list[Task]:
    """The tasks in the order in which they are best begun."""
    return sorted(tasks, key=lambda task: (-task.weight, task.number))


def told(failed: Sequence[Outcome]) -> str:
    """The errors of some tasks, for people: the first :data:`TOLD`."""
    return "; ".join(f"{outcome.stage} {outcome.number}: {outcome.error}" for outcome in failed[:TOLD])
