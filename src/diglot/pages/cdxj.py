"""CDXJ indexes of archives -> pages: a line per capture, with WARC file, offset and length of the record.

Only records that the index names are read. Source of the format: pywb's documentation, "CDXJ Index Format"; used by
Common Crawl.
"""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import urlsplit

import pyarrow as pa

from diglot.disk.store import Store
from diglot.errors import SourceError
from diglot.pages.address import address_key, normalise_address
from diglot.pages.archive_records import MAX_HEADER_BYTES
from diglot.pages.byte_feed import Mapped, inflate, lines, map_file
from diglot.pages.http_response import MAX_STORED_HEAD_BYTES, PAGE_STATUS
from diglot.pages.media import may_be_page, most_bytes
from diglot.pages.packing import DICTIONARY_MAGIC, FRAME_HEAD_BYTES, MAX_DICTIONARY_BYTES
from diglot.pages.warc import read_range
from diglot.reasons import Reason
from diglot.records import Damaged, Drop, Page, Refused

FIRST_LINE = re.compile(rb"[^\s{]\S* \d{1,20} \{|!\S*CDXJ", re.IGNORECASE)
LONGEST_LINE_BYTES = 1 << 20
WHOLE_NUMBER = re.compile(r"[0-9]{1,18}")

UNKNOWN_VALUES = frozenset({"", "-", "unk"})
"""Values of unknown status or type."""

READERS = 16
"""Parallel requests for ranges of a remote store: nearly all time is waiting."""
BATCH_RANGES = 64


class Capture(NamedTuple):
    """Place of a page's record; sorted in reading order."""

    file: str
    offset: int
    length_bytes: int
    url: str


def opens_cdxj(data: Mapped) -> bool:
    """Whether the first line is a line of a CDXJ index."""
    try:
        return FIRST_LINE.match(next(inflate(data), b"")) is not None
    except Refused:
        return False


def read_cdxj(
    path: Path, *, name: str, place: str, hosts: Collection[str], max_page_bytes: int
) -> Iterator[Page | Drop]:
    """Pages of the captures in an index (``.cdxj``, ``.cdxj.gz``), in the order of file and offset.

    First come drops: for malformed lines, and for captures that are no page by status or type, whose records are not
    read. Records are checked as by :func:`diglot.pages.warc.read_warc`; missing files, cut records and records that
    differ from the index become drops. ``source`` and ``offset`` of a page refer to its record.

    ``place``: folder or store address of the WARC files; ``hosts``: hosts to read, with their subdomains; all if empty.
    All captures are held in memory, some 300 bytes each. Raises: SourceError for an unreachable store.
    """
    captures: set[Capture] = set()
    for found in _captures(path, name, hosts):
        if isinstance(found, Drop):
            yield found
        else:
            captures.add(found)
    ordered = sorted(captures)
    store = Store.at(place, error=SourceError)
    limit_bytes = most_bytes(max_page_bytes) + MAX_STORED_HEAD_BYTES
    with ThreadPoolExecutor(1 if store.folder else READERS) as threads:
        # Batches bound the records held: a map over all captures would fetch far ahead of the reader.
        for start in range(0, len(captures), BATCH_RANGES):
            batch = ordered[start : start + BATCH_RANGES]
            bytes_of = partial(_bytes_of, store, limit_bytes, {})
            for capture, content in zip(batch, threads.map(bytes_of, batch), strict=True):
                yield _page(capture, content, max_page_bytes)


def named_files(path: Path, *, hosts: Collection[str]) -> list[str]:
    """WARC files in an index with pages of ``hosts``, sorted."""
    return sorted({found.file for found in _captures(path, "", hosts) if isinstance(found, Capture)})


def is_no_file(error: SourceError) -> bool:
    """Whether a store's error concerns a single file, which has a bad name, is missing or unreadable."""
    why = error.__cause__
    return why is None or isinstance(why, FileNotFoundError | PermissionError | IsADirectoryError | SourceError)


def _captures(path: Path, name: str, hosts: Collection[str]) -> Iterator[Capture | Drop]:
    """Captures and drops of all lines."""
    number = 0
    # Indexes have millions of lines: lines without any of the hosts' names are skipped unparsed.
    marks = [host.encode() for host in hosts]
    with map_file(path) as data:
        try:
            for number, line in enumerate(lines(inflate(data), LONGEST_LINE_BYTES), 1):
                if not line.strip() or line.startswith(b"!") or (marks and not _names_any(line, marks)):
                    continue
                found = _capture(line, number, name, hosts)
                if found is not None:
                    yield found
        except Refused as damage:
            yield Drop(f"{name}@{number + 1}", damage.reason, damage.detail, name, number + 1)


def _names_any(line: bytes, marks: list[bytes]) -> bool:
    lowered = line.lower()
    return any(mark in lowered for mark in marks)


