"""Tasks and their outcomes, one line of JSON each."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from diglot.site import SITE_NUMBERS
from diglot.tasks import Stage

MAX_ERRORS = 3
"""Errors of tasks named in one message."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Task:
    """Work from named files to files whose names are known before the work.

    ``number``: from 0 within the stage. ``key``: content key of the output. ``weight``: bytes of the source, or pages
    of the sites. ``source``: source of a read task. ``first``, ``last``: site numbers of a site task
    (:func:`diglot.site.site_number`), both included.
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
        """Stem of the file names: ``site/KEY-00003``, or ``read/KEY``."""
        # A read task has no number in its name: its documents stay valid when sources are added before it.
        return f"{self.stage}/{self.key}" + ("" if self.stage is Stage.READ else f"-{self.number:05d}")

    def to_line(self) -> str:
        """One line of JSON."""
        return json.dumps(dataclasses.asdict(self))

    @classmethod
    def from_line(cls, line: str) -> Task:
        """Inverse of :meth:`to_line`."""
        values = json.loads(line)
        return cls(**{**values, "stage": Stage(values["stage"])})


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """Result of a task: the number of ``pages`` done, or the ``error`` that stopped the task.

    ``lost``: the process died, so another try may succeed.
    """

    stage: Stage
    number: int
    pages: int = 0
    seconds: float = 0.0
    error: str = ""
    lost: bool = False

    def to_line(self) -> str:
        """One line of JSON."""
        return json.dumps(dataclasses.asdict(self), ensure_ascii=False)

    @classmethod
    def from_line(cls, line: str) -> Outcome:
        """Inverse of :meth:`to_line`."""
        return cls.from_table(json.loads(line))

    @classmethod
    def from_table(cls, values: Mapping[str, Any]) -> Outcome:
        """From plain values."""
        return cls(**{**values, "stage": Stage(values["stage"])})


def heaviest_first(tasks: Iterable[Task]) -> list[Task]:
    """Tasks by falling weight: a heavy task begun last would keep all others waiting."""
    return sorted(tasks, key=lambda task: (-task.weight, task.number))


def describe_failures(failed: Sequence[Outcome]) -> str:
    """Message with the errors of failed tasks, at most :data:`MAX_ERRORS` of them."""
    return "; ".join(f"{outcome.stage} {outcome.number}: {outcome.error}" for outcome in failed[:MAX_ERRORS])
