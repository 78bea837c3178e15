"""Tables that wait on disk: written one after the other, then read in any order."""

from __future__ import annotations

import os
import tempfile
import weakref
from functools import cached_property

import pyarrow as pa


class Spool:
    """Tables of ``schema`` in a file of a folder. The file has no name: nothing is left of it when the process ends.

    Methods raise OSError where the file cannot be written, as on a full disk.
    """

    def __init__(self, folder: str | os.PathLike[str], schema: pa.Schema) -> None:
        self._schema, self._count = schema, 0
        self._file = tempfile.TemporaryFile(dir=folder)  # noqa: SIM115
        weakref.finalize(self, self._file.close)
        self._writer = pa.ipc.new_file(self._file, schema, options=pa.ipc.IpcWriteOptions(compression="zstd"))

    def write(self, table: pa.Table) -> range:
        """Write a table; returns its place. After the first :meth:`read` nothing can be written."""
        first = self._count
        for batch in table.combine_chunks().to_batches() if table.num_rows else ():
            self._writer.write_batch(batch)
            self._count += 1
        return range(first, self._count)

    def read(self, *places: range) -> pa.Table:
        """Read the tables of these places as one table."""
        batches = [self._reader.get_batch(number) for place in places for number in place]
        return pa.Table.from_batches(batches, self._schema)

    @cached_property
    def _reader(self) -> pa.ipc.RecordBatchFileReader:
        self._writer.close()
        return pa.ipc.open_file(self._file)
