"""Records of a WARC or ARC archive, damaged ones included; reading continues behind damage.

Three layouts occur: a gzip member or zstd frame per record (advised by both formats), one member for many records, and
no compression. The layouts differ in proof:

- member per record: CRC and length must be right, so every record is what was written, byte for byte. zstd frames prove
  this only with a checksum, which is optional;
- shared member or plain file: the record's length must lead to the next record or the end. A byte changed inside a page
  moves no border: it shows only if the record carries a digest (checked one stage later) or, in a shared member, as one
  ``DamagedRecord`` at the end of the member.

Behind damage reading continues at the next member, or line, that really opens a record.
"""

from __future__ import annotations

import re
from collections.abc import Generator, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Protocol

from diglot.pages.byte_feed import Feed, Mapped, MemberFeed, PlainFeed, is_gzip, member_start, only_padding
from diglot.pages.packing import (
    DICTIONARY_MAGIC,
    FRAME_HEAD_BYTES,
    GZIP,
    MAX_DICTIONARY_BYTES,
    Packing,
    Zstd,
)
from diglot.reasons import Reason
from diglot.records import Cut, Damaged, Refused

MAX_HEADER_BYTES = 1 << 16

REREAD_FACTOR = 8
"""Most bytes read again behind damaged members, over the file's size: a broken member may have taken in the next one.
Real damage costs a neighbour or two; members built to overlap would cost the square of their number."""
USUAL_RATIO = 16
"""Ratio of unpacked to packed bytes above which the unpacked bytes count instead: text packs about 4 to 1, filling 1000
to 1."""
LEAST_LOOKED_BYTES = 64 << 20
"""Most bytes searched for members, beside ``REREAD_FACTOR`` times the file's size."""

LENGTH = re.compile(r"[0-9]{1,18}")


@dataclass(frozen=True, slots=True)
class Record:
    """One record: fields by WARC name in lower case, and the block."""

    fields: Mapping[str, str]
    block: bytes
    offset: int
    """Start of the record in the file; in a shared member plus the unpacked bytes before the record."""
    length_bytes: int
    """Length of the block; above the limit ``block`` holds only the beginning."""

    @property
    def whole(self) -> bool:
        """Whether ``block`` is the full block."""
        return len(self.block) == self.length_bytes


@dataclass(frozen=True, slots=True)
class DamagedRecord:
    """A place where a record should be and cannot be read; ``fields``: the header of the record, if readable."""

    offset: int
    detail: str
    reason: Reason = Reason.DAMAGED_RECORD
    fields: Mapping[str, str] = field(default_factory=dict)


class Form(Protocol):
    """Format of an archive's records."""

    start_bytes: int
    """Bytes enough to see whether a record begins."""
    tail_bytes: int
    """Bytes behind a block enough to see whether the record ends."""

    def opens(self, start: bytes) -> bool:
        """Whether a record begins with ``start``."""

    def to_next(self, feed: Feed) -> bool:
        """Skip to the next line that may begin a record; False, at the end of the feed, for none."""

    def header(self, feed: Feed) -> tuple[Mapping[str, str], int]:
        """Fields of the record at the feed's position, and bytes of the header. Raises Refused."""

    def end_bytes(self, tail: bytes) -> int | None:
        """Bytes of ``tail``, the bytes behind a block, that end the record; None if the record does not end there."""


def read_records(data: Mapped, form: Form, *, max_block_bytes: int) -> Iterator[Record | DamagedRecord]:
    """Every record of an archive in the order of the file.

    ``data``: bytes of the file; ``max_block_bytes``: of longer blocks only the first ``MAX_HEADER_BYTES`` are kept, and
    the rest is skipped without being held.
    """
    try:
        members = _packed_members(data, form)
    except Refused as damage:
        yield DamagedRecord(0, damage.detail, damage.reason)
        return
    if members is None:
        yield from _in_feed(PlainFeed(data), form, 0, max_block_bytes)
    else:
        yield from _in_members(members, max_block_bytes)


def opens_record(data: Mapped, form: Form) -> bool:
    """Whether a record, plain or packed, opens the file or follows damage at its start.

    Raises Refused for a zstd file with a damaged dictionary.
    """
    return (
        form.opens(data[: form.start_bytes]) or _packed_members(data, form) is not None or form.to_next(PlainFeed(data))
    )


class _Members:
    """Members of a packed file that begin a record; the search for them takes a bounded number of bytes."""

    def __init__(self, data: Mapped, packing: Packing, form: Form) -> None:
        self.data = data
        self.packing = packing
        self.form = form
        self._left = LEAST_LOOKED_BYTES + REREAD_FACTOR * len(data)

    def next_from(self, start: int) -> int | None:
        """Offset of the next member from ``start`` on, None for none."""
        at = self.data.find(self.packing.magic, start)
        while at >= 0 and self._left > 0:
            if self.form.opens(member_start(self.data, at, self.form.start_bytes, self.packing)):
                return at
            self._left -= self.packing.probe_bytes
            at = self.data.find(self.packing.magic, at + 1)
        return None

    def behind(self, end: int) -> int:
        """Offset of the first byte from ``end`` on that is in no skippable frame."""
        while skipped := self.packing.skippable_bytes(self.data[end : end + FRAME_HEAD_BYTES]):
            end += skipped
        return end


