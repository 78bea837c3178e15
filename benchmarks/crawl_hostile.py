"""Try the crawler's safety at full size on loopback and print a table; exit code 1 where a figure is missed.

    python benchmarks/crawl_hostile.py [--quick]

Hostile addresses by eight ways, names that change their answer, bombs of up to 10 GiB, sitemaps, traps and stalled
connections. ``--quick`` takes a part of each.
"""

from __future__ import annotations

import argparse
import ctypes
import gc
import itertools
import os
import resource
import socket
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import partial
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests" / "crawl"))

from endless_sites import LANGS, REAL_PAGES, SITE, TRAPS, page, walk
from fake_network import FakeNetwork
from fetching import fetch
from hostile_addresses import hostile_urls, lookalike_urls
from hostile_entries import NUMBERED, crawl_hostile_entries
from hostile_server import GIB, HostileServer, bomb
from hostile_sitemaps import hostile_sitemaps
from twisted.internet.protocol import Factory, Protocol

from diglot.crawl.queue.sitemaps import read_sitemap
from diglot.crawl.rules.robots import ROBOTS_MAX_BYTES, read_robots
from diglot.crawl.wire.address_guard import AddressRules, Target, judge_url
from diglot.crawl.wire.guarded_endpoint import AddressRefused, GuardedEndpoint
from diglot.pages.content_coding import decoded_pieces
from diglot.pages.refusal import Refused

MAX_BOMB_S, MAX_BOMB_MIB = 5.0, 64.0
Row = tuple[str, str, bool]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="a part of each, for a look")
    quick = parser.parse_args().quick
    failed = False
    for part in (entries, rebinds, lookalikes, sitemaps, traps, slow_connections, bombs):
        for what, figure, kept in part(quick):
            failed |= not kept
            print(f"{'ok ' if kept else 'NO '} {what:<34} {figure}", flush=True)
    return int(failed)


def entries(quick: bool) -> list[Row]:
    """Every hostile address by start, link, redirect, sitemap, robots, canonical, hreflang and refresh."""
    urls = hostile_urls()[:: 20 if quick else 3]
    with tempfile.TemporaryDirectory() as folder:
        entered = crawl_hostile_entries(urls, Path(folder))
    elsewhere = sum(n for line, n in entered.connects.items() if "127.0.0.1', PORT" not in line)
    offered = all(entered.requests[name] >= len(urls) for name in NUMBERED) and entered.starts_refused == len(urls)
    figure = f"{8 * len(urls):,} cases, {elsewhere} connections or lookups elsewhere, {entered.logged:,} refusals noted"
    return [("hostile addresses, 8 ways in", figure, elsewhere == 0 and offered and entered.unlogged == 0)]


def rebinds(quick: bool) -> list[Row]:
    """Names that are public at one lookup and loopback at the next."""
    times = 100 if quick else 1000
    flips = itertools.cycle(["8.8.8.8", "127.0.0.1", "2001:4860:4860::8888", "::1"])
    network = FakeNetwork(lambda _: [next(flips)])
    refused: list[object] = []
    for _ in range(times):
        done = GuardedEndpoint(network, "rebind.example", 80, AddressRules()).connect(Factory.forProtocol(Protocol))
        done.addErrback(lambda failure: refused.append(failure.trap(AddressRefused)))
    inside = sum(host in ("127.0.0.1", "::1") for host in network.connected)
    return [("rebinding", f"{times:,} times, {inside} connections inside, {len(refused)} refused", inside == 0)]


def lookalikes(_: bool) -> list[Row]:
    """Public addresses that look like others."""
    urls = lookalike_urls()
    refused = [url for url in urls if not isinstance(judge_url(url, AddressRules()), Target)]
    return [("public look-alikes", f"{len(urls)}, {len(refused)} refused", not refused and len(urls) >= 200)]


