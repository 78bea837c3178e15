"""Rows of a stage that no worker could do: counted, and told with the cause of the first."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import pyarrow as pa

from diglot.engines.pool import Failure
from diglot.errors import DiglotError
from diglot.reasons import Reason


@dataclass
class FailedTasks:
    """Count and first cause of the rows that failed; ``what``: words for them, ``pages could not be read``."""

    what: str
    rows: int = 0
    cause: str = ""

    def as_failure(self, result: Callable[[pa.Table], pa.Table]) -> Failure:
        """A :data:`diglot.engines.pool.Failure` that counts; ``result``: the result for rows that failed."""

        def record_failure(table: pa.Table, _reason: Reason, detail: str) -> pa.Table:
            self.rows += table.num_rows
            self.cause = self.cause or detail
            return result(table)

        return record_failure

    def notes(self) -> list[str]:
        """A note on the rows that failed, if any."""
        return [f"{self.rows:,} {self.what}; the first: {self.cause}"] if self.rows else []

    def require_some(self, rows: int) -> None:
        """Raise :class:`DiglotError` if all of several rows failed: then the fault is in no single one."""
        if 1 < rows == self.rows:
            raise DiglotError(f"all {rows:,} {self.what}; the first: {self.cause}")
