"""Undo what HTTP wrapped round a body: chunks and content codings, never past a limit of decoded bytes.

The limit is on what comes out, while it comes out: a gibibyte of zeros is 1,617 bytes of brotli, so
neither the size sent nor a ratio taken beforehand protects anybody.
"""

from __future__ import annotations

import re
import zlib
from collections.abc import Iterator, Sequence

import pyarrow as pa

from diglot.pages.packing import GZIP_MAGIC, GZIP_WINDOW_BITS
from diglot.pages.refusal import Damaged, Refused
from diglot.records import Reason

MAX_CODINGS = 2
"""Codings undone one after the other; no server stacks more, bombs do."""

CODINGS_END = re.compile(r"[,\s]+")
CHUNK_SIZE = re.compile(rb"([0-9a-fA-F]{1,15})[ \t]*(?:;[^\r\n]*)?\r?\n")
CHUNK_END = re.compile(rb"\r?\n")

PIECE_BYTES = 1 << 16
"""Decoded bytes handed on at a time, so that a bomb never stands in memory."""

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
    names = coding_names(codings)
    return b"".join(decoded_pieces(body, names, max_bytes=max_bytes)) if names else body


def coding_names(codings: str) -> list[str]:
    """The codings that a Content-Encoding value names, in the order they were applied, by their plain names."""
    names = [SAME_CODING.get(name, name) for name in CODINGS_END.split(codings.lower())]
    return [name for name in names if name not in ("", "identity")]


def decoded_pieces(body: bytes, names: Sequence[str], *, max_bytes: int) -> Iterator[bytes]:
    """Give a body without the codings ``names`` in pieces of ``PIECE_BYTES`` at most.

    Raises as :func:`decode_content`, after handing out all that was decoded before.
    """
    if len(names) > MAX_CODINGS:
        raise Refused(Reason.UNREADABLE_FILE, f"{len(names)} content codings on one another")
    pieces: Iterator[bytes] = (body[at : at + PIECE_BYTES] for at in range(0, len(body), PIECE_BYTES))
    for name in reversed(names):
        pieces = _limited(_undo(_Coded(pieces), name), max_bytes)
    return _limited(pieces, max_bytes)


class _Coded:
    """Coded bytes that are looked at before they are taken; also what pyarrow reads from."""

    closed = False

    def __init__(self, pieces: Iterator[bytes]) -> None:
        self._pieces = pieces
        self._held = b""

    def ahead(self, size: int = 1) -> bytes:
        """What comes next, at least ``size`` bytes unless that is all."""
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
        """Nothing to close; pyarrow asks."""


def _limited(pieces: Iterator[bytes], max_bytes: int) -> Iterator[bytes]:
    """The same up to a limit. What lies between two codings has one too: it may decode to nothing for ever."""
    left = max_bytes
    for piece in pieces:
        if left:
            yield piece[:left]
        if len(piece) > left:
            raise Refused(Reason.TOO_LARGE, f"more than {max_bytes} bytes once decoded")
        left -= len(piece)


def _undo(coded: _Coded, coding: str) -> Iterator[bytes]:
    first = coded.ahead(len(GZIP_MAGIC))
    if not first or (coding == "gzip" and not first.startswith(GZIP_MAGIC)):
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
    """All members of a gzip body; what follows the last one is no gzip and ignored, as browsers do."""
    while coded.ahead(len(GZIP_MAGIC)).startswith(GZIP_MAGIC):
        yield from _inflate(coded, GZIP_WINDOW_BITS)


def _inflate(coded: _Coded, window_bits: int) -> Iterator[bytes]:
    """One stream of zlib; what follows it stays in ``coded``."""
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
