"""A site in two languages, served on loopback."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread

from made_sites import SENTENCES, page_html


def pages(count: int) -> dict[str, bytes]:
    """Pages of the site, ``count`` in each language, and a start page that links to all."""
    made = {f"/{lang}/page{n}.html": page_html(lang, n) for lang in SENTENCES for n in range(count)}
    links = "".join(f"<a href={path}>{path}</a> " for path in made)
    return {**made, "/": f"<html lang=en><title>Town</title><p>{SENTENCES['en'][0]}</p>{links}</html>".encode()}


@contextmanager
def served_site(count: int = 4) -> Iterator[str]:
    """Host and port of the site."""
    files = pages(count)

    class Site(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            body = files.get(self.path)
            self.send_response(200 if body else 404)
            self.send_header("Content-Type", "text/html; charset=utf-8")
            self.send_header("Content-Length", str(len(body or b"")))
            self.end_headers()
            self.wfile.write(body or b"")

        def log_message(self, *_: object) -> None:
            """Say nothing."""

    with ThreadingHTTPServer(("127.0.0.1", 0), Site) as server:
        Thread(target=server.serve_forever, daemon=True).start()
        yield f"127.0.0.1:{server.server_address[1]}"
        server.shutdown()
