"""Hash partitioning on disk: rows with equal keys are in the same bucket, and a bucket fits into memory."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import xxhash

from diglot.arrays import Ints, rows_by_number
from diglot.disk.atomic import replacing
from diglot.disk.content_hashes import DAMAGE, READ, HashedWriter, read_groups
from diglot.disk.spool import Spool
from diglot.errors import RunFolderError, describe_error

SPILL_BYTES = 16 << 20
"""Small tables are gathered up to this size before partitioning."""


def key_buckets(keys: pa.Array | pa.ChunkedArray, buckets: int) -> Ints:
    """Bucket of every key (text or bytes) by its 64-bit xxh3: int64 of shape (keys,), in [0, buckets)."""
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
    """Write tables of ``schema`` to a Parquet file with a row group for each bucket; rows keep their order.

    ``bucket_of``: bucket of every row of a table, int64 in [0, buckets). Memory holds a table, or
    :data:`SPILL_BYTES` of small tables, and a bucket; other rows wait in an unnamed temporary file.
    Raises: UsageError where ``path`` cannot be written.
    """
    with replacing(path, for_programs=True) as handle:
        spool = Spool(Path(path).parent, schema)
        places: list[list[range]] = [[] for _ in range(buckets)]
        for table in _gather(tables, schema):
            for mine, rows in zip(places, rows_by_number(bucket_of(table), buckets), strict=True):
                mine.append(spool.write(table.take(pa.array(rows))))
        with HashedWriter(handle, schema) as writer:
            for mine in places:
                writer.write(spool.read(*mine))


def read_bucket(path: str | os.PathLike[str], number: int) -> pa.Table:
    """Read the rows of a bucket; :class:`RunFolderError` where the file is damaged."""
    try:
        with pq.ParquetFile(path, **READ) as file:
            return read_groups(file, groups=[number])
    except DAMAGE as error:
        raise RunFolderError(f"{path}: cannot be read ({describe_error(error)}); run the same command again") from error


def _gather(tables: Iterable[pa.Table], schema: pa.Schema) -> Iterator[pa.Table]:
    """Join small tables up to :data:`SPILL_BYTES`."""
    waiting: list[pa.Table] = []
    waiting_bytes = 0
    for table in tables:
        waiting.append(table)
        waiting_bytes += table.nbytes
        if waiting_bytes >= SPILL_BYTES:
            yield pa.concat_tables(waiting).cast(schema)
            waiting.clear()
            waiting_bytes = 0
    if waiting:
        yield pa.concat_tables(waiting).cast(schema)
