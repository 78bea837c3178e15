"""Pairs and segments as TSV, CSV, Moses, JSON Lines and Parquet.

Every writer takes one Arrow table or several, replaces its file only by a complete file, gives the same bytes for the
same rows, and returns the number of written rows.

TSV is plain: a row is a line, with tabs between the fields and no quoting. A leading double quote is part of the text;
switch quoting off in readers of CSV: ``quoting=3`` in pandas, ``quote=''`` in DuckDB, ``quote_char=None`` in polars. A
spreadsheet may read a text with a leading ``=`` as a formula: with ``spreadsheet`` such texts get an apostrophe. CSV
follows RFC 4180, but its lines end in a single line feed, as in all files of Diglot.
"""

import csv
import io
import json
import math
import os
import re
from collections.abc import Iterable, Iterator, Mapping
from datetime import UTC, datetime
from itertools import chain
from types import MappingProxyType
from typing import Any, TypeAlias

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from diglot.corpus.characters import one_line, spreadsheet_cell
from diglot.corpus.formats.meanings import described_schema
from diglot.disk.atomic import replacing
from diglot.records import PAGE_FACTS_SCHEMA, BlockKind

PAIR_COLUMNS = ("src_url", "tgt_url", "probability", "method")
BEST_PAIRS_FIRST = [("probability", "descending"), ("src_url", "ascending"), ("tgt_url", "ascending")]
"""Sort keys of all lists of page pairs."""
SEGMENT_COLUMNS = ("src", "tgt", "score", "bead", "flags", "src_url", "tgt_url")

Tables: TypeAlias = pa.Table | Iterable[pa.Table]
"""Rows: a table, or tables with the same columns, one in memory at a time."""
NO_MEANING: Mapping[str, str] = MappingProxyType({})
_BATCH_ROWS = 10_000
_ROW_GROUP = 1 << 20
"""Rows of a Parquet file in memory at a time; the size of a row group in Arrow."""
# These are legal inside JSON strings, yet str.splitlines ends a line at them.
_JSON_LINE_END = re.compile("[\x85\u2028\u2029]")


def write_pairs_tsv(path: str | os.PathLike[str], pairs: pa.Table) -> int:
    """The accepted rows of a PAIR_SCHEMA table: header line, then src_url, tgt_url, probability, method.

    Highest probability first, ties by src_url, then tgt_url; sorted by the full value, four decimals shown.
    """
    accepted = pairs.filter(pairs["accepted"])
    return write_tsv(path, accepted.sort_by(BEST_PAIRS_FIRST), PAIR_COLUMNS)


def write_segments_tsv(path: str | os.PathLike[str], segments: Tables, *, spreadsheet: bool = False) -> int:
    """All rows of SEGMENT_SCHEMA tables, in order, under a header line of ``SEGMENT_COLUMNS``.

    Flags are joined by commas, "" for none; the score has four decimals.
    """
    return write_tsv(path, segments, SEGMENT_COLUMNS, spreadsheet=spreadsheet)


def write_moses(path: str | os.PathLike[str], segments: Tables, *, src_lang: str, tgt_lang: str) -> int:
    """Two plain texts, ``PATH.SRC`` and ``PATH.TGT``; line n of the first is translated by line n of the second.

    The format has no place for flags or scores: pass only kept rows (:func:`diglot.corpus.flags.keeping.clean`).
    """
    stem, count = os.fspath(path), 0
    with replacing(f"{stem}.{src_lang}") as src_file, replacing(f"{stem}.{tgt_lang}") as tgt_file:
        for src, tgt in rows_of(segments, ("src", "tgt")):
            src_file.write(f"{one_line(src)}\n".encode())
            tgt_file.write(f"{one_line(tgt)}\n".encode())
            count += 1
    return count


def write_csv(path: str | os.PathLike[str], tables: Tables, *, spreadsheet: bool = False) -> int:
    """Every column of the tables under a header line, a row in each line; fields are quoted only if necessary.

    Numbers have four decimals. Lists of addresses are joined by blanks, other lists by commas. At least one table is
    required, for the names of the columns. ``spreadsheet``: no cell is a formula, and a byte order mark tells that the
    file is UTF-8.
    """
    each = _each(tables)
    first = next(each)
    names, count = tuple(first.column_names), 0
    # An address may hold a comma, but no blank.
    joints = [" " if name.endswith("_urls") else "," for name in names]
    with replacing(path) as handle:
        # Without the mark Excel takes the file for one in the Windows encoding of its country.
        handle.write((("\ufeff" if spreadsheet else "") + ",".join(names) + "\n").encode())
        for batch in _batches(chain([first], each), names):
            columns = [_cells(column, joint, spreadsheet) for column, joint in zip(batch.columns, joints, strict=True)]
            lines = io.StringIO()
            csv.writer(lines, lineterminator="\n").writerows(zip(*columns, strict=True))
            handle.write(lines.getvalue().encode())
            count += batch.num_rows
    return count


