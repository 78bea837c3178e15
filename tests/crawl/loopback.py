"""A server that runs for the time of a block."""

from collections.abc import Iterator
from contextlib import contextmanager
from http.server import ThreadingHTTPServer
from threading import Thread


@contextmanager
def running(server: ThreadingHTTPServer) -> Iterator[None]:
    """Answer requests in a thread; afterwards the server and its thread are gone."""
    thread = Thread(target=server.serve_forever)
    thread.start()
    try:
        yield
    finally:
        server.shutdown()
        thread.join()
        server.server_close()
