"""Bombs in files that a stranger sends: memories, term bases, workbooks, ZIP files of pages, dictionaries of zstd."""

from __future__ import annotations

import io
import os
import tempfile
import zipfile
import zlib
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import NamedTuple

from made_containers import frame, passed_over, zstd
from made_warcs import http, record

from diglot.corpus.formats.check import check_tmx
from diglot.corpus.formats.tmx import read_tmx
from diglot.errors import DiglotError
from diglot.pages import open_sources, read
from diglot.records import Page
from diglot.review.sheets import read_verdicts
from diglot.workbench.uploads import unpack_pages

MIB = 1 << 20
PIECE_BYTES = 1 << 20
LARGE = 256 * MIB
"""Bytes of an XML file before it is packed, of one tag or text; a quarter of it for many elements."""
HUGE_RECORD = (2 << 30) + 5


class Bomb(NamedTuple):
    """What is opened, given the file that was made before in another fork; ``sparse_bytes``: length it is given."""

    open: Callable[[Path], None]
    make: Callable[[], bytes] = bytes
    sparse_bytes: int = 0


def file_bombs() -> dict[str, Bomb]:
    """Every bomb in a file by its name."""
    bombs = {}
    for name, (start, unit, end) in XML.items():
        memory = partial(_text, b'<tmx version="1.4"><header/><body>' + start, unit, end)
        bombs[f"TMX to check: {name}"] = Bomb(_check, memory)
        if len(unit) > 1:  # a reader gives each text whole
            bombs[f"TMX to read: {name}"] = Bomb(_read_memory, memory)
        bombs[f"workbook: {name}"] = Bomb(_judge, partial(_workbook, b"<worksheet>" + start, unit, end))
    for name, doctype in DOCTYPES.items():
        base = doctype + b'<tbx type="TBX-Basic">&e;</tbx>'
        bombs[f"TBX, {name}"] = Bomb(_check, partial(bytes, base))
        bombs[f"workbook, {name}"] = Bomb(_judge, partial(_workbook, base, b"", b""))
    bombs["TBX of 64 MiB"] = Bomb(_check, partial(_text, b"<tbx><text><body>", b"<conceptEntry id='c'/>", b""))
    for name, (cell, count, shared) in CELLS.items():
        rows = (HEAD + b"<row>%s</row>" % cell, b"<row>%s</row>" % cell, b"</worksheet>")
        bombs[f"workbook: {name}"] = Bomb(_judge, partial(_workbook, *rows, count=count, shared=shared))
    bombs["workbook of 100,000 sheets"] = Bomb(
        _judge, partial(_many_files, "xl/worksheets/sheet%d.xml", b"<worksheet><row/></worksheet>", 100_000)
    )
    bombs["workbook of sheets over each other"] = Bomb(_judge, partial(_overlapping, "xl/worksheets/sheet%d.xml"))
    bombs["ZIP of pages over each other"] = Bomb(_unpack, partial(_overlapping, "page%d.html"))
    bombs["ZIP of pages that lie about their size"] = Bomb(_unpack, _lying_zip)
    bombs["ZIP of 300,000 pages"] = Bomb(_unpack, partial(_many_files, "%d.html", b"x", 300_000))
    archive = frame(record(http(b"<p>page")))
    for name, dictionary in DICTIONARIES.items():
        bombs[f"zstd dictionary: {name}"] = Bomb(
            _read_archive, lambda dictionary=dictionary: passed_over(dictionary()) + archive
        )
    bombs["record of 2 GiB, a page behind it"] = Bomb(_read_behind, _huge_head, HUGE_RECORD)
    return bombs


