"""Temporary storage of tables on disk: written in sequence, then read in any order."""

from __future__ import annotations

import os
import tempfile
import weakref
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from functools import cached_property
from typing import IO

import pyarrow as pa

from diglot.errors import UsageError, describe_error


def _discard(file: IO[bytes]) -> None:
    """Close a file whose content counts no more: on a full disk the last bytes find no room."""
    with suppress(OSError):
        file.close()


class Spool:
    """Tables of ``schema`` in a file of a folder. The file has no name: nothing is left of it when the process ends.

    Raises: UsageError where the file cannot be written, as on a full disk.
    """

    def __init__(self, folder: str | os.PathLike[str], schema: pa.Schema) -> None:
        self._folder, self._schema, self._count = folder, schema, 0
        with self._writing():
            self._file = tempfile.TemporaryFile(dir=folder)  # noqa: SIM115
            weakref.finalize(self, _discard, self._file)
            self._writer = pa.ipc.new_file(self._file, schema, options=pa.ipc.IpcWriteOptions(compression="zstd"))

    def write(self, table: pa.Table) -> range:
        """Write a table; returns its place. After the first :meth:`read` nothing can be written."""
        first = self._count
        for batch in table.combine_chunks().to_batches() if table.num_rows else ():
            with self._writing():
                self._writer.write_batch(batch)
            self._count += 1
        return range(first, self._count)

    def read(self, *places: range) -> pa.Table:
        """Read the tables of these places as one table."""
        batches = [self._reader.get_batch(number) for place in places for number in place]
        return pa.Table.from_batches(batches, self._schema)

    @cached_property
    def _reader(self) -> pa.ipc.RecordBatchFileReader:
        with self._writing():
            self._writer.close()
        return pa.ipc.open_file(self._file)

    @contextmanager
    def _writing(self) -> Iterator[None]:
        try:
            yield
        except OSError as error:
            raise UsageError(
                f"{os.fspath(self._folder)}: a temporary file cannot be written there ({describe_error(error)})"
            ) from error
