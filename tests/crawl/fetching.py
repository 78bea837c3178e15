"""A process that fetches addresses through the guarded download handler and says what came; see :func:`fetch`.

Every attempt to connect is noted by an audit hook of the interpreter, which no code under test can pass by.
"""

from __future__ import annotations

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


def _main() -> None:
    request = json.load(sys.stdin)
    from scrapy import Request, Spider
    from scrapy.crawler import CrawlerProcess

    from diglot.crawl.wire.download import ALLOW_HOSTS_SETTING, LIMITS_SETTING, RequestRefused, truncation
    from diglot.pages.content_coding import coding_names, decoded_pieces
    from diglot.pages.refusal import Refused

    results: dict[str, Any] = {}
    started: dict[str, float] = {}

    class Fetcher(Spider):
        name = "fetcher"

        async def start(self):  # type: ignore[no-untyped-def]
            started["peak"], started["time"] = _peak_mib(), time.monotonic()
            for number, url in enumerate(request["urls"]):
                meta = {"number": number, "download_slot": str(number)}
                try:
                    yield Request(url, self.came, errback=self.failed, dont_filter=True, meta=meta)
                except ValueError:
                    results[url] = {"error": "ValueError"}

        def came(self, response):  # type: ignore[no-untyped-def]
            coding = response.headers.get("Content-Encoding", b"").decode()
            decoded, refused = 0, ""
            try:
                for piece in decoded_pieces(response.body, coding_names(coding), max_bytes=10 << 20):
                    decoded += len(piece)
            except Refused as error:
                refused = str(error)
            results[request["urls"][response.meta["number"]]] = {
                "status": response.status,
                "bytes": len(response.body),
                "decoded": decoded,
                "refused": refused,
                "cut": truncation(response),
                "seconds": time.monotonic() - started["time"],
            }

        def failed(self, failure):  # type: ignore[no-untyped-def]
            kind = failure.value.refusal.kind if isinstance(failure.value, RequestRefused) else ""
            results[request["urls"][failure.request.meta["number"]]] = {
                "error": type(failure.value).__name__,
                "kind": kind,
                "detail": str(failure.value),
                "seconds": time.monotonic() - started["time"],
            }

    process = CrawlerProcess(
        {
            "DOWNLOAD_HANDLERS": {
                "http": "diglot.crawl.wire.download.GuardedDownloadHandler",
                "https": "diglot.crawl.wire.download.GuardedDownloadHandler",
            },
            "DOWNLOADER_MIDDLEWARES_BASE": {},
            "SPIDER_MIDDLEWARES_BASE": {},
            "EXTENSIONS_BASE": {},
            "LOG_ENABLED": False,
            "CONCURRENT_REQUESTS": 1000,
            "DOWNLOAD_TIMEOUT": 120,
            "DOWNLOAD_MAXSIZE": 10 << 20,
            ALLOW_HOSTS_SETTING: request["allow"],
            LIMITS_SETTING: request["limits"],
        },
        install_root_handler=False,
    )
    sys.addaudithook(lambda event, args: connects.append(repr(args[1])) if event == "socket.connect" else None)
    process.crawl(Fetcher)
    process.start()
    report = {
        "results": results,
        "connects": connects,
        "grown_mib": _peak_mib() - started["peak"],
        "seconds": time.monotonic() - started["time"],
    }
    json.dump(report, sys.stdout)


if __name__ == "__main__":
    _main()
