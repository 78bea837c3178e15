"""Which IP addresses belong to the public internet, by a table of our own.

``ipaddress.is_global`` is not asked: what it answers differs between versions of Python, and some call
multicast, NAT64 and 6to4 forms of 127.0.0.1 global. Source of the table: the IANA registries of special-purpose
IPv4 and IPv6 addresses (RFC 6890 and its updates), of multicast, and of global unicast IPv6 (RFC 4291, 2.4).
"""

from __future__ import annotations

from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network

Address = IPv4Address | IPv6Address

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

# The first that fits counts; what is in none of them is public only inside GLOBAL_UNICAST.
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

# Where an IPv6 address stands for an IPv4 address: network, what it is called, bits to the right of the IPv4 address.
EMBEDDING = [
    (IPv6Network("::ffff:0:0/96"), "IPv4-mapped", 0),
    (IPv6Network("64:ff9b::/96"), "NAT64", 0),
    (IPv6Network("2002::/16"), "6to4", 80),
]


def why_not_public(address: Address) -> str:
    """Say in words what an address is where it is not on the public internet; "" for a public one.

    An IPv4 address inside an IPv6 address is judged by the IPv4 table, so that ``64:ff9b::8.8.8.8``, which is what
    names resolve to in a network without IPv4, can be reached and ``64:ff9b::127.0.0.1`` cannot.
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


def is_public(address: Address) -> bool:
    """Whether an address is on the public internet."""
    return not why_not_public(address)


def _first_kind(address: Address, table: list[tuple[IPv4Network, str]] | list[tuple[IPv6Network, str]]) -> str:
    return next((kind for network, kind in table if address in network), "")
