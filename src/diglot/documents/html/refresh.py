"""Addresses to which a page leads on by itself, in a ``meta`` element."""

from __future__ import annotations

import re

# Possessive: without it, a row of blanks would cost time in the fourth power of its length. In quotes, the address ends
# at the second quote, and what follows does not count (HTML standard, shared declarative refresh steps).
_REFRESH = re.compile(
    r"\s*+(\d*+)(?:\.\d*+|(?!\.))\s*+[;,]?+\s*+(?:url\s*+=\s*+|(?!url\s*+=))"
    r"(?:\"\s*+([^\"\s]++)(?:[\"\s].*+)?+|'\s*+([^'\s]++)(?:['\s].*+)?+|([^\"'\s]\S*+))",
    re.IGNORECASE | re.DOTALL,
)


def refresh_target(content: str, *, at_once: bool = False) -> str:
    """The address in a refresh of a page, as written, "" for none; ``at_once``: only of one without delay.

    >>> [refresh_target(content, at_once=True) for content in ("0; url=/fr/", "0.5;URL='b'", "5; url=/fr/", "0")]
    ['/fr/', 'b', '', '']
    """
    match = _REFRESH.fullmatch(content.strip()) if "url" in content.lower() else None
    if match is None or (at_once and match[1].strip("0")):
        return ""
    return next(filter(None, match.groups()[1:]), "")
