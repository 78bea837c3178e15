"""Folders that are named as hosts, as wget and HTTrack lay out what they fetch: file -> address."""

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
"""What RFC 3986, 3.3, lets stand in a path, beside letters, digits and ``-._``."""

_HOST = re.compile(r"((?:[a-z0-9](?:[a-z0-9_-]*[a-z0-9])?\.)+[a-z0-9-]+)(?::\d{1,5})?", re.IGNORECASE)
_OWN_ADDRESS = re.compile(
    rb"<(?=[^<>]*>)(?:link\s[^<>]*rel=[\"']?canonical[\"']?|meta\s[^<>]*property=[\"']og:url[\"'])[^<>]*>",
    re.IGNORECASE,
)
_ENCODED_TWICE = re.compile("%25(?=[0-9A-Fa-f]{2})")
_VALUE = re.compile(rb"(?:href|content)=[\"']?([^\"'\s<>]+)", re.IGNORECASE)


def is_host(name: str) -> bool:
    """Whether a folder's name is that of a host, with a port or without: its end is one under which names are given.

    >>> is_host("www.example.org"), is_host("docs.v2"), is_host("co.uk")
    (True, False, False)
    """
    match = _HOST.fullmatch(name)
    return match is not None and bool(_suffix_list()(match[1].lower()).top_domain_under_public_suffix)


@cache
def _suffix_list() -> TLDExtract:
    """The list that ships with tldextract; nothing is fetched and nothing is cached on disk."""
    from tldextract import TLDExtract

    return TLDExtract(suffix_list_urls=(), cache_dir=None)


def are_host_folders(pages: Iterable[str]) -> bool:
    """Whether pages, given by their paths in a folder, lie in folders named as hosts.

    A page beside those folders, such as the index that HTTrack adds, is none of a site; one in any other folder shows
    that names mean something else here.
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
    """The address of a file in a folder named as its host, "" in any other.

    wget leaves ``?`` and percent-encoded bytes in names as they are in the address.

    >>> host_address("www.example.org/fr/page.php?id=3"), host_address("fr/page.html")
    ('https://www.example.org/fr/page.php?id=3', '')
    """
    host, slash, path = relative.partition("/")
    if not slash or not is_host(host):
        return ""
    path, mark, query = path.partition("?")
    address = f"https://{host.lower()}/{quoted(path)}{mark}{quoted(query).replace('%3F', '?')}"
    return _ENCODED_TWICE.sub("%", address)


def quoted(path: str) -> str:
    """A path as it stands in an address."""
    return quote_from_bytes(os.fsencode(path), safe=SAFE_IN_PATH)


def base_of(body: bytes, relative: str) -> str:
    """What a folder stands for by the address that a page in it says is its own, "" where that is not to be told.

    >>> base_of(b'<link rel="canonical" href="https://www.example.org/docs/fr/a.html">', "fr/a.html")
    'https://www.example.org/docs'
    """
    own = _OWN_ADDRESS.search(body)
    value = _VALUE.search(own[0]) if own else None
    address = tidy_address(value[1].decode("utf-8", "replace")) if value else ""
    path = f"/{quoted(relative)}"
    base = address.removesuffix(path) if address.endswith(path) else ""
    return base if is_web_address(base) else ""
