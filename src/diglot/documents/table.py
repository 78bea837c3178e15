"""The read stage over Arrow tables: pages in, one row a page out, dropped ones with their reason."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pyarrow as pa

from diglot.documents.parse import parse_page
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
    """Parse every page of a table; rows and order stay, a page that cannot be read keeps its reason."""
    rows = []
    for record in pages.to_pylist():
        parsed = parse_page(Page(**record))
        rows.append(_dropped_row(parsed) if isinstance(parsed, Drop) else {**_EMPTY, **parsed})
    return _documents_table(rows)


def _documents_table(rows: Sequence[dict[str, Any]]) -> pa.Table:
    columns = [_column(kind, [row[name] for row in rows]) for name, kind in zip(*_COLUMNS, strict=True)]
    return pa.Table.from_arrays(columns, schema=DOCUMENT_SCHEMA)


def _column(kind: pa.DataType, values: list[Any]) -> pa.Array:
    """Values of every row; those of a list column may be arrays, which are not taken apart."""
    if not values or not pa.types.is_list(kind):
        return pa.array(values, kind)
    ends = np.cumsum([0, *map(len, values)], dtype=np.int32)
    items = [value if isinstance(value, pa.Array) else pa.array(value, kind.value_type) for value in values]
    return pa.ListArray.from_arrays(ends, pa.concat_arrays(items), type=kind)


def failed_page(page: pa.Table, reason: Reason, detail: str) -> pa.Table:
    """The row of a page whose worker died on it."""
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
