"""Columns of a journal that no query of the crawl asks for."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from diglot.crawl.queue.frontier import Frontier


def journal_rows(
    frontier: Frontier, columns: str, where: str = "1", values: Sequence[Any] = ()
) -> list[tuple[Any, ...]]:
    """Columns of the addresses that a condition chooses, by id."""
    return frontier._select(columns, where, values)


def count_rows(frontier: Frontier, where: str, values: Sequence[Any] = ()) -> int:
    """How many addresses a condition chooses."""
    return frontier._count(where, values)
