"""Archives made of real pages in every layout, and ways to damage them."""

from __future__ import annotations

import gzip
import random
import struct
import zlib
from collections.abc import Callable, Sequence
from typing import NamedTuple

import pyarrow as pa
from made_warcs import DATE, http, member, record, sha1

from attack.real_pages import real_pages
from diglot.records import Page

LAYOUTS = ("members", "members", "members", "one member", "plain", "chunked", "coded", "warc 0.18", "warc 1.1", "arc")


class Archive(NamedTuple):
    """Bytes of a file; ``intact``: bodies that must be read, ``proven``: whether no other body may be."""

    content: bytes
    intact: frozenset[bytes] = frozenset()
    proven: bool = False


def _block(page: Page, layout: str, draw: random.Random) -> bytes:
    if layout == "chunked":
        body, fields = b"", {"Transfer-Encoding": "chunked", "Content-Length": ""}
        for start in range(0, len(page.body), 4096):
            piece = page.body[start : start + 4096]
            body += b"%x\r\n%b\r\n" % (len(piece), piece)
        return http(body + b"0\r\n\r\n", fields=fields)
    if layout == "coded":
        coding = draw.choice(("gzip", "deflate", "br", "zstd", "gzip, gzip", "compress", "x-gzip, br"))
        body = page.body
        for name in coding.split(", "):
            body = _coded(body, name)
        return http(body, fields={"Content-Encoding": coding})
    return http(page.body)


def _coded(body: bytes, coding: str) -> bytes:
    if coding in ("br", "zstd"):
        return bytes(pa.compress(body, {"br": "brotli", "zstd": "zstd"}[coding], asbytes=True))
    return zlib.compress(body) if coding == "deflate" else gzip.compress(body, 1, mtime=0)


def records_of(pages: Sequence[Page], layout: str, draw: random.Random) -> list[bytes]:
    """A record a page, as it stands in a file of this layout before it is packed."""
    found = []
    for page in pages:
        block = _block(page, layout, draw)
        if layout == "arc":
            date = DATE.translate({ord(char): None for char in "-:TZ"})
            found.append(f"{page.url} 1.2.3.4 {date} text/html {len(block)}\n".encode() + block + b"\n")
            continue
        fields = {"WARC-Block-Digest": sha1(block)} if draw.random() < 0.5 else {}
        made = record(block, url=page.url, fields=fields)
        version = {"warc 0.18": b"WARC/0.18", "warc 1.1": b"WARC/1.1"}.get(layout, b"WARC/1.0")
        found.append(made.replace(b"WARC/1.0", version, 1))
    return found


LIES = (
    b"-1", b"-99999999999", b"0", b"99999999999999999999", b"4294967296", b"18446744073709551616", b"1e9", b"0x10",
    b" 7", b"+7", b"7, 8", b"", b"\xd9\xa1", b"1" * 10_000, b"NaN", b"107374182400",
)  # fmt: skip
HEADS = (
    b"WARC-Type: response", b"WARC-Type: revisit", b"WARC-Type: conversion", b"WARC-Truncated: length",
    b"WARC-Segment-Number: 2", b"WARC-Target-URI: \x00", b"WARC-Target-URI: javascript:x", b"WARC-Date: 99999-99-99",
    b"WARC-Date: 0001-01-01T00:00:00+23:59", b"Content-Encoding: gzip", b"Content-Encoding: br, zstd, gzip, gzip",
    b"Transfer-Encoding: chunked", b"Content-Type: text/html; charset=" + b"x" * 9_000, b" folded", b":", b"\xff: \xff",
    b"WARC-Block-Digest: sha1:AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA", b"WARC-Payload-Digest: sha512:00",
    b"X: " + b"y" * 400_000,     b"\n".join(b"X-%d: y" % n for n in range(30_000)),
)  # fmt: skip


def edit_length(draw: random.Random, parts: list[bytes]) -> None:
    place = draw.randrange(len(parts))
    head, name, rest = (
        parts[place].rpartition(b"Content-Length: ")
        if draw.random() < 0.5
        else parts[place].partition(b"Content-Length: ")
    )
    if name:
        parts[place] = head + name + draw.choice(LIES) + rest[len(rest.split(b"\r", 1)[0]) :]


def edit_size_a_little(draw: random.Random, parts: list[bytes]) -> None:
    place = draw.randrange(len(parts))
    head, name, rest = parts[place].partition(b"Content-Length: ")
    stated, _, _ = rest.partition(b"\r")
    if stated.isdigit():
        parts[place] = (
            head + name + b"%d" % (int(stated) + draw.choice((-4, -2, -1, 1, 2, 4, 100))) + rest[len(stated) :]
        )


def add_field(draw: random.Random, parts: list[bytes]) -> None:
    place = draw.randrange(len(parts))
    lines = parts[place].split(b"\r\n", 12)
    lines.insert(draw.randrange(1, len(lines)), draw.choice(HEADS))
    parts[place] = b"\r\n".join(lines)


