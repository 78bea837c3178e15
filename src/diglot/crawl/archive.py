"""WARC files of a crawl: complete records, one gzip member each, cut back to the length in the journal.

Source: ISO 28500:2017 (WARC 1.1), sections 5 and 6, Annex A (one record a member) and B.
"""

from __future__ import annotations

import base64
import hashlib
import io
import mmap
import os
import uuid
import zlib
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from pathlib import Path

from fastwarc.stream_io import GzipWriter
from fastwarc.warc import WarcRecord, WarcRecordType

from diglot.crawl.queue.frontier import Frontier
from diglot.disk.atomic import replacing
from diglot.errors import RunFolderError, describe_error
from diglot.pages.byte_feed import map_file

MAX_FILE_BYTES = 1 << 30
"""Size of a full file, after which a new file is begun (Annex C of the standard)."""
_RESPONSE = "application/http; msgtype=response"
_REQUEST = "application/http; msgtype=request"
MADE_BY = "Diglot-Rendered-By"
"""Extension field (section 5.1): the browser that made a conversion record."""
Fields = Sequence[tuple[bytes, bytes]]


@dataclass(frozen=True, slots=True)
class Conversion:
    """The body of an answer after rendering. ``made``: time, as in :class:`Exchange`; ``by``: name of the program."""

    content: bytes
    content_type: str
    made: str
    by: str


@dataclass(frozen=True, slots=True)
class Exchange:
    """A request and its answer, as archived. ``truncated``: why the body is incomplete, "" for a complete body."""

    url: str
    fetched: str
    """ISO 8601, UTC, to the second."""
    status_line: str
    request_fields: Fields
    response_fields: Fields
    body: bytes
    request_line: str
    truncated: str = ""
    conversion: Conversion | None = None


@dataclass(frozen=True, slots=True)
class Place:
    """Position of the records of an exchange: file name, byte offset and length."""

    warc: str
    start: int
    length: int


class Archive:
    """The open end of ``RUN/warc``. An appended record counts once the caller has committed it to the journal."""

    def __init__(self, folder: Path, frontier: Frontier, *, software: str) -> None:
        self._folder = folder
        self._software = software
        folder.mkdir(parents=True, exist_ok=True)
        self._lengths = frontier.archives()
        self._cut_back()
        self._number = max((_number(name) for name in self._lengths), default=0)

    def _cut_back(self) -> None:
        """Remove records that a killed crawl wrote and did not note in the journal."""
        for path in sorted(self._folder.glob("crawl-*.warc.gz")):
            length = self._lengths.get(path.name, 0)
            size = path.stat().st_size
            if not length:
                path.unlink()
            elif size > length:
                os.truncate(path, length)
            elif size < length:
                raise RunFolderError(f"{path}: shorter than the journal says; restore it, or crawl into another folder")

    def path_of(self, name: str) -> Path:
        """Path of an archive file."""
        return self._folder / name

    def append(self, exchange: Exchange, frontier: Frontier) -> Place:
        """Write response and request to disk, flushed and synced, and note the new length of the file in the journal.

        Call it inside the transaction that finishes the address.
        """
        name = self._current_name()
        start = self._lengths.get(name, 0)
        data = b"" if start else self._warcinfo(name, exchange.fetched)
        lead = len(data)
        data += exchange_records(exchange)
        path = self._folder / name
        try:
            with path.open("r+b" if path.exists() else "wb") as file:
                # Overwrite what a failed write left behind the last committed record.
                file.seek(start)
                file.truncate()
                file.write(data)
                file.flush()
                # On disk before the journal says so.
                os.fsync(file.fileno())
        except OSError as error:
            raise RunFolderError(
                f"{path}: cannot be written ({describe_error(error)}), then the same command goes on"
            ) from error
        self._lengths[name] = start + len(data)
        frontier.note_archive(name, self._lengths[name])
        return Place(name, start + lead, len(data) - lead)

    def _current_name(self) -> str:
        """Name of the file to append to, a new one if the last is full."""
        name = f"crawl-{self._number:05d}.warc.gz"
        if self._lengths.get(name, 0) >= MAX_FILE_BYTES:
            self._number += 1
            name = f"crawl-{self._number:05d}.warc.gz"
        return name

    def _warcinfo(self, name: str, date: str) -> bytes:
        text = f"software: {self._software}\r\nformat: WARC File Format 1.1\r\n"
        fields = [("WARC-Date", date), ("WARC-Filename", name), ("Content-Type", "application/warc-fields")]
        return _record(WarcRecordType.warcinfo, fields, text.encode(), record_id=_new_id())


