"""The address guard: only http(s) on the usual ports of hosts with public IP addresses."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum
from ipaddress import AddressValueError, IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address

import idna

from diglot.errors import UsageError, in_ascii
from diglot.pages.address import DEFAULT_PORTS

Address = IPv4Address | IPv6Address

REFUSED_ADDRESS = "refused_address"
"""Reason in the journal of a refused address; the detail is that of :class:`Refusal`."""

NOT_PUBLIC_V4 = [
    (IPv4Network(network), kind)
    for network, kind in [
        ("0.0.0.0/8", "this network"),
        ("10.0.0.0/8", "private"),
        ("100.64.0.0/10", "shared by the customers of a provider"),
        ("127.0.0.0/8", "loopback"),
        ("168.63.129.16/32", "a cloud platform's own server"),
        ("169.254.0.0/16", "link-local"),
        ("172.16.0.0/12", "private"),
        ("192.0.0.0/24", "kept for protocols"),
        ("192.0.2.0/24", "documentation"),
        ("192.88.99.0/24", "6to4 relay"),
        ("192.168.0.0/16", "private"),
        ("198.18.0.0/15", "benchmarking"),
        ("198.51.100.0/24", "documentation"),
        ("203.0.113.0/24", "documentation"),
        ("224.0.0.0/4", "multicast"),
        ("255.255.255.255/32", "broadcast"),
        ("240.0.0.0/4", "reserved"),
    ]
]

# The first match counts. An address without a match is public only inside GLOBAL_UNICAST.
NOT_PUBLIC_V6 = [
    (IPv6Network(network), kind)
    for network, kind in [
        ("::/128", "unspecified"),
        ("::1/128", "loopback"),
        ("::/96", "IPv4-compatible"),
        ("64:ff9b:1::/48", "NAT64 of a local network"),
        ("100::/64", "discard only"),
        ("100:0:0:1::/64", "kept for protocols"),
        ("2001::/32", "Teredo"),
        ("2001:db8::/32", "documentation"),
        ("2001::/23", "kept for protocols"),
        ("3ffe::/16", "6bone, given back"),
        ("3fff::/20", "documentation"),
        ("5f00::/16", "segment routing"),
        ("fc00::/7", "unique local"),
        ("fe80::/10", "link-local"),
        ("fec0::/10", "site-local"),
        ("ff00::/8", "multicast"),
    ]
]

GLOBAL_UNICAST = IPv6Network("2000::/3")

# IPv6 addresses that stand for an IPv4 address: network, name, bits to the right of the IPv4 address.
EMBEDDING = [
    (IPv6Network("::ffff:0:0/96"), "IPv4-mapped", 0),
    (IPv6Network("64:ff9b::/96"), "NAT64", 0),
    (IPv6Network("2002::/16"), "6to4", 80),
]

USUAL_PORTS = frozenset(DEFAULT_PORTS.values())

LOCAL_NAMES = ("localhost", "local", "localdomain", "internal", "home.arpa", "onion", "invalid")
"""Names without an answer on the public internet: RFC 6761, 6762, 7686, 8375, and ICANN's .internal (2024)."""

MAX_URL_CHARS = 8000
"""Length that every server and client should support (RFC 9110, 4.1)."""

_AUTHORITY = re.compile(r"([A-Za-z][A-Za-z0-9+.-]*):(?://([^/?#]*))?")
_HOST_PORT = re.compile(r"(\[[^\]]*\]|[^:]*)(?::([0-9]*))?")
MAX_PORT_DIGITS = 5
_LABEL = re.compile(r"[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?")
_NUMBER = re.compile(r"[0-9]+|0[xX][0-9a-fA-F]*")
_CONTROL = re.compile(r"[\x00-\x20\x7f-\x9f\u2028\u2029\ud800-\udfff]")