def chunk_lie(draw: random.Random, parts: list[bytes]) -> None:
    place = draw.randrange(len(parts))
    size = draw.choice((b"-1", b"ffffffffffffffff", b"FFFFFFF", b"0", b"1;" + b"x" * 70_000, b"fffffffffffffff", b"\r"))
    parts[place] = parts[place].replace(b"\r\n1000\r\n", b"\r\n" + size + b"\r\n", 1)


def cut_record(draw: random.Random, parts: list[bytes]) -> None:
    place = draw.randrange(len(parts))
    parts[place] = parts[place][: draw.randrange(len(parts[place]))]


def swallow(draw: random.Random, parts: list[bytes]) -> None:
    """A record that holds other records."""
    place = draw.randrange(len(parts))
    parts[place] = record(http(b"".join(parts)), url="http://a.example/swallowed")


def drop_separators(draw: random.Random, parts: list[bytes]) -> None:
    parts[:] = [part.rstrip(b"\r\n") for part in parts]


EDITS: tuple[Callable[[random.Random, list[bytes]], None], ...] = (
    edit_length, edit_size_a_little, add_field, chunk_lie, cut_record, swallow, drop_separators,
)  # fmt: skip


def flip(draw: random.Random, content: bytes) -> bytes:
    spoilt = bytearray(content)
    for _flip in range(1 + int(draw.expovariate(0.3))):
        spoilt[draw.randrange(len(spoilt))] ^= 1 << draw.randrange(8)
    return bytes(spoilt)


def truncate(draw: random.Random, content: bytes) -> bytes:
    return content[: draw.randrange(1, len(content))]


def splice(draw: random.Random, content: bytes) -> bytes:
    start, end, place = (draw.randrange(len(content)) for _place in range(3))
    return content[:place] + content[min(start, end) : max(start, end)] + content[place:]


def take_out(draw: random.Random, content: bytes) -> bytes:
    start = draw.randrange(len(content))
    return content[:start] + content[start + 1 + int(draw.expovariate(0.001)) :]


def blank(draw: random.Random, content: bytes) -> bytes:
    start, size = draw.randrange(len(content)), 1 + int(draw.expovariate(0.001))
    return content[:start] + draw.choice((bytes(size), draw.randbytes(size), b"\n" * size)) + content[start + size :]


def insert_heads(draw: random.Random, content: bytes) -> bytes:
    """Beginnings of members and records that are none, by the thousand."""
    unit = draw.choice(
        (b"\x1f\x8b\x08\x08ab", b"\x1f\x8b\x08\x04\xff\xff", b"\nWARC/1.0\nx", b"WARC/1.0\r\n", b"\r\n\r\n")
    )
    place = draw.randrange(len(content))
    return content[:place] + unit * draw.randint(1, 20_000) + content[place:]


def overlap(draw: random.Random, content: bytes) -> bytes:
    """Gzip members 25 bytes apart, each of which inflates to the whole rest of the file.

    A stored block is as long as to end where that of another member begins.
    """
    begin, stored = b"WARC/1.0\r\n", b"\0" + struct.pack("<HH", 65_520, 65_535 - 65_520)
    return content + (b"\x1f\x8b\x08\0\0\0\0\0\0\xff" + stored + begin) * int(100 * 600 ** draw.random())


DAMAGES: tuple[Callable[[random.Random, bytes], bytes], ...] = (
    flip, flip, truncate, splice, take_out, blank, insert_heads, overlap,
)  # fmt: skip


def damaged_archive(number: int, seed: int) -> tuple[Archive, str]:
    """The archive of a round, and what was done to it."""
    draw = random.Random(f"{seed} {number}")
    layout = draw.choice(LAYOUTS)
    pages = draw.sample(real_pages(), draw.randint(3, 12))
    parts = records_of(pages, layout, draw)
    how = [layout]
    if edited := draw.random() < 0.5:
        for edit in draw.choices(EDITS, k=draw.randint(1, 3)):
            edit(draw, parts)
            how.append(edit.__name__)
    if layout == "one member":
        packed = [member(b"".join(parts))]
    else:
        plain = layout == "plain" or draw.random() < 0.2
        packed = parts if plain else [member(part) for part in parts]
        how += ["plain"] * plain
    content = b"".join(packed)
    damage = None if edited and draw.random() < 0.5 else draw.choice(DAMAGES)
    spoilt = damage(draw, content) if damage else content
    how += [damage.__name__] if damage else []
    if edited or layout != "members" or "plain" in how:
        return Archive(spoilt), "+".join(how)
    intact, place = set(), 0
    for page, part in zip(pages, packed, strict=True):
        if damage in (flip, overlap) and spoilt[place : place + len(part)] == part:
            intact.add(page.body)
        place += len(part)
    return Archive(spoilt, frozenset(intact), proven=True), "+".join(how)
