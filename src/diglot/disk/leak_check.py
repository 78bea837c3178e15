"""Leak check: search files of any format for addresses and texts that should be gone."""

from __future__ import annotations

import base64
import contextlib
import io
import json
import re
import zipfile
import zlib
from codecs import getincrementaldecoder
from collections.abc import Iterable, Iterator
from functools import partial
from html import unescape
from itertools import chain
from pathlib import Path
from typing import IO

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from diglot.disk.safe_read import is_utf16
from diglot.errors import RunFolderError, describe_error

MIN_TEXT_BYTES = 8
"""Shorter texts, counted without punctuation and blanks, are too common to search for."""
MAX_TEXT_BYTES = 200
"""Only this beginning of a longer text is searched for."""
PIECE_BYTES = 1 << 18
"""Bytes searched at a time, whatever they were packed in: a file of a stranger may be packed to exhaust memory."""
_OVERLAP_CHARS = 1 << 13
"""Overlap of two pieces: longer than any searched address or text, including markup between its words."""
_BATCH_ROWS = 1_000
_TAG = re.compile(r"</?[A-Za-z][^<>]{0,2000}>|<!--(?:(?!<!--).){0,2000}?-->", re.DOTALL)
_NO_WORD = re.compile(r"[\W_]+")
_PACKED = re.compile(rb"[A-Za-z0-9+/]{200,}+={0,2}")
"""A block of base 64, as reports pack their data."""


def address_pattern(addresses: Iterable[str], hosts: Iterable[str] = ()) -> re.Pattern[str]:
    """Pattern for any of the addresses, with or without scheme and fragment, and for any of the hosts."""
    pages = "|".join(sorted(re.escape(each.rpartition("://")[2]) for each in addresses))
    names = "|".join(sorted(map(re.escape, hosts)))
    ends = [rf"(?:{pages})(?![\w%/?=&;~+@-]|\.\w)"] if pages else []
    ends += [rf"(?:{names})(?![\w-]|\.\w|:\d)"] if names else []
    return re.compile(rf"(?<![\w.-])(?:{'|'.join(ends)})" if ends else r"(?!)")


class Texts:
    """Set of texts to search for, whatever markup, punctuation and blanks separate their words."""

    def __init__(self, texts: Iterable[str]) -> None:
        squeezed = {_cut(_squeeze(text)) for text in texts}
        self._of_head: dict[int, list[bytes]] = {}
        for text in sorted(squeezed):
            if len(text) >= MIN_TEXT_BYTES:
                self._of_head.setdefault(int.from_bytes(text[:8], "little"), []).append(text)
        self._heads = np.array(sorted(self._of_head), np.uint64)

    def found_in(self, text: str) -> set[bytes]:
        """Searched texts present in ``text``, as letters and digits alone."""
        data = _squeeze(text)
        if len(data) < MIN_TEXT_BYTES or not len(self._heads):
            return set()
        # All windows of eight bytes as integers, matched at once with the first eight bytes of each searched text.
        signs = np.frombuffer(data, np.uint8).astype(np.uint64)
        count = len(signs) - 7
        windows = np.zeros(count, np.uint64)
        for place in range(8):
            windows |= signs[place : place + count] << np.uint64(8 * place)
        nearest = np.minimum(np.searchsorted(self._heads, windows), len(self._heads) - 1)
        starts = np.flatnonzero(self._heads[nearest] == windows).tolist()
        return {each for start in starts for each in self._of_head[int(windows[start])] if data.startswith(each, start)}

    def without(self, others: Iterable[str]) -> Texts:
        """Searched texts absent from all others."""
        found = {text for other in others for text in self.found_in(other)}
        return Texts(text for text in self.squeezed_texts() if text.encode() not in found)

    def squeezed_texts(self) -> list[str]:
        """Searched parts of all texts, as letters and digits alone."""
        return [text.decode("utf-8", "ignore") for texts in self._of_head.values() for text in texts]


def _squeeze(text: str) -> bytes:
    """Letters and digits of a text, without markup and entities."""
    return _NO_WORD.sub("", unescape(_TAG.sub("", text))).encode("utf-8", "ignore")


def _cut(text: bytes) -> bytes:
    """First :data:`MAX_TEXT_BYTES` of a text, cut between characters."""
    return text[:MAX_TEXT_BYTES].decode("utf-8", "ignore").encode()


