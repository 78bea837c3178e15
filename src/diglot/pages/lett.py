"""Files of the WMT 2016 document alignment task -> pages: a page per line, six fields between tabs.

Source: Buck and Koehn 2016, *Findings of the WMT 2016 Bilingual Document Alignment Shared Task*, section 3;
the format is older Bitextor's.
"""

from __future__ import annotations

import base64
import binascii
import re
from collections.abc import Iterator
from pathlib import Path

from diglot.pages.address import is_web_address, normalise_address
from diglot.pages.byte_feed import Mapped, inflate, lines, map_file
from diglot.pages.media import limit_bytes, most_bytes, require_page
from diglot.reasons import Reason
from diglot.records import Drop, Page, Refused

FIELDS = ("language", "mime type", "charset", "address", "HTML", "text")
CHARSET_NAME = re.compile(r"[A-Za-z0-9._:+-]{1,40}")


def read_lett(path: Path, *, name: str, max_page_bytes: int) -> Iterator[Page | Drop]:
    """Pages of a ``.lett`` or ``.lett.gz`` file; ``offset`` of a page is its line number, from 1.

    HTML in UTF-8, as left by the task's conversion, is declared UTF-8; else the charset column is declared. The text
    column is not used. A malformed line becomes a ``Drop``. A cut or damaged gzip file gives the lines before
    the damage and one ``Drop``; if only the checksum is wrong, a line may hold wrong characters.
    """
    longest = 4 * most_bytes(max_page_bytes)  # a page and its text, both in base64, and the address
    number = 0
    with map_file(path) as data:
        try:
            for number, line in enumerate(lines(inflate(data), longest), 1):
                if line.strip():
                    yield _page(line, number, name, max_page_bytes, whole=len(line) <= longest)
        except Refused as damage:
            yield Drop(f"{name}@{number + 1}", damage.reason, damage.detail, name, number + 1)


def opens_lett(data: Mapped) -> bool:
    """Whether the first line has five or six fields, the fourth a web address.

    Only the first chunk of the file is read, and a long page may fill it.
    """
    try:
        start = next(inflate(data), b"")
    except Refused:
        return False
    fields = start.partition(b"\n")[0].split(b"\t")
    return 4 < len(fields) <= len(FIELDS) and is_web_address(fields[3].decode("utf-8", "replace"))


def _page(line: bytes, number: int, name: str, max_page_bytes: int, *, whole: bool) -> Page | Drop:
    fields = line.rstrip(b"\r").split(b"\t")
    url = normalise_address(fields[3].decode("utf-8", "replace")) if len(fields) > 3 else ""
    lang, mime, charset = (field.decode("utf-8", "replace").strip() for field in [*fields, b"", b"", b""][:3])
    limit = limit_bytes(mime, max_page_bytes)
    try:
        if not whole or (len(fields) > 4 and len(fields[4]) // 4 * 3 > limit + 2):
            raise Refused(Reason.TOO_LARGE, f"line {number}: more than {limit} bytes")
        body = _html(fields, number)
        if not is_web_address(url):
            raise Refused(Reason.MALFORMED_LINE, f"line {number}: {url!r} is not a web address")
        if not body:
            raise Refused(Reason.NO_TEXT, f"line {number}: the HTML is empty")
        require_page(body, mime, max_page_bytes)
    except Refused as refusal:
        return Drop(url or f"{name}@{number}", refusal.reason, refusal.detail, name, number)
    return Page(url, body, _content_type(body, charset), source=name, offset=number, declared_lang=lang)


def _html(fields: list[bytes], number: int) -> bytes:
    if len(fields) != len(FIELDS):
        detail = f"line {number}: {len(fields)} fields between tabs, not {len(FIELDS)}"
        raise Refused(Reason.MALFORMED_LINE, detail)
    try:
        return base64.b64decode(fields[4], validate=True)
    except binascii.Error as error:
        raise Refused(Reason.MALFORMED_LINE, f"line {number}: HTML is not base64 ({error})") from error


def _content_type(body: bytes, charset: str) -> str:
    try:
        body.decode("utf-8")
    except UnicodeDecodeError:
        return f"text/html; charset={charset}" if CHARSET_NAME.fullmatch(charset) else "text/html"
    return "text/html; charset=utf-8"
