"""WARC and ARC files: records of responses -> pages, everything else that has an address -> drops.

Never a partial page: see :mod:`diglot.pages.archive_records` for what is proven of a record, and
:func:`read_warc` for what is asked of it here.
"""

from __future__ import annotations

import base64
import dataclasses
import hashlib
import mmap
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

from diglot.pages.address import is_web_address, tidy_address
from diglot.pages.arc_records import ARC
from diglot.pages.archive_records import DamagedRecord, Form, Record, read_records
from diglot.pages.byte_feed import Mapped
from diglot.pages.content_coding import join_chunks
from diglot.pages.html_sniff import is_html, may_be_html
from diglot.pages.http_response import MAX_STORED_HEAD_BYTES, HttpResponse, decoded_body, parse_response
from diglot.pages.refusal import Damaged, Refused
from diglot.pages.warc_records import WARC
from diglot.records import Drop, Page, Reason

PAGE_RECORDS = frozenset({"response", "resource"})
OTHER_RECORDS = frozenset({"warcinfo", "request", "metadata", "conversion", "continuation"})
"""Record types that hold no page (a continuation's is refused with its first segment); a conversion may hold one."""

CRAWLER_CUTS_BYTES = frozenset({1 << 20, 5 << 20})
"""Common Crawl kept the first mebibyte of a page, five since 2025; not every copy says WARC-Truncated."""

DIGESTS_BYTES = {"md5": 16, "sha1": 20, "sha256": 32, "sha512": 64}


def read_warc(path: Path, *, name: str, max_page_bytes: int) -> Iterator[Page | Drop]:
    """Read the pages of a ``.warc``, ``.warc.gz`` or ``.warc.zst`` file in the order of the file.

    A page is the body of a response record with status 200 that is HTML, or an HTML resource or conversion record, with
    transfer and content codings undone. Before it is given out, the record's length and, in a gzip member
    of its own, CRC must be right, its digests must match where it has any, and the body must be as long as
    HTTP says. In a plain file or in one gzip member round many records, a byte changed in the body of a
    record without a digest cannot be seen; nor can it in a zstd frame that carries no checksum.

    Damaged records, and files cut short, become one ``Drop`` each, with their address if their header
    could be read and ``NAME@OFFSET`` otherwise. Requests, metadata and the like are passed over.
    """
    yield from _read_file(path, WARC, name, max_page_bytes)


def read_arc(path: Path, *, name: str, max_page_bytes: int) -> Iterator[Page | Drop]:
    """Read the pages of an ``.arc`` or ``.arc.gz`` file as :func:`read_warc` does; ARC has no digests."""
    yield from _read_file(path, ARC, name, max_page_bytes)


def _read_file(path: Path, form: Form, name: str, max_page_bytes: int) -> Iterator[Page | Drop]:
    with path.open("rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as data:
        yield from read_archive(data, form, name=name, max_page_bytes=max_page_bytes)


def read_archive(data: Mapped, form: Form, *, name: str, max_page_bytes: int) -> Iterator[Page | Drop]:
    """The pages of an archive as :func:`read_warc` gives them, from its bytes."""
    for record in read_records(data, form, max_block_bytes=max_page_bytes + MAX_STORED_HEAD_BYTES):
        found = _page_or_drop(record, name, max_page_bytes)
        if found is not None:
            yield found


def read_range(data: bytes, start: int, *, name: str, max_page_bytes: int) -> Page | Drop | None:
    """The page of the one record that lies in ``data``, cut from byte ``start`` on out of a WARC file, as
    :func:`read_warc` would give it; None where the record is none of a page."""
    records = read_records(data, WARC, max_block_bytes=max_page_bytes + MAX_STORED_HEAD_BYTES)
    record = next(records, DamagedRecord(0, "no record lies there"))
    return _page_or_drop(dataclasses.replace(record, offset=start + record.offset), name, max_page_bytes)


def _page_or_drop(record: Record | DamagedRecord, name: str, max_page_bytes: int) -> Page | Drop | None:
    """What a record comes to; None for one of another kind."""
    if isinstance(record, DamagedRecord):
        return _damaged(record, name)
    if _kind(record) in OTHER_RECORDS and not _is_rendering(record):
        return None
    return _page(record, name, max_page_bytes)


def _damaged(record: DamagedRecord, name: str) -> Drop:
    lost = f"{name}@{record.offset}"
    kind = _kind(record)
    if kind in PAGE_RECORDS:
        return Drop(_address(record) or lost, record.reason, record.detail, name, record.offset)
    # The address of a damaged request is that of a page which may well be there.
    detail = f"{kind} record: {record.detail}" if kind else record.detail
    return Drop(lost, record.reason, detail, name, record.offset)


def _kind(record: Record | DamagedRecord) -> str:
    return record.fields.get("warc-type", "").lower()


def _is_rendering(record: Record) -> bool:
    """Whether a conversion record is a page as a browser showed it; others hold plain text, as those of WET files."""
    return _kind(record) == "conversion" and record.fields.get("content-type", "").lower().startswith("text/html")


def _address(record: Record | DamagedRecord) -> str:
    return tidy_address(record.fields.get("warc-target-uri", ""))


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
    )


