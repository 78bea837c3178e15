"""A process that fetches addresses through the guarded downloader and says what came; see :func:`fetch`.

Every attempt to connect is noted by an audit hook of the interpreter, which no code under test can pass by.
"""

from __future__ import annotations

import asyncio
import json
import resource
import subprocess
import sys
import time
from typing import Any

connects: list[Any] = []


def fetch(urls: list[str], *, allow: list[str], limits: dict[str, float], timeout_s: float = 300) -> dict[str, Any]:
    """Fetch all at once. Returns ``results`` by address, ``connects``, ``grown_mib`` of memory and ``seconds``."""
    request = {"urls": urls, "allow": allow, "limits": limits}
    done = subprocess.run(
        [sys.executable, "-W", "ignore", __file__],
        input=json.dumps(request),
        capture_output=True,
        text=True,
        timeout=timeout_s,
        check=False,
    )
    assert done.returncode == 0, done.stderr[-2000:]
    report: dict[str, Any] = json.loads(done.stdout)
    return report


def _peak_mib() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


async def _fetch_all(urls: list[str], allow: list[str], limits: dict[str, float], started: float) -> dict[str, Any]:
    from diglot.crawl.wire.address_guard import read_allow_hosts
    from diglot.crawl.wire.connection import AddressRefused, FetchFailed
    from diglot.crawl.wire.download import Downloader, FetchLimits, Request
    from diglot.pages.http_response import coding_names, decoded_pieces
    from diglot.records import Refused

    total_s = limits.pop("total_s", 120.0)
    downloader = Downloader(read_allow_hosts(allow), limits=FetchLimits(**limits))  # type: ignore[arg-type]

    async def result(url: str) -> dict[str, Any]:
        try:
            response = await downloader.fetch(Request(url, [], max_bytes=10 << 20, total_s=total_s))
        except FetchFailed as error:
            kind = error.refusal.kind if isinstance(error, AddressRefused) else ""
            told = {"error": type(error).__name__, "kind": kind, "detail": str(error)}
            return told | {"seconds": time.monotonic() - started}
        coding = next((value.decode() for name, value in response.fields if name == b"Content-Encoding"), "")
        decoded, refused = 0, ""
        try:
            for piece in decoded_pieces(response.body, coding_names(coding), max_bytes=10 << 20):
                decoded += len(piece)
        except Refused as error:
            refused = str(error)
        return {
            "status": response.status,
            "bytes": len(response.body),
            "decoded": decoded,
            "refused": refused,
            "cut": response.truncated,
            "seconds": time.monotonic() - started,
        }

    results = await asyncio.gather(*map(result, urls))
    downloader.close()
    return dict(zip(urls, results, strict=True))


def _main() -> None:
    request = json.load(sys.stdin)
    sys.addaudithook(lambda event, args: connects.append(repr(args[1])) if event == "socket.connect" else None)
    peak, started = _peak_mib(), time.monotonic()
    results = asyncio.run(_fetch_all(request["urls"], request["allow"], request["limits"], started))
    report = {
        "results": results,
        "connects": connects,
        "grown_mib": _peak_mib() - peak,
        "seconds": time.monotonic() - started,
    }
    json.dump(report, sys.stdout)


if __name__ == "__main__":
    _main()
