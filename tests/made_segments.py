"""Rows of segments made for tests, and tables of rows in which only some columns matter."""

from __future__ import annotations

from typing import Any

import pyarrow as pa

_EMPTY: dict[pa.DataType, Any] = {pa.string(): "", pa.bool_(): True}


def made_segment(src: str, tgt: str, *, page: int = 0, langs: str = "en-fr", **others: Any) -> dict[str, Any]:
    """A segment of page pair ``page`` without a flag; ``others``: values of further columns.

    The row has the columns of a flagged table. A table of :data:`diglot.records.SEGMENT_SCHEMA` ignores the last four.
    """
    src_lang, tgt_lang = langs.split("-")
    sides = {"src": src, "tgt": tgt, "src_lang": src_lang, "tgt_lang": tgt_lang}
    urls = {"src_url": f"https://a.org/{src_lang}/{page}", "tgt_url": f"https://a.org/{tgt_lang}/{page}"}
    fixed = {
        "score": 0.9,
        "bead": "1-1",
        "kind": 0,
        "flags": [],
        "position": 0,
        "fetched": "",
        "src_page": 0,
        "tgt_page": 0,
    }
    copies = {"other_src_urls": [], "other_tgt_urls": [], "src_variant": "", "tgt_variant": ""}
    return {**sides, **urls, **fixed, **copies, **others}


def filled(schema: pa.Schema, *rows: dict[str, Any]) -> pa.Table:
    """Rows with empty texts, empty lists, zeros and True in all columns that they leave out and that cannot be null."""
    fields = [field for field in schema if not field.nullable]
    blank = {field.name: _EMPTY.get(field.type, [] if pa.types.is_nested(field.type) else 0) for field in fields}
    return pa.Table.from_pylist([{**blank, **row} for row in rows], schema=schema)