XML = {
    "one attribute": (b"<tu x='", b"x", b"'/>"),
    "one comment": (b"<!--", b"x", b"-->"),
    "one name": (b"<", b"x", b"/>"),
    "one instruction": (b"<?x ", b"x", b"?>"),
    "one section of text": (b"<tu><tuv><seg><![CDATA[", b"x", b"]]></seg></tuv></tu>"),
    "one text": (b"<tu><tuv xml:lang='en'><seg>", b"x", b"</seg></tuv></tu>"),
    "attributes": (b"<tu ", b"a%d='' ", b"/>"),
    "namespaces": (b"<tu ", b"xmlns:a%d='b' ", b"/>"),
    "names": (b"", b"<a%d/>", b""),
    "depth": (b"", b"<hi>", b""),
    "depth of prefixes": (b"", b"<a xmlns='b%d'>", b""),
    "empty elements": (b"", b"<tu/>", b""),
    "tuv in one tu": (b"<tu>", b"<tuv xml:lang='en'><seg>a</seg></tuv>", b"</tu>"),
    "codes in one text": (b"<tu><tuv xml:lang='en'><seg>", b"<ph/>", b"</seg></tuv></tu>"),
    "character references": (b"<tu><tuv><seg>", b"&#65;", b"</seg></tuv></tu>"),
}
"""Beginning, what fills the file, and end."""
_LAUGHS = b"".join(b'<!ENTITY e%d "%s">' % (n, b"&e%d;" % (n - 1) * 10) for n in range(1, 12))
DOCTYPES = {
    "billion laughs": b'<!DOCTYPE tbx [<!ENTITY e0 "lol">' + _LAUGHS + b'<!ENTITY e "&e11;">]>',
    "quadratic blow-up": b'<!DOCTYPE tbx [<!ENTITY e "' + b"x" * (8 * MIB) + b'">]>',
    "a file of the system": b'<!DOCTYPE tbx [<!ENTITY e SYSTEM "file:///dev/zero">]>',
    "an address": b'<!DOCTYPE tbx SYSTEM "http://127.0.0.1:9/x.dtd" [<!ENTITY % p SYSTEM "http://127.0.0.1:9/p"> %p;]>',
    "laughs in attributes": b'<!DOCTYPE tbx [<!ATTLIST tbx a CDATA "' + b"x" * MIB + b'"><!ENTITY e "x">]>',
}
HEAD = b"<worksheet><dimension ref='A1:XFD1048576'/>" + b"".join(
    b"<row>%s</row>" % b"".join(b"<c t='str'><v>%s</v></c>" % name for name in names)
    for names in [(b"id", b"verdict", b"corrected_src")]
)
_SHARED = b"<sst><si><t> " + b"x" * (MIB - 2) + b"</t></si></sst>"
_TAKEN = b"<c t='str'><v>a</v></c><c t='str'><v>p</v></c>"
CELLS = {
    "a million rows of empty cells": (b"<c r='XFD1048576'/>", 1_048_576, b""),
    "the last cell of a million rows": (b"<c r='XFD1048576'><v>1</v></c>", 1_048_576, b""),
    "a million rows": (_TAKEN, 1_048_576, b""),
    "20,000 cells that share a text of a MiB": (_TAKEN + b"<c t='s'><v>0</v></c>", 20_000, _SHARED),
    "20,000 rows of 200 cells that share a text of a MiB": (b"<c t='s'><v>0</v></c>" * 200, 20_000, _SHARED),
    "a million texts that are shared": (_TAKEN, 1, b"<sst>" + b"<si><t>abc</t></si>" * 1_048_576 + b"</sst>"),
    "numbers of a MiB": (b"<c t='s'><v>" + b"9" * 4000 + b"</v></c>", 20_000, _SHARED),
}
"""A row, how often it comes, and the shared texts."""


def _no_dictionary() -> bytes:
    return os.urandom(MIB)


