"""Registered domains by the public suffix list of tldextract, and a domain that nobody can register.

Only the file of tldextract is read: the package imports requests and builds two trees, a sixth of a second for every
program that asks for one domain. A version of tldextract with its list elsewhere is asked for the list. The newest list
is never fetched, as results would depend on the day.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Set
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import NamedTuple

import idna

UNLISTED_PLATFORMS = (
    *("canalblog.com", "jimdofree.com", "livejournal.com", "neocities.org", "over-blog.com", "substack.com"),
    *("surge.sh", "tumblr.com", "weebly.com", "wordpress.com"),
)
"""Platforms with subdomains of many owners, missing in the public suffix list (of 2025), which adds platforms on
request only."""
_SNAPSHOT = ".tld_set_snapshot"
"""File in tldextract with the list as the package ships it."""
_PLATFORMS_BEGIN = "// ===BEGIN PRIVATE DOMAINS==="
_DOTS = str.maketrans("\u3002\uff0e\uff61", "...")
"""The full stops of Chinese and Japanese stand for dots in hosts (RFC 3490)."""
_NOT_IN_HOST = re.compile("[^a-z0-9]+")
_HOST = re.compile(r"((?:[a-z0-9](?:[a-z0-9_-]*[a-z0-9])?\.)+[a-z0-9-]+)(?::\d{1,5})?", re.IGNORECASE)
_MAX_LABEL = 63
"""Most characters between two dots of a host (RFC 1035)."""


class _Rules(NamedTuple):
    """Rules of the list, such as ``co.uk``, ``*.ck`` and ``!www.ck``, and all ends of rules from a dot on."""

    rules: Set[str]
    ends: Set[str]


def registered_name(host: str, *, platforms: bool) -> str:
    """The public suffix of a host and the label before it, "" for a host without either.

    ``platforms``: whether subdomains of a platform belong to different owners, as those of ``github.io`` do.

    >>> registered_name("fr.example.co.uk", platforms=False), registered_name("co.uk", platforms=False)
    ('example.co.uk', '')
    >>> [registered_name("a.alice.github.io", platforms=each) for each in (False, True)]
    ['github.io', 'alice.github.io']
    """
    # A colon stands in addresses of IPv6 only, and those have no suffix.
    labels = host.partition(":")[0].strip().translate(_DOTS).rstrip(".").split(".")
    start = _suffix_start(labels, _rules(platforms))
    return ".".join(labels[start - 1 :]) if 0 < start < len(labels) else ""


def unlisted_name(host: str) -> str:
    """The last two labels of a host below no listed suffix, as the rule ``*`` of the list has it; else the host.

    >>> unlisted_name("fr.intranet.corp"), unlisted_name("co.uk"), unlisted_name("127.0.0.1")
    ('intranet.corp', 'co.uk', '127.0.0.1')
    """
    labels = host.split(".")
    last = _plain(labels[-1])
    is_listed = last in _rules(True).ends
    return host if is_listed or ":" in host or last.isdigit() else ".".join(labels[-2:])


def is_host(name: str) -> bool:
    """Whether a folder is named like a host, with or without port: by a public suffix.

    >>> is_host("www.example.org"), is_host("docs.v2"), is_host("co.uk")
    (True, False, False)
    """
    match = _HOST.fullmatch(name)
    return match is not None and bool(registered_name(match[1], platforms=False))


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


def invented_base(name: str) -> str:
    """An address for pages that have none, by the name of their folder: no host has a name with this end (RFC 2606).

    >>> invented_base("Contracts 2024"), invented_base("契約")
    ('https://contracts-2024.invalid/', 'https://folder.invalid/')
    """
    return f"https://{_NOT_IN_HOST.sub('-', name.lower()).strip('-')[:_MAX_LABEL].rstrip('-') or 'folder'}.invalid/"


def _suffix_start(labels: list[str], known: _Rules) -> int:
    """Place of the first label of the public suffix, and the number of labels for none."""
    start, end = len(labels), ""
    for place in range(len(labels) - 1, -1, -1):
        longer = _plain(labels[place]) + (f".{end}" if end else "")
        if longer not in known.ends:
            # An exception to a wildcard is a domain itself.
            return place + (f"!{longer}" in known.rules) if f"*.{end}" in known.rules else start
        if longer in known.rules:
            start = place
        end = longer
    return start


def _plain(label: str) -> str:
    """The label in lower case and in its own script, as the list has it."""
    lowered = label.lower()
    if lowered.startswith("xn--"):
        try:
            return idna.decode(lowered)
        except (UnicodeError, IndexError):  # no name that could be registered
            pass
    return lowered


@cache
def _rules(platforms: bool, /) -> _Rules:
    # Without a name for the argument: the cache would keep the rules once for each way to pass it.
    rules = _read_list(platforms)
    if platforms:
        rules |= {*UNLISTED_PLATFORMS}
    ends = set(rules)
    for rule in rules:
        while (rule := rule.partition(".")[2]) and rule not in ends:
            ends.add(rule)
    return _Rules(rules, ends)


def _read_list(platforms: bool) -> set[str]:
    """Rules of the list."""
    found = find_spec("tldextract")
    assert found is not None
    assert found.submodule_search_locations is not None
    path = Path(found.submodule_search_locations[0]) / _SNAPSHOT
    if not path.is_file():
        from tldextract import TLDExtract

        return {*TLDExtract(cache_dir=None, suffix_list_urls=(), include_psl_private_domains=platforms).tlds}
    registries, _, owned = path.read_text("utf-8").partition(_PLATFORMS_BEGIN)
    lines = (f"{registries}\n{owned}" if platforms else registries).splitlines()
    return {line.split()[0] for line in lines if line and not line.startswith(("//", " "))}
