"""Pairs and segments as files other tools read: TSV, CSV, Moses, JSON Lines, Parquet.

Every writer takes an Arrow table or several, replaces its file only when it is whole, gives the same bytes for
the same rows, and returns the number of rows written.

TSV here is plain: one row a line, fields divided by tabs, no quoting. A text that begins with a double
quote keeps it, so a reader that thinks in CSV must be told so: ``quoting=3`` in pandas, ``quote=''`` in
DuckDB, ``quote_char=None`` in polars. For the same reason a spreadsheet may take a text that begins with
``=`` for a formula: import such a file as text. CSV is as RFC 4180 has it but for its line ends, which are those of
the other files; a formula is as much of a danger there.
"""

import csv
import io
import json
import math
import os
import re
from collections.abc import Iterable, Iterator
from itertools import chain
from typing import Any, TypeAlias

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from diglot.corpus.characters import one_line
from diglot.disk.atomic import replacing
from diglot.records import PAGE_FACTS_SCHEMA

PAIR_COLUMNS = ("src_url", "tgt_url", "probability", "method")
BEST_PAIRS_FIRST = [("probability", "descending"), ("src_url", "ascending"), ("tgt_url", "ascending")]
"""Keys that page pairs are sorted by wherever they are listed."""
SEGMENT_COLUMNS = ("src", "tgt", "score", "bead", "flags", "src_url", "tgt_url")

Tables: TypeAlias = pa.Table | Iterable[pa.Table]
"""Rows: a table, or tables of the same columns of which one is in memory at a time."""
_BATCH_ROWS = 10_000
_ROW_GROUP = 1 << 20
"""Rows of a Parquet file that are in memory at a time; as many as Arrow puts in one group."""
# These are legal inside JSON strings, yet str.splitlines ends a line at them.
_JSON_LINE_END = re.compile("[\x85\u2028\u2029]")


def write_pairs_tsv(path: str | os.PathLike[str], pairs: pa.Table) -> int:
    """The accepted rows of a PAIR_SCHEMA table: header line, then src_url, tgt_url, probability, method.

    Highest probability first, ties by src_url, then tgt_url; sorted by the full value, four decimals shown.
    """
    accepted = pairs.filter(pairs["accepted"])
    return write_tsv(path, accepted.sort_by(BEST_PAIRS_FIRST), PAIR_COLUMNS)


def write_segments_tsv(path: str | os.PathLike[str], segments: Tables) -> int:
    """All rows of SEGMENT_SCHEMA tables, in order, under a header line of ``SEGMENT_COLUMNS``.

    Flags are joined by commas, "" for none; the score has four decimals.
    """
    return write_tsv(path, segments, SEGMENT_COLUMNS)


def write_moses(path: str | os.PathLike[str], segments: Tables, *, src_lang: str, tgt_lang: str) -> int:
    """Two plain texts, ``PATH.SRC`` and ``PATH.TGT``, line n of one translating line n of the other.

    The format has no place for flags or scores: pass only rows that :func:`diglot.corpus.flags.clean` kept.
    """
    stem, count = os.fspath(path), 0
    with replacing(f"{stem}.{src_lang}") as src_file, replacing(f"{stem}.{tgt_lang}") as tgt_file:
        for src, tgt in rows_of(segments, ("src", "tgt")):
            src_file.write(f"{one_line(src)}\n".encode())
            tgt_file.write(f"{one_line(tgt)}\n".encode())
            count += 1
    return count


def write_csv(path: str | os.PathLike[str], tables: Tables) -> int:
    """Every column of the tables under a header line, fields quoted where they have to be, a row a line.

    Numbers have four decimals, the addresses of a list blanks between them, other lists commas. At least one table is
    asked for, which has the columns.
    """
    each = _each(tables)
    first = next(each)
    names, count = tuple(first.column_names), 0
    joints = [" " if name.endswith("_urls") else "," for name in names]
    with replacing(path) as handle:
        handle.write((",".join(names) + "\n").encode())
        for batch in _batches(chain([first], each), names):
            columns = [_cells(column, joint) for column, joint in zip(batch.columns, joints, strict=True)]
            lines = io.StringIO()
            csv.writer(lines, lineterminator="\n").writerows(zip(*columns, strict=True))
            handle.write(lines.getvalue().encode())
            count += batch.num_rows
    return count


def write_jsonl(path: str | os.PathLike[str], tables: Tables) -> int:
    """One JSON object a line with every column of the tables, text exactly as it is.

    Floats are the shortest decimals that give the same float32 back; NaN, which JSON does not know, is null.
    """
    count = 0
    with replacing(path) as handle:
        for table in _each(tables):
            names = table.column_names
            for row in rows_of(table, tuple(names)):
                line = json.dumps(dict(zip(names, map(_json_value, row), strict=True)), ensure_ascii=False)
                line = _JSON_LINE_END.sub(lambda end: f"\\u{ord(end[0]):04x}", line)
                handle.write(f"{line}\n".encode())
                count += 1
    return count