def _response(record: Record) -> HttpResponse:
    """What the server said, or Refused with the reason why this record holds no page."""
    kind = _kind(record)
    if kind == "revisit":
        raise Refused(Reason.REPEATED_ADDRESS, "revisit record: same content as fetched before")
    if kind not in PAGE_RECORDS and not _is_rendering(record):
        raise Damaged(f"WARC-Type of the record is {kind!r}")
    block_type = record.fields.get("content-type", "")
    if record.block.startswith(b"HTTP/") or block_type.lower().startswith("application/http"):
        response = parse_response(record.block)
    else:
        response = HttpResponse(200, {"content-type": block_type}, record.block)
    if response.status != 200:
        target = response.fields.get("location", "")
        detail = f"{response.status} to {target}" if target else str(response.status)
        raise Refused(Reason.HTTP_STATUS, detail)
    content_type = response.fields.get("content-type", "")
    if not may_be_html(content_type):
        raise Refused(Reason.NOT_HTML, content_type)
    return response


def _whole_body(record: Record, response: HttpResponse, max_page_bytes: int) -> bytes:
    """The decoded body of an HTML page, or Refused with the reason why it is none or not all of it."""
    fields = record.fields
    if "warc-truncated" in fields:
        raise Refused(Reason.TRUNCATED, f"WARC-Truncated: {fields['warc-truncated']}")
    if "warc-segment-number" in fields:
        raise Refused(Reason.TRUNCATED, "one segment of a record split over several")
    if not record.whole:
        raise Refused(Reason.TOO_LARGE, f"{record.length_bytes} bytes, more than {max_page_bytes}")
    _check_digest(fields.get("warc-block-digest", ""), record.block)
    if "warc-block-digest" not in fields:
        _check_payload(fields.get("warc-payload-digest", ""), response, max_page_bytes)
    body = decoded_body(response, max_bytes=max_page_bytes)
    if not body:
        raise Refused(Reason.NO_TEXT, "the body is empty")
    content_type = response.fields.get("content-type", "")
    if not is_html(body, content_type):
        detail = f"not HTML, though sent as {content_type}" if content_type else "no type, and no markup"
        raise Refused(Reason.NOT_HTML, detail)
    if len(response.body) in CRAWLER_CUTS_BYTES and b"</html" not in body[-1024:].lower():
        raise Refused(Reason.TRUNCATED, f"cut by the crawler at {len(response.body)} bytes")
    return body


def _check_payload(stated: str, response: HttpResponse, max_page_bytes: int) -> None:
    """Compare with the body as sent, without chunks and decoded: archivers differ in which they digest."""
    if not digest_differs(stated, response.body):
        return
    plain = join_chunks(response.body) if "transfer-encoding" in response.fields else response.body
    if digest_differs(stated, plain):
        _check_digest(stated, decoded_body(response, max_bytes=max_page_bytes))


def _check_digest(stated: str, content: bytes) -> None:
    if digest_differs(stated, content):
        raise Damaged(f"digest is not {stated}")


def digest_differs(stated: str, content: bytes) -> bool:
    """Whether ``content`` does not have a digest stated as ``sha1:BASE32`` or hex.

    An empty one, an algorithm not in ``DIGESTS_BYTES`` or a value of the wrong length says nothing: False.
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
    """Normalise a WARC-Date to ``YYYY-MM-DDTHH:MM:SSZ``; "" where it is no date."""
    try:
        moment = datetime.fromisoformat(date.strip())
    except ValueError:
        return ""
    moment = moment.replace(tzinfo=UTC) if moment.tzinfo is None else moment
    try:
        return moment.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
    except OverflowError:  # year 1 or 9999 at the edge of its time zone
        return ""
