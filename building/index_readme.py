"""README as a package index shows it: there a link to a file of the source leads nowhere."""

from __future__ import annotations

import re

_LINK = re.compile(r"(!?)\[([^\[\]]*)\]\((?!https?://|#)([^()\s]+)\)")
"""A link or a picture that leads to a file of the project."""


def for_index(text: str, source: str = "") -> str:
    """The text with links to files below ``source``, the address of the project's files; without one, as plain text.

    >>> for_index("See [the tutorial](docs/tutorial.md).")
    'See the tutorial.'
    >>> for_index("See [the tutorial](docs/tutorial.md).", "https://example.org/files")
    'See [the tutorial](https://example.org/files/docs/tutorial.md).'
    """

    def leading(link: re.Match[str]) -> str:
        mark, words, path = link.groups()
        if source:
            return f"{mark}[{words}]({source.rstrip('/')}/{path})"
        # A picture that leads nowhere is not shown, nor are its words.
        return "" if mark else words

    return _LINK.sub(leading, text)