def _capture(line: bytes, number: int, name: str, hosts: Collection[str]) -> Capture | Drop | None:
    """Capture or drop of a line; None for a page outside ``hosts``."""
    url = ""
    try:
        fields = _fields(line)
        url = normalise_address(fields.get("url", ""))
        if hosts and not _is_of(_host(url), hosts):
            return None
        file, offset, length = (fields.get(field, "") for field in ("filename", "offset", "length"))
        if not (file and WHOLE_NUMBER.fullmatch(offset) and WHOLE_NUMBER.fullmatch(length)):
            raise ValueError("filename, offset or length is missing or malformed")
    except (ValueError, RecursionError) as error:
        detail = f"line {number}: {error}"[:300]
        return Drop(url or f"{name}@{number}", Reason.MALFORMED_LINE, detail, name, number)
    capture = Capture(file, int(offset), int(length), url or f"{file}@{offset}")
    status, mime = fields.get("status", ""), fields.get("mime", "").lower()
    if mime == "warc/revisit":
        return _drop(capture, Reason.UNCHANGED, "")
    if status not in UNKNOWN_VALUES and status not in {*map(str, PAGE_STATUS)}:
        return _drop(capture, Reason.HTTP_STATUS, status)
    if mime not in UNKNOWN_VALUES and not may_be_page(mime):
        return _drop(capture, Reason.NOT_HTML, mime)
    return capture


def _fields(line: bytes) -> dict[str, str]:
    """Values of the JSON behind key and time, as text. Raises ValueError, RecursionError."""
    if len(line) > LONGEST_LINE_BYTES:
        raise ValueError(f"more than {LONGEST_LINE_BYTES} bytes")
    parts = line.decode("utf-8").split(" ", 2)
    values: Any = json.loads(parts[2]) if len(parts) == 3 else None
    if not isinstance(values, dict):
        raise ValueError("not KEY TIME {JSON}")
    return {field: str(value) for field, value in values.items() if isinstance(value, str | int)}


def _host(url: str) -> str:
    """The host of an address; raises ValueError without host."""
    host = urlsplit(url).hostname
    if not host:
        raise ValueError(f"url is {url!r}")
    return host


def _is_of(host: str, hosts: Collection[str]) -> bool:
    return any(host == each or host.endswith(f".{each}") for each in hosts)


def _bytes_of(store: Store, limit_bytes: int, dictionaries: dict[str, bytes], capture: Capture) -> bytes | Refused:
    """Bytes of a record, behind the dictionary of its file, or the refusal; adds to ``dictionaries``."""
    # The packed bytes may be a little more than the content: deflate may let it grow by as much.
    if capture.length_bytes > limit_bytes + limit_bytes // 100 + 2 * MAX_HEADER_BYTES:
        return Refused(Reason.TOO_LARGE, f"{capture.length_bytes} bytes, packed, more than {limit_bytes}")
    try:
        file = store.open(capture.file)
    except SourceError as error:
        if is_no_file(error):
            return Refused(Reason.UNREADABLE_FILE, str(error))
        raise
    with file, store.describe_errors(capture.file):
        size = file.size()
        if capture.offset + capture.length_bytes > size:
            return Damaged(f"the index says {capture.length_bytes} bytes; the file ends at {size}")
        if capture.file.endswith(".zst") and capture.file not in dictionaries:
            dictionaries[capture.file] = _dictionary(file, size)
        return dictionaries.get(capture.file, b"") + bytes(file.read_at(capture.length_bytes, capture.offset))


def _dictionary(file: pa.NativeFile, size: int) -> bytes:
    """The frame with the dictionary of a zstd file, b"" without one or for a damaged one."""
    head = bytes(file.read_at(min(FRAME_HEAD_BYTES, size), 0))
    frame_bytes = FRAME_HEAD_BYTES + int.from_bytes(head[len(DICTIONARY_MAGIC) :], "little")
    if not head.startswith(DICTIONARY_MAGIC) or frame_bytes > min(size, MAX_DICTIONARY_BYTES):
        return b""
    return bytes(file.read_at(frame_bytes, 0))


def _page(capture: Capture, content: bytes | Refused, max_page_bytes: int) -> Page | Drop:
    if isinstance(content, Refused):
        return _drop(capture, content.reason, content.detail)
    found = read_range(content, capture.offset, name=capture.file, max_page_bytes=max_page_bytes)
    nameless = f"{capture.file}@{capture.offset}"
    if nameless not in (found.url, capture.url) and address_key(found.url) != address_key(capture.url):
        detail = f"the record at this offset is of {found.url}: the index belongs to different files"
        return _drop(capture, Reason.DAMAGED_RECORD, detail)
    if isinstance(found, Drop) and found.url == nameless:
        return _drop(capture, found.reason, found.detail)
    return found


def _drop(capture: Capture, reason: Reason, detail: str) -> Drop:
    return Drop(capture.url, reason, detail, capture.file, capture.offset)
