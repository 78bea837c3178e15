"""Find the records of a WARC file, the damaged ones too, and go on behind damage.

Three layouts occur: a gzip member for each record (what ISO 28500 Annex A advises), one member round many
records, and no compression. What can be known of a record differs:

- own member: its CRC and length must be right, so a record handed out is what was written, byte for byte;
- shared member or plain file: the record's length must be followed by the next record or the end. A byte
  changed inside a page moves no border, so it shows only where the record carries a digest (checked one
  stage later) or, in a shared member, in one ``DamagedRecord`` for the member at its end.

After damage reading goes on at the next gzip member that really opens a WARC record, or at the next line
that does. Source: ISO 28500:2017 (WARC 1.1), sections 4 and 5, Annex A.
"""

from __future__ import annotations

import re
from collections.abc import Generator, Iterator, Mapping
from dataclasses import dataclass, field

from diglot.pages.byte_feed import GZIP_MAGIC, Feed, Mapped, MemberFeed, PlainFeed, member_start, only_padding
from diglot.pages.http_response import parse_fields
from diglot.pages.refusal import Damaged, Refused
from diglot.records import Reason

WARC_VERSION = b"WARC/"
NEXT_RECORD = b"\nWARC/1."
RECORD_END = b"\r\n\r\n"
MAX_HEADER_BYTES = 1 << 16
HEADER_LOOKS_BYTES = (256, 1024, 4096, MAX_HEADER_BYTES)
"""Real record headers take 300 to 700 bytes. Short looks first: where a small record is broken further on,
its header, and so its address, has been read by then."""

REREAD_FACTOR = 8
"""Times the size of a file that may be read again behind damaged members, whose bytes may hold the next one. One
damaged member costs at most a neighbour or two; members made to overlap would cost the square of their number."""
USUAL_RATIO = 16
"""What inflates more than this to 1 counts by what comes out: text packs about 4 to 1, filling 1000 to 1."""

VERSION_LINE = re.compile(rb"WARC/\d\.\d+[ \t]*\r?\n")
HEADER_END = re.compile(rb"\r?\n\r?\n")
LENGTH = re.compile(r"[0-9]{1,18}")


@dataclass(frozen=True, slots=True)
class WarcRecord:
    """One record: its named fields (names in lower case) and its block."""

    fields: Mapping[str, str]
    block: bytes
    offset: int
    """Where the record starts in the file; in a member shared by many, inflated bytes are counted on top."""
    length_bytes: int
    """Length of the block; ``block`` holds only its beginning where this is above the limit asked for."""

    @property
    def whole(self) -> bool:
        """Whether ``block`` is all of the block."""
        return len(self.block) == self.length_bytes


@dataclass(frozen=True, slots=True)
class DamagedRecord:
    """A place where a record should be and cannot be read; ``fields`` holds its header if that could be."""

    offset: int
    detail: str
    reason: Reason = Reason.DAMAGED_RECORD
    fields: Mapping[str, str] = field(default_factory=dict)


def read_records(data: Mapped, *, max_block_bytes: int) -> Iterator[WarcRecord | DamagedRecord]:
    """Give every record of a WARC file in the order of the file.

    Parameters: ``data``, the file's bytes; ``max_block_bytes``, above which only the first
    ``MAX_HEADER_BYTES`` of a block are kept (the rest is passed over, not held).
    """
    if data[: len(WARC_VERSION)] == WARC_VERSION or next_member(data, 0) is None:
        yield from _in_feed(PlainFeed(data), 0, max_block_bytes)
    else:
        yield from _in_members(data, max_block_bytes)


def next_member(data: Mapped, start: int) -> int | None:
    """Offset of the next gzip member, from ``start`` on, whose inflated bytes begin a WARC record."""
    at = data.find(GZIP_MAGIC, start)
    while at >= 0:
        if member_start(data, at, len(WARC_VERSION)) == WARC_VERSION:
            return at
        at = data.find(GZIP_MAGIC, at + 1)
    return None


