"""Forms of records in archives: WARC, and ARC, the Internet Archive's format before WARC, versions 1 and 2.

A WARC record begins with its version, and each field is a line. An ARC record begins with one line, ``URL IP DATE TYPE
LENGTH`` or, in version 2, ``URL IP DATE TYPE STATUS CHECKSUM LOCATION OFFSET FILE LENGTH``; then come LENGTH bytes and
a line end. The first ARC record, ``filedesc://``, describes the file.
Sources: ISO 28500:2017 (WARC 1.1), sections 4 and 5, Annex A; Burner and Kahle 1996, *Arc File Format*.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from diglot.pages.archive_records import MAX_HEADER_BYTES, Form
from diglot.pages.byte_feed import Feed
from diglot.pages.http_response import decode_field, parse_fields
from diglot.records import Cut, Damaged

WARC_VERSION = b"WARC/"
WARC_NEXT_RECORD = b"\nWARC/1."
WARC_LINE_ENDS = 8
"""Most bytes of line ends between records: four by the format; writers leave one or all out, or write one more."""
WARC_LOOKS_BYTES = (256, 1024, 4096, MAX_HEADER_BYTES)
"""Bytes read ahead for a header, tried in turn; real headers take 300 to 700. The shortest come first, so that the
header and address of a small record are read even if the file is damaged a little further on."""

VERSION_LINE = re.compile(rb"WARC/\d\.\d+[ \t]*\r?\n")
HEADER_END = re.compile(rb"\r?\n\r?\n")

ABOUT_FILE = b"filedesc:"
ARC_NEXT_RECORD = b"\nhttp"
LONGEST_LINE_BYTES = 1 << 13
ARC_LOOKS_BYTES = (512, LONGEST_LINE_BYTES)
ARC_LINE_ENDS = 4
"""Bytes of line ends between records: one by the format; some writers do not count it and write two."""

FIELDS_BEHIND_URL = (9, 4)
"""Fields behind the address in versions 2 and 1; a line of version 1 never parses as version 2."""
ADDRESS_OF_HOST = re.compile(rb"[0-9a-fA-F.:]{2,45}|-")
DATE = re.compile(rb"[0-9]{8,17}")
ARC_LENGTH = re.compile(rb"[0-9]{1,18}")
SCHEME = re.compile(rb"[A-Za-z][A-Za-z0-9+.-]{0,30}:")


class _Warc:
    start_bytes = len(WARC_VERSION)
    tail_bytes = WARC_LINE_ENDS + len(WARC_VERSION)

    def opens(self, start: bytes) -> bool:
        return start == WARC_VERSION

    def to_next(self, feed: Feed) -> bool:
        found = feed.skip_to(WARC_NEXT_RECORD)
        if found:
            feed.skip(1)
        return found

    def header(self, feed: Feed) -> tuple[Mapping[str, str], int]:
        for look_bytes in WARC_LOOKS_BYTES:
            head = feed.peek(look_bytes)
            end = HEADER_END.search(head)
            if end is not None or not head.startswith(WARC_VERSION) or WARC_NEXT_RECORD in head:
                break
        begins = head.startswith(WARC_VERSION) or WARC_VERSION.startswith(head)
        if end is None and begins and len(head) < look_bytes and WARC_NEXT_RECORD not in head:
            raise Cut("the file ends inside the header of a record: it was cut")
        if VERSION_LINE.match(head) is None:
            raise Damaged("no WARC record where one should start")
        if end is None:
            raise Damaged("the record header has no end")
        return parse_fields(head[: end.start()].split(b"\n")[1:]), end.end()

    def end_bytes(self, tail: bytes) -> int | None:
        """See :class:`Form`. A record is whole even if the file is cut within the version of the next record."""
        behind = tail.lstrip(b"\r\n")
        ends = len(tail) - len(behind)
        return ends if ends <= WARC_LINE_ENDS and WARC_VERSION.startswith(behind[: len(WARC_VERSION)]) else None


WARC: Form = _Warc()


class _Arc:
    start_bytes = LONGEST_LINE_BYTES
    tail_bytes = ARC_LINE_ENDS + LONGEST_LINE_BYTES

    def opens(self, start: bytes) -> bool:
        return _arc_fields(start) is not None

    def to_next(self, feed: Feed) -> bool:
        # Records have no magic word: after damage, only a line with all fields of a record counts as a beginning.
        while feed.skip_to(ARC_NEXT_RECORD):
            feed.skip(1)
            if self.opens(feed.peek(LONGEST_LINE_BYTES)):
                return True
        return False

    def header(self, feed: Feed) -> tuple[Mapping[str, str], int]:
        for look_bytes in ARC_LOOKS_BYTES:
            head = feed.peek(look_bytes)
            if b"\n" in head:
                break
        fields = _arc_fields(head)
        if fields is None:
            raise Damaged("no ARC record where one should start")
        return fields, head.index(b"\n") + 1

    def end_bytes(self, tail: bytes) -> int | None:
        """See :class:`Form`. A line end and ``http`` are enough evidence for a next record: ``tail`` may not hold the
        whole header."""
        behind = tail.lstrip(b"\r\n")
        ends = len(tail) - len(behind)
        is_end = not behind or (ends and behind.startswith(ARC_NEXT_RECORD[1:])) or self.opens(behind)
        return ends if ends <= ARC_LINE_ENDS and is_end else None


def _arc_fields(start: bytes) -> Mapping[str, str] | None:
    """Fields of a record's first line, under their WARC names; None for no first line of a record."""
    line, end, _ = start.partition(b"\n")
    if not end or SCHEME.match(line) is None:
        return None
    line = line.rstrip(b"\r")
    for behind in FIELDS_BEHIND_URL:
        url, *fields = line.rsplit(b" ", behind)
        if len(fields) == behind:
            host, date, kind, length = *fields[:3], fields[-1]
            if ADDRESS_OF_HOST.fullmatch(host) and DATE.fullmatch(date) and ARC_LENGTH.fullmatch(length):
                return {
                    "warc-type": "warcinfo" if url.startswith(ABOUT_FILE) else "response",
                    "warc-target-uri": decode_field(url),
                    "warc-date": _iso(date[:14].ljust(14, b"0").decode()),
                    "content-type": "" if kind == b"no-type" else decode_field(kind),
                    "content-length": length.decode(),
                }
    return None


def _iso(digits: str) -> str:
    """A date as in WARC: 20011121100000 is 2001-11-21T10:00:00Z."""
    day, time = digits[:8], digits[8:]
    return f"{day[:4]}-{day[4:6]}-{day[6:]}T{time[:2]}:{time[2:4]}:{time[4:]}Z"


ARC: Form = _Arc()
