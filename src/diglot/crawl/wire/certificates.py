"""TLS connections to a host that its certificate names; one that cannot be believed costs its host and nothing else.

Twisted's own check only logs what it cannot read (a certificate without alternative names, a wildcard that is none)
and then goes on as if it fitted.
"""

from __future__ import annotations

from functools import partial
from ipaddress import ip_address
from typing import Any

from OpenSSL import SSL
from service_identity import VerificationError
from service_identity.cryptography import verify_certificate_hostname, verify_certificate_ip_address
from twisted.internet.interfaces import IOpenSSLClientConnectionCreator
from twisted.internet.ssl import optionsForClientTLS
from twisted.python.failure import Failure
from zope.interface import implementer

_PROBLEMS = {
    9: "is not valid yet",
    10: "has expired",
    18: "is signed by itself",
    19: "comes from an authority that is signed by itself",
    20: "comes from an authority that is not known here",
    21: "comes from an authority that is not known here",
}
"""What OpenSSL's codes of verification mean (openssl-verification-options(1)), those that sites have."""


class CertificateRefused(Exception):
    """A certificate does not vouch for its host; the text says why."""


@implementer(IOpenSSLClientConnectionCreator)
class CheckedTls:
    """Makes TLS connections to ``host`` (ASCII). Raises ValueError for a host that no certificate can name."""

    def __init__(self, host: str) -> None:
        self._host = host
        self._options = optionsForClientTLS(host)

    def clientConnectionForTLS(self, tlsProtocol: Any) -> Any:  # noqa: N802, N803
        """Make one connection, whose handshake fails with :class:`CertificateRefused`."""
        connection = self._options.clientConnectionForTLS(tlsProtocol)
        check = partial(_check, tlsProtocol, self._host)
        connection.set_verify(SSL.VERIFY_PEER | SSL.VERIFY_FAIL_IF_NO_PEER_CERT, check)
        return connection


def _check(protocol: Any, host: str, _: object, certificate: Any, code: int, depth: int, trusted: bool) -> bool:
    """OpenSSL's callback: whether to go on. Only the last of a chain, at depth 0, has to name the host."""
    problem = "" if trusted else _PROBLEMS.get(code, f"is not to be trusted (OpenSSL's code {code})")
    if not problem and depth == 0:
        problem = _why_not_for(host, certificate)
    if problem:
        protocol.failVerification(Failure(CertificateRefused(f"the certificate of {host} {problem}")))
    return not problem


def _why_not_for(host: str, certificate: Any) -> str:
    """Why a certificate does not stand for a host, "" where it does."""
    try:
        if _is_ip(host):
            verify_certificate_ip_address(certificate.to_cryptography(), host)
        else:
            verify_certificate_hostname(certificate.to_cryptography(), host)
    except VerificationError:
        return "is for other hosts"
    except Exception as error:  # noqa: BLE001  a stranger's bytes, and OpenSSL is no place to raise from
        return f"cannot be read ({ascii(str(error))[1:-1][:100]})"
    return ""


def _is_ip(host: str) -> bool:
    try:
        ip_address(host)
    except ValueError:
        return False
    return True
