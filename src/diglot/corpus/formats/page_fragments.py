"""Addresses of segments with the page of the document: ``https://host/file.pdf#page=12``, which browsers open there."""

from __future__ import annotations

import re

import pyarrow as pa
import pyarrow.compute as pc

from diglot.records import with_columns

NUMBER_COLUMNS = ("src_page", "tgt_page")
_FRAGMENT = re.compile(r"[#&]page=\d+\Z")


def with_page_fragments(segments: pa.Table) -> pa.Table:
    """Segments of :data:`diglot.records.FLAGGED_SCHEMA` with the page in the address, and without the columns for it.

    Files of rows have the same columns whether or not the run has documents (docs/decisions/0027).
    """
    for side in ("src", "tgt"):
        page, name = segments[f"{side}_page"], f"{side}_url"
        if pc.any(pc.greater(page, 0)).as_py():
            # The part of a document in one language has a fragment already.
            mark = pc.if_else(pc.match_substring(segments[name], "#"), "&page=", "#page=")
            fragment = pc.binary_join_element_wise(mark, pc.cast(page, pa.string()), "")
            joined = pc.binary_join_element_wise(segments[name], pc.if_else(pc.greater(page, 0), fragment, ""), "")
            segments = with_columns(segments, **{name: joined})
    return segments.drop_columns(list(NUMBER_COLUMNS))


def page_fragment(url: str, page: int) -> str:
    """The end of an address for a page, "" for page 0.

    >>> page_fragment("https://a.org/x.pdf", 12), page_fragment("https://a.org/x.pdf#lang=fr", 12)
    ('#page=12', '&page=12')
    """
    return f"{'&' if '#' in url else '#'}page={page}" if page else ""


def without_page_fragment(url: str) -> str:
    """The address without the page.

    >>> without_page_fragment("https://a.org/x.pdf#page=12"), without_page_fragment("https://a.org/#page")
    ('https://a.org/x.pdf', 'https://a.org/#page')
    """
    return _FRAGMENT.sub("", url)
