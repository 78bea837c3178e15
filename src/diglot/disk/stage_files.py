"""Parquet files of stages, with a checksum for every page, so that a damaged page is an error and no other content."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any, BinaryIO

import pyarrow as pa
import pyarrow.parquet as pq

from diglot.disk.atomic import replacing
from diglot.errors import RunFolderError, describe_error

WRITTEN: dict[str, Any] = {"compression": "zstd", "write_page_checksum": True}
"""Options of the writer. The checksums take 4 bytes a page."""
READ: dict[str, Any] = {"page_checksum_verification": True}
"""Options of the reader."""


def write_stage_file(path: Path, table: pa.Table) -> None:
    """Write a stage file atomically."""
    with replacing(path) as handle:
        write_pages(handle, table)


def write_pages(handle: BinaryIO, table: pa.Table) -> None:
    """Write a table with checksums."""
    pq.write_table(table, handle, **WRITTEN)


def read_stage_file(path: str | os.PathLike[str], columns: list[str] | None = None) -> pa.Table:
    """Read a stage file; :class:`RunFolderError` where it is damaged."""
    try:
        with pq.ParquetFile(path, **READ) as file:
            return file.read(columns=columns)
    except (OSError, pa.ArrowException) as error:
        raise damaged(path, error) from error


def count_rows(path: Path) -> int:
    """Rows of a stage file; :class:`RunFolderError` where it is damaged."""
    try:
        return int(pq.read_metadata(path).num_rows)
    except (OSError, pa.ArrowException) as error:
        raise damaged(path, error) from error


def damaged(path: str | os.PathLike[str], why: Exception | str) -> RunFolderError:
    """Error for a damaged stage file: which stage is made again, and by what."""
    stage, text = Path(path).parent.name, why if isinstance(why, str) else describe_error(why)
    return RunFolderError(
        f"{os.fspath(path)}: a stage file is damaged ({text}); delete it, and the command "
        f"that made the run makes the stage {stage} again"
    )
