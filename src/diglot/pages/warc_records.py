"""Records of WARC files. Source: ISO 28500:2017 (WARC 1.1), sections 4 and 5, Annex A."""

from __future__ import annotations

import re
from collections.abc import Mapping

from diglot.pages.archive_records import MAX_HEADER_BYTES, Form
from diglot.pages.byte_feed import Feed
from diglot.pages.http_response import parse_fields
from diglot.pages.refusal import Damaged

WARC_VERSION = b"WARC/"
NEXT_RECORD = b"\nWARC/1."
RECORD_END = b"\r\n\r\n"
HEADER_LOOKS_BYTES = (256, 1024, 4096, MAX_HEADER_BYTES)
"""Real record headers take 300 to 700 bytes. Short looks come first: of a small record broken further on, the header
with the address has been read by then."""

VERSION_LINE = re.compile(rb"WARC/\d\.\d+[ \t]*\r?\n")
HEADER_END = re.compile(rb"\r?\n\r?\n")


class _Warc:
    start_bytes = len(WARC_VERSION)
    tail_bytes = len(RECORD_END + WARC_VERSION)

    def opens(self, start: bytes) -> bool:
        return start == WARC_VERSION

    def to_next(self, feed: Feed) -> bool:
        found = feed.skip_to(NEXT_RECORD)
        if found:
            feed.skip(1)
        return found

    def header(self, feed: Feed) -> tuple[Mapping[str, str], int]:
        for look_bytes in HEADER_LOOKS_BYTES:
            head = feed.peek(look_bytes)
            end = HEADER_END.search(head)
            if end is not None or not head.startswith(WARC_VERSION) or NEXT_RECORD in head:
                break
        if VERSION_LINE.match(head) is None:
            raise Damaged("no WARC record where one should start")
        if end is None:
            raise Damaged("the record header has no end")
        return parse_fields(head[: end.start()].split(b"\n")[1:]), end.end()

    def end_bytes(self, block: bytes, tail: bytes) -> int | None:
        """A last record without its two empty lines passes, unless the length seems to include them."""
        if tail not in (b"", RECORD_END, RECORD_END + WARC_VERSION) or (not tail and block.endswith(RECORD_END)):
            return None
        return min(len(tail), len(RECORD_END))


WARC: Form = _Warc()
