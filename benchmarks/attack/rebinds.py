"""Names that change their answer: between lookups, within one, and peers that are not who was connected to."""

from __future__ import annotations

import asyncio
import random
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from ipaddress import ip_address
from pathlib import Path

from fake_network import FakeNetwork
from hostile_addresses import INSIDE_V6

from attack.addresses import inside_v4
from attack.tally import Tally
from diglot.crawl.wire.address_guard import AddressRules, why_not_public
from diglot.crawl.wire.connection import AddressRefused, connect_guarded

ROUNDS, BLOCK = 1_000, 250
LIMITS = ""
PUBLIC = ("8.8.8.8", "1.1.1.1", "2001:4860:4860::8888", "93.184.215.14", "2606:4700:4700::1111")


def drawn_address(draw: random.Random) -> str:
    """Public or inside, each half of the time; an address inside is sometimes wrapped in IPv6."""
    if draw.random() < 0.5:
        return draw.choice(PUBLIC)
    inside = str(inside_v4(draw))
    return draw.choice((inside, inside, f"::ffff:{inside}", f"64:ff9b::{inside}", draw.choice(INSIDE_V6)))


@contextmanager
def opened(seed: int, _corpus: Path | None) -> Iterator[Callable[[range], Tally]]:
    """Give the function that runs rounds."""
    yield lambda rounds: _run(rounds, seed)


def _run(rounds: range, seed: int) -> Tally:
    tally = Tally(rounds=len(rounds))
    began = time.process_time()
    for number in rounds:
        started = time.process_time()
        told = _rebind(random.Random(f"{seed} {number}"), tally)
        if told:
            tally.fail("wrong", f"{number}: {told}")
        tally.slowest_s = max(tally.slowest_s, time.process_time() - started)
    tally.cpu_s = time.process_time() - began
    return tally


def _rebind(draw: random.Random, tally: Tally) -> str:
    """Connect some times to a name whose answers change; what went wrong, "" where nothing did.

    A connection that is tried fails, or comes up with the peer that was asked for or with any other.
    """
    peers: list[tuple[str, str]] = []

    def outcome(address: str) -> str | OSError:
        if draw.random() < 0.3:
            return ConnectionRefusedError()
        peers.append((address, address if draw.random() < 0.5 else drawn_address(draw)))
        return peers[-1][1]

    network = FakeNetwork(lambda _name: [drawn_address(draw) for _ in range(draw.randint(1, 4))], outcome)
    given: list[str] = []
    times = draw.randint(2, 6)
    for _time in range(times):
        with suppress(AddressRefused, OSError):
            given.append(asyncio.run(connect_guarded("rebind.example", 80, AddressRules(), network)).getpeername()[0])
    stands = [each.peer for each in network.sockets if not each.closed]
    if stands != given:
        return f"connections to {stands} stand and {given} were given out"
    tally.counts["came up"] += len(peers)
    tally.counts["tried"] += len(network.connected)
    tally.counts["given out"] += len(given)
    inside = [host for host in (*network.connected, *given) if why_not_public(ip_address(host))]
    if inside:
        return f"reached {inside}"
    return f"{len(network.lookups)} lookups for {times} connections" if len(network.lookups) > times else ""
