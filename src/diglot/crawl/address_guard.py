"""Which addresses may be fetched: http(s) on usual ports of hosts on the public internet, plainly spelt.

Three verdicts, each a :class:`Refusal` or None: :func:`judge_url` on the text of an address, :func:`judge_host` on the
host and port that are about to be connected to, :func:`judge_answers` on what a name resolved to. The last two stand
right before the connection, so that no difference between two readers of one address matters.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum
from ipaddress import AddressValueError, IPv4Address, IPv6Address, ip_address

import idna

from diglot.crawl.networks import why_not_public
from diglot.errors import UsageError

DEFAULT_PORTS = {"http": 80, "https": 443}
USUAL_PORTS = frozenset(DEFAULT_PORTS.values())

LOCAL_NAMES = ("localhost", "local", "localdomain", "internal", "home.arpa", "onion", "invalid")
"""Names that no public name server answers for: RFC 6761, 6762, 7686, 8375, and ICANN's .internal (2024)."""

MAX_URL_CHARS = 8000
"""What RFC 9110, 4.1 asks every server and client to bear at least."""

_AUTHORITY = re.compile(r"([A-Za-z][A-Za-z0-9+.-]*):(?://([^/?#]*))?")
_HOST_PORT = re.compile(r"(\[[^\]]*\]|[^:]*)(?::([0-9]*))?")
_LABEL = re.compile(r"[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?")
_NUMBER = re.compile(r"[0-9]+|0[xX][0-9a-fA-F]*")
_CONTROL = re.compile(r"[\x00-\x20\x7f-\x9f\u2028\u2029\ud800-\udfff]")


class RefusalKind(StrEnum):
    """Why an address is not connected to."""

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
    """A reason from the list and a sentence that names the host, both safe to print."""

    kind: RefusalKind
    detail: str


@dataclass(frozen=True, slots=True)
class Target:
    """Where an address leads: host in lower case as it is put to a resolver (IPv6 without brackets), and port."""

    scheme: str
    host: str
    port: int


@dataclass(frozen=True, slots=True)
class AddressRules:
    """``allow_hosts``: pairs of host and port, spelt exactly so, that are reached wherever they are."""

    allow_hosts: frozenset[tuple[str, int]] = frozenset()

    def exempt(self, host: str, port: int) -> bool:
        """Whether the user has allowed this host and port by name."""
        return (host, port) in self.allow_hosts


def read_allow_hosts(values: Iterable[str]) -> AddressRules:
    """Read ``HOST:PORT`` values, IPv6 in brackets. Raises UsageError for one without a host or a port."""
    allowed = set()
    for value in values:
        match = _HOST_PORT.fullmatch(value.strip().lower())
        if match is None or not match[1] or not match[2] or not 0 < int(match[2]) < 65536:
            raise UsageError(f"--allow-host {value!r} is not HOST:PORT; write for example 127.0.0.1:8080")
        allowed.add((_plain_host(match[1]), int(match[2])))
    return AddressRules(frozenset(allowed))


def judge_url(url: str, rules: AddressRules) -> Refusal | Target:
    """Judge the text of an absolute address, without looking anything up."""
    if len(url) > MAX_URL_CHARS:
        return Refusal(RefusalKind.MALFORMED, f"the address has {len(url)} characters, more than {MAX_URL_CHARS}")
    match = _AUTHORITY.match(url)
    if match is None:
        return Refusal(RefusalKind.MALFORMED, f"{_shown(url)} is no absolute address")
    scheme, authority = match[1].lower(), match[2] or ""
    if scheme not in DEFAULT_PORTS:
        return Refusal(RefusalKind.SCHEME, f"{_shown(scheme)} is neither http nor https")
    if "@" in authority:
        return Refusal(RefusalKind.USERINFO, f"{_shown(authority)} carries a user name")
    if "\\" in authority or "%" in authority or _CONTROL.search(authority):
        return Refusal(RefusalKind.SPELLING, f"{_shown(authority)} has characters that hosts do not have")
    parts = _HOST_PORT.fullmatch(authority)
    if parts is None or not parts[1]:
        return Refusal(RefusalKind.MALFORMED, f"{_shown(url)} has no host that can be read")
    port = int(parts[2][:6]) if parts[2] else DEFAULT_PORTS[scheme]
    host = _ascii_host(parts[1].lower())
    if (host != parts[1].lower() and _ends_in_number(host)) or host.startswith("[") != (":" in host):
        return Refusal(RefusalKind.SPELLING, f"{_shown(authority)} is an unusual way to write an address")
    refusal = judge_host(_plain_host(host), port, rules)
    return refusal or Target(scheme, _plain_host(host).removesuffix("."), port)


