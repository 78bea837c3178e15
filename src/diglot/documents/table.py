"""The read stage over Arrow tables: a row per page, with the reason for dropped pages."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pyarrow as pa

from diglot.documents.parse import parse_pages
from diglot.records import DOCUMENT_SCHEMA, PAGE_SCHEMA, Drop, Page, Reason

_COLUMNS = (DOCUMENT_SCHEMA.names, DOCUMENT_SCHEMA.types)
_EMPTY: dict[str, Any] = {
    name: 0
    if pa.types.is_integer(kind)
    else 0.0
    if pa.types.is_floating(kind)
    else []
    if pa.types.is_list(kind)
    else ""
    for name, kind in zip(*_COLUMNS, strict=True)
}


def pages_table(pages: Sequence[Page]) -> pa.Table:
    """Pages as a table of :data:`diglot.records.PAGE_SCHEMA`."""
    rows = [{name: getattr(page, name) for name in PAGE_SCHEMA.names} for page in pages]
    return pa.Table.from_pylist(rows, schema=PAGE_SCHEMA)


def dropped_table(drops: Sequence[Drop]) -> pa.Table:
    """Drops as rows of :data:`diglot.records.DOCUMENT_SCHEMA`."""
    return _documents_table([_dropped_row(drop) for drop in drops])


def parse_table(pages: pa.Table) -> pa.Table:
    """Parse every page of a table; rows and order stay, dropped pages have a reason."""
    parsed = parse_pages([Page(**record) for record in pages.to_pylist()])
    return _documents_table([_dropped_row(row) if isinstance(row, Drop) else {**_EMPTY, **row} for row in parsed])


def _documents_table(rows: Sequence[dict[str, Any]]) -> pa.Table:
    columns = [_column(kind, [row[name] for row in rows]) for name, kind in zip(*_COLUMNS, strict=True)]
    return pa.Table.from_arrays(columns, schema=DOCUMENT_SCHEMA)


def _column(kind: pa.DataType, values: list[Any]) -> pa.Array:
    """A column from the values of every row; lists are Python lists or arrays, of one type in all non-empty rows."""
    if not pa.types.is_list(kind):
        return pa.array(values, kind)
    ends = np.cumsum([0, *map(len, values)], dtype=np.int32)
    return pa.ListArray.from_arrays(ends, _items([value for value in values if len(value)], kind.value_type), type=kind)


def _items(values: list[Any], kind: pa.DataType) -> pa.Array:
    """All items of all rows in one array."""
    if values and isinstance(values[0], pa.Array):
        return pa.concat_arrays(values)
    if values and isinstance(values[0], np.ndarray):
        return pa.array(np.concatenate(values), kind)
    return pa.array([item for value in values for item in value], kind)


def failed_page(page: pa.Table, reason: Reason, detail: str) -> pa.Table:
    """The row of a page that killed its worker."""
    record = page.select(["url", "source", "offset"]).to_pylist()[0]
    return dropped_table([Drop(record["url"], reason, detail, record["source"], record["offset"])])


def _dropped_row(drop: Drop) -> dict[str, Any]:
    return {
        **_EMPTY,
        "url": drop.url,
        "source": drop.source,
        "offset": drop.offset,
        "reason": drop.reason.value,
        "detail": drop.detail,
    }
