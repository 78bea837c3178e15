"""Addresses that lead inside, in every spelling we know, and addresses that only look so.

Used by the tests of the address guard and by ``make attack-addresses``.
"""

from __future__ import annotations

from collections.abc import Iterator
from ipaddress import IPv4Address, IPv6Address


def words(text: str) -> list[str]:
    """The words of a text, in order."""
    return text.split()


# One or two of every kind of network that is not the public internet.
INSIDE_V4 = [
    "0.0.0.0",
    "0.1.2.3",
    "10.0.0.1",
    "10.255.255.254",
    "100.64.0.1",
    "100.100.100.200",
    "100.127.255.254",
    "127.0.0.1",
    "127.1.2.3",
    "127.255.255.254",
    "168.63.129.16",
    "169.254.169.254",
    "169.254.170.2",
    "172.16.0.1",
    "172.31.255.254",
    "192.0.0.1",
    "192.0.0.192",
    "192.0.2.1",
    "192.88.99.1",
    "192.168.0.1",
    "192.168.255.254",
    "198.18.0.1",
    "198.19.255.254",
    "198.51.100.7",
    "203.0.113.9",
    "224.0.0.1",
    "239.255.255.250",
    "240.0.0.1",
    "255.255.255.254",
    "255.255.255.255",
]
INSIDE_V6 = [
    "::",
    "::1",
    "fe80::1",
    "fec0::1",
    "fc00::1",
    "fd00:ec2::254",
    "fd12:3456:789a::1",
    "ff02::1",
    "ff05::2",
    "100::1",
    "2001:db8::1",
    "3fff::1",
    "5f00::1",
    "2001::1",
    "2001:10::1",
    "2001:0:c000:201::1",
    "3ffe::1",
    "64:ff9b:1::1",
    "64:ff9b:1::7f00:1",
    "4000::1",
    "::8.8.8.8",
]

OTHER_SCHEMES = [
    "file:///etc/passwd",
    "file://127.0.0.1/etc/passwd",
    "ftp://127.0.0.1/",
    "gopher://127.0.0.1:70/_x",
    "data:text/html,x",
    "javascript:alert(1)",
    "ws://127.0.0.1/",
    "dict://127.0.0.1:11211/",
    "ldap://127.0.0.1/",
    "jar:http://127.0.0.1!/",
    "view-source:http://127.0.0.1/",
    "blob:http://127.0.0.1/x",
    "netdoc:///etc/passwd",
    "tel:112",
    "mailto:a@b.example",
    "about:blank",
]

LOCAL_NAMES = [
    "localhost",
    "LOCALHOST",
    "localhost.",
    "a.localhost",
    "printer",
    "printer.local",
    "router.home.arpa",
    "db.internal",
    "x.onion",
]


def spellings_v4(address: str) -> Iterator[str]:
    """Ways to write an IPv4 address that some resolver, browser or library takes for it."""
    a, b, c, d = (int(part) for part in address.split("."))
    whole = int(IPv4Address(address))
    yield from (address, f"{address}.", str(whole), f"0x{whole:08x}", f"0X{whole:X}", f"0{whole:o}")
    yield from (f"{a}.{b}.{c * 256 + d}", f"{a}.{b * 65536 + c * 256 + d}", f"0{a:o}.0{b:o}.0{c:o}.0{d:o}")
    yield from (f"0x{a:x}.0x{b:x}.0x{c:x}.0x{d:x}", f"0{a:o}.{b}.{c}.0x{d:x}", f"{a:03d}.{b:03d}.{c:03d}.{d:03d}")
    yield from (address.replace(".", "。"), address.replace(".", "．"), address.replace(".", "｡"))
    yield "".join(chr(ord("０") + int(ch)) if ch.isdigit() else ch for ch in address)
    yield "".join(chr(0x2460 + int(ch) - 1) if ch in "123456789" else ch for ch in address)
    yield "".join(f"%{ord(ch):02x}" for ch in address)
    yield address.replace(".", "%2e")
    yield f"user@{address}"
    yield f"www.example.com@{address}"
    yield f"www.example.com:80@{address}"
    yield f"{address}\\@www.example.com"
    yield f"[::ffff:{address}]"
    yield f"[::{address}]" if whole > 1 else "[::]"
    yield f"[64:ff9b::{address}]"
    yield f"[{IPv6Address((0x2002 << 112) | (whole << 80) | 1)}]"
    yield f"[{IPv6Address(0xFFFF_0000_0000 | whole).exploded}]"


