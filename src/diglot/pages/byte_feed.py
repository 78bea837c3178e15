"""The bytes of a mapped file, plain or packed, to look ahead in without ever holding more than asked for.

A feed has ``peek`` (look at what comes, without taking it), ``skip`` and ``skip_to``. Nothing a feed of a
gzip member hands out is proven until the member's end is reached, where zlib compares its CRC and length:
``peek`` and ``reach`` come back with less than asked only after that comparison held, and raise ``Damaged`` otherwise.
So it is with zstd frames that carry a checksum.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Protocol

from diglot.pages.packing import GZIP, GZIP_MAGIC, Packing
from diglot.pages.refusal import Damaged, Refused
from diglot.records import Reason

READ_BYTES = 1 << 16
PACKED_BYTES = 1 << 12
"""Packed bytes unpacked at a time: where an error is met, no more than these were looked at in vain."""

BOMB_MIN_BYTES = 256 << 20
BOMB_RATIO = 100
"""A member that inflates past ``BOMB_MIN_BYTES`` and ``BOMB_RATIO`` to 1 is given up: text packs about 4 to
1, deflate can reach 1032 to 1 and zstd more, and only do so for filling."""


class Mapped(Protocol):
    """What is needed of a file's bytes; ``mmap``, ``bytes`` and :class:`Part` are such."""

    def __len__(self) -> int: ...
    def __getitem__(self, index: slice, /) -> bytes: ...
    def find(self, sub: bytes, start: int = ..., end: int = ..., /) -> int: ...


class Part:
    """The ``size`` bytes of a file from ``start`` on, as if they were a file."""

    def __init__(self, data: Mapped, start: int, size: int) -> None:
        self._data = data
        self._start = start
        self._size = size

    def __len__(self) -> int:
        return self._size

    def __getitem__(self, index: slice, /) -> bytes:
        first, end, _ = index.indices(self._size)
        return self._data[self._start + first : self._start + max(first, end)]

    def find(self, sub: bytes, start: int = 0, end: int | None = None, /) -> int:
        first, last, _ = slice(start, end).indices(self._size)
        found = self._data.find(sub, self._start + first, self._start + max(first, last))
        return found - self._start if found >= 0 else -1


class Feed(Protocol):
    """Bytes that are looked at first and taken afterwards."""

    position: int
    """Bytes taken so far, counted in what the feed hands out."""

    def peek(self, size: int, *, behind: int = 0) -> bytes:
        """The next ``size`` bytes behind the first ``behind``; fewer only where the feed ends. Raises Refused."""

    def reach(self, size: int) -> int:
        """How many of the next ``size`` bytes there are, without copying them. Raises Refused."""

    def skip(self, size: int) -> bool:
        """Take ``size`` bytes; False where the feed ends before. Raises Refused."""

    def skip_to(self, pattern: bytes) -> bool:
        """Take everything before the next ``pattern``; False, with all taken, if there is none."""

    def back_to(self, position: int) -> None:
        """Undo takings down to ``position`` where that can be done; a gzip member cannot."""


class PlainFeed:
    """The bytes of a file as they are, from ``position`` on."""

    def __init__(self, data: Mapped, position: int = 0) -> None:
        self._data = data
        self.position = position

    def peek(self, size: int, *, behind: int = 0) -> bytes:
        start = self.position + behind
        return self._data[start : start + size]

    def reach(self, size: int) -> int:
        return min(size, len(self._data) - self.position)

    def skip(self, size: int) -> bool:
        left = len(self._data) - self.position
        self.position += min(size, left)
        return size <= left

    def skip_to(self, pattern: bytes) -> bool:
        found = self._data.find(pattern, self.position)
        self.position = found if found >= 0 else len(self._data)
        return found >= 0

    def back_to(self, position: int) -> None:
        self.position = position


