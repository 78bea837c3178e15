"""Try the crawler's safety at full size on loopback and print a table; exit code 1 where a figure is missed.

    python benchmarks/crawl_hostile.py

Public addresses that look like others, sitemaps, traps and stalled connections.
"""

from __future__ import annotations

import argparse
import socket
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests" / "crawl"))

from endless_sites import LANGS, REAL_PAGES, SITE, TRAPS, page, walk
from fetching import fetch
from hostile_addresses import lookalike_urls
from hostile_server import HostileServer
from hostile_sitemaps import hostile_sitemaps

from diglot.crawl.queue.sitemaps import read_sitemap
from diglot.crawl.wire.address_guard import AddressRules, Target, judge_url

Row = tuple[str, str, bool]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.parse_args()
    failed = False
    for part in (lookalikes, sitemaps, traps, slow_connections):
        for what, figure, kept in part():
            failed |= not kept
            print(f"{'ok ' if kept else 'NO '} {what:<34} {figure}", flush=True)
    return int(failed)


def lookalikes() -> list[Row]:
    """Public addresses that look like others."""
    urls = lookalike_urls()
    refused = [url for url in urls if not isinstance(judge_url(url, AddressRules()), Target)]
    return [("public look-alikes", f"{len(urls)}, {len(refused)} refused", not refused and len(urls) >= 200)]


def sitemaps() -> list[Row]:
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


def traps() -> list[Row]:
    """Infinite traps beside real pages."""
    walked = walk(page, [f"{SITE}/"])
    real = sum(walked.requests[lang] for lang in LANGS)
    most = max(walked.requests[name] for name in TRAPS)
    figure = f"{real} of {REAL_PAGES} real pages; at most {most} requests in one of {len(TRAPS)} traps"
    return [("traps", figure, real == REAL_PAGES and most <= 200)]


def slow_connections() -> list[Row]:
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
