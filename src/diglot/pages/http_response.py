"""Archived HTTP responses: status, header fields, decoded body, and checks for completeness."""

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
"""Fields whose repeated values are joined (RFC 9110, 5.3)."""


@dataclass(frozen=True, slots=True)
class HttpResponse:
    """Status code, fields by lower-case name, body as sent."""

    status: int
    fields: Mapping[str, str]
    body: bytes


def parse_response(message: bytes) -> HttpResponse:
    """Split an HTTP/1 response into its parts. Raises Damaged for anything else."""
    status = STATUS_LINE.match(message)
    if status is None:
        raise Damaged("no HTTP status line")
    # Without fields, the line end of the status line is part of the head's end.
    end = HEAD_END.search(message, status.end() - 2, MAX_STORED_HEAD_BYTES)
    if end is None:
        raise Damaged("the HTTP header has no end")
    lines = message[status.end() : end.start()].split(b"\n")
    return HttpResponse(int(status[1]), parse_fields(lines), message[end.end() :])


def parse_fields(lines: Iterable[bytes]) -> Mapping[str, str]:
    """Values by lower-case name of header lines, without the first line.

    A line with a blank at its start continues the previous line (RFC 9112, 5.2). The first value of a repeated field
    holds. ``LIST_FIELDS`` are joined, and so are different values of Content-Length: the result is no number. Lines
    without colon are ignored.
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
    """Text of a header line, in UTF-8 or else Latin-1."""
    try:
        return line.decode("utf-8")
    except UnicodeDecodeError:
        return line.decode("latin-1")


def decode_body(response: HttpResponse, *, max_bytes: int) -> bytes:
    """The body without chunks and content codings.

    Raises Refused: TRUNCATED if shorter than Content-Length, without last chunk or inside a compressed stream;
    TOO_LARGE past ``max_bytes``; see :func:`diglot.pages.content_coding.decode_content`.
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