def why_not_public(address: Address) -> str:
    """The kind of a special IP address in words; "" for a public address.

    An IPv4 address inside an IPv6 address is judged by the IPv4 table: ``64:ff9b::8.8.8.8``, the usual answer in a
    network without IPv4, is public, and ``64:ff9b::127.0.0.1`` is not.
    """
    if isinstance(address, IPv4Address):
        return _first_kind(address, NOT_PUBLIC_V4)
    if address.scope_id is not None:
        return "link-local"
    for network, name, shift in EMBEDDING:
        if address in network:
            inner = IPv4Address((int(address) >> shift) & 0xFFFF_FFFF)
            kind = _first_kind(inner, NOT_PUBLIC_V4)
            return f"{name} {inner}, {kind}" if kind else ""
    return _first_kind(address, NOT_PUBLIC_V6) or ("" if address in GLOBAL_UNICAST else "not global unicast")


def _first_kind(address: Address, table: list[tuple[IPv4Network, str]] | list[tuple[IPv6Network, str]]) -> str:
    return next((kind for network, kind in table if address in network), "")


class RefusalKind(StrEnum):
    """Why an address is refused."""

    MALFORMED = "malformed"
    SCHEME = "scheme"
    USERINFO = "userinfo"
    SPELLING = "odd_spelling"
    PORT = "port"
    LOCAL_NAME = "local_name"
    NOT_PUBLIC = "not_public"
    OTHER_PEER = "other_peer"


@dataclass(frozen=True, slots=True)
class Refusal:
    """A kind and a sentence with the host, both safe to print."""

    kind: RefusalKind
    detail: str


@dataclass(frozen=True, slots=True)
class Target:
    """Destination of an address: host in lower case as passed to a resolver (IPv6 without brackets), and port."""

    scheme: str
    host: str
    port: int


@dataclass(frozen=True, slots=True)
class AddressRules:
    """``allow_hosts``: pairs of host and port, in exactly this spelling, that may have any IP address."""

    allow_hosts: frozenset[tuple[str, int]] = frozenset()

    def allows(self, host: str, port: int) -> bool:
        """Whether the user allowed this host and port by name."""
        return (host, port) in self.allow_hosts


def read_allow_hosts(values: Iterable[str]) -> AddressRules:
    """Parse ``HOST:PORT`` values, IPv6 in brackets. Raises UsageError without a host or a port."""
    allowed = set()
    for value in values:
        match = _HOST_PORT.fullmatch(value.strip().lower())
        if match is None or not match[1].strip("[]") or not match[2] or not 0 < _port(match[2]) < 65536:
            raise UsageError(f"allow_hosts={value!r}: is not HOST:PORT; write for example 127.0.0.1:8080")
        allowed.add((_plain_host(match[1]), int(match[2])))
    return AddressRules(frozenset(allowed))


def _port(digits: str) -> int:
    """The port number; 65,536, no valid port, for too many digits, as Python refuses to parse thousands of them."""
    digits = digits.lstrip("0")
    return int(digits or "0") if len(digits) <= MAX_PORT_DIGITS else 1 << 16


def judge_url(url: str, rules: AddressRules) -> Refusal | Target:
    """Judge the text of an absolute address, without a lookup."""
    if len(url) > MAX_URL_CHARS:
        return Refusal(RefusalKind.MALFORMED, f"the address has {len(url)} characters, more than {MAX_URL_CHARS}")
    match = _AUTHORITY.match(url)
    if match is None:
        return Refusal(RefusalKind.MALFORMED, f"{_quote(url)} is no absolute address")
    scheme, authority = match[1].lower(), match[2] or ""
    if scheme not in DEFAULT_PORTS:
        return Refusal(RefusalKind.SCHEME, f"{_quote(scheme)} is neither http nor https")
    if "@" in authority:
        # The name and a password stay out of what is printed and kept.
        return Refusal(RefusalKind.USERINFO, f"{_quote(authority.rpartition('@')[2])} comes with a user name")
    if "\\" in authority or "%" in authority or _CONTROL.search(authority):
        return Refusal(RefusalKind.SPELLING, f"{_quote(authority)} has characters that hosts do not have")
    parts = _HOST_PORT.fullmatch(authority)
    if parts is None or not parts[1]:
        return Refusal(RefusalKind.MALFORMED, f"{_quote(url)} has no host that can be read")
    port = _port(parts[2]) if parts[2] else DEFAULT_PORTS[scheme]
    host = _ascii_host(parts[1].lower())
    # Full-width digits, for example, become an IP address only now.
    if (host != parts[1].lower() and _ends_in_number(host)) or host.startswith("[") != (":" in host):
        return Refusal(RefusalKind.SPELLING, f"{_quote(authority)} is an unusual way to write an address")
    refusal = judge_host(_plain_host(host), port, rules)
    return refusal or Target(scheme, _plain_host(host).removesuffix("."), port)


