"""Reading that dies or hangs on one page; a module of its own, so that workers can import it."""

from __future__ import annotations

import os
import time

import pyarrow as pa

from diglot.documents.parse import parse_table

PAGE = "fr/chapter3.html"


def _has_it(pages: pa.Table) -> bool:
    return any(PAGE in url for url in pages["url"].to_pylist())


def parse_or_die(pages: pa.Table, *, split_pages: bool = False) -> pa.Table:
    """As pages are parsed, but for one."""
    if _has_it(pages):
        os.abort()
    return parse_table(pages, split_pages=split_pages)


def parse_or_hang(pages: pa.Table, *, split_pages: bool = False) -> pa.Table:
    """As pages are parsed, but for one."""
    if _has_it(pages):
        time.sleep(600)
    return parse_table(pages, split_pages=split_pages)
