"""Archived HTTP responses: status, header fields, and the body without HTTP's chunks and content codings.

The limit of decoded bytes applies to the output while decoding: a gibibyte of zeros is 1,617 bytes of brotli, so
neither the size sent nor a ratio computed beforehand protects.
"""

from __future__ import annotations

import re
import zlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

import pyarrow as pa

from diglot.pages.packing import GZIP_MAGIC, GZIP_WINDOW_BITS, ZSTD_MAGIC
from diglot.reasons import Reason
from diglot.records import Damaged, Refused

STATUS_LINE = re.compile(rb"HTTP/\d+(?:\.\d+)?[ \t]+(\d{3})(?:[ \t][^\r\n]*)?\r?\n")
CONTENT_LENGTH = re.compile(r"[0-9]{1,18}")
HEAD_END = re.compile(rb"\r?\n\r?\n")
MAX_STORED_HEAD_BYTES = 1 << 18
"""Most bytes up to the empty line, in archives and in answers to a crawl; browsers have the same limit."""
LIST_FIELDS = frozenset({"content-encoding", "content-language", "link", "transfer-encoding"})
"""Fields whose repeated values are joined (RFC 9110, 5.3)."""

PAGE_STATUS = frozenset((200, 203))
"""Status of an answer with a page; 203: a proxy has changed it (RFC 9110, 15.3.4)."""

MAX_CODINGS = 2
"""Most codings on one another; no server stacks more, bombs do."""

CODINGS_END = re.compile(r"[,\s]+")
CHUNK_SIZE = re.compile(rb"([0-9a-fA-F]{1,15}+)[ \t]*+(?:;[^\r\n]*+)?+\r?\n")
CHUNK_END = re.compile(rb"\r?\n")

PIECE_BYTES = 1 << 16
"""Decoded bytes per piece, so that a bomb never stands in memory."""

ARROW_CODECS = {"br": "brotli", "zstd": "zstd"}
CODINGS = frozenset(("aes128gcm", "br", "compress", "dcb", "dcz", "deflate", "exi", "gzip", "pack200-gzip", "zstd"))
"""Content codings of the registry (IANA, 2025). Browsers ignore other values, such as ``UTF-8``, a frequent mistake."""
SIGNATURES = {"gzip": GZIP_MAGIC, "zstd": ZSTD_MAGIC}
DECODED = re.compile(rb"(?:\xef\xbb\xbf)?\s*<(?:!doctype|!--|html|head|\?xml)|%PDF-", re.IGNORECASE)
"""Start of a page that an archive stored decoded, with a header that still names the coding: br and deflate have no
signature."""
DECODED_BYTES = 256
"""Bytes enough for such a start, with the white space before it."""
SAME_CODING = {"x-gzip": "gzip", "x-compress": "compress"}


@dataclass(frozen=True, slots=True)
class HttpResponse:
    """An HTTP response: status code, header fields by lower-case name, and body as sent."""

    status: int
    fields: Mapping[str, str]
    body: bytes


def parse_response(message: bytes) -> HttpResponse:
    """Split an HTTP/1 response into its parts, without interim responses. Raises Damaged for anything else."""
    start = 0
    while True:
        status = STATUS_LINE.match(message, start)
        if status is None:
            raise Damaged("no HTTP status line")
        # Without fields, the line end of the status line is part of the head's end.
        end = HEAD_END.search(message, status.end() - 2, MAX_STORED_HEAD_BYTES)
        if end is None:
            raise Damaged("the HTTP header has no end")
        # 100 Continue and 103 Early Hints have no body, and the response follows (RFC 9110, 15.2).
        if not status[1].startswith(b"1") or end.end() == len(message):
            break
        start = end.end()
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

    Raises Refused: TRUNCATED for a body that is shorter than Content-Length, has no last chunk, or ends inside a
    compressed stream; TOO_LARGE past ``max_bytes``; else as :func:`decode_content`.
    """
    fields, body = response.fields, response.body
    if "chunked" in fields.get("transfer-encoding", "").lower():
        body = join_chunks(body)
    else:
        declared = fields.get("content-length", "")
        if CONTENT_LENGTH.fullmatch(declared) and len(body) < int(declared):
            raise Refused(Reason.TRUNCATED, f"{len(body)} of {declared} bytes of the page")
    if len(body) > max_bytes:
        raise Refused(Reason.TOO_LARGE, f"{len(body)} bytes, more than {max_bytes}")
    return decode_content(body, fields.get("content-encoding", ""), max_bytes=max_bytes)


def join_chunks(body: bytes) -> bytes:
    """Join the chunks of a Transfer-Encoding: chunked body (RFC 9112, 7.1).

    Many archives keep the header and store the joined body: a body without chunk size at its start is returned
    unchanged. Raises Refused: TRUNCATED without the closing empty chunk.
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
        # A body cut in the line end behind a chunk is truncated, not damaged.
        if len(chunk) < size or (end is None and head.end() + size >= len(body) - 1):
            raise Refused(Reason.TRUNCATED, "the chunked body ends inside a chunk")
        if end is None:
            raise Damaged(f"the chunk at byte {at} is longer than it says")
        parts.append(chunk)
        at = end.end()


