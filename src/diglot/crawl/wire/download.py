"""HTTP/1.1 requests within limits of time and size; bodies as sent, header fields in their order and case."""

from __future__ import annotations

import asyncio
import logging
import re
import socket
import ssl
from collections.abc import Sequence
from dataclasses import dataclass
from http.client import responses
from time import monotonic
from urllib.parse import urlsplit

import h11

from diglot.crawl.wire.address_guard import AddressRules, Refusal, Target, judge_url
from diglot.crawl.wire.connection import (
    AddressRefused,
    CertificateRefused,
    FetchFailed,
    Network,
    TimedOut,
    connect_guarded,
    connect_to_first,
    describe_certificate,
    tls_context,
)
from diglot.errors import describe_error, in_ascii
from diglot.html_sniff import may_be_html
from diglot.pages.address import path_and_query
from diglot.pages.http_response import HEAD_END, MAX_STORED_HEAD_BYTES, PAGE_STATUS
from diglot.pages.media import MAX_DOCUMENT_BYTES, is_document_type

MAX_HEAD_BYTES = MAX_STORED_HEAD_BYTES
"""Size of status line and header fields, with the 1xx answers before them; browsers have the same limit."""
MAX_FIELDS = 1000
"""Number of header fields of an answer."""
MAX_FRAMING = 8
"""Most bytes on the wire for a byte of a body. A chunk of one byte takes six; chunk extensions have no end by
themselves."""
MAX_KEPT = 32
"""Idle connections to keep open, so that a page with parts of many hosts does not use up the sockets."""
READ_BYTES = 1 << 16
_FIELD = re.compile(rb"([!#$%&'*+.^_`|~0-9A-Za-z-]+)[ \t]*:")
_INFORMATION = re.compile(rb"HTTP/1\.\d 1\d\d")
Fields = Sequence[tuple[bytes, bytes]]

logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class FetchLimits:
    """Limits of every fetch. Bytes are counted as sent, before any content coding is undone."""

    connect_s: float = 10.0
    first_byte_s: float = 30.0
    """From the request to the end of the header fields; time that the connection did not need is added."""
    min_bytes_per_s: int = 64
    """Slowest rate of a body, measured over ``rate_window_s``; a modem of 1985 was faster."""
    rate_window_s: float = 20.0


@dataclass(frozen=True, slots=True)
class Request:
    """A GET request, and limits of its body. ``total_s``: from the request to the end of the body.

    ``pages_only``: skip a body of another type than HTML or, with ``documents``, a document. A document may have
    :data:`diglot.pages.media.MAX_DOCUMENT_BYTES`; one that announces more is not fetched.
    """

    url: str
    fields: Fields
    max_bytes: int = 10 << 20
    total_s: float = 120.0
    pages_only: bool = False
    documents: bool = False


@dataclass(frozen=True, slots=True)
class Response:
    """An answer as sent, without transfer coding. ``took_s``: seconds until its header fields were complete.

    ``truncated``: why the body was cut, as in WARC-Truncated (WARC 1.1, 5.13): length, time or disconnect; ""
    otherwise.
    """

    status: int
    fields: Fields
    body: bytes
    truncated: str
    took_s: float
    request_line: str
    request_fields: Fields


