"""WACZ files, written by Browsertrix -> pages: a ZIP with the WARC files of a crawl in ``archive/``.

Indexes, lists of pages, texts and signatures add nothing to the records and are not read. A ZIP of several WACZ files,
as a large crawl is downloaded, is read too.
Source: Webrecorder, *Web Archive Collection Zipped* 1.1.1.
"""

from __future__ import annotations

import io
import mmap
import struct
import tempfile
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from diglot.errors import SourceError
from diglot.pages import byte_feed
from diglot.pages.archive_records import Form
from diglot.pages.byte_feed import Mapped, Part, map_file
from diglot.pages.record_forms import ARC, WARC
from diglot.pages.warc import read_archive
from diglot.reasons import Reason
from diglot.records import Damaged, Drop, Page, Refused

ZIP_MAGICS = (b"PK\x03\x04", b"PK\x05\x06")
ARCHIVE_ENDS: dict[tuple[str, ...], Form] = {
    (".warc", ".warc.gz", ".warc.zst"): WARC,
    (".arc", ".arc.gz"): ARC,
}
WACZ_END = ".wacz"
MOST_NESTED = 2
"""Levels of ZIP files in ZIP files: real files have a single level."""

ENCRYPTED = 0x1
LOCAL_HEAD = struct.Struct("<4s22xHH")
"""Local header of a member: magic, and lengths of name and extra field before the content."""
COPY_BYTES = 1 << 20


def is_zip(data: Mapped) -> bool:
    """Whether the file begins like a ZIP."""
    return data[: len(ZIP_MAGICS[0])] in ZIP_MAGICS


def wacz_problem(data: Mapped) -> str:
    """Why a ZIP is no readable WACZ, "" for a readable one."""
    try:
        members = _members(data)
    except Refused as damage:
        return damage.detail
    return "" if members else "no WARC file in its folder archive/, so no WACZ; unpack it and name what is in it"


def read_wacz(path: Path, *, name: str, max_page_bytes: int) -> Iterator[Page | Drop]:
    """Pages of all WARC and ARC files in a WACZ, in the order of names, as by :mod:`diglot.pages.warc`.

    ``source`` of a page is ``NAME/archive/FILE``. A member becomes one ``Drop`` if it is encrypted, damaged, packed by
    an unknown method, a bomb, or overlaps a second member. Raises SourceError if the disk has no room for the content
    of a packed member.
    """
    with map_file(path) as data:
        yield from _read_zip(data, name, _Bounds(max_page_bytes, len(data)))


class _Bounds:
    """Bounds on the bytes of a page, and on the bytes unpacked from a file with its nested files."""

    def __init__(self, max_page_bytes: int, file_bytes: int) -> None:
        self.max_page_bytes = max_page_bytes
        self._left = byte_feed.BOMB_MIN_BYTES + byte_feed.BOMB_RATIO * file_bytes

    def count_unpacked(self, size: int) -> None:
        """Count unpacked bytes; raises Refused beyond the bound."""
        self._left -= size
        if self._left < 0:
            raise Refused(Reason.TOO_LARGE, f"all of the file inflates more than {byte_feed.BOMB_RATIO} to 1")


def _read_zip(data: Mapped, name: str, bounds: _Bounds, *, nested: int = 0) -> Iterator[Page | Drop]:
    try:
        members = _members(data)
    except Refused as damage:
        yield Drop(name, damage.reason, damage.detail, name)
        return
    # Members that share bytes make a bomb: few bytes unpack to many (Fifield 2019).
    overlapping = _overlapping(members)
    for member in members:
        within = f"{name}/{member.filename}"
        try:
            if member.header_offset in overlapping:
                raise Damaged("it lies over another file of the ZIP")
            with _bytes_of(data, member, within, bounds) as content:
                if not member.filename.lower().endswith(WACZ_END):
                    form = _form(member.filename)
                    yield from read_archive(content, form, name=within, max_page_bytes=bounds.max_page_bytes)
                elif nested < MOST_NESTED:
                    yield from _read_zip(content, within, bounds, nested=nested + 1)
                else:
                    raise Refused(Reason.UNREADABLE_FILE, f"a WACZ in {MOST_NESTED} others")
        except Refused as refusal:
            yield Drop(within, refusal.reason, refusal.detail, within)


def _members(data: Mapped) -> list[zipfile.ZipInfo]:
    """The WARC, ARC and WACZ files of a ZIP, by name. Raises Damaged for an unreadable directory."""
    try:
        with zipfile.ZipFile(_Seekable(data)) as archive:
            members = archive.infolist()
    except (zipfile.BadZipFile, NotImplementedError, UnicodeDecodeError, ValueError, struct.error) as error:
        raise Damaged(f"the ZIP is cut or damaged, its directory cannot be read ({error}); fetch it again") from error
    return sorted(
        (member for member in members if _is_read(member.filename)),
        key=lambda member: (member.filename, member.header_offset),
    )


