"""An authority of our own, and certificates of 127.0.0.1 from it that are good or wrong in one way."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from functools import cache
from ipaddress import ip_address
from pathlib import Path

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec

HERE = x509.IPAddress(ip_address("127.0.0.1"))
NAMES: dict[str, tuple[Sequence[x509.GeneralName], int, int]] = {
    # names in it, days from now on which it begins and ends
    "good": ((HERE,), -1, 1),
    "other host": ((x509.DNSName("other.example"),), -1, 1),
    "other address": ((x509.IPAddress(ip_address("127.0.0.9")),), -1, 1),
    "no names": ((), -1, 1),
    "wildcards": ((x509.DNSName("*.*.example"),), -1, 1),
    "no wildcard": ((x509.DNSName("*"),), -1, 1),
    "odd URI": ((x509.UniformResourceIdentifier("foo"),), -1, 1),
    "odd name": ((x509.OtherName(x509.ObjectIdentifier("1.3.6.1.5.5.7.8.7"), b"\x02\x01\x05"),), -1, 1),
    "expired": ((HERE,), -9, -3),
    "not yet": ((HERE,), 3, 9),
    "expired, other host": ((x509.DNSName("other.example"),), -9, -3),
    "self-signed": ((HERE,), -1, 1),
    "self-signed, no names": ((), -1, 1),
}


@cache
def _key(name: str) -> ec.EllipticCurvePrivateKey:
    return ec.generate_private_key(ec.SECP256R1())


def _built(name: str, issuer: str, names: Sequence[x509.GeneralName], first: int, last: int) -> x509.Certificate:
    now = datetime.now(UTC)
    subject, signer = (x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, each)]) for each in (name, issuer))
    start, end = now + timedelta(first), now + timedelta(last)
    number = x509.random_serial_number()
    built = x509.CertificateBuilder(signer, subject, _key(name).public_key(), number, start, end)
    if names:
        built = built.add_extension(x509.SubjectAlternativeName(names), critical=False)
    if name == issuer == "authority":
        built = built.add_extension(x509.BasicConstraints(ca=True, path_length=None), critical=True)
    return built.sign(_key(issuer), hashes.SHA256())


def authority(folder: Path) -> Path:
    """The certificate of the authority; SSL_CERT_FILE makes a process trust it."""
    path = folder / "authority.pem"
    path.write_bytes(_built("authority", "authority", (), -1, 1).public_bytes(serialization.Encoding.PEM))
    return path


def certificate(folder: Path, kind: str) -> Path:
    """A key and its certificate, one of :data:`NAMES`, in one PEM file."""
    issuer = kind if kind.startswith("self-signed") else "authority"
    made = _built(kind, issuer, *NAMES[kind])
    plain = serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    path = folder / f"{kind}.pem"
    pem = serialization.Encoding.PEM
    path.write_bytes(_key(kind).private_bytes(pem, *plain) + made.public_bytes(pem))
    return path
