"""Reservations of rights: text and data mining (TDMRep), indexing and following of links (robots directives).

Sources: the TDM Reservation Protocol, W3C community group final report of 2024, sections 6.1 (well-known file), 6.2
(header field) and 6.3 (HTML); the robots meta element and X-Robots-Tag as search engines describe them.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from dataclasses import dataclass
from urllib.parse import urlsplit

from diglot.crawl.rules.robots import comparable, pattern_of

WELL_KNOWN = "/.well-known/tdmrep.json"
MAX_FILE_BYTES = 1 << 20
MAX_RULES = 10_000

_DIRECTIVE_SPLIT = re.compile(r"[,\s]+")
_FOR_AGENT = re.compile(r"\s*([A-Za-z][A-Za-z0-9_.-]*)\s*:\s*(.*)", re.DOTALL)
_VALUED = frozenset(("unavailable_after", "max-snippet", "max-image-preview", "max-video-preview"))


@dataclass(frozen=True, slots=True)
class Reservation:
    """Directives for robots on one page. ``tdm``: whether mining is reserved, None if not stated."""

    noindex: bool = False
    nofollow: bool = False
    tdm: bool | None = None
    tdm_policy: str = ""
    """Address of a policy for licences, "" for none."""


@dataclass(frozen=True, slots=True)
class TdmRule:
    """One location of a well-known file."""

    location: str
    reserved: bool
    policy: str = ""

    def matches(self, path: str) -> bool:
        """Whether a path matches: ``*`` is any sequence, ``$`` at the end is the end (6.1)."""
        return pattern_of(self.location.encode("utf-8", "replace")).matches(comparable(path))


def read_tdmrep(body: bytes) -> list[TdmRule]:
    """The valid rules of a well-known file, in its order; [] for an invalid file."""
    try:
        values = json.loads(body[:MAX_FILE_BYTES].decode("utf-8-sig"))
    except (ValueError, RecursionError):
        return []
    rules = []
    for value in values[:MAX_RULES] if isinstance(values, list) else []:
        location = value.get("location") if isinstance(value, dict) else None
        if isinstance(location, str) and location:
            policy = value.get("tdm-policy")
            rules.append(TdmRule(location, _is_one(value.get("tdm-reservation")), policy if _is_text(policy) else ""))
    return rules


def site_reservation(rules: Iterable[TdmRule], url: str) -> TdmRule | None:
    """The first matching rule for an address (6.1)."""
    parts = urlsplit(url)
    path = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
    return next((rule for rule in rules if rule.matches(path)), None)


def page_reservation(
    fields: Iterable[tuple[str, str]], metas: Iterable[tuple[str, str]], agent: str, site: TdmRule | None = None
) -> Reservation:
    """Reservations for ``agent`` (bare name of a robot) by header fields, meta elements and the well-known file.

    For mining, the page takes precedence over the header field, and the header field over the file (6.4). Directives
    for robots add up; directives for another robot by name are ignored.
    """
    header = [(name.lower(), value) for name, value in fields]
    meta = [(name.strip().lower(), value) for name, value in metas]
    directives: set[str] = set()
    for name, value in header:
        if name == "x-robots-tag":
            directives |= _directives_for(value, agent)
    for name, value in meta:
        if name in ("robots", agent.lower()):
            directives |= _words(value)
    tdm, policy = (site.reserved, site.policy) if site is not None else (None, "")
    for source in (header, meta):
        for name, value in source:
            if name == "tdm-reservation":
                tdm = _is_one(value)
            elif name == "tdm-policy":
                policy = value.strip()
    none = "none" in directives
    return Reservation(none or "noindex" in directives, none or "nofollow" in directives, tdm, policy if tdm else "")


def _directives_for(value: str, agent: str) -> set[str]:
    """Directives of an X-Robots-Tag value for all robots or for ``agent``."""
    match = _FOR_AGENT.match(value)
    if match is None or match[1].lower() in _VALUED:
        return _words(value)
    return _words(match[2]) if match[1].lower() == agent.lower() else set()


def _words(value: str) -> set[str]:
    return {word for word in _DIRECTIVE_SPLIT.split(value.lower()) if word}


def _is_one(value: object) -> bool:
    # True equals 1 in Python, and JSON's true is not the 1 of the protocol.
    return not isinstance(value, bool) and (value == 1 or (isinstance(value, str) and value.strip() == "1"))


def _is_text(value: object) -> bool:
    return isinstance(value, str) and value.isprintable()