class Connection:
    """A connection and the state of HTTP/1.1 on it."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._reader = reader
        self._writer = writer
        self._http = h11.Connection(h11.CLIENT, max_incomplete_event_size=MAX_HEAD_BYTES)
        self.is_stale = False
        """Whether the server closed the connection without a byte of an answer."""

    @classmethod
    async def over(cls, connected: socket.socket, context: ssl.SSLContext | None, host: str) -> Connection:
        """Wrap a connected socket, in TLS if a context is given."""
        try:
            name = host if context is not None else None
            return cls(*await asyncio.open_connection(sock=connected, ssl=context, server_hostname=name))
        except BaseException:
            connected.close()
            raise

    async def ask(self, request: h11.Request) -> h11.Response:
        """Send a request and read the head of the answer; close the connection on failure.

        Raises OSError and h11.RemoteProtocolError.
        """
        try:
            return await self._ask(request)
        except BaseException:
            self.close()
            raise

    async def _ask(self, request: h11.Request) -> h11.Response:
        self.is_stale = True
        head = bytearray()
        self._writer.write(b"".join(self._http.send(event) or b"" for event in (request, h11.EndOfMessage())))
        await self._writer.drain()
        received = 0
        while True:
            event = self._http.next_event()
            if isinstance(event, h11.Response):
                if len(event.headers) > MAX_FIELDS:
                    raise h11.RemoteProtocolError(f"more than {MAX_FIELDS:,} header fields")
                if (size := _head_bytes(event)) > MAX_HEAD_BYTES:
                    raise h11.RemoteProtocolError(f"{size:,} bytes of header fields, more than {MAX_HEAD_BYTES:,}")
                return event
            if event is not h11.NEED_DATA:
                continue  # 1xx
            # h11 limits a single head; 1xx answers could go on without end.
            if received > MAX_HEAD_BYTES:
                raise h11.RemoteProtocolError("the header fields do not end")
            data = await self._reader.read(READ_BYTES)
            received += len(data)
            self.is_stale &= not data
            head += data
            if not data or HEAD_END.search(head, max(0, len(head) - len(data) - len(b"\r\n\r"))):
                complete, unfinished = _with_fields_only(bytes(head))
                head[:] = unfinished if data else b""
                self._http.receive_data(complete if data else complete + unfinished)
                if not data:
                    self._http.receive_data(data)

    async def read_body(self, limits: FetchLimits, max_bytes: int, deadline: float) -> tuple[bytes, str]:
        """The body up to its limits, and why it was cut, "" for a whole body. ``deadline``: by :func:`monotonic`."""
        body, in_window, received = bytearray(), 0, 0
        window_end = monotonic() + limits.rate_window_s
        while True:
            try:
                event = self._http.next_event()
                if event is h11.NEED_DATA:
                    now = monotonic()
                    too_slow = now >= window_end and in_window < limits.min_bytes_per_s * limits.rate_window_s
                    if now >= deadline or too_slow:
                        return bytes(body), "time"
                    if now >= window_end:
                        in_window, window_end = 0, now + limits.rate_window_s
                    async with asyncio.timeout(min(deadline, window_end) - now):
                        data = await self._reader.read(READ_BYTES)
                    received += len(data)
                    if received > MAX_HEAD_BYTES + MAX_FRAMING * len(body):
                        return bytes(body), "length"
                    self._http.receive_data(data)
            except TimeoutError:
                continue  # to the checks of rate and deadline above
            except (OSError, h11.RemoteProtocolError):
                return bytes(body), "disconnect"
            if isinstance(event, h11.Data):
                room = max_bytes - len(body)
                body += event.data[:room]
                in_window += len(event.data)
                if len(event.data) > room:
                    return bytes(body), "length"
            elif isinstance(event, h11.EndOfMessage):
                return bytes(body), ""

    async def start_tls(self, context: ssl.SSLContext, host: str) -> Connection:
        """TLS to a host behind a proxy, after its answer to CONNECT; close the connection on failure."""
        # A reader of its own: bytes that the proxy sent before TLS must not be read as bytes of the host.
        reader = asyncio.StreamReader()
        protocol = asyncio.StreamReaderProtocol(reader)
        loop = asyncio.get_running_loop()
        try:
            transport = await loop.start_tls(self._writer.transport, protocol, context, server_hostname=host)
        except BaseException:
            self.close()
            raise
        assert transport is not None  # as the transport was open
        protocol.connection_made(transport)
        return Connection(reader, asyncio.StreamWriter(transport, protocol, reader, loop))

    def may_be_kept(self) -> bool:
        """Whether the connection can take another request; prepares h11 for it."""
        if self._http.our_state is not h11.DONE or self._http.their_state is not h11.DONE:
            return False
        # Bytes behind the answer would be read as the answer to the next request.
        if self._http.trailing_data[0] or self._reader.at_eof():
            return False
        self._http.start_next_cycle()
        return True

    async def is_silent(self) -> bool:
        """Whether the server neither closed the idle connection nor sent bytes that nobody asked for."""
        try:
            async with asyncio.timeout(0):
                await self._reader.read(1)
        except TimeoutError:
            return True
        except OSError:
            return False
        return False

    def close(self) -> None:
        """Hang up at once, because an orderly end of TLS waits for the other side."""
        self._writer.transport.abort()


class Downloader:
    """Fetches addresses allowed by ``rules``, and keeps one connection to each server open.

    With ``proxy`` (``http://HOST:PORT``) only the text of an address is judged, because names may be known to the proxy
    alone.
    """

    def __init__(
        self, rules: AddressRules, *, proxy: str = "", limits: FetchLimits | None = None, network: Network | None = None
    ) -> None:
        self._rules = rules
        self._proxy = urlsplit(proxy) if proxy else None
        self._limits = limits or FetchLimits()
        self._network = network or Network()
        self._tls = tls_context()
        self._kept: dict[Target, Connection] = {}

    async def fetch(self, request: Request) -> Response:
        """Fetch one address. Raises :class:`FetchFailed` or a subclass."""
        target = judge_url(request.url, self._rules)
        if isinstance(target, Refusal):
            logger.warning("refused (%s): %s", target.kind, target.detail)
            raise AddressRefused(target)
        started = monotonic()
        message = self._message(request, target)
        connection, head = await self._send(message, target, request.total_s)
        took_s = monotonic() - started
        fields = _plain(head)
        content_type = ",".join(value.decode("latin-1") for name, value in fields if name.lower() == b"content-type")
        may_be_kept = False
        try:
            limit = _limit_bytes(request, content_type)
            is_skipped = (
                request.pages_only
                and head.status_code in PAGE_STATUS
                and (
                    (limit == request.max_bytes and not may_be_html(content_type))
                    or _announced_bytes(fields) > limit > request.max_bytes
                )
            )
            if is_skipped:
                body, cut = b"", "length"
            else:
                body, cut = await connection.read_body(self._limits, limit, started + request.total_s)
                # Behind a cut body the rest of the answer would be read as the next one.
                may_be_kept = not cut and connection.may_be_kept()
        finally:
            if may_be_kept:
                self._keep(connection, target)
            else:
                connection.close()
        line = f"GET {path_and_query(request.url)} HTTP/1.1"
        return Response(head.status_code, fields, body, cut, took_s, line, _plain(message))

    def _keep(self, connection: Connection, target: Target) -> None:
        self._drop(target)
        if len(self._kept) >= MAX_KEPT:
            self._drop(next(iter(self._kept)))
        self._kept[target] = connection

    def _drop(self, target: Target) -> None:
        if (connection := self._kept.pop(target, None)) is not None:
            connection.close()

    def close(self) -> None:
        """Close the open connections."""
        for connection in self._kept.values():
            connection.close()
        self._kept.clear()

    def _message(self, request: Request, target: Target) -> h11.Request:
        try:
            authority = urlsplit(request.url).netloc
            # A proxy needs the whole address, but behind CONNECT the host itself answers.
            absolute = self._proxy is not None and target.scheme == "http"
            line = (f"http://{authority}" if absolute else "") + path_and_query(request.url)
            return h11.Request(method="GET", target=line, headers=[(b"Host", authority.encode()), *request.fields])
        except (h11.LocalProtocolError, ValueError) as error:
            raise FetchFailed(f"{target.host}: {error}") from error

    async def _send(self, message: h11.Request, target: Target, total_s: float) -> tuple[Connection, h11.Response]:
        """Send a request; returns the connection and the head of the answer."""
        try:
            async with asyncio.timeout(min(self._limits.connect_s + self._limits.first_byte_s, total_s)):
                # A server may close an idle connection at any time, so a failed one is no failed request.
                return await self._send_kept(message, target) or await self._send_anew(message, target)
        except TimeoutError as error:
            raise TimedOut(f"{target.host} did not answer in time") from error
        except ssl.SSLCertVerificationError as error:
            raise CertificateRefused(describe_certificate(target.host, error)) from error
        except ssl.SSLError as error:
            problem = in_ascii(error.reason or "closed by the server")
            raise FetchFailed(f"{target.host}: no TLS connection ({problem})") from error
        except (OSError, h11.RemoteProtocolError) as error:
            raise FetchFailed(f"{target.host}: {in_ascii(describe_error(error))[:200]}") from error

    async def _send_kept(self, message: h11.Request, target: Target) -> tuple[Connection, h11.Response] | None:
        """Send on the open connection of a target; None without one, or if the server closed it."""
        connection = self._kept.pop(target, None)
        if connection is None:
            return None
        try:
            if not await connection.is_silent():
                connection.close()
                return None
            return connection, await connection.ask(message)
        except (OSError, h11.RemoteProtocolError):
            if not connection.is_stale:
                raise
            return None

    async def _send_anew(self, message: h11.Request, target: Target) -> tuple[Connection, h11.Response]:
        connection = await self._connect(target)
        return connection, await connection.ask(message)

    async def _connect(self, target: Target) -> Connection:
        if self._proxy is not None:
            return await self._connect_through(self._proxy.hostname or "", self._proxy.port or 80, target)
        connected = await connect_guarded(
            target.host, target.port, self._rules, self._network, timeout_s=self._limits.connect_s
        )
        return await Connection.over(connected, self._tls if target.scheme == "https" else None, target.host)

    async def _connect_through(self, host: str, port: int, target: Target) -> Connection:
        try:
            addresses = await self._network.resolve(host, port)
            connected, _ = await connect_to_first(addresses, port, self._network, timeout_s=self._limits.connect_s)
        except (ConnectionError, socket.gaierror) as error:
            raise FetchFailed(f"the proxy {host}:{port}: {in_ascii(describe_error(error))[:200]}") from error
        connection = await Connection.over(connected, None, host)
        if target.scheme == "http":
            return connection
        authority = f"{f'[{target.host}]' if ':' in target.host else target.host}:{target.port}"
        head = await connection.ask(h11.Request(method="CONNECT", target=authority, headers=[("Host", authority)]))
        if head.status_code != 200:
            connection.close()
            raise FetchFailed(f"{target.host}: the proxy answered {head.status_code}")
        return await connection.start_tls(self._tls, target.host)


def _plain(message: h11.Request | h11.Response) -> Fields:
    return [(bytes(name), bytes(value)) for name, value in message.headers.raw_items()]


def _with_fields_only(data: bytes) -> tuple[bytes, bytes]:
    """Bytes of answers without the lines of their heads that are no header field, as browsers skip them.

    A blank before the colon goes, too (RFC 9112, 5.1). All that follows the first head that is not of a 1xx stays.
    Beside them, the unfinished head behind heads of a 1xx, of which the other bytes are still to come.
    """
    kept = bytearray()
    while end := HEAD_END.search(data):
        first, *lines = (line.rstrip(b"\r") for line in data[: end.start()].split(b"\n"))
        kept += first
        is_field = True
        for line in lines:
            field = _FIELD.match(line)
            is_field = field is not None or (is_field and line[:1] in (b" ", b"\t"))
            if is_field:
                kept += b"\r\n" + (line if field is None else field[1] + line[field.end() - 1 :])
        kept += b"\r\n\r\n"
        data = data[end.end() :]
        if not _INFORMATION.match(first):
            return bytes(kept) + data, b""
    return bytes(kept), data


def _head_bytes(response: h11.Response) -> int:
    """Size of the head of an answer as the archive stores it, with the empty line."""
    fields = sum(len(name) + len(b": ") + len(value) + len(b"\r\n") for name, value in response.headers.raw_items())
    return len(f"HTTP/1.1 200 {responses.get(response.status_code, '')}\r\n") + fields + len(b"\r\n")


def _limit_bytes(request: Request, content_type: str) -> int:
    """Most bytes of the body: a document may be longer than a page."""
    is_document = request.documents and is_document_type(content_type)
    return max(request.max_bytes, MAX_DOCUMENT_BYTES) if is_document else request.max_bytes


def _announced_bytes(fields: Fields) -> int:
    """Length of the body as announced, 0 for none."""
    stated = next((value for name, value in fields if name.lower() == b"content-length"), b"")
    return int(stated) if stated.isdigit() and len(stated) < 19 else 0
