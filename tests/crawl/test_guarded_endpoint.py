"""The connection itself: resolved once, all answers judged, one pinned, the peer looked at."""

from __future__ import annotations

import itertools
from ipaddress import ip_address

import pytest
from fake_network import FakeNetwork
from hostile_addresses import INSIDE_V4, INSIDE_V6
from twisted.internet.defer import Deferred
from twisted.internet.error import ConnectionRefusedError, DNSLookupError
from twisted.internet.protocol import Factory, Protocol
from twisted.internet.testing import StringTransport
from twisted.python.failure import Failure
from twisted.web.client import Agent

from diglot.crawl.wire.address_guard import AddressRules, RefusalKind, is_public, read_allow_hosts
from diglot.crawl.wire.guarded_endpoint import AddressRefused, GuardedEndpoint, GuardedEndpointFactory

NOTHING_ALLOWED = AddressRules()


def connect(network: FakeNetwork, host: str, port: int = 80, rules: AddressRules = NOTHING_ALLOWED) -> list[object]:
    """What a connection ends with: filled with a protocol or an exception once it has ended."""
    ended: list[object] = []
    done: Deferred[Protocol] = GuardedEndpoint(network, host, port, rules).connect(Factory.forProtocol(Protocol))
    done.addCallbacks(ended.append, lambda failure: ended.append(failure.value))
    return ended


@pytest.mark.parametrize("inside", INSIDE_V4 + INSIDE_V6)
def test_a_name_that_resolves_inside_is_not_connected_to(inside: str) -> None:
    for answers in ([inside], ["8.8.8.8", inside], [inside, "2001:4860:4860::8888"]):
        network = FakeNetwork(lambda _, answers=answers: answers)
        (error,) = connect(network, "rebind.example")
        assert isinstance(error, AddressRefused)
        assert error.refusal.kind is RefusalKind.NOT_PUBLIC
        assert network.connected == []


def test_rebinding_gains_nothing() -> None:
    # Public at every odd lookup, loopback at every even one; each connection looks up once and goes where it looked.
    flips = itertools.cycle(["8.8.8.8", "127.0.0.1"])
    network = FakeNetwork(lambda _: [next(flips)])
    refused = sum(bool(connect(network, "rebind.example")) for _ in range(100))
    assert refused == 50
    assert len(network.lookups) == 100
    assert network.connected == ["8.8.8.8"] * 50


def test_the_text_of_the_host_is_judged_before_any_lookup() -> None:
    network = FakeNetwork(lambda _: ["8.8.8.8"])
    for host in ("127.1", "0x7f000001", "localhost", "10.0.0.1", "::1", "a%62c.example", "printer"):
        (error,) = connect(network, host)
        assert isinstance(error, AddressRefused)
    (error,) = connect(network, "www.example.com", port=25)
    assert isinstance(error, AddressRefused)
    assert network.lookups == network.connected == []


def test_the_next_answer_is_tried_where_one_does_not_connect() -> None:
    network = FakeNetwork(lambda _: ["8.8.8.8", "2001:4860:4860::8888"])
    ended = connect(network, "www.example.com")
    network.tcpClients[0][2].clientConnectionFailed(None, Failure(ConnectionRefusedError()))
    assert network.connected == ["8.8.8.8", "2001:4860:4860::8888"]
    assert all(is_public(ip_address(host)) for host in network.connected)
    network.tcpClients[1][2].clientConnectionFailed(None, Failure(ConnectionRefusedError()))
    assert isinstance(ended[0], ConnectionRefusedError)
    assert network.lookups == ["www.example.com"]


def test_a_connection_that_comes_elsewhere_is_cut() -> None:
    network = FakeNetwork(lambda _: ["8.8.8.8"])
    ended = connect(network, "www.example.com")
    factory = network.tcpClients[0][2]
    transport = StringTransport(peerAddress=FakePeer("127.0.0.1"))
    protocol = factory.buildProtocol(None)
    protocol.makeConnection(transport)
    assert isinstance(ended[0], AddressRefused)
    assert ended[0].refusal.kind is RefusalKind.OTHER_PEER
    assert transport.disconnected or transport.disconnecting


class FakePeer:
    """What a transport says it is connected to."""

    def __init__(self, host: str) -> None:
        self.host = host


def test_a_name_without_an_address() -> None:
    (error,) = connect(FakeNetwork(lambda _: []), "no.example.com")
    assert isinstance(error, DNSLookupError)


def test_a_name_server_that_is_silent_is_waited_for_only_so_long() -> None:
    network = FakeNetwork(lambda _: [])
    network.resolveHostName = lambda *_args, **_more: None  # type: ignore[method-assign]
    ended = connect(network, "slow.example.com")
    network.advance(9)
    assert ended == []
    network.advance(2)
    assert isinstance(ended[0], DNSLookupError)


def test_an_allowed_host_is_reached_and_its_neighbour_is_not() -> None:
    rules = read_allow_hosts(["127.0.0.1:8080"])
    network = FakeNetwork(lambda name: [name])
    assert connect(network, "127.0.0.1", 8080, rules) == []
    assert network.connected == ["127.0.0.1"]
    for host, port in (("127.0.0.1", 80), ("127.0.0.1", 8081), ("127.0.0.2", 8080)):
        assert isinstance(connect(network, host, port, rules)[0], AddressRefused)
    assert network.connected == ["127.0.0.1"]


@pytest.mark.parametrize("scheme", ["http", "https"])
def test_an_agent_goes_through_the_guard(scheme: str) -> None:
    network = FakeNetwork(lambda _: ["169.254.169.254"])
    agent = Agent.usingEndpointFactory(network, GuardedEndpointFactory(network, NOTHING_ALLOWED))
    failures: list[Failure] = []
    agent.request(b"GET", f"{scheme}://metadata.example/latest".encode()).addErrback(failures.append)
    assert isinstance(failures[0].value, AddressRefused)
    assert network.connected == []
