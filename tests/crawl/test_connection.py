"""The connection itself: resolved once, all answers judged, one pinned, the peer looked at."""

from __future__ import annotations

import asyncio
import itertools
from ipaddress import ip_address

import pytest
from fake_network import FakeNetwork, FakeSocket
from hostile_addresses import INSIDE_V4, INSIDE_V6

from diglot.crawl.wire.address_guard import AddressRules, RefusalKind, read_allow_hosts, why_not_public
from diglot.crawl.wire.connection import AddressRefused, HostUnknown, connect_guarded
from diglot.crawl.wire.download import Downloader, Request

NOTHING_ALLOWED = AddressRules()


def connect(
    network: FakeNetwork, host: str, port: int = 80, rules: AddressRules = NOTHING_ALLOWED, timeout_s: float = 10.0
) -> object:
    """What a connection ends with: a socket or an exception."""
    try:
        return asyncio.run(connect_guarded(host, port, rules, network, timeout_s=timeout_s))
    except (AddressRefused, HostUnknown, OSError) as error:
        return error


def _answering(answers: list[str]) -> FakeNetwork:
    return FakeNetwork(lambda _: answers)


@pytest.mark.parametrize("others", [([], []), (["8.8.8.8"], []), ([], ["2001:4860:4860::8888"])])
def test_a_name_that_resolves_inside_is_not_connected_to(others: tuple[list[str], list[str]]) -> None:
    before, after = others
    for inside in INSIDE_V4 + INSIDE_V6:
        network = _answering([*before, inside, *after])
        error = connect(network, "rebind.example")
        assert isinstance(error, AddressRefused), inside
        assert error.refusal.kind is RefusalKind.NOT_PUBLIC, inside
        assert network.connected == [], inside


def test_rebinding_gains_nothing() -> None:
    # Public at every odd lookup, loopback at every even one; each connection looks up once and goes where it looked.
    flips = itertools.cycle(["8.8.8.8", "127.0.0.1"])
    network = FakeNetwork(lambda _: [next(flips)])
    refused = sum(isinstance(connect(network, "rebind.example"), AddressRefused) for _ in range(100))
    assert refused == 50
    assert len(network.lookups) == 100
    assert network.connected == ["8.8.8.8"] * 50


def test_the_text_of_the_host_is_judged_before_any_lookup() -> None:
    network = FakeNetwork(lambda _: ["8.8.8.8"])
    for host in ("127.1", "0x7f000001", "localhost", "10.0.0.1", "::1", "a%62c.example", "printer"):
        assert isinstance(connect(network, host), AddressRefused)
    assert isinstance(connect(network, "www.example.com", port=25), AddressRefused)
    assert network.lookups == network.connected == []


def test_the_next_answer_is_tried_where_one_does_not_connect() -> None:
    answers = ["8.8.8.8", "2001:4860:4860::8888"]
    network = FakeNetwork(lambda _: answers, lambda _: ConnectionRefusedError())
    assert isinstance(connect(network, "www.example.com"), ConnectionRefusedError)
    assert network.connected == answers
    assert all(not why_not_public(ip_address(host)) for host in network.connected)
    assert network.lookups == ["www.example.com"]


@pytest.mark.parametrize(("answers", "tried"), [(3, 3), (4, 4), (5, 4)])
def test_four_answers_are_tried(answers: int, tried: int) -> None:
    network = FakeNetwork(lambda _: [f"8.8.8.{n}" for n in range(answers)], lambda _: ConnectionRefusedError())
    connect(network, "www.example.com")
    assert len(network.connected) == tried


def test_a_connection_that_comes_elsewhere_is_cut() -> None:
    network = FakeNetwork(lambda _: ["8.8.8.8"], lambda _: "127.0.0.1")
    error = connect(network, "www.example.com")
    assert isinstance(error, AddressRefused)
    assert error.refusal.kind is RefusalKind.OTHER_PEER
    assert network.sockets[0].closed


def test_a_name_without_an_address() -> None:
    assert isinstance(connect(FakeNetwork(lambda _: []), "no.example.com"), HostUnknown)


def test_a_name_that_no_server_knows() -> None:
    def unknown(_: str) -> list[str]:
        raise OSError(-2, "Name or service not known")

    assert isinstance(connect(FakeNetwork(unknown), "no.example.com"), HostUnknown)


def test_a_name_server_or_a_host_that_is_silent_is_waited_for_only_so_long() -> None:
    class Silent(FakeNetwork):
        async def resolve(self, host: str, port: int) -> list[str]:
            await asyncio.sleep(60)
            return []

    assert isinstance(connect(Silent(lambda _: []), "slow.example.com", timeout_s=0.05), HostUnknown)

    class Mute(FakeNetwork):
        async def connect(self, address: str, port: int) -> FakeSocket:  # type: ignore[override]
            self.connected.append(address)
            await asyncio.sleep(60)
            return FakeSocket(address)

    mute = Mute(lambda _: ["8.8.8.8", "8.8.4.4"])
    assert isinstance(connect(mute, "slow.example.com", timeout_s=0.05), TimeoutError)
    assert mute.connected == ["8.8.8.8", "8.8.4.4"]


def test_an_allowed_host_is_reached_and_its_neighbour_is_not() -> None:
    rules = read_allow_hosts(["127.0.0.1:8080"])
    network = FakeNetwork(lambda name: [name])
    assert isinstance(connect(network, "127.0.0.1", 8080, rules), FakeSocket)
    assert network.connected == ["127.0.0.1"]
    for host, port in (("127.0.0.1", 80), ("127.0.0.1", 8081), ("127.0.0.2", 8080)):
        assert isinstance(connect(network, host, port, rules), AddressRefused)
    assert network.connected == ["127.0.0.1"]


@pytest.mark.parametrize("scheme", ["http", "https"])
def test_a_download_goes_through_the_guard(scheme: str) -> None:
    network = FakeNetwork(lambda _: ["169.254.169.254"])
    downloader = Downloader(NOTHING_ALLOWED, network=network)
    with pytest.raises(AddressRefused):
        asyncio.run(downloader.fetch(Request(f"{scheme}://metadata.example/latest", [])))
    assert network.lookups == ["metadata.example"]
    assert network.connected == []
