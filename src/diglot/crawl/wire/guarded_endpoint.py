"""A connection that goes only where the address guard lets it: resolve once, judge all answers, pin one, look again.

This is the one place of a crawl that opens connections, so it holds for the start address, links, redirects, sitemaps
and robots files alike, and a name that changes its answer between two lookups gains nothing: there is no second.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from twisted.internet.defer import Deferred, maybeDeferred
from twisted.internet.endpoints import TCP4ClientEndpoint, TCP6ClientEndpoint, wrapClientTLS
from twisted.internet.error import ConnectError, DNSLookupError
from twisted.internet.interfaces import IAddress, IResolutionReceiver, IStreamClientEndpoint
from twisted.internet.protocol import Factory, Protocol
from twisted.python.failure import Failure
from twisted.web.client import URI
from twisted.web.iweb import IAgentEndpointFactory
from zope.interface import implementer

from diglot.crawl.wire.address_guard import AddressRules, Refusal, judge_answers, judge_host, judge_peer
from diglot.crawl.wire.certificates import CheckedTls
from diglot.crawl.wire.fetch_limits import HeadLimitedEndpoint

CONNECT_TIMEOUT_S = 10.0
MAX_ATTEMPTS = 4
"""Addresses of one name that are tried, one after the other."""


class AddressRefused(Exception):
    """The guard let no connection happen; ``refusal`` says why."""

    def __init__(self, refusal: Refusal) -> None:
        super().__init__(refusal.detail)
        self.refusal = refusal


@implementer(IResolutionReceiver)
class _Answers:
    """Collects what a resolver says and fires ``done`` with the addresses as text."""

    def __init__(self) -> None:
        self.done: Deferred[list[str]] = Deferred()
        self._hosts: list[str] = []

    def resolutionBegan(self, resolutionInProgress: object) -> None:  # noqa: N802, N803
        """Twisted's interface; nothing is kept of it."""

    def addressResolved(self, address: IAddress) -> None:  # noqa: N802
        """One more answer."""
        self._hosts.append(address.host)

    def resolutionComplete(self) -> None:  # noqa: N802
        """No more answers."""
        if not self.done.called:
            self.done.callback(self._hosts)


@implementer(IStreamClientEndpoint)
class GuardedEndpoint:
    """Connects to ``host``:``port`` if it is public in all that its name resolves to; see the module."""

    def __init__(
        self, reactor: Any, host: str, port: int, rules: AddressRules, *, connect_timeout_s: float = CONNECT_TIMEOUT_S
    ) -> None:
        self._reactor = reactor
        self._host = host
        self._port = port
        self._rules = rules
        self._connect_timeout_s = connect_timeout_s

    def connect(self, protocolFactory: Factory) -> Deferred[Protocol]:  # noqa: N803
        """Open the connection; fails with AddressRefused before a packet leaves where the guard refuses."""
        refusal = judge_host(self._host, self._port, self._rules)
        if refusal is not None:
            return _failed(AddressRefused(refusal))
        answers = _Answers()
        self._reactor.nameResolver.resolveHostName(answers, self._host, portNumber=self._port)
        answers.done.addTimeout(self._connect_timeout_s, self._reactor, lambda *_: _no_answer(self._host))
        return answers.done.addCallback(self._connect_to, protocolFactory)

    def _connect_to(self, answers: list[str], factory: Factory) -> Deferred[Protocol]:
        refusal = judge_answers(self._host, self._port, answers, self._rules)
        if refusal is not None:
            raise AddressRefused(refusal)
        return self._attempt(iter(answers[:MAX_ATTEMPTS]), factory, None)

    def _attempt(self, answers: Iterator[str], factory: Factory, last: Failure | None) -> Deferred[Protocol]:
        """Try the next pinned address, and the one after it where the connection fails."""
        pinned = next(answers, None)
        if pinned is None:
            raise last.value if last is not None else DNSLookupError(f"no address is known for {self._host}")
        kind = TCP6ClientEndpoint if ":" in pinned else TCP4ClientEndpoint
        attempt = maybeDeferred(kind(self._reactor, pinned, self._port, self._connect_timeout_s).connect, factory)
        return attempt.addCallbacks(
            self._check_peer, lambda failure: self._next_attempt(failure, answers, factory), (pinned,)
        )

    def _next_attempt(self, failure: Failure, answers: Iterator[str], factory: Factory) -> Deferred[Protocol]:
        failure.trap(ConnectError)
        return self._attempt(answers, factory, failure)

    def _check_peer(self, protocol: Protocol, pinned: str) -> Protocol:
        transport: Any = protocol.transport
        refusal = judge_peer(self._host, self._port, pinned, str(transport.getPeer().host), self._rules)
        if refusal is not None:
            transport.abortConnection()
            raise AddressRefused(refusal)
        return protocol


@implementer(IAgentEndpointFactory)
class GuardedEndpointFactory:
    """What ``twisted.web.client.Agent.usingEndpointFactory`` asks for connections."""

    def __init__(self, reactor: Any, rules: AddressRules, *, connect_timeout_s: float = CONNECT_TIMEOUT_S) -> None:
        self._reactor = reactor
        self._rules = rules
        self._connect_timeout_s = connect_timeout_s

    def endpointForURI(self, uri: URI) -> IStreamClientEndpoint:  # noqa: N802
        """An endpoint for the host and port of an address, with TLS and its certificate checked for https."""
        host = uri.host.decode("ascii").lower()
        endpoint = GuardedEndpoint(
            self._reactor, host, uri.port, self._rules, connect_timeout_s=self._connect_timeout_s
        )
        if uri.scheme == b"https":
            return HeadLimitedEndpoint(wrapClientTLS(CheckedTls(host), endpoint))
        return HeadLimitedEndpoint(endpoint)


def _failed(error: Exception) -> Deferred[Any]:
    done: Deferred[Any] = Deferred()
    done.errback(Failure(error))
    return done


def _no_answer(host: str) -> Any:
    raise DNSLookupError(f"the name server did not answer for {host} in time")
