"""HTTP/1.1 as it goes over the wire: connections kept, heads as they were sent, proxies, and both sides of limits."""

from __future__ import annotations

import asyncio
import contextlib
import socket
import ssl
from collections.abc import Awaitable, Callable
from time import monotonic

import h11
import pytest
from fake_network import FakeNetwork, FakeSocket

from diglot.crawl.archive import _head
from diglot.crawl.wire.address_guard import read_allow_hosts
from diglot.crawl.wire.connection import AddressRefused, FetchFailed, Network, TimedOut, connect_guarded
from diglot.crawl.wire.download import MAX_HEAD_BYTES, MAX_KEPT, Connection, Downloader, FetchLimits, Request, Response
from diglot.pages.http_response import parse_response

OK = b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhi"
CLOSED = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nConnection: close\r\n\r\n"


class Server:
    """Answers on loopback, request by request, with the replies of a test; None: hang up. Notes what was asked."""

    def __init__(self, *replies: bytes | None) -> None:
        self.replies = list(replies)
        self.asked: list[bytes] = []
        self.connections = 0
        self.port = 0

    async def answer(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.connections += 1
        while self.replies:
            try:
                self.asked.append(await reader.readuntil(b"\r\n\r\n"))
            except asyncio.IncompleteReadError:
                break
            reply = self.replies.pop(0)
            if reply is None:
                break
            writer.write(reply)
            if b"Content-Length" not in reply:
                break

    def run(self, client: Callable[[str], Awaitable[object]]) -> None:
        """Run a client that is given the address of the server."""

        answering: set[asyncio.Task[None]] = set()

        async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            task = asyncio.current_task()
            assert task is not None
            answering.add(task)
            try:
                with contextlib.suppress(ConnectionError):
                    await self.answer(reader, writer)
            finally:
                writer.close()

        async def both() -> None:
            server = await asyncio.start_server(answer, "127.0.0.1", 0)
            self.port = server.sockets[0].getsockname()[1]
            async with server:
                await client(f"127.0.0.1:{self.port}")
            await asyncio.gather(*answering)

        asyncio.run(both())

    def fetch(self, *requests: Request, limits: FetchLimits | None = None) -> list[Response]:
        """Fetch paths of this server one after the other."""
        got: list[Response] = []

        async def client(host: str) -> None:
            downloader = Downloader(read_allow_hosts([host]), limits=limits)
            for request in requests:
                url = f"http://{host}{request.url}"
                told = Request(url, request.fields, request.max_bytes, request.total_s, request.pages_only)
                got.append(await downloader.fetch(told))
            downloader.close()

        self.run(client)
        return got


def test_a_connection_is_kept_for_the_next_request() -> None:
    server = Server(OK, OK, OK)
    assert [each.body for each in server.fetch(*(Request(f"/{n}", []) for n in range(3)))] == [b"hi"] * 3
    assert (server.connections, len(server.asked)) == (1, 3)


@pytest.mark.parametrize(
    "first", [CLOSED + b"hi", b"HTTP/1.0 200 OK\r\nContent-Length: 2\r\n\r\nhi"], ids=["close", "HTTP/1.0"]
)
def test_a_connection_that_the_server_ends_is_not_kept(first: bytes) -> None:
    server = Server(first, OK)
    assert [each.body for each in server.fetch(Request("/", []), Request("/", []))] == [b"hi"] * 2
    assert server.connections == 2


def test_a_kept_connection_that_the_server_has_closed_meanwhile_costs_no_answer() -> None:
    server = Server(OK, None, OK)
    assert [each.body for each in server.fetch(Request("/a", []), Request("/b", []))] == [b"hi"] * 2
    assert (server.connections, len(server.asked)) == (2, 3)


def test_a_new_connection_that_is_closed_without_an_answer_is_not_tried_again() -> None:
    server = Server(None, OK)
    with pytest.raises(FetchFailed, match=r"127\.0\.0\.1: "):
        server.fetch(Request("/", []))
    assert len(server.asked) == 1


def test_fields_are_kept_in_their_order_and_case_and_so_is_the_request() -> None:
    head = b"HTTP/1.1 404 Gone Fishing\r\nx-B: 1\r\nSet-Cookie: a=1\r\nX-a:  two  words \r\nSET-COOKIE: b=\xe9\r\n\r\n"
    server = Server(head)
    (response,) = server.fetch(Request("/p?q=1#top", [(b"User-Agent", b"me"), (b"Accept", b"*/*")]))
    assert response.status == 404
    assert response.fields == [
        (b"x-B", b"1"),
        (b"Set-Cookie", b"a=1"),
        (b"X-a", b"two  words"),
        (b"SET-COOKIE", b"b=\xe9"),
    ]
    host = f"127.0.0.1:{server.port}".encode()
    assert server.asked == [b"GET /p?q=1 HTTP/1.1\r\nHost: %b\r\nUser-Agent: me\r\nAccept: */*\r\n\r\n" % host]
    assert response.request_line == "GET /p?q=1 HTTP/1.1"
    assert response.request_fields == [(b"Host", host), (b"User-Agent", b"me"), (b"Accept", b"*/*")]


def test_the_coding_of_the_transfer_is_undone_and_that_of_the_content_is_not() -> None:
    head = b"HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nTransfer-Encoding: chunked\r\n\r\n"
    (response,) = Server(head + b"3\r\nabc\r\n2;x=y\r\nde\r\n0\r\nTrailer: 1\r\n\r\n").fetch(Request("/", []))
    assert (response.body, response.truncated) == (b"abcde", "")


@pytest.mark.parametrize(("size", "cut"), [(1000, ""), (1001, "length")])
@pytest.mark.parametrize("length", [True, False])
def test_a_body_is_cut_at_its_limit(size: int, cut: str, length: bool) -> None:
    head = b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n" % size if length else CLOSED
    (response,) = Server(head + b"x" * size).fetch(Request("/", [], max_bytes=1000))
    assert (len(response.body), response.truncated) == (1000, cut)


@pytest.mark.parametrize(
    ("kind", "pages_only", "status", "body"),
    [
        (b"image/png", True, 200, b""),
        (b"text/html; charset=x", True, 200, b"hi"),
        (b"image/png", False, 200, b"hi"),
        (b"image/png", True, 404, b"hi"),
    ],
)
def test_what_is_no_page_is_left_after_its_head(kind: bytes, pages_only: bool, status: int, body: bytes) -> None:
    head = b"HTTP/1.1 %d X\r\nContent-Type: %b\r\nContent-Length: 2\r\n\r\n" % (status, kind)
    (response,) = Server(head + b"hi").fetch(Request("/", [], pages_only=pages_only))
    assert (response.body, response.truncated) == (body, "" if body else "length")


@pytest.mark.parametrize(("kib", "read"), [(250, True), (400, False)])
@pytest.mark.parametrize("informational", [False, True])
def test_a_head_with_the_1xx_before_it_ends_in_time(kib: int, read: bool, informational: bool) -> None:
    field = b"X-Field: %b\r\n" % (b"y" * 1013)  # a KiB
    head = b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n"
    if informational:
        sent = (b"HTTP/1.1 103 Early Hints\r\n" + field * 10 + b"\r\n") * (kib // 10) + head + b"\r\nhi"
    else:
        sent = head + field * kib + b"\r\nhi"
    server = Server(sent)
    if read:
        assert server.fetch(Request("/", []))[0].body == b"hi"
    else:
        assert kib << 10 > MAX_HEAD_BYTES
        with pytest.raises(FetchFailed):
            server.fetch(Request("/", []))


@pytest.mark.parametrize("over", [0, 1])
def test_a_head_that_is_taken_can_be_read_from_the_archive(over: int) -> None:
    first = b"HTTP/1.1 200 OK\r\n"
    fields = b"Content-Length: 2\r\n" + b"".join(b"X: %b\r\n" % (b"y" * 1000) for _ in range(260))
    rest = MAX_HEAD_BYTES + over - len(first + fields) - len(b"Z: \r\n\r\n")
    server = Server(first + fields + b"Z: %b\r\n\r\nhi" % (b"z" * rest))
    if over:
        with pytest.raises(FetchFailed, match="262,145 bytes of header fields, more than 262,144"):
            server.fetch(Request("/", []))
        return
    (response,) = server.fetch(Request("/", []))
    stored = _head("HTTP/1.1 200 OK", response.fields) + response.body
    assert len(stored) == MAX_HEAD_BYTES + len(b"hi")
    assert parse_response(stored).body == b"hi"


@pytest.mark.parametrize(("rate", "cut"), [(10, "time"), (400, "")])
def test_a_body_comes_at_a_rate(rate: int, cut: str) -> None:
    """In windows of .4 s, at least 100 bytes a second: 40 bytes."""

    async def drip(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        writer.write(CLOSED)
        for _ in range(10):
            writer.write(b"x" * (rate // 10))
            await writer.drain()
            await asyncio.sleep(0.1)

    server = Server()
    server.answer = drip  # type: ignore[method-assign]
    limits = FetchLimits(min_bytes_per_s=100, rate_window_s=0.4)
    (response,) = server.fetch(Request("/", []), limits=limits)
    assert response.truncated == cut
    assert len(response.body) in ((rate,) if not cut else range(1, rate))


def test_a_head_and_a_body_have_their_time() -> None:
    async def slow(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        asked = await reader.readuntil(b"\r\n\r\n")
        writer.write(CLOSED + b"hi" if asked.startswith(b"GET /body") else b"HTTP/1.1 200 OK\r\n")
        await reader.read()

    server = Server()
    server.answer = slow  # type: ignore[method-assign]
    (response,) = server.fetch(Request("/body", [], total_s=1.0))
    assert (response.body, response.truncated) == (b"hi", "time")
    with pytest.raises(TimedOut, match=r"127\.0\.0\.1 did not answer in time"):
        server.fetch(Request("/head", []), limits=FetchLimits(connect_s=0.1, first_byte_s=0.2))


def test_a_target_that_would_be_another_request_is_not_sent() -> None:
    server = Server(OK)
    with pytest.raises(FetchFailed):
        server.fetch(Request("/a HTTP/1.1\x01Host: b", []))
    assert server.asked == []


# -- proxies ---------------------------------------------------------------------------------------


def _through(server: Server, url: str) -> Response:
    got: list[Response] = []

    async def client(host: str) -> None:
        downloader = Downloader(read_allow_hosts([]), proxy=f"http://{host}")
        got.append(await downloader.fetch(Request(url, [])))
        downloader.close()

    server.run(client)
    return got[0]


def test_a_proxy_is_asked_for_the_whole_address_and_resolves_it() -> None:
    server = Server(OK)
    assert _through(server, "http://name.only.the.proxy.knows.example/p?q#x").body == b"hi"
    line, host, _ = server.asked[0].split(b"\r\n", 2)
    assert line == b"GET http://name.only.the.proxy.knows.example/p?q HTTP/1.1"
    assert host == b"Host: name.only.the.proxy.knows.example"


def test_a_proxy_is_asked_to_connect_for_https_and_its_no_is_told() -> None:
    server = Server(b"HTTP/1.1 407 Proxy Authentication Required\r\nContent-Length: 0\r\n\r\n")
    with pytest.raises(FetchFailed, match=r"a\.example: the proxy answered 407"):
        _through(server, "https://a.example/")
    assert server.asked[0].startswith(b"CONNECT a.example:443 HTTP/1.1\r\nHost: a.example:443\r\n")


def test_a_proxy_that_cannot_be_reached_is_named() -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        closed = f"127.0.0.1:{server.getsockname()[1]}"
    downloader = Downloader(read_allow_hosts([]), proxy=f"http://{closed}")
    with pytest.raises(FetchFailed, match=rf"^the proxy {closed}: the connection is refused"):
        asyncio.run(downloader.fetch(Request("http://a.example/", [])))


@pytest.mark.parametrize("url", ["http://127.0.0.1/", "http://localhost/", "http://a.example:22/"])
def test_the_text_of_an_address_is_judged_in_front_of_a_proxy_too(url: str) -> None:
    server = Server(OK)
    with pytest.raises(AddressRefused):
        _through(server, url)
    assert server.asked == []


# -- hostile servers -------------------------------------------------------------------------------


def _answering(server: Server, reply: bytes, *, then: bytes = b"", pause_s: float = 0.05) -> None:
    """Let a server send a reply to each request, and more after a pause."""

    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        server.connections += 1
        with contextlib.suppress(asyncio.IncompleteReadError):
            while True:
                await reader.readuntil(b"\r\n\r\n")
                writer.write(reply)
                await asyncio.sleep(pause_s)
                writer.write(then)

    server.answer = answer  # type: ignore[method-assign]


@pytest.mark.parametrize("at_once", [True, False])
def test_bytes_behind_an_answer_are_not_read_as_the_next_answer(at_once: bool) -> None:
    forged = b"HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\nforged"
    server = Server()
    _answering(server, OK + forged if at_once else OK, then=b"" if at_once else forged, pause_s=0.02)
    got = []

    async def client(host: str) -> None:
        downloader = Downloader(read_allow_hosts([host]))
        for _ in range(3):
            got.append((await downloader.fetch(Request(f"http://{host}/", []))).body)
            await asyncio.sleep(0.1)
        downloader.close()

    server.run(client)
    assert got == [b"hi"] * 3
    assert server.connections == 3


@pytest.mark.parametrize(("extension", "cut"), [(0, ""), (2000, "length")])
def test_chunk_extensions_are_limited_like_a_body(extension: int, cut: str) -> None:
    """400 chunks of one byte: with extensions 800 KB for 400 bytes."""
    chunk = b"1;%b\r\nx\r\n" % (b"e" * extension) if extension else b"1\r\nx\r\n"
    head = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
    (response,) = Server(head + chunk * 400 + b"0\r\n\r\n").fetch(Request("/", []))
    assert response.truncated == cut
    assert response.body == b"x" * len(response.body)
    assert len(response.body) in ((400,) if not cut else range(1, 400))


@pytest.mark.parametrize(("count", "read"), [(1000, True), (1001, False)])
def test_header_fields_are_counted(count: int, read: bool) -> None:
    fields = b"".join(b"a%d:\r\n" % number for number in range(count - 1))
    server = Server(b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n" + fields + b"\r\nhi")
    if read:
        assert server.fetch(Request("/", []))[0].body == b"hi"
    else:
        with pytest.raises(FetchFailed, match="more than 1,000 header fields"):
            server.fetch(Request("/", []))


@pytest.mark.parametrize(("path", "line"), [("", "/"), ("?q", "/?q"), ("//a//b?c", "//a//b?c")])
def test_the_request_line_has_a_path_and_keeps_its_slashes(path: str, line: str) -> None:
    server = Server(OK)
    (response,) = server.fetch(Request(path, []))
    assert server.asked[0].startswith(f"GET {line} HTTP/1.1\r\n".encode())
    assert response.request_line == f"GET {line} HTTP/1.1"


def test_the_head_has_no_more_time_than_the_whole_answer() -> None:
    server = Server()
    _answering(server, b"", pause_s=0.6)
    began = monotonic()
    with pytest.raises(TimedOut):
        server.fetch(Request("/", [], total_s=0.2), limits=FetchLimits(connect_s=5, first_byte_s=5))
    assert monotonic() - began < 5


def test_idle_connections_are_limited_in_number() -> None:
    """Two hosts more than connections are kept; the first ones are connected to anew."""
    server = Server()
    _answering(server, OK, pause_s=0)
    hosts = [f"127.0.0.{number}" for number in range(1, MAX_KEPT + 3)]

    async def client(_: str) -> None:
        names = [f"{host}:{server.port}" for host in hosts]
        downloader = Downloader(read_allow_hosts(names), network=_Everywhere())
        for name in [*names, names[-1], names[0]]:
            assert (await downloader.fetch(Request(f"http://{name}/", []))).body == b"hi"
        downloader.close()

    server.run(client)
    assert server.connections == len(hosts) + 1


class _Everywhere(Network):
    """All of 127.0.0.0/8 leads to the server at 127.0.0.1, by a socket that says it has come where it should."""

    async def connect(self, address: str, port: int) -> socket.socket:
        connected = await super().connect("127.0.0.1", port)
        return _Renamed(address, fileno=connected.detach())


class _Renamed(socket.socket):
    def __init__(self, peer: str, *, fileno: int) -> None:
        super().__init__(fileno=fileno)
        self.peer = peer

    def getpeername(self) -> tuple[str, int]:
        return self.peer, 80


def test_bytes_of_a_proxy_before_tls_are_not_read_as_bytes_of_the_host() -> None:
    """A proxy, or anyone between it and us, sends an answer in the clear behind its answer to CONNECT."""
    forged = b"HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\nforged"

    async def check() -> None:
        ours, theirs = socket.socketpair()
        reader, writer = await asyncio.open_connection(sock=ours)
        theirs.sendall(forged)
        await asyncio.sleep(0.05)
        connection = Connection(reader, writer)

        loop = asyncio.get_running_loop()

        async def start_tls(transport: asyncio.Transport, protocol: object, *_: object, **__: object) -> object:
            return transport

        # No handshake is needed to see which reader is used.
        loop.start_tls = start_tls  # type: ignore[method-assign, assignment]
        secured = await connection.start_tls(ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT), "a.example")
        assert await secured.is_silent()
        assert not await connection.is_silent()
        secured.close()
        theirs.close()

    asyncio.run(check())


def test_a_socket_without_a_peer_is_closed() -> None:
    """The server hangs up between the connection and the question who it is."""

    class Gone(FakeSocket):
        def getpeername(self) -> tuple[str, int]:
            raise OSError(107, "not connected")

    gone = Gone("8.8.8.8")

    class Network(FakeNetwork):
        async def connect(self, address: str, port: int) -> FakeSocket:  # type: ignore[override]
            return gone

    with pytest.raises(OSError, match="not connected"):
        asyncio.run(connect_guarded("a.example", 80, read_allow_hosts([]), Network(lambda _: ["8.8.8.8"])))
    assert gone.closed


@pytest.mark.parametrize(
    ("reason", "told"), [("WRONG_VERSION_NUMBER", "WRONG_VERSION_NUMBER"), (None, "closed by the server")]
)
def test_why_there_is_no_tls_is_told(reason: str | None, told: str, monkeypatch: pytest.MonkeyPatch) -> None:
    async def fail(*_: object) -> None:
        error = ssl.SSLError()
        error.reason = reason  # type: ignore[assignment]
        raise error

    monkeypatch.setattr(Downloader, "_send_kept", fail)
    downloader = Downloader(read_allow_hosts(()))
    with pytest.raises(FetchFailed) as raised:
        asyncio.run(downloader.fetch(Request("https://a.example/", ())))
    assert str(raised.value) == f"a.example: no TLS connection ({told})"


def test_lines_of_a_head_that_are_no_field_are_skipped() -> None:
    odd = b"X Broken Header\r\n continued\r\nno colon: here\r\n: no name\r\nX-Powered-By\t : PHP\r\nX-Long: a\r\n b\r\n"
    first = b"HTTP/1.1 103 Early Hints\r\nno colon\r\n\r\n"
    head = b"HTTP/1.1 200 OK\r\n" + odd + b"Content-Length: 2\r\n\r\n"
    for reply in (head + b"hi", first + head + b"hi", (head + b"hi").replace(b"\r\n", b"\n")):
        (response,) = Server(reply).fetch(Request("/", []))
        assert response.body == b"hi"
        assert response.fields == [(b"X-Powered-By", b"PHP"), (b"X-Long", b"a b"), (b"Content-Length", b"2")]


def test_lines_that_are_no_field_are_skipped_wherever_a_read_ends() -> None:
    class Pieces(asyncio.StreamReader):
        def __init__(self, *pieces: bytes) -> None:
            super().__init__()
            self.pieces = [piece for piece in pieces if piece]

        async def read(self, n: int = -1) -> bytes:
            return self.pieces.pop(0) if self.pieces else b""

    class Sink:
        def write(self, data: bytes) -> None:
            pass

        async def drain(self) -> None:
            pass

    first = b"HTTP/1.1 103 Early Hints\r\nno colon\r\n\r\n"
    reply = first + b"HTTP/1.1 200 OK\r\nX Broken Header\r\nX: a\r\nContent-Length: 2\r\n\r\nhi"

    async def check(*pieces: bytes) -> None:
        connection = Connection(Pieces(*pieces), Sink())  # type: ignore[arg-type]
        head = await connection.ask(h11.Request(method="GET", target="/", headers=[("Host", "a.example")]))
        assert list(head.headers) == [(b"x", b"a"), (b"content-length", b"2")]
        assert await connection.read_body(FetchLimits(), 10, monotonic() + 9) == (b"hi", "")

    for end in range(1, len(reply) + 1):
        asyncio.run(check(reply[:end], reply[end:]))
        asyncio.run(check(reply[: len(first) - 1], reply[len(first) - 1 : end], reply[max(end, len(first) - 1) :]))
