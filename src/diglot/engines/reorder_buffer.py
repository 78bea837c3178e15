"""Results of workers, put down as they come and given out in the order of their tables."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

import pyarrow as pa


@dataclass(slots=True)
class Shelf:
    """Results, given out in the order of the tables they are of; those of a table may come row by row."""

    _parts: dict[int, list[tuple[tuple[int, ...], pa.Table]]] = field(default_factory=dict)
    _missing: dict[int, int] = field(default_factory=dict)
    _reserved: int = 0

    @property
    def open(self) -> int:
        """How many tables have a place and are not given out."""
        return len(self._missing)

    def reserve(self) -> int:
        """Number of the next table."""
        number, self._reserved = self._reserved, self._reserved + 1
        self._parts[number], self._missing[number] = [], 1
        return number

    def expect(self, order: tuple[int, ...], parts: int) -> None:
        """Instead of one result there will be so many."""
        self._missing[order[0]] += parts - 1

    def put(self, order: tuple[int, ...], result: pa.Table) -> None:
        """Keep a result; ``order``: number of its table, and of its row where that was tried alone."""
        self._parts[order[0]].append((order, result))
        self._missing[order[0]] -= 1

    def take(self) -> Iterator[pa.Table]:
        """Give out whole tables as far as none before them is missing."""
        while self._missing and not self._missing[first := min(self._missing)]:
            del self._missing[first]
            parts = sorted(self._parts.pop(first), key=lambda part: part[0])
            yield pa.concat_tables([part for _, part in parts])
