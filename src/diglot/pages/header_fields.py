"""Named fields, ``Name: value`` a line, as both WARC records and HTTP messages carry them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

LIST_FIELDS = frozenset({"content-encoding", "content-language", "transfer-encoding"})
"""Fields whose values add up when they are sent twice (RFC 9110, 5.3)."""


def parse_fields(lines: Iterable[bytes]) -> Mapping[str, str]:
    """Read header lines, without the first line, into values by lower-case name.

    A line that begins with a blank continues the one before (RFC 9112, 5.2). Of a field sent twice the
    first value holds, except in ``LIST_FIELDS``, where they are joined, and Content-Length, where two
    different values are joined too, so that they are no number. Lines without a colon are passed over.
    """
    fields: dict[str, str] = {}
    name = ""
    for line in lines:
        text = _decode(line.rstrip(b"\r\n"))
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


def _decode(line: bytes) -> str:
    try:
        return line.decode("utf-8")
    except UnicodeDecodeError:
        return line.decode("latin-1")