def opens_record(data: Mapped) -> bool:
    """Whether a WARC record, plain or gzipped, opens the file or is found behind damage at its start."""
    if data[: len(WARC_VERSION)] == WARC_VERSION or next_member(data, 0) is not None:
        return True
    return data.find(NEXT_RECORD) >= 0


def _in_members(data: Mapped, max_block_bytes: int) -> Iterator[WarcRecord | DamagedRecord]:
    at: int | None = 0
    reached = again = 0
    while at is not None and at < len(data) and not only_padding(data, at):
        member = MemberFeed(data, at)
        if (yield from _in_feed(member, at, max_block_bytes)):
            at = member.end
            continue
        if at < reached:
            again += max(min(reached, member.seen) - at, member.inflated // USUAL_RATIO)
        reached = max(reached, member.seen)
        if again > REREAD_FACTOR * len(data):
            yield DamagedRecord(at + 1, f"gzip members overlap: what begins before byte {reached} is passed over")
            at = next_member(data, reached)
        else:
            # From the member's start, not from where zlib stopped: a broken one may have eaten its neighbours.
            at = next_member(data, at + 1)


def _in_feed(feed: Feed, start: int, max_block_bytes: int) -> Generator[WarcRecord | DamagedRecord, None, bool]:
    """Give the records of a feed that begins at ``start`` in its file; return whether its end was reached."""
    while True:
        position = feed.position
        fields: Mapping[str, str] = {}
        try:
            if not feed.peek(1):
                return True
            fields, header_bytes = _read_header(feed)
            block, length = _read_block(feed, fields, header_bytes, max_block_bytes)
            yield WarcRecord(fields, block, start + position, length)
        except Refused as damage:
            yield DamagedRecord(start + position, damage.detail, damage.reason, fields)
            feed.back_to(position)
            if not _skip_damage(feed):
                return False


def _skip_damage(feed: Feed) -> bool:
    try:
        if feed.skip_to(NEXT_RECORD):
            feed.skip(1)
    except Refused:
        return False
    return True


def _read_header(feed: Feed) -> tuple[Mapping[str, str], int]:
    """The named fields of the record that the feed stands at, and the header's length in bytes."""
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


def _read_block(feed: Feed, fields: Mapping[str, str], header_bytes: int, max_block_bytes: int) -> tuple[bytes, int]:
    """Take a record that ends where its length says; return its block (or the beginning) and length."""
    declared = fields.get("content-length", "")
    if LENGTH.fullmatch(declared) is None:
        raise Damaged(f"Content-Length of the record is {declared!r}")
    length = int(declared)
    size = header_bytes + length
    if length > max_block_bytes:
        block = feed.peek(header_bytes + MAX_HEADER_BYTES)[header_bytes:]
        if not feed.skip(size):
            raise Damaged(f"the record ends before its {length} bytes")
        tail = feed.peek(len(RECORD_END + WARC_VERSION))
    else:
        seen_bytes = feed.reach(size + len(RECORD_END + WARC_VERSION))
        if seen_bytes < size:
            raise Damaged(f"the record ends after {max(0, seen_bytes - header_bytes)} of {length} bytes")
        tail = feed.peek(len(RECORD_END + WARC_VERSION), behind=size)
        block = feed.peek(length, behind=header_bytes) if _may_end_record(tail) else b""
    if not _ends_record(block, tail):
        raise Damaged(f"the next record does not begin where its {length} bytes end")
    feed.skip(min(len(tail), len(RECORD_END)) + (0 if length > max_block_bytes else size))
    return block, length


def _ends_record(block: bytes, tail: bytes) -> bool:
    """Whether ``tail``, which follows ``block``, is a record's end and the next one's start.

    A last record without its two empty lines is let pass, unless they seem to have been counted as its own.
    """
    return _may_end_record(tail) and bool(tail or not block.endswith(RECORD_END))


def _may_end_record(tail: bytes) -> bool:
    return tail in (b"", RECORD_END, RECORD_END + WARC_VERSION)
