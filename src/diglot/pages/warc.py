"""WARC and ARC files: records of responses -> pages; responses without a page and damaged records -> drops.

No page is partial: :mod:`diglot.pages.archive_records` proves the bounds of records, :func:`read_warc` checks their
content.
"""

from __future__ import annotations

import base64
import dataclasses
import hashlib
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

from diglot.pages.address import is_web_address, normalise_address
from diglot.pages.archive_records import DamagedRecord, Form, Record, opens_record, read_records
from diglot.pages.byte_feed import Mapped, map_file
from diglot.pages.http_response import (
    MAX_STORED_HEAD_BYTES,
    PAGE_STATUS,
    HttpResponse,
    decode_body,
    join_chunks,
    parse_response,
)
from diglot.pages.media import limit_bytes, looks_cut, may_be_page, most_bytes, require_page
from diglot.pages.packing import DICTIONARY_MAGIC
from diglot.pages.record_forms import ARC, WARC
from diglot.reasons import Reason
from diglot.records import Damaged, Drop, Page, Refused

PAGE_RECORDS = frozenset({"response", "resource"})
OTHER_RECORDS = frozenset({"warcinfo", "request", "metadata", "conversion", "continuation"})
"""Record types without page (a continuation is refused with its first segment); a conversion may hold a page."""

DIGESTS_BYTES = {"md5": 16, "sha1": 20, "sha256": 32, "sha512": 64}
"""Length of the digests that are checked."""


def read_warc(path: Path, *, name: str, max_page_bytes: int) -> Iterator[Page | Drop]:
    """Pages of a ``.warc``, ``.warc.gz`` or ``.warc.zst`` file in the order of the file.

    A page is HTML or a document (:data:`diglot.pages.media.MEDIA`): the body of a response record with status 200, of a
    resource record, or of an HTML conversion record, with transfer and content codings undone. Checked are the record's
    length, the CRC of a gzip member for one record, any digests, and the body's length by HTTP. A byte changed in the
    body of a record without digest goes unnoticed in plain files, in gzip members for many records, and in zstd frames
    without checksum.

    A damaged record, or a cut file, becomes one ``Drop``, with the address from the readable header of a response or
    resource, else ``NAME@OFFSET``. Requests, metadata and similar records are skipped.
    """
    yield from _read_file(path, WARC, name, max_page_bytes)


def read_arc(path: Path, *, name: str, max_page_bytes: int) -> Iterator[Page | Drop]:
    """Pages of an ``.arc`` or ``.arc.gz`` file, as by :func:`read_warc`; ARC has no digests."""
    yield from _read_file(path, ARC, name, max_page_bytes)


def _read_file(path: Path, form: Form, name: str, max_page_bytes: int) -> Iterator[Page | Drop]:
    with map_file(path) as data:
        yield from read_archive(data, form, name=name, max_page_bytes=max_page_bytes)


def read_archive(data: Mapped, form: Form, *, name: str, max_page_bytes: int) -> Iterator[Page | Drop]:
    """Pages of an archive from its bytes, as by :func:`read_warc`."""
    for record in read_records(data, form, max_block_bytes=most_bytes(max_page_bytes) + MAX_STORED_HEAD_BYTES):
        found = _page_or_drop(record, name, max_page_bytes)
        if found is not None:
            yield found


def read_range(data: bytes, start: int, *, name: str, max_page_bytes: int) -> Page | Drop:
    """The page of the single record in ``data``, the bytes of a WARC or ARC file from ``start`` on.

    ``data`` may begin with the dictionary of the file. Checked as by :func:`read_warc`; a request, metadata or similar
    record is a drop.
    """
    form = ARC if not data.startswith(DICTIONARY_MAGIC) and opens_record(data, ARC) else WARC
    records = read_records(data, form, max_block_bytes=most_bytes(max_page_bytes) + MAX_STORED_HEAD_BYTES)
    found = next(records, DamagedRecord(0, "no record lies there"))
    record = dataclasses.replace(found, offset=start)
    url = _address(record) or f"{name}@{record.offset}"
    no_page = Drop(url, Reason.NOT_HTML, f"{_kind(record)} record, no page", name, record.offset)
    return _page_or_drop(record, name, max_page_bytes) or no_page


def _page_or_drop(record: Record | DamagedRecord, name: str, max_page_bytes: int) -> Page | Drop | None:
    """Page or drop of a record; None for records without page."""
    if isinstance(record, DamagedRecord):
        return _damaged_drop(record, name)
    if _kind(record) in OTHER_RECORDS and not _is_rendering(record):
        return None
    return _page(record, name, max_page_bytes)


def _damaged_drop(record: DamagedRecord, name: str) -> Drop:
    place = f"{name}@{record.offset}"
    kind = _kind(record)
    if kind in PAGE_RECORDS:
        return Drop(_address(record) or place, record.reason, record.detail, name, record.offset)
    # Not under its address: a damaged request has the address of a page, whose response may well be whole.
    detail = f"{kind} record: {record.detail}" if kind else record.detail
    return Drop(place, record.reason, detail, name, record.offset)


def _kind(record: Record | DamagedRecord) -> str:
    return record.fields.get("warc-type", "").lower()


def _is_rendering(record: Record) -> bool:
    """Whether a conversion record is a page rendered by a browser; in WET files conversions are plain text."""
    return _kind(record) == "conversion" and record.fields.get("content-type", "").lower().startswith("text/html")


