"""Rows dealt out into buckets by a key, so that equal keys can be looked at a bucket at a time in bounded memory."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import IO

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import xxhash

from diglot.arrays import Ints
from diglot.disk.atomic import replacing
from diglot.errors import RunFolderError

SPILL_BYTES = 16 << 20
"""Rows that are in memory while they are dealt out: those of a table, or of tables up to so many bytes together."""


def key_buckets(keys: pa.Array | pa.ChunkedArray, buckets: int) -> Ints:
    """The bucket of every key, a text or bytes: int64 of shape (keys,), in [0, buckets). By xxh3 of 64 bits."""
    found = (keys.combine_chunks() if isinstance(keys, pa.ChunkedArray) else keys).dictionary_encode()
    distinct = found.dictionary.cast(pa.binary()).to_pylist()
    numbers = np.array([xxhash.xxh3_64_intdigest(key) % buckets for key in distinct], np.int64)
    return np.asarray(numbers[found.indices.to_numpy()])


def write_buckets(
    path: str | os.PathLike[str],
    tables: Iterable[pa.Table],
    bucket_of: Callable[[pa.Table], Ints],
    buckets: int,
    *,
    schema: pa.Schema,
) -> None:
    """Write tables of ``schema`` as one Parquet file with a row group a bucket, the rows of each in their order.

    ``bucket_of``: the bucket of every row of a table, int64 in [0, buckets). In memory are the rows of a table or, of
    small ones, :data:`SPILL_BYTES`, and those of one bucket; what is dealt out waits in a file without a name.
    Raises: UsageError where the place cannot be written.
    """
    with replacing(path) as handle, tempfile.TemporaryFile(dir=Path(path).parent) as spilled:
        places = _spill(spilled, _gathered(tables, schema), bucket_of, buckets, schema)
        with pa.ipc.open_file(spilled) as dealt, pq.ParquetWriter(handle, schema, compression="zstd") as writer:
            for mine in places:
                rows = pa.Table.from_batches([dealt.get_batch(place) for place in mine], schema)
                writer.write_table(rows, row_group_size=max(1, rows.num_rows))


def read_bucket(path: str | os.PathLike[str], number: int) -> pa.Table:
    """The rows of one bucket; :class:`RunFolderError` where the file is damaged."""
    try:
        with pq.ParquetFile(path) as file:
            return file.read_row_group(number)
    except (OSError, pa.ArrowException) as error:
        why = " ".join(str(error).split())
        raise RunFolderError(f"{path}: cannot be read ({why}); run the same command again") from error


def _gathered(tables: Iterable[pa.Table], schema: pa.Schema) -> Iterator[pa.Table]:
    """The tables, small ones together."""
    waiting: list[pa.Table] = []
    for table in tables:
        waiting.append(table)
        if sum(each.nbytes for each in waiting) >= SPILL_BYTES:
            yield pa.concat_tables(waiting).cast(schema)
            waiting.clear()
    if waiting:
        yield pa.concat_tables(waiting).cast(schema)


def _spill(
    file: IO[bytes],
    tables: Iterable[pa.Table],
    bucket_of: Callable[[pa.Table], Ints],
    buckets: int,
    schema: pa.Schema,
) -> list[list[int]]:
    """Write the rows of every table apart by bucket; of each bucket the numbers of its batches in the file."""
    places: list[list[int]] = [[] for _ in range(buckets)]
    count = 0
    with pa.ipc.new_file(file, schema, options=pa.ipc.IpcWriteOptions(compression="zstd")) as writer:
        for table in tables:
            numbers = bucket_of(table)
            order = np.argsort(numbers, kind="stable")
            ends = np.cumsum(np.bincount(numbers, minlength=buckets))
            for bucket, rows in enumerate(np.split(order, ends[:-1])):
                for batch in table.take(pa.array(rows)).combine_chunks().to_batches() if len(rows) else ():
                    writer.write_batch(batch)
                    places[bucket].append(count)
                    count += 1
    return places
