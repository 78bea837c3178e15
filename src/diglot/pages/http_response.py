"""An HTTP response as archived: status line, named header fields, body, and whether the body is all there."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from diglot.pages.content_coding import decode_content, join_chunks
from diglot.pages.refusal import Damaged, Refused
from diglot.records import Reason

STATUS_LINE = re.compile(rb"HTTP/\d+(?:\.\d+)?[ \t]+(\d{3})(?:[ \t][^\r\n]*)?\r?\n")
LENGTH = re.compile(r"[0-9]{1,18}")
HEAD_END = re.compile(rb"\r?\n\r?\n")
MAX_STORED_HEAD_BYTES = 1 << 16
LIST_FIELDS = frozenset({"content-encoding", "content-language", "transfer-encoding"})
"""Fields whose values add up when they are sent twice (RFC 9110, 5.3)."""


@dataclass(frozen=True, slots=True)
class HttpResponse:
    """Status code, fields by lower-case name, and the body as it was sent."""

    status: int
    fields: Mapping[str, str]
    body: bytes


def parse_response(message: bytes) -> HttpResponse:
    """Split an HTTP/1 response into its parts. Raises Damaged where it does not begin as one."""
    status = STATUS_LINE.match(message)
    if status is None:
        raise Damaged("no HTTP status line")
    # A response without fields ends its head with the status line's own line end.
    end = HEAD_END.search(message, status.end() - 2, MAX_STORED_HEAD_BYTES)
    if end is None:
        raise Damaged("the HTTP header has no end")
    lines = message[status.end() : end.start()].split(b"\n")
    return HttpResponse(int(status[1]), parse_fields(lines), message[end.end() :])


def parse_fields(lines: Iterable[bytes]) -> Mapping[str, str]:
    """Read header lines, without the first line, into values by lower-case name.

    A line that begins with a blank continues the one before (RFC 9112, 5.2). Of a field sent twice the
    first value holds, except in ``LIST_FIELDS``, where they are joined, and Content-Length, where two
    different values are joined too, so that they are no number. Lines without a colon are passed over.
    """
    fields: dict[str, str] = {}
    name = ""
    for line in lines:
        text = decode_field(line.rstrip(b"\r\n"))
        if text[:1] in (" ", "\t") and name:
            fields[name] += " " + text.strip()
            continue
        name, colon, value = text.partition(":")
        name, value = name.strip().lower(), value.strip()
        if not colon or not name:
            name = ""
        elif name not in fields:
            fields[name] = value
        elif name in LIST_FIELDS or (name == "content-length" and fields[name] != value):
            fields[name] += ", " + value
    return fields


def decode_field(line: bytes) -> str:
    """Text of a header line: UTF-8, or Latin-1 where it is none."""
    try:
        return line.decode("utf-8")
    except UnicodeDecodeError:
        return line.decode("latin-1")


def decoded_body(response: HttpResponse, *, max_bytes: int) -> bytes:
    """The body without chunks and content codings.

    Raises Refused: TRUNCATED where it is shorter than its Content-Length, lacks chunks or ends inside a
    compressed stream; TOO_LARGE past ``max_bytes``; see :func:`diglot.pages.content_coding.decode_content`.
    """
    fields, body = response.fields, response.body
    if "chunked" in fields.get("transfer-encoding", "").lower():
        body = join_chunks(body)
    else:
        declared = fields.get("content-length", "")
        if LENGTH.fullmatch(declared) and len(body) < int(declared):
            raise Refused(Reason.TRUNCATED, f"{len(body)} of {declared} bytes of the page")
    if len(body) > max_bytes:
        raise Refused(Reason.TOO_LARGE, f"{len(body)} bytes, more than {max_bytes}")
    return decode_content(body, fields.get("content-encoding", ""), max_bytes=max_bytes)
