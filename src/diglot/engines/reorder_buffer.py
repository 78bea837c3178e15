"""Reorder buffer: results of workers in the order of their tables."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

import pyarrow as pa


@dataclass(slots=True)
class ReorderBuffer:
    """Results of workers, taken out in the order of their tables; the result of a table may come row by row."""

    _parts: dict[int, list[tuple[tuple[int, ...], pa.Table]]] = field(default_factory=dict)
    _missing: dict[int, int] = field(default_factory=dict)
    _reserved: int = 0

    @property
    def pending(self) -> int:
        """Number of tables with results still to be taken out."""
        return len(self._missing)

    def reserve(self) -> int:
        """Number of the next table, from 0."""
        number, self._reserved = self._reserved, self._reserved + 1
        self._parts[number], self._missing[number] = [], 1
        return number

    def split(self, order: tuple[int, ...], parts: int) -> None:
        """Expect ``parts`` results of a table instead of a single result."""
        self._missing[order[0]] += parts - 1

    def put(self, order: tuple[int, ...], result: pa.Table) -> None:
        """Add a result; ``order``: number of its table and, for a single row, number of the row."""
        self._parts[order[0]].append((order, result))
        self._missing[order[0]] -= 1

    def take(self) -> Iterator[pa.Table]:
        """Take out complete results up to the first table with a missing one."""
        while self._missing and not self._missing[first := min(self._missing)]:
            del self._missing[first]
            parts = sorted(self._parts.pop(first), key=lambda part: part[0])
            yield pa.concat_tables([part for _, part in parts])