def bombs(quick: bool) -> Iterator[Row]:
    """Four codings by three sizes, as page, sitemap and robots.txt."""
    for coding in ("gzip", "deflate", "br", "zstd"):
        for size in (GIB // 16,) if quick else (GIB, 4 * GIB, 10 * GIB):
            packed = bomb(coding, size)
            for kind in ("page", "sitemap", "robots.txt"):
                spent_s, grown_mib = _measured(partial(_open_bomb, packed, coding, kind))
                figure = f"{spent_s:5.2f} s, {grown_mib:3.0f} MiB more, {len(packed):,} bytes sent"
                kept = spent_s <= MAX_BOMB_S and grown_mib <= MAX_BOMB_MIB
                yield f"bomb {coding} {size / GIB:g} GiB, {kind}", figure, kept


def _open_bomb(packed: bytes, coding: str, kind: str) -> None:
    if kind == "sitemap":
        read_sitemap(packed, url="https://a.example/s.xml", content_encoding=coding)
        return
    limit = ROBOTS_MAX_BYTES if kind == "robots.txt" else 10 << 20
    start = bytearray()
    with suppress(Refused):
        for piece in decoded_pieces(packed, [coding], max_bytes=limit):
            start += piece
    if kind == "robots.txt":
        read_robots(bytes(start))


def _measured(work: Callable[[], None]) -> tuple[float, float]:
    """Seconds and MiB that work takes in a fork of this process, whose peak starts at what it holds then.

    What the allocator has free is given back first, or the work would use it unseen.
    """
    gc.collect()
    ctypes.CDLL(None).malloc_trim(0)
    read_end, write_end = os.pipe()
    child = os.fork()
    if not child:
        before, began = _peak_mib(), time.perf_counter()
        work()
        os.write(write_end, f"{time.perf_counter() - began} {_peak_mib() - before}".encode())
        os._exit(0)
    os.close(write_end)
    with os.fdopen(read_end) as report:
        spent_s, grown_mib = map(float, report.read().split())
    os.waitpid(child, 0)
    return spent_s, grown_mib


def _peak_mib() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def sitemaps(_: bool) -> list[Row]:
    """Files that want to read files, open connections or never end."""
    with tempfile.NamedTemporaryFile("w") as secret, socket.create_server(("127.0.0.1", 0)) as canary:
        secret.write("SECRET")
        secret.flush()
        canary.setblocking(False)
        slowest, leaks = 0.0, 0
        hostile = hostile_sitemaps(secret.name, f"http://127.0.0.1:{canary.getsockname()[1]}/x")
        for body in hostile.values():
            began = time.process_time()
            leaks += "SECRET" in repr(read_sitemap(body, url="https://a.example/s.xml").entries[:10])
            slowest = max(slowest, time.process_time() - began)
        try:
            canary.accept()
            leaks += 1
        except BlockingIOError:
            pass
    figure = f"{len(hostile)}, {leaks} files read or connections, slowest {slowest:.2f} s of processor time"
    return [("hostile sitemaps", figure, leaks == 0 and slowest <= 1)]


def traps(_: bool) -> list[Row]:
    """Infinite traps beside real pages."""
    walked = walk(page, [f"{SITE}/"])
    real = sum(walked.requests[lang] for lang in LANGS)
    most = max(walked.requests[name] for name in TRAPS)
    figure = f"{real} of {REAL_PAGES} real pages; at most {most} requests in one of {len(TRAPS)} traps"
    return [("traps", figure, real == REAL_PAGES and most <= 200)]


def slow_connections(_: bool) -> list[Row]:
    """Fifty connections that stall and ten that answer."""
    limits = {"connect_s": 5.0, "first_byte_s": 10.0, "total_s": 20.0}
    with HostileServer() as server:
        ready = [server.url(f"/ok/{n}") for n in range(10)]
        urls = [*(server.url(f"/stall/{n}") for n in range(50)), *ready]
        results = fetch(urls, allow=[f"127.0.0.1:{server.port}"], limits=limits)["results"]
    answered = [results[url] for url in ready if results[url].get("status") == 200]
    last_s = max(result["seconds"] for result in answered)
    return [
        (
            "50 of 60 connections stalled",
            f"{len(answered)} answered, the last after {last_s:.1f} s",
            len(answered) == 10,
        )
    ]


if __name__ == "__main__":
    sys.exit(main())
