"""Parses the pages of a crawl in a separate process: a page that crashes or hangs the parser does not end the crawl."""

from __future__ import annotations

import signal
from typing import Any, Self

import pyarrow as pa

from diglot.documents.parse import dropped_table, pages_table, parse_table
from diglot.engines.pool import LocalEngine, Stage
from diglot.records import Drop, Page, Reason

PARSE_TIMEOUT_S = 20.0
LAST_RESORT_S = 30
"""Time after which the system ends a hanging parser, in case the crawl itself is gone."""


class PageParser:
    """Parses one page at a time to a row of :data:`diglot.records.DOCUMENT_SCHEMA`, or to a :class:`Drop` with the
    reason.

    ``stage``: the parser of a table of pages, by default :func:`parse_or_die`; ``timeout_s``: for one page. Raises
    :class:`diglot.errors.DiglotError` if no process can be started.
    """

    def __init__(self, stage: Stage | None = None, *, timeout_s: float = PARSE_TIMEOUT_S) -> None:
        self._stage = stage or parse_or_die
        self._timeout_s = timeout_s
        self._engine = LocalEngine(jobs=1, preload=("diglot.run.preload",))

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._engine.close()

    def __call__(self, page: Page) -> dict[str, Any] | Drop:
        """Parse one page."""
        tables = self._engine.map(self._stage, [pages_table([page])], failed=_dropped_row, timeout_s=self._timeout_s)
        (row,) = pa.concat_tables(tables).to_pylist()
        return Drop(page.url, Reason(row["reason"]), row["detail"]) if row["reason"] else row


def parse_or_die(pages: pa.Table) -> pa.Table:
    """Parse a table of pages; the process ends after :data:`LAST_RESORT_S`."""
    if not hasattr(signal, "alarm"):  # Windows, where the worker's own watch over its starter has to do
        return parse_table(pages)
    signal.alarm(LAST_RESORT_S)
    try:
        return parse_table(pages)
    finally:
        signal.alarm(0)


def _dropped_row(table: pa.Table, reason: Reason, detail: str) -> pa.Table:
    return dropped_table([Drop(table["url"][0].as_py(), reason, detail)])