def with_page_facts(segments: pa.Table, pages: pa.Table) -> pa.Table:
    """Segments with what is told of the pages of both sides, in columns such as ``src_title``; "" where nothing is.

    ``pages``: of :data:`diglot.records.PAGE_FACTS_SCHEMA`, one row an address. What is told stands once for each page,
    and the segments have its number.
    """
    for side in ("src", "tgt"):
        rows = pc.fill_null(pc.index_in(segments[f"{side}_url"], value_set=pages["url"]), pages.num_rows)
        for name in PAGE_FACTS_SCHEMA.names[1:]:
            told = pa.concat_arrays([pages[name].combine_chunks(), pa.array([""], pa.string())])
            column = pa.chunked_array(
                [pa.DictionaryArray.from_arrays(chunk, told) for chunk in rows.chunks],
                pa.dictionary(pa.int32(), pa.string()),
            )
            field = pa.field(f"{side}_{name}", column.type, nullable=False)
            segments = segments.append_column(field, column)
    return segments


def write_parquet(path: str | os.PathLike[str], tables: Tables) -> int:
    """The rows themselves, compressed with zstd; texts that a table has under numbers are written as themselves.

    At least one table is asked for, which has the columns.
    """
    each = _each(tables)
    first = next(each)
    plain = [field.type.value_type if pa.types.is_dictionary(field.type) else field.type for field in first.schema]
    schema = pa.schema([field.with_type(kind) for field, kind in zip(first.schema, plain, strict=True)])
    count = 0
    with replacing(path) as handle, pq.ParquetWriter(handle, schema, compression="zstd") as writer:
        for group in _row_groups(chain([first], each), schema):
            writer.write_table(group, row_group_size=_ROW_GROUP)
            count += group.num_rows
    return count


def _row_groups(tables: Iterable[pa.Table], schema: pa.Schema) -> Iterator[pa.Table]:
    """The rows of all tables, :data:`_ROW_GROUP` at a time; an empty table where there are none."""
    waiting, told = schema.empty_table(), False
    for table in tables:
        for start in range(0, table.num_rows, _ROW_GROUP):
            waiting = pa.concat_tables([waiting, table.slice(start, _ROW_GROUP).cast(schema)])
            if waiting.num_rows >= _ROW_GROUP:
                yield waiting.slice(0, _ROW_GROUP)
                waiting, told = waiting.slice(_ROW_GROUP), True
    if waiting.num_rows or not told:
        yield waiting


def write_tsv(path: str | os.PathLike[str], tables: Tables, columns: tuple[str, ...]) -> int:
    """These columns of all rows, under a header line: lists joined by commas, floats with four decimals."""
    count = 0
    with replacing(path) as handle:
        handle.write(("\t".join(columns) + "\n").encode())
        for batch in _batches(tables, columns):
            lines = map("\t".join, zip(*map(_cells, batch.columns), strict=True))
            handle.write("".join(f"{line}\n" for line in lines).encode())
            count += batch.num_rows
    return count


def rows_of(tables: Tables, columns: tuple[str, ...]) -> Iterator[tuple[Any, ...]]:
    """The rows as tuples of Python values, a batch in memory at a time."""
    for batch in _batches(tables, columns):
        values = [column.to_pylist(maps_as_pydicts="strict") for column in batch.columns]
        yield from zip(*values, strict=True)


def _batches(tables: Tables, columns: tuple[str, ...]) -> Iterator[pa.RecordBatch]:
    for table in _each(tables):
        yield from table.select(list(columns)).to_batches(max_chunksize=_BATCH_ROWS)


def _each(tables: Tables) -> Iterator[pa.Table]:
    return iter([tables] if isinstance(tables, pa.Table) else tables)


def _cells(column: pa.Array, joint: str = ",") -> list[str]:
    """The values of a column as :func:`_field` gives each, those of lists with ``joint`` between them."""
    values = column.to_pylist()
    if pa.types.is_list(column.type):
        return [joint.join(map(_field, value)) for value in values]
    if column.null_count:
        return list(map(_field, values))
    if pa.types.is_string(column.type):
        return list(map(one_line, values))
    if pa.types.is_floating(column.type):
        return [f"{value:.4f}" for value in values]
    return list(map(_field, values))


def _field(value: Any) -> str:
    if isinstance(value, float):
        return f"{value:.4f}"
    if isinstance(value, list):
        return ",".join(map(_field, value))
    return one_line(str(value))


def _json_value(value: Any) -> Any:
    if isinstance(value, float):
        return float(str(np.float32(value))) if math.isfinite(value) else None
    if isinstance(value, dict):
        return {key: _json_value(item) for key, item in value.items()}
    return value
