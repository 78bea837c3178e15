"""Hashes of forgotten addresses and hosts; a run never reads, requests or names a forgotten address again."""

from __future__ import annotations

import hashlib
from collections.abc import Collection, Set
from urllib.parse import urlsplit

from diglot.disk.folder import RunFolder
from diglot.pages.address import DEFAULT_PORTS, address_key, is_web_address

FORGOTTEN = "forgotten"
"""Kind of the note in the journal of a run."""


def bare_address(url: str) -> str:
    """An address without its scheme, so that a redirect from http to https matches.

    >>> bare_address("https://a.example/share?of=http://b.example/x")
    'a.example/share?of=http://b.example/x'
    """
    scheme, mark, rest = url.partition("://")
    return rest if mark and scheme in DEFAULT_PORTS else url


def forgotten_hash(name: str) -> bytes:
    """Hash of a host, or of an address without its scheme."""
    return hashlib.sha256(bare_address(name).encode("utf-8", "surrogatepass")).digest()


def hashes_of(names: Collection[str]) -> set[bytes]:
    """Hashes of addresses, with or without scheme, of their variants, and of hosts.

    A variant differs by a session, a campaign, or the order of parameters (:func:`diglot.pages.address.address_key`).
    """
    keys = {address_key(f"http://{bare_address(name)}") for name in names if "/" in name}
    return set(map(forgotten_hash, {*names, *keys}))


def is_forgotten(name: str, hashes: Collection[bytes]) -> bool:
    """Whether a host is forgotten, or an address in normal form: itself, a variant of it, or its host."""
    if not hashes:
        return False
    if forgotten_hash(name) in hashes:
        return True
    if not is_web_address(name):
        return False
    host = urlsplit(name).netloc.rpartition("@")[2].lower()
    return forgotten_hash(host) in hashes or forgotten_hash(address_key(name)) in hashes


def note_forgotten(folder: RunFolder, names: Collection[str]) -> None:
    """Keep the hashes of forgotten names in the journal of a run."""
    note_hashes(folder, hashes_of(names))


def note_hashes(folder: RunFolder, hashes: Set[bytes]) -> None:
    """Add hashes, such as those of addresses forgotten in another run, to the hashes in the journal."""
    if hashes:
        folder.remember(FORGOTTEN, "hashes", sorted({mark.hex() for mark in hashes | forgotten_of(folder)}))


def forgotten_of(folder: RunFolder) -> frozenset[bytes]:
    """The hashes of everything that was forgotten in a run."""
    return frozenset(map(bytes.fromhex, folder.recall(FORGOTTEN, "hashes") or ()))