def _packed_members(data: Mapped, form: Form) -> _Members | None:
    """Members of a packed file; None for a plain file. Raises Refused for a broken dictionary."""
    if form.opens(data[: form.start_bytes]):
        return None
    packings: list[Packing] = [GZIP, Zstd(_dictionary_frame(data))]
    if not is_gzip(data):  # an uncompressed frame may hold a gzip file
        packings.reverse()
    for packing in packings:
        members = _Members(data, packing, form)
        if members.next_from(0) is not None:
            return members
    return None


def _dictionary_frame(data: Mapped) -> bytes:
    """The dictionary in the first frame, b"" without one."""
    head = data[:FRAME_HEAD_BYTES]
    if not head.startswith(DICTIONARY_MAGIC):
        return b""
    size = int.from_bytes(head[len(DICTIONARY_MAGIC) :], "little")
    if size > MAX_DICTIONARY_BYTES:
        raise Refused(Reason.TOO_LARGE, f"the dictionary has {size} bytes, more than {MAX_DICTIONARY_BYTES}")
    frame = data[FRAME_HEAD_BYTES : FRAME_HEAD_BYTES + size]
    if not frame or len(frame) < size:
        raise Cut("the file ends inside its dictionary: it was cut")
    return frame


def _in_members(members: _Members, max_block_bytes: int) -> Iterator[Record | DamagedRecord]:
    """Records of a packed file, member after member."""
    data = members.data
    at: int | None = members.behind(0)
    reached = again = 0
    while at is not None and at < len(data) and not only_padding(data, at):
        member = MemberFeed(data, at, members.packing)
        if (yield from _in_feed(member, members.form, at, max_block_bytes)):
            at = members.behind(member.end)
            continue
        # Behind damage, bytes are unpacked a second time: a file built for it could have them unpacked for ever.
        if at < reached:
            again += max(min(reached, member.reached_offset) - at, member.inflated_bytes // USUAL_RATIO)
        reached = max(reached, member.reached_offset)
        if again > REREAD_FACTOR * len(data):
            yield DamagedRecord(
                at + 1, f"{members.packing.member}s overlap: what begins before byte {reached} is passed over"
            )
            at = members.next_from(reached)
        else:
            # From the member's start, not from where unpacking stopped: a broken one may have taken in its neighbours.
            at = members.next_from(at + 1)


def _in_feed(feed: Feed, form: Form, start: int, max_block_bytes: int) -> Generator[Record | DamagedRecord, None, bool]:
    """Records of a feed that begins at ``start`` in its file; returns whether the end was reached."""
    while True:
        position = feed.position
        fields: Mapping[str, str] = {}
        try:
            if not feed.peek(1):
                return True
            fields, header_bytes = form.header(feed)
            length = _length(fields)
            block = _read_block(feed, form, header_bytes, length, max_block_bytes)
            yield Record(fields, block, start + position, length)
        except Refused as damage:
            yield DamagedRecord(start + position, damage.detail, damage.reason, fields)
            feed.back_to(position)
            if not _skip_damage(feed, form):
                return False


def _skip_damage(feed: Feed, form: Form) -> bool:
    """Skip to the next record or the end of the feed; False if damage ends the feed before."""
    try:
        form.to_next(feed)
    except Refused:
        return False
    return True


def _length(fields: Mapping[str, str]) -> int:
    declared = fields.get("content-length", "")
    if LENGTH.fullmatch(declared) is None:
        raise Damaged(f"Content-Length of the record is {declared!r}")
    return int(declared)


def _read_block(feed: Feed, form: Form, header_bytes: int, length: int, max_block_bytes: int) -> bytes:
    """Take a record, check its end against its length, and return the block; of a long block only the beginning."""
    size = header_bytes + length
    is_long = length > max_block_bytes
    if is_long:
        block = feed.peek(header_bytes + MAX_HEADER_BYTES)[header_bytes:]
        if not feed.skip(size):
            raise Cut(f"the record ends before its {length} bytes")
        tail = feed.peek(form.tail_bytes)
    else:
        seen_bytes = feed.reach(size + form.tail_bytes)
        if seen_bytes < size:
            raise Cut(f"the record ends after {max(0, seen_bytes - header_bytes)} of {length} bytes")
        tail = feed.peek(form.tail_bytes, behind=size)
    end = form.end_bytes(tail)
    if end is None:
        raise Damaged(f"the next record does not begin where its {length} bytes end")
    if not is_long:
        # The end is checked before the block is copied: a wrong length may claim most of the file.
        block = feed.peek(length, behind=header_bytes)
        feed.skip(size)
    feed.skip(end)
    return block
