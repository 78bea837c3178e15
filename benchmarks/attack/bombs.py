"""Bombs of up to 100 GiB, each opened in a fork of this process: archives, HTTP, sitemaps, robots.txt, pages, files."""

from __future__ import annotations

import ctypes
import gc
import gzip
import os
import tempfile
import time
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import cache, partial
from pathlib import Path
from typing import NamedTuple

import pyarrow as pa
from fetching import fetch
from hostile_server import HostileServer
from hostile_sitemaps import hostile_sitemaps
from made_warcs import http, record

from attack.file_bombs import Bomb, file_bombs
from attack.tally import Tally
from diglot.crawl.queue.sitemaps import read_sitemap
from diglot.crawl.rules import ROBOTS_MAX_BYTES, read_robots
from diglot.documents.parse import pages_table, parse_table
from diglot.pages import MAX_PAGE_BYTES, open_sources, read
from diglot.pages.http_response import coding_names, decoded_pieces
from diglot.records import Page, Refused

MAX_S, MAX_MIB = 30.0, 1024
LIMITS = f"{MAX_S:g} s or {MAX_MIB} MiB"
GIB, PIECE = 1 << 30, 1 << 24
ARROW = {"br": "brotli", "zstd": "zstd"}
WATCH_S = 0.005


@cache
def packed(codings: str, size: int) -> bytes:
    """``size`` zeros under codings one after the other, never made whole: a packed piece is repeated."""
    first, *more = codings.split(", ")
    body = _repeated(first, size)
    for coding in more:
        body = gzip.compress(body, 1) if coding == "gzip" else bytes(pa.compress(body, ARROW[coding], asbytes=True))
    return body


def _repeated(coding: str, size: int) -> bytes:
    """Zeros packed: what follows a flush is the same each time once the window is full."""
    count, zeros = size // PIECE, bytes(PIECE)
    if coding in ARROW:
        sink = pa.BufferOutputStream()
        ends = []
        with pa.CompressedOutputStream(sink, ARROW[coding]) as stream:
            for _ in range(3):
                stream.write(zeros)
                stream.flush()
                ends.append(sink.tell())
        whole = bytes(sink.getvalue())
        return whole[: ends[1]] + whole[ends[1] : ends[2]] * (count - 2) + whole[ends[2] :]
    packer = zlib.compressobj(9, wbits=31 if coding == "gzip" else 15)
    head = packer.compress(zeros) + packer.flush(zlib.Z_FULL_FLUSH)
    piece = packer.compress(zeros) + packer.flush(zlib.Z_FULL_FLUSH)
    return head + piece * (count - 1)


def _read_archive(path: Path) -> None:
    for _item in read(open_sources([str(path)])[0]):
        pass


def _coded_record(codings: str, size: int) -> bytes:
    return gzip.compress(record(http(packed(codings, size), fields={"Content-Encoding": codings})), 1)


