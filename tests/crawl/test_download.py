"""The downloader at work, in a process of its own, against a server that misbehaves in every way we know."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Any

import pytest
from fetching import fetch
from hostile_addresses import hostile_urls
from hostile_server import HostileServer, bomb

MIB = 1 << 20
LIMITS = {"connect_s": 2.0, "first_byte_s": 2.0, "total_s": 60.0, "rate_window_s": 2.0}
HOSTILE = [url for url in hostile_urls() if url.startswith(("http://", "https://")) and url.isprintable()][::4]
MISBEHAVING = {
    "/ok": "",
    "/stall": "TimedOut",
    "/stall-in-head": "TimedOut",
    "/drip-head": "TimedOut",
    "/stall-in-body": "time",
    "/drip": "time",
    "/endless-body": "length",
    "/endless-chunks": "length",
    "/endless-head": "FetchFailed",
    "/endless-line": "FetchFailed",
    "/endless-information": "FetchFailed",
    "/short-body": "disconnect",
    "/no-http": "FetchFailed",
}
BOMBS = [f"/bomb.{coding}" for coding in ("gzip", "deflate", "br", "zstd")]
STALLED = [f"/stall/{n}" for n in range(50)]
READY = [f"/ok/{n}" for n in range(10)]


@pytest.fixture(scope="module")
def report() -> Iterator[dict[str, Any]]:
    """Everything fetched at once by one process; results by path, or by address outside the server."""
    with HostileServer({path: bomb(path.rpartition(".")[2], 64 * MIB) for path in BOMBS}) as server:
        paths = [*STALLED, *READY, *MISBEHAVING, *BOMBS]
        urls = [*map(server.url, paths), *HOSTILE]
        fetched = fetch(urls, allow=[f"127.0.0.1:{server.port}"], limits=LIMITS)
        fetched["results"] |= {path: fetched["results"][server.url(path)] for path in paths}
        fetched["server"] = repr(("127.0.0.1", server.port))
        yield fetched


def test_no_connection_is_opened_to_any_hostile_address(report: dict[str, Any]) -> None:
    assert set(report["connects"]) == {report["server"]}
    ends = Counter(report["results"].get(url, {}).get("error", "") for url in HOSTILE)
    assert ends == {"AddressRefused": len(HOSTILE)}


@pytest.mark.parametrize("path", MISBEHAVING)
def test_what_misbehaves_is_cut(report: dict[str, Any], path: str) -> None:
    result = report["results"][path]
    assert result.get("cut", result.get("error")) == MISBEHAVING[path]


def test_what_came_before_a_cut_is_kept(report: dict[str, Any]) -> None:
    assert report["results"]["/endless-body"]["bytes"] == 10 * MIB
    assert report["results"]["/short-body"]["bytes"] == 5


def test_stalled_connections_do_not_hold_up_others(report: dict[str, Any]) -> None:
    results = report["results"]
    assert [results[path]["status"] for path in READY] == [200] * 10
    assert {results[path]["error"] for path in STALLED} == {"TimedOut"}


@pytest.mark.parametrize("path", BOMBS)
def test_bombs_do_not_go_off(report: dict[str, Any], path: str) -> None:
    assert report["results"][path]["decoded"] == 10 * MIB
    assert report["results"][path]["refused"] == "more than 10485760 bytes once decoded"


def test_memory_and_time(report: dict[str, Any]) -> None:
    # Two bodies of 10 MiB are held at the same time as what is decoded of a third.
    assert report["grown_mib"] < 100
    assert report["seconds"] < 60
