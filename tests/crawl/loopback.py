"""Servers on loopback that run for the time of a block, and what they answer."""

import zlib
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from types import MappingProxyType

NOTHING_INSTEAD: Mapping[str, tuple[int, dict[str, str]]] = MappingProxyType({})


@contextmanager
def running(server: ThreadingHTTPServer) -> Iterator[None]:
    """Answer requests in a thread; afterwards the server and its thread are gone."""
    # Seconds between two looks whether it is to end, half a second if not said: what each such test would wait.
    thread = Thread(target=server.serve_forever, args=[0.02])
    thread.start()
    try:
        yield
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


def page_handler(
    page_of: Callable[[str], bytes | None], instead: Mapping[str, tuple[int, dict[str, str]]] = NOTHING_INSTEAD
) -> type[BaseHTTPRequestHandler]:
    """Handler that answers with HTML pages and their ETags, and with 304 to the ETag of a page.

    ``page_of``: the page of a path, None for 404; ``instead``: status and fields of paths that are answered otherwise.
    """

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self) -> None:
            body = page_of(self.path)
            tag = f'"{zlib.crc32(body or b"")}"'
            status = 404 if body is None else 304 if self.headers["If-None-Match"] == tag else 200
            sent = body if body is not None and status == 200 else b""
            status, fields = instead.get(self.path, (status, {}))
            self.send_response(status)
            usual = {"Content-Type": "text/html", "ETag": tag, "Content-Length": str(len(sent))}
            for name, value in (*fields.items(), *usual.items()):
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(sent)

        def log_message(self, *_: object) -> None:
            pass

    return Handler