def forget_records(folder: Path, frontier: Frontier, gone: Collection[int]) -> None:
    """Rewrite the archive without the records of the addresses ``gone`` (ids).

    Each file is replaced in one transaction and then deleted. The next call completes an interrupted one. Raises:
    RunFolderError for an unreadable file.
    """
    names = list(frontier.archives())
    number = max(map(_number, names), default=-1) + 1
    for name in names:
        kept = [place for place in frontier.places(name) if place[0] not in gone]
        if _rewrite(folder, frontier, name, f"crawl-{number:05d}.warc.gz", kept):
            number += 1
    known = frontier.archives()
    for path in folder.glob("crawl-*.warc.gz"):
        if path.name not in known:
            path.unlink()


def _rewrite(folder: Path, frontier: Frontier, old: str, new: str, kept: list[tuple[int, int, int]]) -> bool:
    """Copy the first record of a file and the records at these places to a new file; False if nothing would change."""
    path = folder / old
    try:
        with map_file(path) as data:
            length = _member_length(data)
            if length + sum(size for *_, size in kept) == len(data):
                return False
            with replacing(folder / new, for_programs=True) as handle:
                handle.write(data[:length])
                starts = {}
                for _, start, size in kept:
                    starts[start] = length
                    handle.write(data[start : start + size])
                    length += size
    except (OSError, ValueError, zlib.error) as error:
        raise RunFolderError(
            f"{path}: cannot be read ({describe_error(error)}); restore it, then run the command again"
        ) from error
    # The journal names the new file only once it is complete.
    with frontier.transaction():
        frontier.replace_archive(old, new, length, starts)
    return True


def _member_length(data: mmap.mmap) -> int:
    """Length of the first gzip member of a file, the warcinfo record."""
    member = zlib.decompressobj(wbits=31)
    read = 0
    while not member.eof:
        piece = data[read : read + (1 << 16)]
        if not piece:
            raise ValueError("cut short")
        member.decompress(piece)
        read += len(piece)
    return read - len(member.unused_data)


def exchange_records(exchange: Exchange) -> bytes:
    """The response, the request and the conversion record, if any, of an exchange, one gzip member each."""
    response_id = _new_id()
    common = [("WARC-Target-URI", exchange.url), ("WARC-Date", exchange.fetched)]
    fields = [*common, ("Content-Type", _RESPONSE), ("WARC-Payload-Digest", _digest(exchange.body))]
    if exchange.truncated:
        fields.append(("WARC-Truncated", exchange.truncated))
    block = _head(exchange.status_line, exchange.response_fields) + exchange.body
    response = _record(WarcRecordType.response, fields, block, record_id=response_id)
    fields = [*common, ("Content-Type", _REQUEST), ("WARC-Concurrent-To", f"<urn:uuid:{response_id}>")]
    block = _head(exchange.request_line, exchange.request_fields)
    request = _record(WarcRecordType.request, fields, block, record_id=_new_id())
    return response + request + _conversion_record(exchange, response_id)


def _conversion_record(exchange: Exchange, response_id: str) -> bytes:
    """The conversion record of an exchange (section 6.7); b"" without a conversion."""
    conversion = exchange.conversion
    if conversion is None:
        return b""
    fields = [
        ("WARC-Target-URI", exchange.url),
        ("WARC-Date", conversion.made),
        ("WARC-Refers-To", f"<urn:uuid:{response_id}>"),
        ("Content-Type", conversion.content_type),
        (MADE_BY, conversion.by),
    ]
    return _record(WarcRecordType.conversion, fields, conversion.content, record_id=_new_id())


def _head(first_line: str, fields: Fields) -> bytes:
    lines = [first_line.encode("latin-1", "replace"), *(name + b": " + value for name, value in fields)]
    return b"\r\n".join(lines) + b"\r\n\r\n"


def _record(kind: WarcRecordType, fields: Sequence[tuple[str, str]], block: bytes, *, record_id: str) -> bytes:
    record = WarcRecord()
    record.init_headers(record_type=kind, record_urn=f"uuid:{record_id}".encode())
    for name, value in (*fields, ("WARC-Block-Digest", _digest(block))):
        record.headers[name] = value
    record.set_bytes_content(block)
    out = io.BytesIO()
    with GzipWriter(out) as member:
        record.write(member)
    return out.getvalue()


def _digest(content: bytes) -> str:
    """SHA-1, as web archives still state it; a checksum, no signature."""
    return "sha1:" + base64.b32encode(hashlib.sha1(content, usedforsecurity=False).digest()).decode()


def _new_id() -> str:
    return str(uuid.uuid4())


def _number(name: str) -> int:
    return int(name.removeprefix("crawl-").removesuffix(".warc.gz"))
