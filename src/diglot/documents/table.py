"""The read stage over Arrow tables: pages in, one row a page out, dropped ones with their reason."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pyarrow as pa

from diglot.documents.parse import parse_page
from diglot.records import DOCUMENT_SCHEMA, PAGE_SCHEMA, Drop, Page, Reason

_EMPTY: dict[str, Any] = {
    name: 0
    if pa.types.is_integer(kind)
    else 0.0
    if pa.types.is_floating(kind)
    else []
    if pa.types.is_list(kind)
    else ""
    for name, kind in zip(DOCUMENT_SCHEMA.names, DOCUMENT_SCHEMA.types, strict=True)
}


def pages_table(pages: Sequence[Page]) -> pa.Table:
    """Pages as a table of :data:`diglot.records.PAGE_SCHEMA`."""
    rows = [{name: getattr(page, name) for name in PAGE_SCHEMA.names} for page in pages]
    return pa.Table.from_pylist(rows, schema=PAGE_SCHEMA)


def dropped_table(drops: Sequence[Drop]) -> pa.Table:
    """Drops as rows of :data:`diglot.records.DOCUMENT_SCHEMA`."""
    return pa.Table.from_pylist([_dropped_row(drop) for drop in drops], schema=DOCUMENT_SCHEMA)


def parse_table(pages: pa.Table) -> pa.Table:
    """Parse every page of a table; rows and order stay, a page that cannot be read keeps its reason."""
    rows = []
    for record in pages.to_pylist():
        parsed = parse_page(Page(**record))
        rows.append(_dropped_row(parsed) if isinstance(parsed, Drop) else {**_EMPTY, **parsed})
    return pa.Table.from_pylist(rows, schema=DOCUMENT_SCHEMA)


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