def decode_content(body: bytes, codings: str, *, max_bytes: int) -> bytes:
    """Undo the codings of a Content-Encoding value, the last first (RFC 9110, 8.4).

    gzip, deflate (with zlib's header or, from some servers, without), br and zstd. A body without gzip's or zstd's
    signature, or a body that begins with markup, was stored decoded by the archive, and is returned unchanged.

    Raises Refused: TOO_LARGE past ``max_bytes`` decoded, TRUNCATED for data that end early, UNREADABLE_FILE for a
    coding of the registry that cannot be undone, DAMAGED_RECORD for broken data.
    """
    names = coding_names(codings)
    return b"".join(decoded_pieces(body, names, max_bytes=max_bytes)) if names else body


def coding_names(codings: str) -> list[str]:
    """The known codings in a Content-Encoding value, in the order of application, by their standard names."""
    names = [SAME_CODING.get(name, name) for name in CODINGS_END.split(codings.lower())]
    return [name for name in names if name in CODINGS]


def decoded_pieces(body: bytes, names: Sequence[str], *, max_bytes: int) -> Iterator[bytes]:
    """A body without the codings ``names``, in pieces of at most ``PIECE_BYTES``.

    Raises as :func:`decode_content`, after all pieces decoded before.
    """
    if len(names) > MAX_CODINGS:
        raise Refused(Reason.UNREADABLE_FILE, f"{len(names)} content codings on one another")
    pieces: Iterator[bytes] = (body[at : at + PIECE_BYTES] for at in range(0, len(body), PIECE_BYTES))
    for name in reversed(names):
        pieces = _limit(_undo(_Coded(pieces), name), max_bytes)
    return _limit(pieces, max_bytes)


class _Coded:
    """Coded bytes with look-ahead; also a file for pyarrow to read."""

    closed = False

    def __init__(self, pieces: Iterator[bytes]) -> None:
        self._pieces = pieces
        self._held = b""

    def ahead(self, size: int = 1) -> bytes:
        """The next bytes, at least ``size`` unless the body ends."""
        while len(self._held) < size and (piece := next(self._pieces, b"")):
            self._held += piece
        return self._held

    def take(self, size: int) -> None:
        self._held = self._held[size:]

    def read(self, size: int) -> bytes:
        taken = self.ahead()[:size]
        self.take(len(taken))
        return taken

    def close(self) -> None:
        """Nothing to close; called by pyarrow."""


def _limit(pieces: Iterator[bytes], max_bytes: int) -> Iterator[bytes]:
    """The pieces; raises Refused, after ``max_bytes``, if there are more.

    The limit also applies between two codings: the outer coding may give input without end that decodes to nothing.
    """
    left = max_bytes
    for piece in pieces:
        if left:
            yield piece[:left]
        if len(piece) > left:
            raise Refused(Reason.TOO_LARGE, f"more than {max_bytes} bytes once decoded")
        left -= len(piece)


def _undo(coded: _Coded, coding: str) -> Iterator[bytes]:
    """The bytes without one coding; the bytes themselves if they were stored decoded."""
    first = coded.ahead(DECODED_BYTES)
    if not first.startswith(SIGNATURES.get(coding, b"")) or DECODED.match(first) or not first:
        return iter(lambda: coded.read(PIECE_BYTES), b"")
    if coding == "gzip":
        return _gunzip(coded)
    if coding == "deflate":
        zlib_header = len(first) > 1 and first[0] & 15 == 8 and int.from_bytes(first[:2], "big") % 31 == 0
        return _inflate(coded, zlib.MAX_WBITS if zlib_header else -zlib.MAX_WBITS)
    if coding in ARROW_CODECS and pa.Codec.is_available(ARROW_CODECS[coding]):
        return _arrow_decode(coded, coding)
    raise Refused(Reason.UNREADABLE_FILE, f"content coding {coding!r} cannot be undone here")


def _gunzip(coded: _Coded) -> Iterator[bytes]:
    """All members of a gzip body; trailing bytes are ignored, as by browsers."""
    while coded.ahead(len(GZIP_MAGIC)).startswith(GZIP_MAGIC):
        yield from _inflate(coded, GZIP_WINDOW_BITS)


def _inflate(coded: _Coded, window_bits: int) -> Iterator[bytes]:
    """One zlib stream; bytes behind it stay in ``coded``."""
    inflater = zlib.decompressobj(window_bits)
    while not inflater.eof:
        packed = coded.ahead()
        try:
            decoded = inflater.decompress(packed, PIECE_BYTES)
        except zlib.error as error:
            raise Damaged(f"the compressed body is broken ({error})") from error
        coded.take(len(packed) - len(inflater.unconsumed_tail) - len(inflater.unused_data))
        if decoded:
            yield decoded
        elif not packed and not inflater.eof:
            raise Refused(Reason.TRUNCATED, "the compressed body ends early")


def _arrow_decode(coded: _Coded, coding: str) -> Iterator[bytes]:
    try:
        with pa.CompressedInputStream(pa.PythonFile(coded, "r"), ARROW_CODECS[coding]) as stream:
            while piece := stream.read(PIECE_BYTES):
                yield piece
    except (OSError, pa.ArrowException) as error:
        cut = "truncated" in str(error).lower()
        detail = f"the {coding} body {'ends early' if cut else f'is broken ({error})'}"
        raise Refused(Reason.TRUNCATED if cut else Reason.DAMAGED_RECORD, detail) from error
