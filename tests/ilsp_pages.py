"""Sites for tests of what ILSP compares: pages as HTML, with their language given."""

from __future__ import annotations

import numpy as np
import pyarrow as pa

from diglot.arrays import Pairs
from diglot.documents.parse import pages_table, parse_table
from diglot.records import Page
from diglot.site import Site


def site_of(*pages: tuple[str, str, str]) -> Site:
    """A site of pages (address, language, HTML); rows in that order."""
    parsed = parse_table(pages_table([Page(url, html.encode(), "text/html; charset=utf-8") for url, _, html in pages]))
    assert set(parsed["reason"].to_pylist()) <= {""}
    langs = pa.array([lang for _, lang, _ in pages])
    return Site("test", parsed.set_column(parsed.schema.get_field_index("lang"), "lang", langs))


def body(*parts: str, head: str = "") -> str:
    """A page of these parts."""
    return f"<html><head>{head}</head><body>{''.join(parts)}</body></html>"


def rows(*pairs: tuple[int, int]) -> Pairs:
    """Pairs of row numbers as features take them."""
    return np.array(pairs, np.int32).reshape(-1, 2)
