"""Reads a page in the archive whose text the journal does not know: journals of older versions know no texts.

Without the texts of before, an update cannot tell a login at many addresses from new texts. A copy is read when its
page is answered, once, while the next request waits for its delay.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from diglot.crawl.page_reading import Parse, ReadPage, parse_content
from diglot.pages.byte_feed import map_file
from diglot.pages.record_forms import WARC
from diglot.pages.warc import read_archive
from diglot.records import Page


def read_copy(path: Path, start: int, length: int, *, max_bytes: int, parse: Parse) -> ReadPage | None:
    """The page in the records of an exchange at ``start`` of a file, as rendered if it was; None for a damaged one."""
    try:
        with map_file(path) as data:
            content = data[start : start + length]
    except (OSError, ValueError):  # not there, or empty
        return None
    found = list(read_archive(content, WARC, name=path.name, max_page_bytes=max_bytes))
    # The rendering comes behind the page as sent.
    page = next((each for each in reversed(found) if isinstance(each, Page)), None)
    if page is None:
        return None
    # Without file and time, as it came: they would be part of what is read of it.
    return parse_content(replace(page, source="", offset=0, fetched=""), parse)