def file_leaks(path: Path, pattern: re.Pattern[str], texts: Texts) -> bool:
    """Whether a file contains an address of the pattern (:func:`address_pattern`) or one of the texts.

    Gzip files (among them WARC), ZIP files (workbooks), Parquet files and packed data of reports are unpacked; other
    files are read as bytes. Raises: RunFolderError where the file cannot be read.
    """
    try:
        return _any_leak(_texts_of(path), pattern, texts)
    except OSError as error:
        raise RunFolderError(
            f"{path}: cannot be read ({describe_error(error)}); look for yourself what it holds"
        ) from error


def data_leaks(data: bytes, pattern: re.Pattern[str], texts: Texts) -> bool:
    """:func:`file_leaks` for bytes in memory."""
    return _any_leak(_plain_texts(io.BytesIO(data)), pattern, texts)


def _any_leak(pieces: Iterable[str], pattern: re.Pattern[str], texts: Texts) -> bool:
    return any(pattern.search(text) or pattern.search(unescape(text)) or texts.found_in(text) for text in pieces)


def _texts_of(path: Path) -> Iterator[str]:
    if path.suffix.lower() in (".html", ".htm"):
        yield from _page_texts(path)
        return
    with path.open("rb") as file:
        head = file.read(4)
        file.seek(0)
        if head == b"PAR1":
            yield from _parquet_texts(file)
        elif head == b"PK\x03\x04":
            yield from _zip_texts(file)
        elif head[:2] == b"\x1f\x8b":
            yield from _gzip_texts(file)
        else:
            yield from _plain_texts(file)


def _parquet_texts(file: IO[bytes]) -> Iterator[str]:
    try:
        for batch in pq.ParquetFile(file).iter_batches(batch_size=_BATCH_ROWS):
            yield json.dumps(batch.to_pylist(), ensure_ascii=False, default=str)
    except pa.ArrowException:
        file.seek(0)
        yield from _plain_texts(file)


def _zip_texts(file: IO[bytes]) -> Iterator[str]:
    try:
        with zipfile.ZipFile(file) as members:
            for name in members.namelist():
                with members.open(name) as member:
                    yield from _plain_texts(member)
    except (zipfile.BadZipFile, RuntimeError, NotImplementedError, zlib.error):
        file.seek(0)
        yield from _plain_texts(file)


def _gzip_texts(file: IO[bytes]) -> Iterator[str]:
    """Unpacked text; of a damaged file the part up to the damage, then the raw bytes."""
    damaged: list[zlib.error] = []
    yield from _texts_in(_unpack(file, damaged))
    if damaged:
        file.seek(0)
        yield from _plain_texts(file)


def _unpack(file: IO[bytes], damaged: list[zlib.error]) -> Iterator[bytes]:
    """Contents of all gzip members in turn, up to the first damage."""
    member = zlib.decompressobj(wbits=31)
    while packed := file.read(PIECE_BYTES):
        while packed:
            try:
                yield member.decompress(packed, PIECE_BYTES)
            except zlib.error as error:
                damaged.append(error)
                return
            packed = member.unused_data if member.eof else member.unconsumed_tail
            if member.eof:
                member = zlib.decompressobj(wbits=31)


def _plain_texts(file: IO[bytes]) -> Iterator[str]:
    return _texts_in(iter(partial(file.read, PIECE_BYTES), b""))


def _texts_in(pieces: Iterable[bytes]) -> Iterator[str]:
    """Overlapping pieces of text: as UTF-16 after its mark, else as UTF-8 and, where that fails, as Latin-1 as well."""
    pieces = iter(pieces)
    first = next(pieces, b"")
    before, decoder = "", getincrementaldecoder("utf-16" if is_utf16(first) else "utf-8")("replace")
    for piece in chain([first], pieces):
        text = decoder.decode(piece)
        if "\ufffd" in text:
            yield piece.decode("latin-1")
        text = before + text
        yield text
        before = text[-_OVERLAP_CHARS:]


def _page_texts(path: Path) -> Iterator[str]:
    """Text of an HTML file and of its packed data."""
    data = path.read_bytes()
    yield from _plain_texts(io.BytesIO(data))
    for block in _PACKED.finditer(data):
        yield from _texts_in(_inflate(block[0]))


def _inflate(block: bytes) -> Iterator[bytes]:
    """The content of a block of packed data, piece by piece; nothing for any other text."""
    with contextlib.suppress(ValueError, zlib.error):
        packed, inflater = base64.b64decode(block), zlib.decompressobj()
        while packed and not inflater.eof:
            yield inflater.decompress(packed, PIECE_BYTES)
            packed = inflater.unconsumed_tail