def _packed_zeros(size: int) -> bytes:
    compressor = zstd.ZstdCompressor()
    pieces = [compressor.compress(bytes(64 * MIB)) for _ in range(size // (64 * MIB))]
    return b"".join([*pieces, compressor.flush()])


def _wide_window() -> bytes:
    options = {zstd.CompressionParameter.window_log: 30, zstd.CompressionParameter.enable_long_distance_matching: 1}
    compressor = zstd.ZstdCompressor(options=options)
    return compressor.compress(bytes(MIB)) + compressor.flush()


DICTIONARIES: dict[str, Callable[[], bytes]] = {
    "noise": _no_dictionary,
    "its head and noise": lambda: b"\x37\xa4\x30\xec" + _no_dictionary(),
    "2 GiB of zeros, packed": lambda: _packed_zeros(2 << 30),
    "a dictionary in a dictionary in a dictionary": lambda: frame(frame(frame(_no_dictionary()))),
    "a window of a GiB": _wide_window,
    "no bytes": bytes,
}


def _text(start: bytes, unit: bytes, end: bytes, *, count: int = 0) -> bytes:
    size = LARGE if len(unit) == 1 else LARGE // 4
    return start + _filling(unit, count or size // max(1, len(unit))) + end


def _filling(unit: bytes, count: int) -> bytes:
    if b"%d" not in unit:
        return unit * count
    # Attributes and namespaces of one element must differ; a million of them take long enough.
    return b"".join(unit % number for number in range(min(count, 1_000_000)))


def _workbook(start: bytes, unit: bytes, end: bytes, *, count: int = 0, shared: bytes = b"") -> bytes:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as book:
        book.writestr("xl/worksheets/sheet1.xml", _text(start, unit, end, count=count) if unit else start)
        if shared:
            book.writestr("xl/sharedStrings.xml", shared)
    return file.getvalue()


def _many_files(name: str, content: bytes, count: int) -> bytes:
    """A ZIP of ``count`` equal files; ``name``: with ``%d`` for the number."""
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as packed:
        for number in range(count):
            packed.writestr(name % number, content)
    return file.getvalue()


def _overlapping(name: str) -> bytes:
    """A ZIP of 20,000 names for the same 16 MiB of blanks: 300 GiB unpacked (Fifield 2019, in its simplest form)."""
    packer = zlib.compressobj(9, wbits=-15)
    content = b"<worksheet>" + b" " * (16 * MIB) + b"</worksheet>"
    body = packer.compress(content) + packer.flush()
    local = zipfile.ZipInfo(name % 0)
    local.compress_type, local.CRC = zipfile.ZIP_DEFLATED, zlib.crc32(content)
    local.compress_size, local.file_size = len(body), len(content)
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as packed:
        packed.fp.write(local.FileHeader() + body)  # type: ignore[union-attr]
        packed.start_dir = packed.fp.tell()  # type: ignore[union-attr,attr-defined]
        for _ in range(20_000):
            member = zipfile.ZipInfo(name % 0)
            member.header_offset, member.compress_type, member.CRC = 0, local.compress_type, local.CRC
            member.compress_size, member.file_size = local.compress_size, local.file_size
            packed.filelist.append(member)
        packed._didModify = True  # type: ignore[attr-defined]
    return out.getvalue()


def _lying_zip() -> bytes:
    """A ZIP of a page of 1 GiB that says it has ten bytes."""
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as packed:
        packed.writestr("a.html", bytes(1 << 30))
    content, said = bytearray(file.getvalue()), (10).to_bytes(4, "little")
    directory = content.rfind(b"PK\x01\x02")
    content[22:26] = content[directory + 24 : directory + 28] = said
    return bytes(content)


def _huge_head() -> bytes:
    """The head of a record of 2 GiB of zeros; the page behind it is written as it is opened."""
    return (
        record(http(b""), url="http://a.example/huge", fields={"Content-Length": str(HUGE_RECORD)}).rstrip(b"\r\n")
        + b"\r\n\r\n"
    )


def _refused(pieces: Iterable[object]) -> None:
    with suppress(DiglotError):
        for _piece in pieces:
            pass


def _check(path: Path) -> None:
    report = check_tmx(path)
    assert len("".join(report.problems)) < 20_000, "a bomb is told at length"


def _read_memory(path: Path) -> None:
    _refused(read_tmx(path))


def _judge(path: Path) -> None:
    book = path.with_suffix(".xlsx")
    path.rename(book)
    with suppress(DiglotError):
        read_verdicts(book)


def _unpack(path: Path) -> None:
    with tempfile.TemporaryDirectory(dir=path.parent) as folder:
        with suppress(DiglotError):
            unpack_pages(path, Path(folder) / "pages")
        unpacked = sum(each.stat().st_size for each in Path(folder).rglob("*") if each.is_file())
        assert unpacked < LARGE, f"{unpacked:,} bytes unpacked"


def _read_archive(path: Path) -> None:
    _refused(_items(path))


def _items(path: Path) -> Iterator[object]:
    for source in open_sources([str(path)]):
        yield from read(source)


def _read_behind(path: Path) -> None:
    with path.open("r+b") as file:
        head = file.read(1 << 16).rstrip(b"\0")
        file.seek(len(head) + HUGE_RECORD)
        file.write(b"\r\n\r\n" + record(http(b"<p>page"), url="http://a.example/behind"))
    pages = [item.url for item in _items(path) if isinstance(item, Page)]
    assert pages == ["http://a.example/behind"], pages
