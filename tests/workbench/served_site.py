"""A site in two languages, served on loopback."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread

import sentences
from made_sites import SENTENCES, page_html


def pages(count: int) -> dict[str, bytes]:
    """Pages of the site, ``count`` in each language, and a start page that links to all."""
    made = {f"/{lang}/page{n}.html": page_html(lang, n) for lang in SENTENCES for n in range(count)}
    links = "".join(f"<a href={path}>{path}</a> " for path in made)
    return {**made, "/": f"<html lang=en><title>Town</title><p>{SENTENCES['en'][0]}</p>{links}</html>".encode()}


def hotel() -> dict[str, bytes]:
    """A site of three pages, each with its text in two languages."""
    made = {}
    for path in ("/", "/prices", "/garden"):
        texts = [f"{sentences.SENTENCES[lang]} {sentences.SENTENCES[lang]}" for lang in ("en", "fr") for _ in range(4)]
        body = "".join(f"<p>{path[1:]}: {text}" for text in texts)
        made[path] = f"<html lang=en><a href=/prices>prices</a> <a href=/garden>garden</a>{body}</html>".encode()
    return made


@contextmanager
def served_site(files: dict[str, bytes]) -> Iterator[str]:
    """Host and port of a site."""

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
        Thread(target=server.serve_forever, args=[0.02], daemon=True).start()
        yield f"127.0.0.1:{server.server_address[1]}"
        server.shutdown()