def judge_host(host: str, port: int, rules: AddressRules) -> Refusal | None:
    """Judge a host, in lower case and without brackets, and its port; no name is resolved."""
    if rules.exempt(host, port):
        return None
    if port not in USUAL_PORTS:
        return Refusal(RefusalKind.PORT, f"port {port} of {_shown(host)} is neither 80 nor 443")
    if ":" in host:
        return _judge_v6(host)
    if _ends_in_number(host):
        return _judge_v4(host)
    labels = host.removesuffix(".").split(".")
    if len(host) > 254 or not all(_LABEL.fullmatch(label) for label in labels):
        return Refusal(RefusalKind.MALFORMED, f"{_shown(host)} is no host name")
    if len(labels) == 1 or any(labels[-name.count(".") - 1 :] == name.split(".") for name in LOCAL_NAMES):
        return Refusal(RefusalKind.LOCAL_NAME, f"{host} is a name of local networks")
    return None


def judge_answers(host: str, port: int, answers: Iterable[str], rules: AddressRules) -> Refusal | None:
    """Judge all addresses that a name resolved to: one that is not public refuses the name."""
    if rules.exempt(host, port):
        return None
    for answer in answers:
        try:
            kind = why_not_public(ip_address(answer))
        except ValueError:
            return Refusal(RefusalKind.MALFORMED, f"{_shown(host)} resolves to {_shown(answer)}, which is no address")
        if kind:
            return Refusal(RefusalKind.NOT_PUBLIC, f"{_shown(host)} resolves to {answer} ({kind})")
    return None


def judge_peer(host: str, port: int, pinned: str, peer: str, rules: AddressRules) -> Refusal | None:
    """Judge the address a connection came to, against the one that was checked and asked for."""
    if _same_address(pinned, peer):
        return judge_answers(host, port, [peer], rules)
    return Refusal(RefusalKind.OTHER_PEER, f"{_shown(host)} was {pinned} and the connection came to {_shown(peer)}")


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
        return Refusal(RefusalKind.SPELLING, f"{_shown(host)} is an unusual way to write an IPv4 address")
    return Refusal(RefusalKind.NOT_PUBLIC, f"{host} ({kind})") if kind else None


def _judge_v6(host: str) -> Refusal | None:
    try:
        kind = why_not_public(IPv6Address(host))
    except AddressValueError:
        return Refusal(RefusalKind.MALFORMED, f"{_shown(host)} is no IPv6 address")
    return Refusal(RefusalKind.NOT_PUBLIC, f"{host} ({kind})") if kind else None


def _plain_host(host: str) -> str:
    return host[1:-1] if host.startswith("[") else host


def _ascii_host(host: str) -> str:
    """The host as it goes to a resolver (UTS 46); one that cannot become a name comes back as it is."""
    if host.isascii():
        return host
    try:
        return idna.encode(host, uts46=True).decode("ascii")
    except idna.IDNAError:
        return host


def _shown(text: str) -> str:
    """Text of others, short and without anything that a terminal would obey."""
    return ascii(text[:100] + ("..." if len(text) > 100 else ""))[1:-1]
