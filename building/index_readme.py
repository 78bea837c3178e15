"""README as a package index shows it: there a link to a file of the source leads nowhere."""

from __future__ import annotations

import re

_LINK = re.compile(r"(?<!!)\[([^\[\]]*)\]\((?!https?://|#)([^()\s]+)\)")


def for_index(text: str, source: str = "") -> str:
    """The text with links to files below ``source``, the address of the project's files; without one, as plain text.

    >>> for_index("See [the tutorial](docs/tutorial.md).")
    'See the tutorial.'
    >>> for_index("See [the tutorial](docs/tutorial.md).", "https://example.org/files")
    'See [the tutorial](https://example.org/files/docs/tutorial.md).'
    """
    if source:
        return _LINK.sub(lambda link: f"[{link[1]}]({source.rstrip('/')}/{link[2]})", text)
    return _LINK.sub(lambda link: link[1], text)