def _endless_member(length: str, head: bytes = b"") -> bytes:
    """A gzip member of one record of 100 GiB, and a page behind it."""
    start = record(http(b"") + head, url="http://a.example/bomb", fields={"Content-Length": length}).rstrip(b"\r\n")
    packer = zlib.compressobj(1, wbits=31)
    begin = packer.compress(start) + packer.flush(zlib.Z_FULL_FLUSH)
    packer.compress(bytes(PIECE)) + packer.flush(zlib.Z_FULL_FLUSH)
    piece = packer.compress(bytes(PIECE)) + packer.flush(zlib.Z_FULL_FLUSH)
    return begin + piece * (100 * GIB // PIECE) + gzip.compress(record(http(b"<p>page")))


def _open_robots(coding: str, path: Path) -> None:
    start = bytearray()
    with suppress(Refused):
        for piece in decoded_pieces(path.read_bytes(), coding_names(coding), max_bytes=ROBOTS_MAX_BYTES):
            start += piece
    read_robots(bytes(start))


def _open_sitemap(coding: str, path: Path) -> None:
    read_sitemap(path.read_bytes(), url="https://a.example/s.xml", content_encoding=coding)


def _parse(path: Path) -> None:
    parse_table(pages_table([Page("http://a.example/", path.read_bytes(), "text/html; charset=utf-8")]))


def _fetch(name: str, path: Path) -> None:
    """Fetch from a server on loopback in a process of its own; what the file holds is the body where it is a bomb."""
    limits = {"connect_s": 5.0, "first_byte_s": 5.0, "total_s": 10.0}
    body = path.read_bytes()
    with HostileServer({f"/{name}": body} if body else None) as server:
        fetch([server.url(f"/{name}")], allow=[f"127.0.0.1:{server.port}"], limits=limits, timeout_s=60)


ENDLESS = ("endless_body", "endless_chunks", "endless_head", "endless_line", "endless_information", "huge_length")
HTML = {
    "paragraphs": (b"", b"<p>x"), "links": (b"", b"<a href=/a hreflang=fr class=b>x</a>"), "rt": (b"", b"<rt>"),
    "options": (b"<select size=5>", b"<option selected>x"), "attributes": (b"<p", b" a=b c=d e='f'"),
    "entities": (b"", b"&CounterClockwiseContourIntegral;"), "cells": (b"<table>", b"<td colspan=9999>1"),
    "combining marks": (b"<p>a", "\u0301".encode()), "one word": (b"<p>", b"x"), "comments": (b"", b"<!---->"),
    "pictures": (b"", b"<img src=x alt=y>"), "anchors": (b"", b"<h2 id=x>a<a href=#x>#</a></h2>"),
    "sentences": (b"<p>", b"A. "), "forms": (b"<template>", b"<form>"), "depth": (b"<span>" * 9_990, b"<p>x</p>"),
}  # fmt: skip
"""What a page begins with and what fills it."""


@cache
def all_bombs() -> dict[str, Bomb]:
    """Every bomb by its name."""
    bombs: dict[str, Bomb] = {}
    for coding in ("gzip", "deflate", "br", "zstd"):
        for size in (GIB, 100 * GIB):
            name, make = f"{coding} of {size // GIB} GiB", partial(packed, coding, size)
            bombs[f"{name} in an archive"] = Bomb(_read_archive, partial(_coded_record, coding, size))
            bombs[f"{name} as a sitemap"] = Bomb(partial(_open_sitemap, coding), make)
            bombs[f"{name} as robots.txt"] = Bomb(partial(_open_robots, coding), make)
        bombs[f"{name} over HTTP"] = Bomb(partial(_fetch, f"bomb.{coding}"), make)
    for codings in ("gzip, gzip", "deflate, gzip", "gzip, br", "br, gzip", "zstd, zstd", "gzip, gzip, gzip"):
        bombs[f"{codings} of 100 GiB in an archive"] = Bomb(_read_archive, partial(_coded_record, codings, 100 * GIB))
    for length in (str(100 * GIB), "99999999999999999999", "10"):
        bombs[f"member of 100 GiB that says {length}"] = Bomb(_read_archive, partial(_endless_member, length))
    bombs["member of 100 GiB of one head"] = Bomb(_read_archive, partial(_endless_member, "10", b"X: "))
    stated = partial(record, http(b""), fields={"Content-Length": str(100 * GIB)})
    bombs["sparse file of 4 GiB that says 100"] = Bomb(_read_archive, stated, 4 * GIB)
    for path in ENDLESS:
        bombs[f"{path.replace('_', ' ')} over HTTP"] = Bomb(partial(_fetch, path))
    for name, body in hostile_sitemaps("/nowhere", "http://127.0.0.1:9/").items():
        if not any(word in name for word in (", file", ", http", "no bytes", "HTML", "cut", "unknown", "binary")):
            bombs[f"sitemap: {name}"] = Bomb(partial(_open_sitemap, ""), partial(bytes, body))
    for name, (start, unit) in HTML.items():
        bombs[f"page of 10 MiB: {name}"] = Bomb(_parse, partial(_filled, start, unit))
    return bombs | file_bombs()


def _filled(start: bytes, unit: bytes) -> bytes:
    return start + unit * ((MAX_PAGE_BYTES - len(start)) // len(unit))


ROUNDS, BLOCK = 145, 4
"""A round for each bomb; a test counts them, since making some takes seconds."""


@contextmanager
def opened(_seed: int, _corpus: Path | None) -> Iterator[Callable[[range], Tally]]:
    """Give the function that runs rounds."""
    parse_table(pages_table([Page("http://a.example/", b"<p>what reading loads is loaded here")]))
    bombs = list(all_bombs().items())

    def run(rounds: range) -> Tally:
        tally = Tally(rounds=len(rounds))
        for number in rounds:
            name, bomb = bombs[number % len(bombs)]
            with tempfile.TemporaryDirectory() as folder:
                path = Path(folder) / "bomb.warc"
                _forked(lambda bomb=bomb, path=path: _make(bomb, path))
                _count(tally, f"{number} {name}", _forked(lambda bomb=bomb, path=path: bomb.open(path)))
        return tally

    yield run


def _make(bomb: Bomb, path: Path) -> None:
    path.write_bytes(bomb.make())
    if bomb.sparse_bytes:
        os.truncate(path, bomb.sparse_bytes)


class Opened(NamedTuple):
    """What a fork took: CPU seconds with its children, peak of its own memory (not of files), and how it failed."""

    cpu_s: float
    mib: float
    error: str


def _count(tally: Tally, name: str, opened: Opened) -> None:
    tally.cpu_s += opened.cpu_s
    tally.slowest_s, tally.peak_mib = max(tally.slowest_s, opened.cpu_s), max(tally.peak_mib, opened.mib)
    if opened.error:
        tally.fail("crashes", f"{name}: {opened.error}")
    elif opened.cpu_s > MAX_S or opened.mib > MAX_MIB:
        tally.fail("over", f"{name}: {opened.cpu_s:.1f} s, {opened.mib:.0f} MiB")


def _forked(work: Callable[[], None]) -> Opened:
    """Work in a fork of this process, whose memory is looked at all the while."""
    gc.collect()
    ctypes.CDLL(None).malloc_trim(0)
    read_end, write_end = os.pipe()
    child = os.fork()
    if not child:
        _be_child(work, write_end)
    os.close(write_end)
    peak = 0.0
    while not (ended := os.wait4(child, os.WNOHANG))[0]:
        peak = max(peak, _own_mib(child))
        time.sleep(WATCH_S)
    with os.fdopen(read_end) as told:
        error = told.read() if os.WIFEXITED(ended[1]) else f"killed by signal {os.WTERMSIG(ended[1])}"
    used = ended[2]
    return Opened(used.ru_utime + used.ru_stime, peak, error)


def _own_mib(pid: int) -> float:
    """Resident memory of a process that is no file's."""
    with suppress(OSError, ProcessLookupError):
        for line in Path(f"/proc/{pid}/status").read_text().splitlines():
            if line.startswith("RssAnon:"):
                return int(line.split()[1]) / 1024
    return 0.0


def _be_child(work: Callable[[], None], tell: int) -> None:
    """Body of the fork; never returns."""
    try:
        work()
    except BaseException as raised:  # noqa: BLE001  a crash is what is looked for
        os.write(tell, repr(raised)[:500].encode())
    os._exit(0)
