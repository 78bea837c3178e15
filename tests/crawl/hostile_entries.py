"""A site on loopback that leads to hostile addresses by every way a crawl comes by an address."""

from __future__ import annotations

import contextlib
import html
import http.server
import os
import sqlite3
import threading
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from diglot.crawl.crawling import crawl_site
from diglot.crawl.options import make_crawl_options
from diglot.errors import SourceError
from diglot.progress import Silent

CONNECT_LOG = Path(__file__).parent / "connect_log"
NUMBERED = ("redirect", "canonical", "refresh")


@dataclass(frozen=True)
class Entered:
    """What came of a crawl: connections and lookups the crawler tried, requests the server saw, start refusals."""

    connects: Counter[str]
    requests: Counter[str]
    starts_refused: int
    logged: int
    """Addresses and redirects in the journal that were refused, with a reason."""
    unlogged: int
    """Redirects to a hostile address whose refusal the journal does not explain."""


def crawl_hostile_entries(urls: list[str], folder: Path) -> Entered:
    """Crawl a site that offers each address as link, redirect, sitemap, robots, canonical, hreflang and refresh.

    Each is also tried as start address, which is refused before anything is begun.
    """
    starts_refused = 0
    for url in urls:
        with contextlib.suppress(SourceError):
            make_crawl_options([url])
            continue
        starts_refused += 1
    log = folder / "connects.txt"
    log.touch()
    with _serving(urls) as server, _logging(log):
        port = server.server_address[1]
        options = make_crawl_options(
            [f"http://127.0.0.1:{port}/"], ["en"], {"allow_hosts": (f"127.0.0.1:{port}",), "delay_s": 0.0}
        )
        crawl_site(options, folder / "journal.db", folder / "warc", Silent())
    lines = [line.replace(str(port), "PORT") for line in log.read_text().splitlines()]
    with contextlib.closing(sqlite3.connect(folder / "journal.db")) as journal:
        refused = "SELECT count(*) FROM address WHERE reason='refused_address' AND detail<>''"
        (logged,) = journal.execute(refused).fetchone()
        silent = (
            "SELECT url FROM address WHERE url LIKE '%/redirect/%' AND detail LIKE '%://%'"
            " AND detail NOT LIKE '%not connected to%' AND detail NOT LIKE ?"
        )
        unlogged = journal.execute(silent, (f"%to http://127.0.0.1:{port}/%",)).fetchall()
    return Entered(Counter(lines), server.requests, starts_refused, logged, len(unlogged))


@contextlib.contextmanager
def _logging(log: Path) -> Iterator[None]:
    before = {name: os.environ.get(name) for name in ("PYTHONPATH", "CONNECT_LOG")}
    os.environ.update(PYTHONPATH=str(CONNECT_LOG), CONNECT_LOG=str(log))
    try:
        yield
    finally:
        for name, value in before.items():
            os.environ.pop(name)
            if value is not None:
                os.environ[name] = value


class _Server(http.server.ThreadingHTTPServer):
    daemon_threads = True

    def __init__(self, urls: list[str]) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.urls = urls
        self.requests: Counter[str] = Counter()


@contextlib.contextmanager
def _serving(urls: list[str]) -> Iterator[_Server]:
    with _Server(urls) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield server
        server.shutdown()


class _Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: _Server

    def log_message(self, format: str, *args: object) -> None:
        """Silence."""

    def do_GET(self) -> None:
        kind, _, number = self.path.strip("/").partition("/")
        self.server.requests[kind] += 1
        url = self.server.urls[int(number)] if number.isdigit() else ""
        if kind == "redirect":
            self._send(b"", "text/html", 302, url)
        elif kind == "robots.txt":
            lines = ["User-agent: *", "Disallow:", f"Sitemap: {self._own('/sitemap.xml')}"]
            self._send("\n".join([*lines, *(f"Sitemap: {url}" for url in self._printable())]).encode(), "text/plain")
        elif kind == "sitemap.xml":
            rows = "".join(f"<url><loc>{html.escape(url)}</loc></url>" for url in self._printable())
            self._send(f"<urlset>{rows}</urlset>".encode(), "application/xml")
        else:
            self._send(self._page(kind, number, html.escape(url)), "text/html; charset=utf-8")

    def _page(self, kind: str, number: str, url: str) -> bytes:
        head, body = (
            "",
            f"<p>A page of the kind {kind or 'start'} with the number {number}, to be read.</p>",
        )
        urls = [html.escape(each) for each in self.server.urls]
        if kind == "canonical":
            head = f'<link rel="canonical" href="{url}">'
        elif kind == "refresh":
            head = f'<meta http-equiv="refresh" content="0; url={url}">'
        elif kind == "links":
            body += "".join(f'<a href="{each}">x</a>' for each in urls)
        elif kind == "hreflang":
            head = "".join(f'<link rel="alternate" hreflang="en" href="{each}">' for each in urls)
        elif not kind:
            body += '<a href="/links">l</a><a href="/hreflang">h</a>'
            body += "".join(f'<a href="/{name}/{n}">x</a>' for name in NUMBERED for n in range(len(urls)))
        return f"<!DOCTYPE html><html lang=en><head>{head}<title>{kind} {number}</title></head>{body}</html>".encode()

    def _printable(self) -> list[str]:
        return [url for url in self.server.urls if url.isprintable()]

    def _own(self, path: str) -> str:
        return f"http://127.0.0.1:{self.server.server_address[1]}{path}"

    def _send(self, body: bytes, content_type: str, status: int = 200, location: str = "") -> None:
        self.send_response(status)
        self.send_header("Content-Type", content_type)
        self.send_header("Content-Length", str(len(body)))
        if location:
            self.send_header("Location", location.encode("ascii", "ignore").decode().translate({10: "", 13: "", 0: ""}))
        self.end_headers()
        self.wfile.write(body)
