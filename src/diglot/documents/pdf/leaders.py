"""Dots between an entry of a table of contents and its page number."""

from __future__ import annotations

import re

MAX_LEADER_CHARS = 1_000
"""Most last characters of a text searched for a leader: a line of a page has a few hundred dots."""
_LEADER = re.compile(r"(?<![.·…])(?<![.·…]\s)(?:(?:\s?[.·…]){4,}|…{2,})\s*[\divxlc]*$")


def find_leader(text: str) -> re.Match[str] | None:
    """The dots and the page number at the end of a line of a table of contents; None for any other line."""
    end = text[-MAX_LEADER_CHARS:]
    # The whole text is given, so that a leader does not begin within dots.
    return _LEADER.search(text, len(text) - len(end)) if sum(map(end.count, ".·…")) > 1 else None


def without_leader(text: str) -> str:
    """A line of a table of contents without its dots and page number.

    >>> without_leader("Hyphens . . . . . . . . 12")
    'Hyphens'
    """
    leader = find_leader(text)
    return text[: leader.start()].rstrip() if leader else text
