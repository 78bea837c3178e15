"""Hostile addresses against the crawler's guard: by their text, as what a name resolves to, and by eight ways in.

Every address is judged by its text; addresses inside are also what a name resolves to when a connection is made; and
all are offered by a site on loopback as start, link, redirect, sitemap, robots, canonical, hreflang and refresh, to a
crawl whose every connection and lookup is noted by a hook of the interpreter.
"""

from __future__ import annotations

import asyncio
import itertools
import random
import resource
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import cache
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network
from pathlib import Path

from fake_network import FakeNetwork
from hostile_addresses import INSIDE_V6, hostile_urls, spellings_v4
from hostile_entries import NUMBERED, crawl_hostile_entries

from attack.tally import Tally
from diglot.crawl.wire.address_guard import NOT_PUBLIC_V4, AddressRules, Refusal, judge_url
from diglot.crawl.wire.connection import AddressRefused, connect_guarded

ROUNDS, BLOCK = 2_400, 120
LIMITS = ""
PATHS = ("/", "", "/x?y=http://example.com/", "/#a", "/..;/", "/%2e%2e/", ":80/", ":443/", ":22/", "?", "/" + "a" * 300)


@cache
def all_addresses(seed: int) -> tuple[str, ...]:
    """Those of the tests first, then drawn ones: any address of a network inside, in any spelling, with any path."""
    draw = random.Random(seed)
    drawn = (drawn_address(draw) for _ in itertools.count())
    return tuple(
        itertools.islice(dict.fromkeys(itertools.chain(hostile_urls(), itertools.islice(drawn, 9_000))), 6_000)
    )


def drawn_address(draw: random.Random) -> str:
    scheme = draw.choice(("http", "https", "HTTP", "//", "http:/", "http:\\\\"))
    joined = scheme if scheme in ("//", "http:/", "http:\\\\") else f"{scheme}://"
    if draw.random() < 0.25:
        network = IPv6Network(f"{draw.choice(INSIDE_V6)}/112", strict=False)
        return f"{joined}[{network[draw.randrange(65_536)]}]{draw.choice(PATHS)}"
    return f"{joined}{draw.choice(list(spellings_v4(str(inside_v4(draw)))))}{draw.choice(PATHS)}"


def inside_v4(draw: random.Random) -> IPv4Address:
    """Any address of any IPv4 network that is not the public internet."""
    network = IPv4Network(draw.choice(NOT_PUBLIC_V4)[0])
    return network[draw.randrange(network.num_addresses)]


@contextmanager
def opened(seed: int, _corpus: Path | None) -> Iterator[Callable[[range], Tally]]:
    """Give the function that runs rounds."""
    yield lambda rounds: _run(rounds, seed)


def _run(rounds: range, seed: int) -> Tally:
    tally = Tally(rounds=len(rounds))
    urls = list(all_addresses(seed)[rounds.start : rounds.stop])
    before = _cpu_s()
    for number, url in zip(rounds, urls, strict=True):
        if not isinstance(judge_url(url, AddressRules()), Refusal):
            tally.fail("wrong", f"{number}: {url!r} is let pass")
    _resolve_inside(tally, rounds, seed)
    with tempfile.TemporaryDirectory() as folder:
        started = time.monotonic()
        entered = crawl_hostile_entries(urls, Path(folder))
        tally.slowest_s = time.monotonic() - started
    elsewhere = [line for line in entered.connects if "127.0.0.1', PORT" not in line]
    for line in elsewhere:
        tally.fail("wrong", f"{rounds.start} to {rounds.stop - 1}: {line}")
    if entered.starts_refused < len(urls):
        tally.fail("wrong", f"{rounds.start} to {rounds.stop - 1}: a start address was let pass")
    if entered.unlogged:
        tally.fail("wrong", f"{rounds.start} to {rounds.stop - 1}: {entered.unlogged} refusals not in the journal")
    if any(entered.requests[name] < len(urls) for name in NUMBERED):
        tally.fail("crashes", f"{rounds.start} to {rounds.stop - 1}: the crawl ended early")
    tally.counts.update(ways=8 * len(urls), refusals_noted=entered.logged, connections_elsewhere=len(elsewhere))
    tally.cpu_s = _cpu_s() - before
    tally.peak_mib = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024
    return tally


def _resolve_inside(tally: Tally, rounds: range, seed: int) -> None:
    """Connect to names that resolve to an address inside, alone or among public ones."""
    for number in rounds:
        draw = random.Random(f"{seed} resolve {number}")
        inside = str(inside_v4(draw)) if draw.random() < 0.7 else str(IPv6Address(draw.choice(INSIDE_V6)))
        answers = [inside, *draw.sample(["8.8.8.8", "2001:4860:4860::8888", "1.1.1.1"], draw.randrange(4))]
        draw.shuffle(answers)
        network = FakeNetwork(lambda _name, answers=answers: answers)
        with suppress(AddressRefused):
            asyncio.run(connect_guarded("a.example", 80, AddressRules(), network))
        if network.connected:
            tally.fail("wrong", f"{number}: connected to {network.connected} of {answers}")


def _cpu_s() -> float:
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(each.ru_utime + each.ru_stime for each in used)
