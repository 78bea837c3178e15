"""Links between the files of an HTTrack mirror -> links between the addresses of its pages.

HTTrack writes a link to the file in which it keeps a page: ``../en/about/index.html`` for ``/en/about/``, and
``index4b3c.html?lang=fr`` for ``/?lang=fr``. The address of a page is in its comment alone.
"""

from __future__ import annotations

import os
import posixpath
import re
from collections.abc import Mapping
from functools import lru_cache
from html import escape, unescape
from urllib.parse import unquote_to_bytes

_LINK = re.compile(
    # The equals sign comes first, because a pattern with a rare first letter is found fast.
    rb"""(=["'])(?<=(?i:[^a-z]href|.[^a-z]src)=["'])(?![/?]|(?i:[a-z][a-z0-9+.-]{0,20}):)"""
    rb"""([^"'<>#?]{1,2000})(?:\?[^"'<>#]{0,2000})?(?=["'#])"""
)
"""A quoted path, and what is before it. Links that lead out of a mirror begin with a scheme or a slash."""
_KNOWN_LINKS = 1 << 16
"""Links kept with their addresses: a menu stands on all pages of a folder."""


class MirrorLinks:
    """Leads links back from files to addresses.

    ``addresses``: of the pages of a mirror, by the path of the file.

    >>> links = MirrorLinks({"fr/index.html": "https://example.org/fr/", "index4b3c.html": "https://example.org/?id=3"})
    >>> links.lead_back(b'<a href="../fr/index.html#a"> <a href="../index4b3c.html?id=3">', "en/index.html")
    b'<a href="https://example.org/fr/#a"> <a href="https://example.org/?id=3">'
    """

    def __init__(self, addresses: Mapping[str, str]) -> None:
        self._addresses = addresses
        self._address = lru_cache(_KNOWN_LINKS)(self._address_of)

    def lead_back(self, body: bytes, file: str) -> bytes:
        """The page in ``file`` with addresses of pages for links to files; other links stay."""
        folder = posixpath.dirname(file)
        return _LINK.sub(
            lambda link: link[1] + address if (address := self._address(folder, link[2])) else link[0], body
        )

    def _address_of(self, folder: str, href: bytes) -> bytes:
        """The address that a link means, as an attribute's value; b"" for a link to no page of the mirror."""
        path = os.fsdecode(unquote_to_bytes(unescape(os.fsdecode(href))))
        return escape(self._addresses.get(posixpath.normpath(posixpath.join(folder, path)), "")).encode()