def _address(record: Record | DamagedRecord) -> str:
    return normalise_address(record.fields.get("warc-target-uri", ""))


def _page(record: Record, name: str, max_page_bytes: int) -> Page | Drop:
    url = _address(record)
    try:
        response = _response(record)
        body = _whole_body(record, response, max_page_bytes)
        if not is_web_address(url):
            detail = f"{url!r} is not a web address" if url else "no WARC-Target-URI"
            raise Refused(Reason.NO_ADDRESS, detail)
    except Refused as refusal:
        return Drop(url or f"{name}@{record.offset}", refusal.reason, refusal.detail, name, record.offset)
    return Page(
        url=url,
        body=body,
        content_type=response.fields.get("content-type", ""),
        source=name,
        offset=record.offset,
        fetched=iso_seconds(record.fields.get("warc-date", "")),
        declared_lang=response.fields.get("content-language", ""),
        link_header=response.fields.get("link", ""),
    )


def _response(record: Record) -> HttpResponse:
    """The response in a record. Raises Refused, with the reason, for a record without page."""
    kind = _kind(record)
    if kind == "revisit":
        raise Refused(Reason.UNCHANGED, _of_revisit(record))
    if kind not in PAGE_RECORDS and not _is_rendering(record):
        raise Damaged(f"WARC-Type of the record is {kind!r}")
    block_type = record.fields.get("content-type", "")
    if record.block.startswith(b"HTTP/") or block_type.lower().startswith("application/http"):
        response = parse_response(record.block)
    else:
        response = HttpResponse(200, {"content-type": block_type}, record.block)
    if response.status not in PAGE_STATUS:
        target = response.fields.get("location", "")
        detail = f"{response.status} to {target}" if target else str(response.status)
        raise Refused(Reason.HTTP_STATUS, detail)
    content_type = response.fields.get("content-type", "")
    if not may_be_page(content_type):
        raise Refused(Reason.NOT_HTML, content_type)
    return response


def _of_revisit(record: Record) -> str:
    """Address and time of the earlier capture in a revisit record; "" for a record without both."""
    names = ("warc-refers-to-target-uri", "warc-refers-to-date")
    return " ".join(value for name in names if (value := record.fields.get(name, "")))


def _whole_body(record: Record, response: HttpResponse, max_page_bytes: int) -> bytes:
    """The decoded body of a page. Raises Refused, with the reason, for a part of a page and for anything else."""
    fields = record.fields
    content_type = response.fields.get("content-type", "")
    limit = limit_bytes(content_type, max_page_bytes)
    if "warc-truncated" in fields:
        raise Refused(Reason.TRUNCATED, f"WARC-Truncated: {fields['warc-truncated']}")
    if "warc-segment-number" in fields:
        raise Refused(Reason.TRUNCATED, "one segment of a record split over several")
    if not record.whole:
        raise Refused(Reason.TOO_LARGE, f"{record.length_bytes} bytes, more than {limit}")
    _check_digests(record, response, limit)
    body = decode_body(response, max_bytes=limit)
    require_page(body, content_type, max_page_bytes)
    if looks_cut(body, len(response.body)):
        raise Refused(Reason.TRUNCATED, f"cut by the crawler at {len(response.body)} bytes")
    return body


def _check_digests(record: Record, response: HttpResponse, max_bytes: int) -> None:
    """Raise Damaged for a record that fits none of its digests. Archivers differ in what the digest of a block covers:
    for a page sent in chunks it may be the body alone."""
    block, payload = (record.fields.get(f"warc-{part}-digest", "") for part in ("block", "payload"))
    stated = [digest for digest in (payload, block) if digest]
    if not stated or (block and not digest_differs(block, record.block)):
        return
    for body in _bodies(response, max_bytes):
        if not all(digest_differs(digest, body) for digest in stated):
            return
    raise Damaged(f"digest is not {' or '.join(stated)}")


def _bodies(response: HttpResponse, max_bytes: int) -> Iterator[bytes]:
    """The body as sent, without chunks, and decoded."""
    yield response.body
    if "transfer-encoding" in response.fields:
        yield join_chunks(response.body)
    yield decode_body(response, max_bytes=max_bytes)


def digest_differs(stated: str, content: bytes) -> bool:
    """Whether the digest of ``content`` differs from ``stated``, in base 32 or hex (``sha1:BASE32``).

    False for an empty digest, an algorithm outside ``DIGESTS_BYTES`` and a value of wrong length.
    """
    algorithm, _, value = stated.partition(":")
    algorithm = algorithm.strip().lower().replace("-", "")
    size = DIGESTS_BYTES.get(algorithm)
    value = value.strip().rstrip("=")
    if size is None:
        return False
    digest = hashlib.new(algorithm, content, usedforsecurity=False).digest()
    base32 = base64.b32encode(digest).decode("ascii").rstrip("=")
    if len(value) not in (2 * size, len(base32)):
        return False
    return value.lower() != digest.hex() and value.upper() != base32


def iso_seconds(date: str) -> str:
    """A WARC-Date as ``YYYY-MM-DDTHH:MM:SSZ``; "" for no date."""
    try:
        moment = datetime.fromisoformat(date.strip())
    except ValueError:
        return ""
    moment = moment.replace(tzinfo=UTC) if moment.tzinfo is None else moment
    try:
        return moment.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
    except OverflowError:  # year 1 or 9999 at the edge of its time zone
        return ""