def judge_host(host: str, port: int, rules: AddressRules) -> Refusal | None:
    """Judge a host, in lower case and without brackets, and its port, without a lookup."""
    if rules.allows(host, port):
        return None
    if port not in USUAL_PORTS:
        return Refusal(RefusalKind.PORT, f"port {port} of {_quote(host)} is neither 80 nor 443")
    if ":" in host:
        return _judge_v6(host)
    if _ends_in_number(host):
        return _judge_v4(host)
    labels = host.removesuffix(".").split(".")
    # 253 characters and a final dot.
    if len(host) > 254 or not all(_LABEL.fullmatch(label) for label in labels):
        return Refusal(RefusalKind.MALFORMED, f"{_quote(host)} is no host name")
    if len(labels) == 1 or any(labels[-name.count(".") - 1 :] == name.split(".") for name in LOCAL_NAMES):
        return Refusal(RefusalKind.LOCAL_NAME, f"{host} is a name of local networks")
    return None


def judge_answers(host: str, port: int, answers: Iterable[str], rules: AddressRules) -> Refusal | None:
    """Judge all IP addresses of a name: a single special one refuses the name."""
    if rules.allows(host, port):
        return None
    for answer in answers:
        try:
            kind = why_not_public(ip_address(answer))
        except ValueError:
            return Refusal(RefusalKind.MALFORMED, f"{_quote(host)} resolves to {_quote(answer)}, which is no address")
        if kind:
            return Refusal(RefusalKind.NOT_PUBLIC, f"{_quote(host)} resolves to {answer} ({kind})")
    return None


def judge_peer(host: str, port: int, pinned: str, peer: str, rules: AddressRules) -> Refusal | None:
    """Judge the peer of a connection against the address that was judged and connected to."""
    if _same_address(pinned, peer):
        return judge_answers(host, port, [peer], rules)
    return Refusal(RefusalKind.OTHER_PEER, f"{_quote(host)} was {pinned} and the connection came to {_quote(peer)}")


def _same_address(first: str, second: str) -> bool:
    try:
        return ip_address(first) == ip_address(second)
    except ValueError:
        return False


def _ends_in_number(host: str) -> bool:
    """Whether a resolver may read the host as an IPv4 address (WHATWG URL, 3.5, "ends in a number")."""
    return _NUMBER.fullmatch(host.removesuffix(".").rpartition(".")[2]) is not None


def _judge_v4(host: str) -> Refusal | None:
    try:
        kind = why_not_public(IPv4Address(host))
    except AddressValueError:
        return Refusal(RefusalKind.SPELLING, f"{_quote(host)} is an unusual way to write an IPv4 address")
    return Refusal(RefusalKind.NOT_PUBLIC, f"{host} ({kind})") if kind else None


def _judge_v6(host: str) -> Refusal | None:
    try:
        kind = why_not_public(IPv6Address(host))
    except AddressValueError:
        return Refusal(RefusalKind.MALFORMED, f"{_quote(host)} is no IPv6 address")
    return Refusal(RefusalKind.NOT_PUBLIC, f"{host} ({kind})") if kind else None


def _plain_host(host: str) -> str:
    return host[1:-1] if host.startswith("[") else host


def _ascii_host(host: str) -> str:
    """The host in ASCII for a resolver (UTS 46); unchanged if it cannot be encoded."""
    if host.isascii():
        return host
    try:
        return idna.encode(host, uts46=True).decode("ascii")
    except idna.IDNAError:
        return host


def _quote(text: str) -> str:
    """Foreign text, shortened, without control characters for a terminal."""
    return in_ascii(text[:100] + ("..." if len(text) > 100 else ""))
