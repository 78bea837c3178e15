"""Undo what HTTP wrapped round a body: chunks and content codings, never past a limit of decoded bytes.

The limit is on what comes out, while it comes out: a gibibyte of zeros is 1,617 bytes of brotli, so
neither the size sent nor a ratio taken beforehand protects anybody.
"""

from __future__ import annotations

import re
import zlib

import pyarrow as pa

from diglot.pages.byte_feed import GZIP_MAGIC, GZIP_WINDOW_BITS
from diglot.pages.refusal import Damaged, Refused
from diglot.records import Reason

MAX_CODINGS = 2
"""Codings undone one after the other; no server stacks more, bombs do."""

CHUNK_SIZE = re.compile(rb"([0-9a-fA-F]{1,15})[ \t]*(?:;[^\r\n]*)?\r?\n")
CHUNK_END = re.compile(rb"\r?\n")

ARROW_CODECS = {"br": "brotli", "zstd": "zstd"}
SAME_CODING = {"x-gzip": "gzip", "x-compress": "compress"}


def join_chunks(body: bytes) -> bytes:
    """Take the chunks of a Transfer-Encoding: chunked body together (RFC 9112, 7.1).

    Many archives keep the header and store the body already joined; one that does not begin with a chunk
    size is returned as it is. Raises Refused: TRUNCATED where the closing empty chunk is missing.
    """
    if CHUNK_SIZE.match(body) is None:
        return body
    parts: list[bytes] = []
    at = 0
    while True:
        head = CHUNK_SIZE.match(body, at)
        if head is None:
            if len(body) - at < 64 and b"\n" not in body[at:]:
                raise Refused(Reason.TRUNCATED, "the chunked body ends early")
            raise Damaged(f"the chunked body has no chunk size at byte {at}")
        size = int(head[1], 16)
        if size == 0:
            return b"".join(parts)
        chunk = body[head.end() : head.end() + size]
        end = CHUNK_END.match(body, head.end() + size)
        if len(chunk) < size or (end is None and head.end() + size >= len(body) - 1):
            raise Refused(Reason.TRUNCATED, "the chunked body ends inside a chunk")
        if end is None:
            raise Damaged(f"the chunk at byte {at} is longer than it says")
        parts.append(chunk)
        at = end.end()


def decode_content(body: bytes, codings: str, *, max_bytes: int) -> bytes:
    """Undo the codings of a Content-Encoding value, last one first (RFC 9110, 8.4).

    gzip, deflate (with zlib's header or, as some servers send it, without), br and zstd. An archive that
    stored the body decoded under the old header is believed for gzip, which has a signature.

    Raises Refused: TOO_LARGE past ``max_bytes`` decoded, TRUNCATED where the data end early,
    UNREADABLE_FILE for a coding unknown here, DAMAGED_RECORD for anything else.
    """
    names = [SAME_CODING.get(name, name) for name in re.split(r"[,\s]+", codings.lower())]
    names = [name for name in names if name not in ("", "identity")]
    if len(names) > MAX_CODINGS:
        raise Refused(Reason.UNREADABLE_FILE, f"{len(names)} content codings on one another")
    for name in reversed(names):
        body = _decode_one(body, name, max_bytes)
    return body


def _decode_one(body: bytes, coding: str, max_bytes: int) -> bytes:
    if not body or (coding == "gzip" and not body.startswith(GZIP_MAGIC)):
        return body
    if coding == "gzip":
        decoded = _gunzip(body, max_bytes)
    elif coding == "deflate":
        decoded = _inflate(body, max_bytes)
    elif coding in ARROW_CODECS and pa.Codec.is_available(ARROW_CODECS[coding]):
        decoded = _arrow_decode(body, coding, max_bytes)
    else:
        raise Refused(Reason.UNREADABLE_FILE, f"content coding {coding!r} cannot be undone here")
    if len(decoded) > max_bytes:
        raise Refused(Reason.TOO_LARGE, f"more than {max_bytes} bytes once decoded")
    return decoded


def _gunzip(body: bytes, max_bytes: int) -> bytes:
    """All members of a gzip body; what follows the last one is no gzip and ignored, as browsers do."""
    decoded = b""
    while body.startswith(GZIP_MAGIC) and len(decoded) <= max_bytes:
        more, body = _zlib_stream(body, GZIP_WINDOW_BITS, max_bytes + 1 - len(decoded))
        decoded += more
    return decoded


def _inflate(body: bytes, max_bytes: int) -> bytes:
    zlib_header = len(body) > 1 and body[0] & 15 == 8 and int.from_bytes(body[:2], "big") % 31 == 0
    return _zlib_stream(body, zlib.MAX_WBITS if zlib_header else -zlib.MAX_WBITS, max_bytes + 1)[0]


def _zlib_stream(body: bytes, window_bits: int, max_bytes: int) -> tuple[bytes, bytes]:
    """At most ``max_bytes`` decoded, and what follows the stream where it ended before that."""
    inflater = zlib.decompressobj(window_bits)
    try:
        decoded = inflater.decompress(body, max_bytes)
    except zlib.error as error:
        raise Damaged(f"the compressed body is broken ({error})") from error
    if not inflater.eof and len(decoded) < max_bytes:
        raise Refused(Reason.TRUNCATED, "the compressed body ends early")
    return decoded, inflater.unused_data


def _arrow_decode(body: bytes, coding: str, max_bytes: int) -> bytes:
    try:
        with pa.CompressedInputStream(pa.BufferReader(body), ARROW_CODECS[coding]) as stream:
            decoded: bytes = stream.read(max_bytes + 1)
    except (OSError, pa.ArrowException) as error:
        cut = "truncated" in str(error).lower()
        detail = f"the {coding} body {'ends early' if cut else f'is broken ({error})'}"
        raise Refused(Reason.TRUNCATED if cut else Reason.DAMAGED_RECORD, detail) from error
    return decoded
