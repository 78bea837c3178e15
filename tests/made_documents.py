"""Documents made of a few blocks, and sites of them, for tests of what reads columns."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pyarrow as pa

from diglot.records import DOCUMENT_SCHEMA
from diglot.site import Site

_EMPTY: dict[pa.DataType, Any] = {pa.string(): "", pa.bool_(): False}


def made_page(url: str, lang: str, blocks: Sequence[str] = (), **others: Any) -> dict[str, Any]:
    """A document whose blocks are paragraphs of main text; ``others``: values of further columns."""
    page = {field.name: [] if pa.types.is_list(field.type) else _EMPTY.get(field.type, 0) for field in DOCUMENT_SCHEMA}
    page |= {
        "url": url,
        "lang": lang,
        "tokens": list(map(len, blocks)),
        "chunks": list(blocks),
        "block_ends": list(range(1, len(blocks) + 1)),
        "block_kinds": [0] * len(blocks),
        "block_main": [True] * len(blocks),
        "text_length_chars": sum(map(len, blocks)),
        "size_bytes": 1000,
    }
    return page | others


def made_site(*pages: dict[str, Any]) -> Site:
    """The pages as a site, in order of their addresses."""
    return Site("made", pa.Table.from_pylist(sorted(pages, key=lambda page: page["url"]), schema=DOCUMENT_SCHEMA))


def rows(site: Site, *urls: str) -> list[int]:
    """Rows of the pages with these addresses."""
    return [site.urls.index(url) for url in urls]