def write_jsonl(path: str | os.PathLike[str], tables: Tables) -> int:
    """One JSON object in each line, with every column of the tables; text is not changed.

    Floats are the shortest decimals of the same float32; NaN is null, since JSON has no NaN.
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
    """Segments with the facts of the pages of both sides, in columns such as ``src_title``; "" if unknown.

    ``pages``: of :data:`diglot.records.PAGE_FACTS_SCHEMA`, one row for each address. The columns are dictionaries, so
    that a fact is stored once for each page.
    """
    for side in ("src", "tgt"):
        rows = pc.fill_null(pc.index_in(segments[f"{side}_url"], value_set=pages["url"]), pages.num_rows)
        for name in PAGE_FACTS_SCHEMA.names[1:]:
            # The last entry is for pages without facts.
            known = pa.concat_arrays([pages[name].combine_chunks(), pa.array([""], pa.string())])
            column = pa.chunked_array(
                [pa.DictionaryArray.from_arrays(chunk, known) for chunk in rows.chunks],
                pa.dictionary(pa.int32(), pa.string()),
            )
            field = pa.field(f"{side}_{name}", column.type, nullable=False)
            segments = segments.append_column(field, column)
    return segments


def write_parquet(path: str | os.PathLike[str], tables: Tables, meaning: Mapping[str, str] = NO_MEANING) -> int:
    """All columns of the tables, compressed with zstd; dictionaries are written as plain texts, moments as timestamps.

    ``meaning``: of the columns, for the metadata of the fields (:func:`described_schema`). At least one table is
    required, for the schema.
    """
    each = map(_with_timestamps, _each(tables))
    first = next(each)
    plain = [field.type.value_type if pa.types.is_dictionary(field.type) else field.type for field in first.schema]
    schema = pa.schema([field.with_type(kind) for field, kind in zip(first.schema, plain, strict=True)])
    schema = described_schema(schema, meaning)
    count = 0
    with replacing(path) as handle, pq.ParquetWriter(handle, schema, compression="zstd") as writer:
        for group in _row_groups(chain([first], each), schema):
            writer.write_table(group, row_group_size=_ROW_GROUP)
            count += group.num_rows
    return count


def with_kind_names(segments: pa.Table) -> pa.Table:
    """Segments with the name of each kind of block in place of its number."""
    names = pa.array([kind.label for kind in BlockKind], pa.string())
    column = names.take(segments["kind"].combine_chunks())
    place = segments.schema.get_field_index("kind")
    return segments.set_column(place, pa.field("kind", pa.string(), nullable=False), column)


def _with_timestamps(table: pa.Table) -> pa.Table:
    """The table with its columns of times as timestamps (UTC, seconds); null for a time that is unknown."""
    for place, field in enumerate(table.schema):
        if field.name == "fetched" or field.name.endswith("_fetched"):
            texts = table[field.name].cast(pa.string()).combine_chunks().dictionary_encode()
            moments = pa.array(map(_moment, texts.dictionary.to_pylist()), pa.timestamp("s", "UTC"))
            table = table.set_column(place, pa.field(field.name, moments.type), moments.take(texts.indices))
    return table


def _moment(text: str) -> datetime | None:
    """A time in ISO 8601, of UTC if it names no zone; None for another text."""
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        return None
    return moment if moment.tzinfo else moment.replace(tzinfo=UTC)


def _row_groups(tables: Iterable[pa.Table], schema: pa.Schema) -> Iterator[pa.Table]:
    """The rows of all tables, :data:`_ROW_GROUP` at a time; an empty table for no rows."""
    waiting, rows, any_group = [schema.empty_table()], 0, False
    for table in tables:
        for start in range(0, table.num_rows, _ROW_GROUP):
            waiting.append(table.slice(start, _ROW_GROUP).cast(schema))
            rows += waiting[-1].num_rows
            if rows >= _ROW_GROUP:
                joined = pa.concat_tables(waiting)
                yield joined.slice(0, _ROW_GROUP)
                waiting, rows, any_group = [joined.slice(_ROW_GROUP)], rows - _ROW_GROUP, True
    if rows or not any_group:
        yield pa.concat_tables(waiting)


def write_tsv(
    path: str | os.PathLike[str], tables: Tables, columns: tuple[str, ...], *, spreadsheet: bool = False
) -> int:
    """Some columns of all rows, under a header line: lists joined by commas, floats with four decimals."""
    count = 0
    with replacing(path) as handle:
        handle.write(("\t".join(columns) + "\n").encode())
        for batch in _batches(tables, columns):
            cells = (_cells(column, spreadsheet=spreadsheet) for column in batch.columns)
            lines = map("\t".join, zip(*cells, strict=True))
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


def _cells(column: pa.Array, joint: str = ",", spreadsheet: bool = False) -> list[str]:
    """The values of a column as text (:func:`_field`), lists joined by ``joint``; with ``spreadsheet`` no formulas."""
    cells = _plain_cells(column, joint)
    # A negative number is none.
    return list(map(spreadsheet_cell, cells)) if spreadsheet and not pa.types.is_floating(column.type) else cells


def _plain_cells(column: pa.Array, joint: str) -> list[str]:
    values = column.to_pylist()
    if pa.types.is_list(column.type):
        return [joint.join(map(_field, value or ())) for value in values]
    if column.null_count:
        return list(map(_field, values))
    if pa.types.is_string(column.type):
        return list(map(one_line, values))
    if pa.types.is_floating(column.type):
        return [f"{value:.4f}" for value in values]
    return list(map(_field, values))


def _field(value: Any) -> str:
    if value is None:
        return ""
    if isinstance(value, float):
        return f"{value:.4f}"
    if isinstance(value, list):
        return ",".join(map(_field, value))
    return one_line(str(value))


def _json_value(value: Any) -> Any:
    if isinstance(value, float):
        # Through float32: as a double 0.1 would be written 0.10000000149011612.
        return float(str(np.float32(value))) if math.isfinite(value) else None
    if isinstance(value, dict):
        return {key: _json_value(item) for key, item in value.items()}
    if isinstance(value, list):
        return list(map(_json_value, value))
    return value
