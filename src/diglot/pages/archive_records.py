"""Find the records of an archive, WARC or ARC, the damaged ones too, and go on behind damage.

Three layouts occur: a gzip member or zstd frame for each record (what both formats advise), one round many records, and
none. What can be known of a record differs:

- own member: its CRC and length must be right, so a record handed out is what was written, byte for byte; of a zstd
  frame so where it has a checksum, which its writer may leave out;
- shared member or plain file: the record's length must be followed by the next record or the end. A byte
  changed inside a page moves no border, so it shows only where the record carries a digest (checked one
  stage later) or, in a shared member, in one ``DamagedRecord`` for the member at its end.

After damage reading goes on at the next member that really opens a record, or at the next line that does.
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
from diglot.pages.refusal import Damaged, Refused
from diglot.records import Reason

MAX_HEADER_BYTES = 1 << 16

REREAD_FACTOR = 8
"""Times the size of a file that may be read again behind damaged members, whose bytes may hold the next one. One
damaged member costs at most a neighbour or two; members made to overlap would cost the square of their number."""
USUAL_RATIO = 16
"""What inflates more than this to 1 counts by what comes out: text packs about 4 to 1, filling 1000 to 1."""
LEAST_LOOKED_BYTES = 64 << 20
"""What may be looked at in search of members even in a small file; beyond it, ``REREAD_FACTOR`` times its size."""

LENGTH = re.compile(r"[0-9]{1,18}")


@dataclass(frozen=True, slots=True)
class Record:
    """One record: its named fields (names in lower case, those of WARC) and its block."""

    fields: Mapping[str, str]
    block: bytes
    offset: int
    """Where the record starts in the file; in a member shared by many, unpacked bytes are counted on top."""
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


class Form(Protocol):
    """How the records of a kind of archive are told."""

    start_bytes: int
    """Bytes by which it is known whether they begin a record."""
    tail_bytes: int
    """Bytes behind a block by which it is known that the record ends there."""

    def opens(self, start: bytes) -> bool:
        """Whether a record begins so."""

    def to_next(self, feed: Feed) -> bool:
        """Take everything before the next line that may begin a record; False, with all taken, if there is none."""

    def header(self, feed: Feed) -> tuple[Mapping[str, str], int]:
        """Fields of the record that the feed stands at, and bytes of its header. Raises Refused."""

    def end_bytes(self, block: bytes, tail: bytes) -> int | None:
        """How many bytes of ``tail``, which follows ``block``, end the record; None where it does not end there."""


def read_records(data: Mapped, form: Form, *, max_block_bytes: int) -> Iterator[Record | DamagedRecord]:
    """Give every record of an archive in the order of the file.

    Parameters: ``data``, the file's bytes; ``max_block_bytes``, above which only the first
    ``MAX_HEADER_BYTES`` of a block are kept (the rest is passed over, not held).
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
    """Whether a record, plain or packed, opens the file or is found behind damage at its start.

    Raises Refused for a zstd file whose dictionary is damaged.
    """
    return (
        form.opens(data[: form.start_bytes]) or _packed_members(data, form) is not None or form.to_next(PlainFeed(data))
    )


class _Members:
    """The members of a packed file that begin a record; what is looked at in search of them is bounded in all."""

    def __init__(self, data: Mapped, packing: Packing, form: Form) -> None:
        self.data = data
        self.packing = packing
        self.form = form
        self._left = LEAST_LOOKED_BYTES + REREAD_FACTOR * len(data)

    def next_from(self, start: int) -> int | None:
        """Offset of the next one, from ``start`` on."""
        at = self.data.find(self.packing.magic, start)
        while at >= 0 and self._left > 0:
            if self.form.opens(member_start(self.data, at, self.form.start_bytes, self.packing)):
                return at
            self._left -= self.packing.probe_bytes
            at = self.data.find(self.packing.magic, at + 1)
        return None

    def behind(self, end: int) -> int:
        """Where the file goes on behind a member: past frames that hold nothing."""
        while passed := self.packing.passed_over(self.data[end : end + FRAME_HEAD_BYTES]):
            end += passed
        return end


def _packed_members(data: Mapped, form: Form) -> _Members | None:
    """Of a packed file; None for a plain one. Raises Refused for a dictionary that is none."""
    if form.opens(data[: form.start_bytes]):
        return None
    packings: list[Packing] = [GZIP, Zstd(_dictionary_frame(data))]
    if not is_gzip(data):  # what a frame holds unpacked may be a gzip file
        packings.reverse()
    for packing in packings:
        members = _Members(data, packing, form)
        if members.next_from(0) is not None:
            return members
    return None


def _dictionary_frame(data: Mapped) -> bytes:
    """What the first frame holds where it is one of a dictionary."""
    head = data[:FRAME_HEAD_BYTES]
    if not head.startswith(DICTIONARY_MAGIC):
        return b""
    size = int.from_bytes(head[len(DICTIONARY_MAGIC) :], "little")
    if size > MAX_DICTIONARY_BYTES:
        raise Refused(Reason.TOO_LARGE, f"the dictionary has {size} bytes, more than {MAX_DICTIONARY_BYTES}")
    frame = data[FRAME_HEAD_BYTES : FRAME_HEAD_BYTES + size]
    if not frame or len(frame) < size:
        raise Damaged("the file ends inside its dictionary: it was cut")
    return frame


def _in_members(members: _Members, max_block_bytes: int) -> Iterator[Record | DamagedRecord]:
    data = members.data
    at: int | None = members.behind(0)
    reached = again = 0
    while at is not None and at < len(data) and not only_padding(data, at):
        member = MemberFeed(data, at, members.packing)
        if (yield from _in_feed(member, members.form, at, max_block_bytes)):
            at = members.behind(member.end)
            continue
        if at < reached:
            again += max(min(reached, member.seen) - at, member.inflated // USUAL_RATIO)
        reached = max(reached, member.seen)
        if again > REREAD_FACTOR * len(data):
            yield DamagedRecord(
                at + 1, f"{members.packing.member}s overlap: what begins before byte {reached} is passed over"
            )
            at = members.next_from(reached)
        else:
            # From the member's start, not from where unpacking stopped: a broken one may have eaten its neighbours.
            at = members.next_from(at + 1)


def _in_feed(feed: Feed, form: Form, start: int, max_block_bytes: int) -> Generator[Record | DamagedRecord, None, bool]:
    """Give the records of a feed that begins at ``start`` in its file; return whether its end was reached."""
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
    """Take a record that ends where its length says; return its block, or the beginning of a long one."""
    size = header_bytes + length
    if length > max_block_bytes:
        block = feed.peek(header_bytes + MAX_HEADER_BYTES)[header_bytes:]
        if not feed.skip(size):
            raise Damaged(f"the record ends before its {length} bytes")
        tail = feed.peek(form.tail_bytes)
        end = form.end_bytes(block, tail)
    else:
        seen_bytes = feed.reach(size + form.tail_bytes)
        if seen_bytes < size:
            raise Damaged(f"the record ends after {max(0, seen_bytes - header_bytes)} of {length} bytes")
        tail = feed.peek(form.tail_bytes, behind=size)
        block = b"" if form.end_bytes(b"", tail) is None else feed.peek(length, behind=header_bytes)
        end = form.end_bytes(block, tail)
    if end is None:
        raise Damaged(f"the next record does not begin where its {length} bytes end")
    feed.skip(end + (0 if length > max_block_bytes else size))
    return block
