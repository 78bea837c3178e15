"""What may be connected to: every special network, every spelling, and nothing public by mistake."""

from __future__ import annotations

import re
from ipaddress import IPv4Address, IPv4Network, IPv6Address, ip_address

import pytest
from hostile_addresses import INSIDE_V4, INSIDE_V6, hostile_urls, lookalike_urls
from hypothesis import given
from hypothesis import strategies as st

from diglot.crawl.wire.address_guard import (
    NOT_PUBLIC_V4,
    AddressRules,
    Refusal,
    RefusalKind,
    Target,
    judge_answers,
    judge_peer,
    judge_url,
    read_allow_hosts,
    why_not_public,
)
from diglot.errors import UsageError

NOTHING_ALLOWED = AddressRules()


def test_special_networks_are_not_public() -> None:
    assert [address for address in INSIDE_V4 + INSIDE_V6 if not why_not_public(ip_address(address))] == []


# Both sides of both ends of every IPv4 network; where two networks touch, the neighbour is none.
@pytest.mark.parametrize("network", [str(network) for network, _ in NOT_PUBLIC_V4])
def test_a_network_ends_where_it_ends(network: str) -> None:
    net = IPv4Network(network)
    assert why_not_public(net[0])
    assert why_not_public(net[-1])
    for number in (int(net[0]) - 1, int(net[-1]) + 1):
        if 0 <= number < 1 << 32 and number not in (0xDFFFFFFF + 1, 0xEFFFFFFF, 0xF0000000, 0xFFFFFFFE):
            assert not why_not_public(IPv4Address(number)), IPv4Address(number)


def test_python_says_global_and_we_do_not() -> None:
    # Fourteen that ipaddress.is_global lets pass in Python 3.11.
    doubtful = [
        "192.0.0.192",
        "192.88.99.1",
        "224.0.0.1",
        "239.255.255.250",
        "::127.0.0.1",
        "64:ff9b::7f00:1",
        "64:ff9b::a9fe:a9fe",
        "64:ff9b:1::1",
        "2002:7f00:1::",
        "2002:a9fe:a9fe::",
        "fec0::1",
        "ff02::1",
        "3fff::1",
        "5f00::1",
    ]
    assert [address for address in doubtful if not why_not_public(ip_address(address))] == []


def test_the_reason_names_the_address_inside() -> None:
    assert why_not_public(IPv6Address("64:ff9b::169.254.169.254")) == "NAT64 169.254.169.254, link-local"
    assert why_not_public(IPv6Address("fe80::1%eth0")) == "link-local"


@given(inner=st.integers(0, (1 << 32) - 1))
def test_an_embedded_address_is_judged_as_itself(inner: int) -> None:
    plain = not why_not_public(IPv4Address(inner))
    for outer in (0xFFFF << 32 | inner, 0x64_FF9B << 96 | inner, 0x2002 << 112 | inner << 80 | 5):
        assert (not why_not_public(IPv6Address(outer))) == plain


def test_hostile_addresses_are_refused_by_their_text() -> None:
    urls = hostile_urls()
    assert len(urls) >= 600
    verdicts = {url: judge_url(url, NOTHING_ALLOWED) for url in urls}
    assert [url for url, verdict in verdicts.items() if not isinstance(verdict, Refusal)] == []
    details = [verdict.detail for verdict in verdicts.values() if isinstance(verdict, Refusal)]
    assert [detail for detail in details if not re.fullmatch("[ -~]+", detail)] == []


def test_public_lookalikes_pass() -> None:
    urls = lookalike_urls()
    assert len(urls) >= 200
    assert [url for url in urls if not isinstance(judge_url(url, NOTHING_ALLOWED), Target)] == []


