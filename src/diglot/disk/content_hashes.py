"""Hashes of the columns of a Parquet file, kept inside the file: a read gives what was written, or an error.

The checksums of Parquet cover pages. A flipped bit in the head of a page or in the footer gives other rows under a
checksum that is right.
"""

from __future__ import annotations

import re
import struct
from collections.abc import Iterable, Sequence
from typing import Any, BinaryIO

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
import xxhash

KEY = b"diglot.hashes"
"""Name of the hashes in the metadata of a file: a line for each row group, with its rows and a hash for each column.
"""
WRITTEN: dict[str, Any] = {"compression": "zstd", "write_page_checksum": True}
"""Options of the writer. A checksum takes 4 bytes for each page."""
READ: dict[str, Any] = {"page_checksum_verification": True}
"""Options of the reader."""
DAMAGE = (OSError, pa.ArrowException, UnicodeDecodeError)
"""Errors from reading a damaged file."""
_ROWS = re.compile("[0-9]{1,18}")
_DIFFERS = "its content is another than what was written"


class HashedWriter:
    """Writer of a Parquet file with hashes; each table is a row group."""

    def __init__(self, handle: BinaryIO, schema: pa.Schema) -> None:
        self._writer = pq.ParquetWriter(handle, schema, **WRITTEN)
        self._lines: list[str] = []

    def __enter__(self) -> HashedWriter:
        return self

    def __exit__(self, *_exc: object) -> None:
        self._writer.add_key_value_metadata({KEY: "\n".join(self._lines).encode()})
        self._writer.close()

    def write(self, table: pa.Table) -> None:
        """Write a row group."""
        self._writer.write_table(table, row_group_size=max(1, table.num_rows))
        self._lines.append(" ".join([str(table.num_rows), *_hashes(table)]))


def read_groups(
    file: pq.ParquetFile, columns: Sequence[str] | None = None, groups: Iterable[int] | None = None
) -> pa.Table:
    """Table of some columns and row groups of a file; None: all of them.

    Raises: ArrowInvalid for a file without hashes, or with other content than its hashes; the other errors of
    :data:`DAMAGE`, as Arrow raises them.
    """
    lines = _lines(file)
    names = file.schema_arrow.names
    chosen = [name for name in names if columns is None or name in columns]
    tables = [file.schema_arrow.empty_table().select(chosen)]
    for number in range(len(lines)) if groups is None else groups:
        table = file.read_row_group(number, columns=chosen)
        rows, *found = lines[number]
        if len(found) != len(names):
            raise pa.ArrowInvalid(_DIFFERS)
        hashes = dict(zip(names, found, strict=True))
        if str(table.num_rows) != rows or _hashes(table) != [hashes[name] for name in chosen]:
            raise pa.ArrowInvalid(_DIFFERS)
        tables.append(table)
    return pa.concat_tables(tables).replace_schema_metadata(None)


def count_group_rows(file: pq.ParquetFile) -> int:
    """Number of rows of a file. Raises ArrowInvalid where its footer and its hashes state different numbers."""
    if file.metadata.num_rows != sum(int(line[0]) if _ROWS.fullmatch(line[0]) else -1 for line in _lines(file)):
        raise pa.ArrowInvalid(_DIFFERS)
    return int(file.metadata.num_rows)


def _lines(file: pq.ParquetFile) -> list[list[str]]:
    said = (file.metadata.metadata or {}).get(KEY)
    if said is None:
        raise pa.ArrowInvalid("it has no hashes")
    lines = [line.split(" ") for line in said.decode("latin-1").split("\n") if line]
    if len(lines) != file.metadata.num_row_groups:
        raise pa.ArrowInvalid(_DIFFERS)
    return lines


def _hashes(table: pa.Table) -> list[str]:
    """Hash of each column, over its name and values."""
    return [
        xxhash.xxh3_64_hexdigest(f"{name} {column_hash(table[number])}".encode())
        for number, name in enumerate(table.column_names)
    ]


def column_hash(column: pa.ChunkedArray) -> str:
    """Hash of the values of a column, XXH3 of 64 bits as hexadecimal digits; the same for any cut into chunks."""
    streams: dict[str, Any] = {}
    for chunk in column.chunks:
        _feed(streams, "", chunk)
    whole = xxhash.xxh3_64()
    for name, stream in sorted(streams.items()):
        whole.update(name.encode() + struct.pack("<Q", stream.intdigest()))
    return str(whole.hexdigest())


def _feed(streams: dict[str, Any], name: str, array: pa.Array) -> None:
    """Add the values of an array to a stream for each of its parts: nulls, lengths, values."""

    def add(part: str, values: Any) -> None:
        # Without values there is no stream: an empty chunk is no chunk.
        if len(array):
            streams.setdefault(f"{name}.{part}", xxhash.xxh3_64()).update(values)

    kind = array.type
    if pa.types.is_dictionary(kind):
        _feed(streams, name, array.cast(kind.value_type))
        return
    add("nulls", _numbers(array.is_null()) if array.null_count else bytes(len(array)))
    array = array.drop_null() if array.null_count else array
    if pa.types.is_map(kind):
        ends = array.offsets.to_numpy()
        add("lengths", _numbers(pa.array(np.diff(ends))))
        # A slice keeps the keys and items of its whole buffer.
        for part, values in (("key", array.keys), ("item", array.items)):
            _feed(streams, f"{name}.{part}", values[ends[0] : ends[-1]])
    elif pa.types.is_list(kind):
        add("lengths", _numbers(pc.list_value_length(array)))
        _feed(streams, f"{name}.item", pc.list_flatten(array))
    elif pa.types.is_struct(kind):
        for field, values in zip(kind, array.flatten(), strict=True):
            _feed(streams, f"{name}.{field.name}", values)
    elif pa.types.is_null(kind):
        return
    elif pa.types.is_primitive(kind):
        # The same bytes may be numbers of another type.
        add(f"{kind}", _numbers(array))
    else:
        add("lengths", _numbers(pc.binary_length(array)))
        add(f"{kind}", _characters(array))


def _numbers(array: pa.Array) -> Any:
    """Memory of an array of numbers, or of bytes for truth values."""
    plain = array.cast(pa.uint8()) if pa.types.is_boolean(array.type) else array
    return memoryview(plain.to_numpy()).cast("B")


def _characters(array: pa.Array) -> Any:
    """Memory of the joined texts of an array."""
    is_large = pa.types.is_large_string(array.type) or pa.types.is_large_binary(array.type)
    if not (is_large or pa.types.is_string(array.type) or pa.types.is_binary(array.type)):
        array = array.cast(pa.binary())
    _, offsets, data = array.buffers()
    ends = memoryview(offsets).cast("B").cast("q" if is_large else "i")
    first, last = ends[array.offset], ends[array.offset + len(array)]
    return b"" if data is None else memoryview(data)[first:last]
