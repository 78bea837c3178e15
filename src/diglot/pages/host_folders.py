"""Folders named like hosts, the layout of wget and HTTrack: file -> address."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable
from functools import cache
from typing import TYPE_CHECKING
from urllib.parse import quote_from_bytes

from diglot.pages.address import is_web_address, tidy_address

if TYPE_CHECKING:
    from tldextract import TLDExtract

SAFE_IN_PATH = "/!$&'()*+,;=:@~"
"""Characters allowed in a path by RFC 3986, 3.3, beside letters, digits and ``-._``."""

_HOST = re.compile(r"((?:[a-z0-9](?:[a-z0-9_-]*[a-z0-9])?\.)+[a-z0-9-]+)(?::\d{1,5})?", re.IGNORECASE)
_OWN_ADDRESS = re.compile(
    rb"<(?=[^<>]*>)(?:link\s[^<>]*rel=[\"']?canonical[\"']?|meta\s[^<>]*property=[\"']og:url[\"'])[^<>]*>",
    re.IGNORECASE,
)
_ENCODED_TWICE = re.compile("%25(?=[0-9A-Fa-f]{2})")
_VALUE = re.compile(rb"(?:href|content)=[\"']?([^\"'\s<>]+)", re.IGNORECASE)


def is_host(name: str) -> bool:
    """Whether a folder is named like a host, with or without port: by a public suffix.

    >>> is_host("www.example.org"), is_host("docs.v2"), is_host("co.uk")
    (True, False, False)
    """
    match = _HOST.fullmatch(name)
    return match is not None and bool(_suffix_list()(match[1].lower()).top_domain_under_public_suffix)


@cache
def _suffix_list() -> TLDExtract:
    """The list that ships with tldextract; nothing is fetched, nothing is cached on disk."""
    from tldextract import TLDExtract

    return TLDExtract(suffix_list_urls=(), cache_dir=None)


def are_host_folders(pages: Iterable[str]) -> bool:
    """Whether all pages, given by relative paths, lie in folders named like hosts.

    Pages beside the folders, such as HTTrack's index, do not count.
    """
    hosts: set[str] = set()
    for page in pages:
        top, slash, _ = page.partition("/")
        if slash and top not in hosts:
            if not is_host(top):
                return False
            hosts.add(top)
    return bool(hosts)


def host_address(relative: str) -> str:
    """The address of a file in a folder named like a host, "" for other files.

    wget keeps ``?`` and percent-encoded bytes in file names.

    >>> host_address("www.example.org/fr/page.php?id=3"), host_address("fr/page.html")
    ('https://www.example.org/fr/page.php?id=3', '')
    """
    host, slash, path = relative.partition("/")
    if not slash or not is_host(host):
        return ""
    path, mark, query = path.partition("?")
    address = f"https://{host.lower()}/{quote_path(path)}{mark}{quote_path(query).replace('%3F', '?')}"
    return _ENCODED_TWICE.sub("%", address)


def quote_path(path: str) -> str:
    """A path, percent-encoded for an address."""
    return quote_from_bytes(os.fsencode(path), safe=SAFE_IN_PATH)


def base_of(body: bytes, relative: str) -> str:
    """The base address of a folder, from the canonical address of a page in it, "" for none.

    >>> base_of(b'<link rel="canonical" href="https://www.example.org/docs/fr/a.html">', "fr/a.html")
    'https://www.example.org/docs'
    """
    own = _OWN_ADDRESS.search(body)
    value = _VALUE.search(own[0]) if own else None
    address = tidy_address(value[1].decode("utf-8", "replace")) if value else ""
    path = f"/{quote_path(relative)}"
    base = address.removesuffix(path) if address.endswith(path) else ""
    return base if is_web_address(base) else ""