@pytest.mark.parametrize(
    ("url", "kind"),
    [
        ("ftp://www.example.com/", RefusalKind.SCHEME),
        ("http://www.example.com:22/", RefusalKind.PORT),
        ("http://me@www.example.com/", RefusalKind.USERINFO),
        ("http://127.1/", RefusalKind.SPELLING),
        ("http://８.８.８.８/", RefusalKind.SPELLING),
        ("http://8.8.8.8./", RefusalKind.SPELLING),
        ("http://8.8.2056/", RefusalKind.SPELLING),
        ("http://%65xample.com/", RefusalKind.SPELLING),
        ("http://[8.8.8.8]/", RefusalKind.SPELLING),
        ("http://localhost/", RefusalKind.LOCAL_NAME),
        ("http://10.0.0.1/", RefusalKind.NOT_PUBLIC),
        ("http://[::1]/", RefusalKind.NOT_PUBLIC),
        ("http://a..b.example/", RefusalKind.MALFORMED),
        ("http://www.example.com/" + 8000 * "x", RefusalKind.MALFORMED),
    ],
)
def test_kinds(url: str, kind: RefusalKind) -> None:
    verdict = judge_url(url, NOTHING_ALLOWED)
    assert isinstance(verdict, Refusal)
    assert verdict.kind is kind


def test_where_an_address_leads() -> None:
    assert judge_url("HTTPS://Bücher.Example./x", NOTHING_ALLOWED) == Target("https", "xn--bcher-kva.example", 443)
    assert judge_url("http://[2001:4860:4860::8888]:80", NOTHING_ALLOWED) == Target("http", "2001:4860:4860::8888", 80)


def test_allowed_hosts_are_exact() -> None:
    rules = read_allow_hosts(["127.0.0.1:8080", "[::1]:9000", "Intranet:80"])
    allowed = ["http://127.0.0.1:8080/x", "http://[::1]:9000/", "http://intranet/", "http://INTRANET:80/"]
    assert all(isinstance(judge_url(url, rules), Target) for url in allowed)
    for url in (
        "http://127.0.0.1/",
        "http://127.0.0.1:8081/",
        "http://127.0.0.2:8080/",
        "http://127.1:8080/",
        "http://127.0.0.1.:8080/",
        "http://１27.0.0.1:8080/",
        "http://0x7f000001:8080/",
        "http://[::ffff:127.0.0.1]:8080/",
        "http://user@127.0.0.1:8080/",
        "http://localhost:8080/",
        "http://[::1]:8080/",
        "http://intranet:8080/",
        "ftp://127.0.0.1:8080/",
    ):
        assert isinstance(judge_url(url, rules), Refusal), url


@pytest.mark.parametrize(
    "value", ["", "127.0.0.1", "example.com:", ":80", "[]:80", "a:b", "example.com:70000", "http://a:80"]
)
def test_an_allowed_host_needs_host_and_port(value: str) -> None:
    with pytest.raises(UsageError, match="HOST:PORT"):
        read_allow_hosts([value])


def test_one_answer_inside_refuses_the_name() -> None:
    assert judge_answers("a.example", 80, ["8.8.8.8", "2001:4860:4860::8888"], NOTHING_ALLOWED) is None
    verdict = judge_answers("a.example", 80, ["8.8.8.8", "127.0.0.1"], NOTHING_ALLOWED)
    assert verdict == Refusal(RefusalKind.NOT_PUBLIC, "a.example resolves to 127.0.0.1 (loopback)")
    assert judge_answers("a.example", 80, ["127.0.0.1"], read_allow_hosts(["a.example:80"])) is None


def test_the_peer_must_be_the_one_pinned() -> None:
    assert judge_peer("a.example", 80, "8.8.8.8", "8.8.8.8", NOTHING_ALLOWED) is None
    assert judge_peer("a.example", 80, "2001:4860::1", "2001:4860:0::1", NOTHING_ALLOWED) is None
    other = judge_peer("a.example", 80, "8.8.8.8", "8.8.4.4", NOTHING_ALLOWED)
    assert other is not None
    assert other.kind is RefusalKind.OTHER_PEER
    inside = judge_peer("a.example", 80, "127.0.0.1", "127.0.0.1", NOTHING_ALLOWED)
    assert inside is not None
    assert inside.kind is RefusalKind.NOT_PUBLIC


@given(text=st.text(max_size=60))
def test_no_text_is_too_much(text: str) -> None:
    for url in (text, f"http://{text}", f"http://[{text}]/", f"http://a:{text}/"):
        verdict = judge_url(url, NOTHING_ALLOWED)
        if isinstance(verdict, Refusal):
            assert re.fullmatch("[ -~]+", verdict.detail)
        else:
            assert verdict.host.isascii()