class MemberFeed:
    """The unpacked bytes of the gzip member or zstd frame at ``start``; ``end``: where the file goes on behind it."""

    def __init__(self, data: Mapped, start: int, packing: Packing = GZIP) -> None:
        self._data = data
        self._start = start
        self._next = start
        self._seen = start
        self._member = packing.member
        self._unpacker = packing.unpacker()
        self._held = bytearray()
        self.position = 0

    @property
    def end(self) -> int:
        """Offset in the file behind the member; right once ``peek`` came back short."""
        return self._next

    @property
    def seen(self) -> int:
        """Offset in the file up to which bytes were unpacked, those that were stumbled over too."""
        return self._seen

    @property
    def inflated(self) -> int:
        """Bytes that came out so far."""
        return self.position + len(self._held)

    def peek(self, size: int, *, behind: int = 0) -> bytes:
        self.reach(behind + size)
        return bytes(self._held[behind : behind + size])

    def reach(self, size: int) -> int:
        while len(self._held) < size and not self._unpacker.ended:
            self._inflate(size - len(self._held))
        return min(size, len(self._held))

    def skip(self, size: int) -> bool:
        while size > 0:
            taken = len(self.peek(min(size, READ_BYTES)))
            if not taken:
                return False
            self._take(min(taken, size))
            size -= taken
        return True

    def skip_to(self, pattern: bytes) -> bool:
        while True:
            window = self.peek(max(READ_BYTES, 2 * len(pattern)))
            found = window.find(pattern)
            if found >= 0:
                self._take(found)
                return True
            if self._unpacker.ended and len(window) == len(self._held):
                self._take(len(window))
                return False
            self._take(len(window) - len(pattern) + 1)

    def back_to(self, position: int) -> None:
        """What was inflated and taken is gone."""

    def _take(self, size: int) -> None:
        del self._held[:size]
        self.position += size

    def _inflate(self, wanted: int) -> None:
        packed = self._data[self._next : self._next + PACKED_BYTES] if self._unpacker.hungry else b""
        self._seen = max(self._seen, self._next + len(packed))
        if not packed and self._unpacker.hungry:
            raise Damaged(f"the file ends inside a {self._member}: it was cut")
        out, left = self._unpacker.unpack(packed, wanted)
        self._next += len(packed) - left
        self._held += out
        if self.inflated > BOMB_MIN_BYTES and self.inflated > BOMB_RATIO * (self._next - self._start):
            raise Refused(Reason.TOO_LARGE, f"inflates more than {BOMB_RATIO} to 1: no page does")


def is_gzip(data: Mapped) -> bool:
    """Whether the file begins as a gzip member does."""
    return data[: len(GZIP_MAGIC)] == GZIP_MAGIC


def member_start(data: Mapped, at: int, size: int, packing: Packing = GZIP) -> bytes:
    """The first ``size`` unpacked bytes of a member at ``at``; b"" where none begins there.

    Looks at ``probe_bytes`` of the packing only, for a magic is short and turns up by chance or by malice.
    """
    try:
        return packing.unpacker().unpack(data[at : at + packing.probe_bytes], size)[0]
    except Refused:
        return b""


def only_padding(data: Mapped, start: int) -> bool:
    """Whether nothing but NUL bytes follows, as some tapes and disks leave behind a packed file."""
    if data[start : start + 1] != b"\0":
        return start >= len(data)
    pieces = (data[at : at + READ_BYTES] for at in range(start, len(data), READ_BYTES))
    return not any(piece.strip(b"\0") for piece in pieces)


def inflated(data: Mapped) -> Iterator[bytes]:
    """Give the text of a whole file, plain or gzip of any number of members, in pieces.

    Raises Damaged at the first damage, after everything that was readable before it.
    """
    if not is_gzip(data):
        for at in range(0, len(data), READ_BYTES):
            yield data[at : at + READ_BYTES]
        return
    start = 0
    while start < len(data) and not only_padding(data, start):
        member = MemberFeed(data, start)
        while piece := member.peek(READ_BYTES):
            yield piece
            member.skip(len(piece))
        start = member.end


def lines(pieces: Iterable[bytes], longest: int) -> Iterator[bytes]:
    """Cut into lines, holding little more than ``longest`` bytes of one and passing over its rest."""
    held = bytearray()
    for piece in pieces:
        start = 0
        while (end := piece.find(b"\n", start)) >= 0:
            held += piece[start:end]
            yield bytes(held)
            held.clear()
            start = end + 1
        if len(held) <= longest:
            held += piece[start:]
    if held:
        yield bytes(held)
