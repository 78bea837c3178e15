"""Parquet files of stages, with hashes, so that a damaged file raises an error and is never read as other content."""

from __future__ import annotations

import os
from collections.abc import Collection
from pathlib import Path
from typing import BinaryIO

import pyarrow as pa
import pyarrow.parquet as pq

from diglot.disk.atomic import replacing
from diglot.disk.content_hashes import DAMAGE, READ, HashedWriter, count_group_rows, read_groups
from diglot.errors import RunFolderError, describe_error


def write_stage_file(path: Path, table: pa.Table) -> None:
    """Write a stage file atomically."""
    with replacing(path, for_programs=True) as handle:
        write_table(handle, table)


def write_table(handle: BinaryIO, table: pa.Table) -> None:
    """Write a table with hashes to an open file."""
    with HashedWriter(handle, table.schema) as writer:
        writer.write(table)


def read_stage_file(path: str | os.PathLike[str], columns: list[str] | None = None) -> pa.Table:
    """Read a stage file; :class:`RunFolderError` where it is damaged."""
    try:
        with pq.ParquetFile(path, **READ) as file:
            return read_groups(file, columns)
    except DAMAGE as error:
        raise damage_error(path, error) from error


def read_stage_rows(path: str | os.PathLike[str], columns: list[str], rows: Collection[int]) -> pa.Table:
    """Some rows of a stage file, by number, in the order of the file; :class:`RunFolderError` where it is damaged.

    Only row groups with wanted rows are read, and one of them is in memory at a time.
    """
    found, start = [], 0
    try:
        with pq.ParquetFile(path, **READ) as file:
            found.append(read_groups(file, columns, groups=()))
            for number in range(file.num_row_groups):
                end = start + file.metadata.row_group(number).num_rows
                if places := sorted(row - start for row in rows if start <= row < end):
                    group = read_groups(file, columns, groups=[number])
                    # Copied row by row: Arrow's own choice of rows copies all texts first, and a slice holds the group.
                    found += [group.slice(row, 1).take(pa.array([0])) for row in places]
                start = end
    except DAMAGE as error:
        raise damage_error(path, error) from error
    return pa.concat_tables(found)


def count_rows(path: Path) -> int:
    """Rows of a stage file; :class:`RunFolderError` where it is damaged."""
    try:
        with pq.ParquetFile(path) as file:
            return count_group_rows(file)
    except DAMAGE as error:
        raise damage_error(path, error) from error


def damage_error(path: str | os.PathLike[str], why: Exception | str) -> RunFolderError:
    """Error for a damaged stage file: what to delete, and which command makes the stage again."""
    stage, text = Path(path).parent.name, why if isinstance(why, str) else describe_error(why)
    return RunFolderError(
        f"{os.fspath(path)}: a stage file is damaged ({text}); delete it, and the command "
        f"that made the run makes the stage {stage} again"
    )
