"""A server on loopback that misbehaves by request: stalls, endless heads and bodies, bombs, lengths that are lies."""

from __future__ import annotations

import contextlib
import gzip
import socket
import threading
import time
import zlib
from collections import Counter
from collections.abc import Callable, Iterator

import pyarrow as pa

GIB = 1 << 30
HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nConnection: close\r\n"


def bomb(coding: str, size: int) -> bytes:
    """``size`` zeros, packed; of gzip and deflate made of repeated pieces, for it takes long otherwise."""
    if coding in ("br", "zstd"):
        sink, block = pa.BufferOutputStream(), bytes(1 << 24)
        with pa.CompressedOutputStream(sink, {"br": "brotli", "zstd": "zstd"}[coding]) as stream:
            for _ in range(size >> 24):
                stream.write(block)
        return bytes(sink.getvalue())
    if coding == "gzip":
        return gzip.compress(bytes(1 << 24), 9) * (size >> 24)
    packer = zlib.compressobj(9)
    head = packer.compress(bytes(1 << 24)) + packer.flush(zlib.Z_FULL_FLUSH)
    piece = packer.compress(bytes(1 << 24)) + packer.flush(zlib.Z_FULL_FLUSH)
    return head + piece * ((size >> 24) - 1)


class HostileServer:
    """Answers each connection in a thread of its own; ``seen`` counts requests by path."""

    def __init__(self, bombs: dict[str, bytes] | None = None) -> None:
        self.seen: Counter[str] = Counter()
        self._bombs = bombs or {}
        self._socket = socket.create_server(("127.0.0.1", 0), backlog=200)
        self._closing = threading.Event()
        self.port: int = self._socket.getsockname()[1]
        threading.Thread(target=self._accept, daemon=True).start()

    def __enter__(self) -> HostileServer:
        return self

    def __exit__(self, *_: object) -> None:
        self._closing.set()
        self._socket.close()

    def url(self, path: str) -> str:
        return f"http://127.0.0.1:{self.port}{path}"

    def _accept(self) -> None:
        with contextlib.suppress(OSError):
            while True:
                connection, _ = self._socket.accept()
                threading.Thread(target=self._answer, args=(connection,), daemon=True).start()

    def _answer(self, connection: socket.socket) -> None:
        with contextlib.suppress(OSError, IndexError), connection:
            path = connection.recv(1 << 16).split(b" ")[1].decode()
            self.seen[path] += 1
            for data in self._body(path):
                connection.sendall(data)
                if self._closing.is_set():
                    return

    def _body(self, path: str) -> Iterator[bytes]:
        kind = path.strip("/").partition("/")[0].replace("-", "_")
        if path in self._bombs:
            coding = path.rpartition(".")[2]
            yield HEAD + f"Content-Encoding: {coding}\r\n\r\n".encode() + self._bombs[path]
            return
        behaviour: Callable[[], Iterator[bytes]] = getattr(self, f"_{kind}", self._ok)
        yield from behaviour()

    def _ok(self) -> Iterator[bytes]:
        yield HEAD + b"Content-Length: 5\r\n\r\nHello"

    def _stall(self) -> Iterator[bytes]:
        self._closing.wait(60)
        yield b""

    def _stall_in_head(self) -> Iterator[bytes]:
        yield HEAD
        yield from self._stall()

    def _stall_in_body(self) -> Iterator[bytes]:
        yield HEAD + b"Content-Length: 1000\r\n\r\nHel"
        yield from self._stall()

    def _drip(self) -> Iterator[bytes]:
        yield HEAD + b"\r\n"
        while True:
            time.sleep(0.2)
            yield b"x"

    def _drip_head(self) -> Iterator[bytes]:
        yield HEAD
        while True:
            time.sleep(0.2)
            yield b"X: y\r\n"

    def _endless_body(self) -> Iterator[bytes]:
        yield HEAD + b"\r\n"
        while True:
            yield bytes(1 << 16)

    def _endless_chunks(self) -> Iterator[bytes]:
        yield HEAD + b"Transfer-Encoding: chunked\r\n\r\n"
        while True:
            yield b"8000\r\n" + bytes(0x8000) + b"\r\n"

    def _endless_head(self) -> Iterator[bytes]:
        yield HEAD
        while True:
            yield b"".join(b"X-%d: y\r\n" % n for n in range(2000))

    def _endless_line(self) -> Iterator[bytes]:
        yield HEAD + b"X: "
        while True:
            yield b"y" * (1 << 16)

    def _endless_information(self) -> Iterator[bytes]:
        while True:
            yield b"HTTP/1.1 100 Continue\r\nX: y\r\n\r\n" * 500

    def _short_body(self) -> Iterator[bytes]:
        yield HEAD + b"Content-Length: 1000\r\n\r\nHello"

    def _huge_length(self) -> Iterator[bytes]:
        yield HEAD + b"Content-Length: 99999999999999999999\r\n\r\nHello"

    def _no_http(self) -> Iterator[bytes]:
        yield b"\x00\x01\x02 SSH-2.0\r\n\r\n" * 10