def _is_read(name: str) -> bool:
    lowered = name.lower()
    return lowered.endswith(WACZ_END) or (lowered.startswith("archive/") and lowered.endswith(_ends()))


def _ends() -> tuple[str, ...]:
    return tuple(end for ends in ARCHIVE_ENDS for end in ends)


def _form(name: str) -> Form:
    return next(form for ends, form in ARCHIVE_ENDS.items() if name.lower().endswith(ends))


def _overlapping(members: list[zipfile.ZipInfo]) -> set[int]:
    """Offsets of the headers of members that overlap."""
    found: set[int] = set()
    reached, last = 0, -1
    for member in sorted(members, key=lambda member: member.header_offset):
        if member.header_offset < reached:
            found |= {last, member.header_offset}
        end = member.header_offset + LOCAL_HEAD.size + member.compress_size
        if end > reached:
            reached, last = end, member.header_offset
    return found


@contextmanager
def _bytes_of(data: Mapped, member: zipfile.ZipInfo, within: str, bounds: _Bounds) -> Iterator[Mapped]:
    """Content of a member: in place if stored, as the format demands, else unpacked to a temporary file."""
    if member.flag_bits & ENCRYPTED:
        raise Refused(Reason.UNREADABLE_FILE, "it is encrypted")
    head = data[member.header_offset : member.header_offset + LOCAL_HEAD.size]
    if len(head) < LOCAL_HEAD.size or not head.startswith(ZIP_MAGICS[0]):
        raise Damaged("it is not where the directory of the ZIP says")
    _, name_bytes, extra_bytes = LOCAL_HEAD.unpack(head)
    start = member.header_offset + LOCAL_HEAD.size + name_bytes + extra_bytes
    if start + member.compress_size > len(data):
        raise Damaged(f"the ZIP ends before its {member.compress_size} bytes")
    if member.file_size == 0:
        raise Damaged("it is empty")
    if member.compress_type == zipfile.ZIP_STORED:
        yield Part(data, start, member.compress_size)
        return
    if member.compress_type != zipfile.ZIP_DEFLATED:
        raise Refused(Reason.UNREADABLE_FILE, f"packed by method {member.compress_type} of ZIP, which is not read here")
    with tempfile.TemporaryFile(prefix="diglot-") as file:
        _unpack(data, member, within, file, bounds)
        with mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as content:
            yield content


def _unpack(data: Mapped, member: zipfile.ZipInfo, within: str, file: io.BufferedRandom, bounds: _Bounds) -> None:
    """Write the content of a packed member. Raises Refused, and SourceError if the disk is full."""
    size = 0
    try:
        with zipfile.ZipFile(_Seekable(data)) as archive, archive.open(member) as packed:
            while piece := packed.read(COPY_BYTES):
                size += len(piece)
                bounds.count_unpacked(len(piece))
                if size > byte_feed.BOMB_MIN_BYTES and size > byte_feed.BOMB_RATIO * member.compress_size:
                    raise Refused(Reason.TOO_LARGE, f"inflates more than {byte_feed.BOMB_RATIO} to 1: no archive does")
                file.write(piece)
        file.flush()
    except (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, RuntimeError, ValueError) as error:
        raise Damaged(f"it cannot be unpacked ({error})") from error
    except OSError as error:
        if error.errno is None:  # raised by _Seekable
            raise Damaged(f"it cannot be unpacked ({error})") from error
        # The state of this machine, not of the file: a drop would stay after the disk has room again.
        raise SourceError(f"{within}: no room to unpack it ({error.strerror}); free some or set TMPDIR") from error


class _Seekable(io.RawIOBase):
    """Mapped bytes as a seekable file for :mod:`zipfile`."""

    def __init__(self, data: Mapped) -> None:
        self._data = data
        self._at = 0

    def seekable(self) -> bool:
        return True

    def readable(self) -> bool:
        return True

    def seek(self, offset: int, whence: int = io.SEEK_SET, /) -> int:
        base = {io.SEEK_SET: 0, io.SEEK_CUR: self._at, io.SEEK_END: len(self._data)}[whence]
        if base + offset < 0:
            raise OSError("a place before the file")  # as files do, which zipfile counts on
        self._at = base + offset
        return self._at

    def tell(self) -> int:
        return self._at

    def read(self, size: int = -1, /) -> bytes:
        end = len(self._data) if size < 0 else self._at + size
        piece = self._data[self._at : end]
        self._at += len(piece)
        return piece
