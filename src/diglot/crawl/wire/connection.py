"""Connections to public addresses only: resolve once, judge all answers, connect to one of them, judge the peer.

Every connection of a crawl is opened here: for start addresses, links, redirects, sitemaps and robots.txt alike. A name
that changes its answer between two lookups gains nothing, because each connection has one lookup.
"""

from __future__ import annotations

import asyncio
import socket
import ssl
from collections.abc import Sequence

from diglot.crawl.wire.address_guard import (
    REFUSED_ADDRESS,
    AddressRules,
    Refusal,
    judge_answers,
    judge_host,
    judge_peer,
)

CONNECT_TIMEOUT_S = 10.0
MAX_ATTEMPTS = 4
"""Number of IP addresses of a name to try, in order."""

CERTIFICATE_PROBLEMS = {
    9: "is not valid yet",
    10: "has expired",
    18: "is signed by itself",
    19: "comes from an authority that is signed by itself",
    20: "comes from an authority that is not known here",
    21: "comes from an authority that is not known here",
    62: "is for other hosts",
    64: "is for other hosts",
}
"""Frequent verification codes of OpenSSL (openssl-verification-options(1)) in words."""


class FetchFailed(Exception):
    """A request without an answer. ``reason``: as in the journal; ``for_good``: another try would fail too."""

    reason = "unreachable"
    for_good = False


class TimedOut(FetchFailed):
    """The server did not answer in time."""


class HostUnknown(FetchFailed):
    """The name servers gave no IP address for the host, or no answer in time."""

    for_good = True


class CertificateRefused(FetchFailed):
    """The certificate of the host is invalid."""

    reason = "certificate"
    for_good = True


class AddressRefused(FetchFailed):
    """The address guard refused the address."""

    reason = REFUSED_ADDRESS
    for_good = True

    def __init__(self, refusal: Refusal) -> None:
        super().__init__(refusal.detail)
        self.refusal = refusal


class Network:
    """The resolver and the sockets of this machine."""

    async def resolve(self, host: str, port: int) -> list[str]:
        """IP addresses of a host. Raises OSError."""
        rows = await asyncio.get_running_loop().getaddrinfo(host, port, type=socket.SOCK_STREAM)
        return [str(row[4][0]) for row in rows]

    async def connect(self, address: str, port: int) -> socket.socket:
        """A socket connected to an IP address. Raises OSError."""
        connected = socket.socket(socket.AF_INET6 if ":" in address else socket.AF_INET, socket.SOCK_STREAM)
        try:
            connected.setblocking(False)
            await asyncio.get_running_loop().sock_connect(connected, (address, port))
        except BaseException:
            connected.close()
            raise
        return connected


async def connect_guarded(
    host: str, port: int, rules: AddressRules, network: Network, *, timeout_s: float = CONNECT_TIMEOUT_S
) -> socket.socket:
    """Connect to a host if all its IP addresses are public. ``timeout_s``: for the lookup and for each attempt.

    Raises :class:`AddressRefused` before a byte of a request is sent, :class:`HostUnknown`, and the OSError of the last
    attempt.
    """
    refusal = judge_host(host, port, rules)
    if refusal is not None:
        raise AddressRefused(refusal)
    addresses = await _resolve(host, port, network, timeout_s)
    refusal = judge_answers(host, port, addresses, rules)
    if refusal is not None:
        raise AddressRefused(refusal)
    if not addresses:
        raise HostUnknown(f"no address is known for {host}")
    connected, address = await connect_to_first(addresses, port, network, timeout_s=timeout_s)
    try:
        # Before a byte is sent. Raises OSError if the server has hung up already.
        refusal = judge_peer(host, port, address, str(connected.getpeername()[0]), rules)
        if refusal is not None:
            raise AddressRefused(refusal)
    except BaseException:
        connected.close()
        raise
    return connected


async def connect_to_first(
    addresses: Sequence[str], port: int, network: Network, *, timeout_s: float = CONNECT_TIMEOUT_S
) -> tuple[socket.socket, str]:
    """Connect to the first reachable IP address; returns socket and address. Raises the OSError of the last attempt."""
    last: OSError = OSError("no address")
    for address in addresses[:MAX_ATTEMPTS]:
        try:
            async with asyncio.timeout(timeout_s):
                return await network.connect(address, port), address
        except OSError as error:
            last = error
    raise last


async def _resolve(host: str, port: int, network: Network, timeout_s: float) -> list[str]:
    try:
        async with asyncio.timeout(timeout_s):
            return await network.resolve(host, port)
    except TimeoutError as error:
        raise HostUnknown(f"the name server did not answer for {host} in time") from error
    except (OSError, UnicodeError) as error:  # UnicodeError: a label that IDNA cannot encode
        raise HostUnknown(f"{host} is not known to the name servers") from error


def tls_context() -> ssl.SSLContext:
    """TLS with certificates of known authorities for the requested host only."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.load_default_certs()
    context.hostname_checks_common_name = False
    return context


def describe_certificate(host: str, error: ssl.SSLCertVerificationError) -> str:
    """Why a certificate was refused, in words."""
    code = error.verify_code
    return f"the certificate of {host} {CERTIFICATE_PROBLEMS.get(code, f'is not to be trusted (OpenSSL code {code})')}"