def hostile_urls() -> list[str]:
    """Some 900 addresses, none of which may be connected to; all different."""
    urls = [f"http://{spelling}/" for address in INSIDE_V4 for spelling in spellings_v4(address)]
    for address in INSIDE_V6:
        urls += [f"http://[{address}]/", f"https://[{IPv6Address(address).exploded}]/", f"http://[{address}%25eth0]/"]
    urls += OTHER_SCHEMES
    urls += [f"http://{name}/" for name in LOCAL_NAMES]
    urls += [f"http://93.184.215.14:{port}/" for port in (0, 21, 22, 25, 6379, 8080, 9200, 11211, 65536)]
    urls += ["http://", "http:///x", "//127.0.0.1/", "http:127.0.0.1/", "http://[::1", "http://::1/", "http://[]/"]
    urls += ["http://127.0.0.1\t/", "http://127.0.0.1 /", "http://127.\n0.0.1/", "http://\x00127.0.0.1/", "http://./"]
    return list(dict.fromkeys(urls))


def lookalike_urls() -> list[str]:
    """200 and more addresses on the public internet, next door to what is refused or dressed like it."""
    near = [
        "1.0.0.1",
        "1.1.1.1",
        "8.8.8.8",
        "9.255.255.255",
        "11.0.0.1",
        "100.63.255.255",
        "100.128.0.1",
        "126.255.255.255",
        "128.0.0.1",
        "168.63.129.15",
        "168.63.129.17",
        "169.253.255.255",
        "169.255.0.1",
        "172.15.255.255",
        "172.32.0.1",
        "191.255.255.255",
        "192.0.1.1",
        "192.0.3.1",
        "192.1.0.1",
        "192.88.98.255",
        "192.88.100.1",
        "192.167.255.255",
        "192.169.0.1",
        "198.17.255.255",
        "198.20.0.1",
        "198.51.99.255",
        "198.51.101.1",
        "203.0.112.255",
        "203.0.114.1",
        "223.255.255.255",
        "12.7.0.1",
        "27.0.0.1",
        "127.0.0.1.example.com",
        "10.0.0.1.example.org",
        "192.168.0.1.example.net",
        "localhost.example.com",
        "local.example.com",
        "internal.example.com",
        "onion.example.org",
        "0x7f000001.example.com",
        "2130706433.example.com",
        "0177.example.com",
        "example.com.",
        "EXAMPLE.COM",
        "www.example.com:80",
        "www.example.com:443",
        "xn--bcher-kva.example.com",
        "bücher.example.com",
        "例え.jp",
        "пример.рф",
        "my-localhost.com",
        "notlocal.org",
        "under_score.example.com",
        "1.example.com",
        "1.2.example.com",
        "127.com",
        "10.net",
        "a.b.c.d.e.f.example.com",
        "[2001:4860:4860::8888]",
        "[2606:4700:4700::1111]",
        "[2a00:1450:4001::1]",
        "[2400:cb00::1]",
        "[2001:200::1]",
        "[2001:4::1:1:0:0]",
        "[2003::1]",
        "[2620:0:2d0::1]",
        "[64:ff9b::8.8.8.8]",
        "[::ffff:1.1.1.1]",
        "[2002:808:808::1]",
        "[2a02:db8::1]",
        "[3000::1]",
    ]
    near.remove("[2001:4::1:1:0:0]")
    steps = [
        f"{first}.{second}.7.9"
        for first in (4, 23, 45, 62, 81, 99, 126, 141, 151, 185, 212, 223)
        for second in (0, 10, 64, 127, 168, 254)
    ]
    names = [f"{word}-{n}.example.org" for word in ("intranet", "metadata", "private", "router") for n in range(15)]
    return [f"http://{host}/page.html?to=http://127.0.0.1/" for host in near + steps + names]
