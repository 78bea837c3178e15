"""Bytes of a mapped file, plain or packed, with look-ahead, never holding more than requested.

A feed has ``peek`` (look ahead without taking), ``skip`` and ``skip_to``. Bytes of a gzip member are proven only at the
member's end, where zlib compares CRC and length: ``peek`` and ``reach`` return less than requested only after this
comparison has succeeded, and raise ``Damaged`` if it fails. Zstd frames with a checksum are compared in the same way.
"""

from __future__ import annotations

import mmap
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Protocol

from diglot.pages.packing import GZIP, GZIP_MAGIC, Packing
from diglot.reasons import Reason
from diglot.records import Cut, Refused

READ_BYTES = 1 << 16
PACKED_BYTES = 1 << 12
"""Packed bytes that are unpacked at a time."""

BOMB_MIN_BYTES = 256 << 20
BOMB_RATIO = 100
"""A member is refused if it inflates past ``BOMB_MIN_BYTES`` and past ``BOMB_RATIO`` to 1: text packs about 4 to 1;
deflate reaches 1032 to 1, and zstd more, on filling only."""


class Mapped(Protocol):
    """Bytes of a file: ``mmap``, ``bytes`` or :class:`Part`."""

    def __len__(self) -> int: ...
    def __getitem__(self, index: slice, /) -> bytes: ...
    def find(self, sub: bytes, start: int = ..., end: int = ..., /) -> int: ...


@contextmanager
def map_file(path: Path) -> Iterator[mmap.mmap]:
    """The bytes of a file, mapped for the block."""
    with path.open("rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as data:
        yield data


class Part:
    """A view of ``size`` bytes of a file from ``start`` on."""

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
    """Bytes with look-ahead."""

    position: int
    """Bytes taken so far, counted unpacked."""

    def peek(self, size: int, *, behind: int = 0) -> bytes:
        """The next ``size`` bytes behind the first ``behind``; fewer only at the end of the feed. Raises Refused."""

    def reach(self, size: int) -> int:
        """Number of bytes left, up to ``size``, without copying. Raises Refused."""

    def skip(self, size: int) -> bool:
        """Take ``size`` bytes; False if the feed ends before. Raises Refused."""

    def skip_to(self, pattern: bytes) -> bool:
        """Take everything before the next ``pattern``; without ``pattern`` take everything, and return False."""

    def back_to(self, position: int) -> None:
        """Go back to ``position``, where the feed can; packed members cannot."""


class PlainFeed:
    """Bytes of an uncompressed file from ``position`` on."""

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
    """Unpacked bytes of the gzip member or zstd frame at ``start``."""

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
        """Offset in the file of the first byte behind the member, once ``peek`` has returned less than requested."""
        return self._next

    @property
    def reached_offset(self) -> int:
        """Offset in the file up to which bytes were fed to the unpacker, broken bytes included."""
        return self._seen

    @property
    def inflated_bytes(self) -> int:
        """Bytes unpacked so far."""
        return self.position + len(self._held)

    def peek(self, size: int, *, behind: int = 0) -> bytes:
        self.reach(behind + size)
        return bytes(self._held[behind : behind + size])

    def reach(self, size: int) -> int:
        while len(self._held) < size and not self._unpacker.is_finished:
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
            if self._unpacker.is_finished and len(window) == len(self._held):
                self._take(len(window))
                return False
            self._take(len(window) - len(pattern) + 1)

    def back_to(self, position: int) -> None:
        """Does nothing: taken bytes are gone."""

    def _take(self, size: int) -> None:
        del self._held[:size]
        self.position += size

    def _inflate(self, wanted: int) -> None:
        packed = self._data[self._next : self._next + PACKED_BYTES] if self._unpacker.hungry else b""
        self._seen = max(self._seen, self._next + len(packed))
        if not packed and self._unpacker.hungry:
            raise Cut(f"the file ends inside a {self._member}: it was cut")
        out, left = self._unpacker.unpack(packed, wanted)
        self._next += len(packed) - left
        self._held += out
        if self.inflated_bytes > BOMB_MIN_BYTES and self.inflated_bytes > BOMB_RATIO * (self._next - self._start):
            raise Refused(Reason.TOO_LARGE, f"inflates more than {BOMB_RATIO} to 1: no page does")


def is_gzip(data: Mapped) -> bool:
    """Whether the file begins with a gzip member."""
    return data[: len(GZIP_MAGIC)] == GZIP_MAGIC


def member_start(data: Mapped, at: int, size: int, packing: Packing = GZIP) -> bytes:
    """The first ``size`` unpacked bytes of a member at ``at``; b"" for no member."""
    # The magic is short and turns up by chance or malice: each place costs ``probe_bytes`` at most.
    try:
        return packing.unpacker().unpack(data[at : at + packing.probe_bytes], size)[0]
    except Refused:
        return b""


def only_padding(data: Mapped, start: int) -> bool:
    """Whether only NUL bytes follow, the padding left by some tapes and disks."""
    if data[start : start + 1] != b"\0":
        return start >= len(data)
    pieces = (data[at : at + READ_BYTES] for at in range(start, len(data), READ_BYTES))
    return not any(piece.strip(b"\0") for piece in pieces)


def inflate(data: Mapped) -> Iterator[bytes]:
    """Bytes of a file, plain or gzip of any number of members, in pieces.

    Raises Refused at the first damage, after all readable pieces before it.
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
    """Cut pieces into lines. Of a line longer than ``longest`` bytes, one byte more than that is given."""
    held = bytearray()
    for piece in pieces:
        start = 0
        while (end := piece.find(b"\n", start)) >= 0:
            held += piece[start:end]
            del held[longest + 1 :]
            yield bytes(held)
            held.clear()
            start = end + 1
        held += piece[start:]
        del held[longest + 1 :]
    if held:
        yield bytes(held)
