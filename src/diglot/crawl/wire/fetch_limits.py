"""How much of an answer is taken and how long it is waited for, while it arrives (Twisted protocols)."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

from twisted.internet.defer import Deferred
from twisted.internet.interfaces import IStreamClientEndpoint
from twisted.internet.protocol import Factory, Protocol
from twisted.protocols.policies import ProtocolWrapper, WrappingFactory
from twisted.python.failure import Failure
from twisted.web.client import ResponseDone
from twisted.web.http import PotentialDataLoss
from zope.interface import implementer

MAX_HEAD_BYTES = 1 << 18
"""Status line and header fields of one answer, those of 1xx answers before it included; browsers stop there too."""

_HEAD_END = re.compile(rb"\r?\n\r?\n")
_FINAL_STATUS = re.compile(rb"HTTP/[0-9.]+[ ]+[2-9][0-9]{2}(?:[ \r\n]|$)")


@dataclass(frozen=True, slots=True, kw_only=True)
class FetchLimits:
    """Limits of one fetch. Bytes are counted as they are sent, before any content coding is undone."""

    max_bytes: int = 10 << 20
    connect_s: float = 10.0
    first_byte_s: float = 30.0
    """From the request to the end of the answer's header fields."""
    total_s: float = 120.0
    min_bytes_per_s: int = 64
    """The slowest a body may come, measured over ``rate_window_s``; a modem of 1985 was faster."""
    rate_window_s: float = 20.0


class BodyCollector(Protocol):
    """Collects a body up to its limits; ``done`` fires with the bytes and why they were cut, "" where they were not.

    The reasons are those of WARC-Truncated (WARC 1.1, 5.13): ``length``, ``time``, ``disconnect``.
    """

    def __init__(self, reactor: Any, limits: FetchLimits, *, left_s: float) -> None:
        self.done: Deferred[tuple[bytes, str]] = Deferred(lambda _: self._finish("time"))
        self._reactor = reactor
        self._limits = limits
        self._body = bytearray()
        self._in_window = 0
        self._deadline = reactor.callLater(left_s, self._finish, "time")
        self._window = reactor.callLater(limits.rate_window_s, self._check_rate)

    def dataReceived(self, data: bytes) -> None:  # noqa: N802
        """Take what the limit leaves room for."""
        if self.done.called:
            return
        self._in_window += len(data)
        room = self._limits.max_bytes - len(self._body)
        self._body += data[:room]
        if len(data) > room:
            self._finish("length")

    def connectionLost(self, reason: Failure = Failure(ResponseDone())) -> None:  # noqa: N802, B008
        """The body has ended, or the connection has."""
        whole = reason.check(ResponseDone, PotentialDataLoss) is not None
        self._finish("" if whole else "disconnect")

    def stop(self, cut: str) -> None:
        """Take no more, for a reason of the caller's."""
        self._finish(cut)

    def _check_rate(self) -> None:
        if self._in_window < self._limits.min_bytes_per_s * self._limits.rate_window_s:
            self._finish("time")
            return
        self._in_window = 0
        self._window = self._reactor.callLater(self._limits.rate_window_s, self._check_rate)

    def _finish(self, cut: str) -> None:
        if self.done.called:
            return
        for timer in (self._deadline, self._window):
            if timer.active():
                timer.cancel()
        if cut and self.transport is not None:
            self.transport.stopProducing()
        self.done.callback((bytes(self._body), cut))


class HeadLimit(ProtocolWrapper):
    """Between a connection and an HTTP client: hangs up where an answer's head goes on for too long.

    Twisted bounds a header line and not their number. Each request written opens a new head.
    """

    def __init__(self, factory: WrappingFactory, wrapped: Protocol) -> None:
        super().__init__(factory, wrapped)
        self._head: bytearray | None = bytearray()
        self._head_bytes = 0

    def write(self, data: bytes) -> None:
        """Send a part of a request."""
        self._head, self._head_bytes = bytearray(), 0
        super().write(data)

    def dataReceived(self, data: bytes) -> None:  # noqa: N802
        """Hand on what came, unless it is one head field too many."""
        if self._head is not None and self._head_goes_on(data):
            self.stopProducing()
            return
        super().dataReceived(data)

    def stopProducing(self) -> None:  # noqa: N802
        """Hang up at once: a polite goodbye over TLS waits for the other side's."""
        self.transport.abortConnection()

    def _head_goes_on(self, data: bytes) -> bool:
        """Whether the head has passed its limit and is still no final answer's."""
        assert self._head is not None
        self._head += data
        while end := _HEAD_END.search(self._head):
            if _FINAL_STATUS.match(self._head):
                self._head = None
                return False
            self._head_bytes += end.end()
            del self._head[: end.end()]
        return self._head_bytes + len(self._head) > MAX_HEAD_BYTES


class _HeadLimitFactory(WrappingFactory):
    noisy = False
    protocol = HeadLimit


@implementer(IStreamClientEndpoint)
class HeadLimitedEndpoint:
    """An endpoint whose connections pass through :class:`HeadLimit`, inside TLS where there is TLS."""

    def __init__(self, endpoint: IStreamClientEndpoint) -> None:
        self._endpoint = endpoint

    def connect(self, protocolFactory: Factory) -> Deferred[Protocol]:  # noqa: N803
        """Connect, and give the protocol that ``protocolFactory`` builds."""
        factory = _HeadLimitFactory(protocolFactory)
        connected: Deferred[Any] = self._endpoint.connect(factory)
        return connected.addCallback(lambda wrapper: wrapper.wrappedProtocol)
