"""Addresses as a page writes them -> absolute web addresses without fragment."""

from __future__ import annotations

import re
from functools import lru_cache
from urllib.parse import urljoin, urlsplit

from diglot.pages.address import is_web_address, tidy_address

_BLANK = r"\x00-\x20\x7f-\xa0\u2028\u2029\\"
_SEGMENT = rf"[\w%~][^:?;/{_BLANK}]*"
_PLAIN_HREF = re.compile(rf"(/|\./|(?:\.\./)*){_SEGMENT}(?:/{_SEGMENT})*/?(?:\?[^{_BLANK}]+)?")
_WHOLE_HREF = re.compile(rf"(?:https?:)?//[a-z0-9.-]+(?:/[^{_BLANK}]*)?")
"""Relative and absolute addresses, by far the most frequent, in which nothing needs resolving."""
_NO_PAGE = re.compile(r"(?:mailto|javascript|tel|data):", re.IGNORECASE)
_PLAIN_FOLDER = re.compile(r"/(?:(?!\.\.?/)[^/]+/)*")
_KNOWN_ADDRESSES = 1 << 16
"""How many addresses are kept resolved: pages of a site share menus."""


class Addresses:
    """Resolves addresses against that of the page, or against the page's ``<base>`` once that is met."""

    def __init__(self, url: str) -> None:
        self.rebase(url)

    def rebase(self, url: str) -> None:
        """Resolve against this address from now on."""
        self.url = url
        try:
            parts = urlsplit(url)
        except ValueError:
            parts = urlsplit("")
        self._origin = f"{parts.scheme}://{parts.netloc}"
        self._path = f"{parts.path.rpartition('/')[0]}/"

    def join(self, href: str) -> str:
        """Absolute address of ``href`` as RFC 3986 says, "" where that is no web address."""
        try:
            joined = tidy_address(urljoin(self.url, href))
        except ValueError:
            return ""
        return joined if is_web_address(joined) else ""

    def resolve(self, href: bytes) -> str:
        """The same for an attribute's value as serialised; without fragment, "" for one of a fragment alone."""
        resolved = _resolve_plain(href, self._origin, self._path)
        return self.join(_bare(href)) if resolved is None else resolved


def _bare(href: bytes) -> str:
    return unescape(href.decode()).strip().partition("#")[0]


@lru_cache(_KNOWN_ADDRESSES)
def _resolve_plain(value: bytes, origin: str, path: str) -> str | None:
    """An address that needs no more than the folder of its page; None for any other."""
    href = _bare(value)
    if not href or _NO_PAGE.match(href):
        return ""
    plain = _PLAIN_HREF.fullmatch(href)
    if plain is None:
        if _WHOLE_HREF.fullmatch(href) is None:
            return None
        return href if href.startswith("http") else f"{origin.partition('/')[0]}{href}"
    climb = plain[1]
    if climb == "/":
        return origin + href
    if not _PLAIN_FOLDER.fullmatch(path):
        return None
    folders = path[1:-1].split("/") if len(path) > 1 else []
    kept = max(0, len(folders) - len(climb) // 3)
    return "/".join([origin, *folders[:kept], href[len(climb) :]])


def unescape(text: str) -> str:
    """Resolve the entities that the serialiser writes."""
    if "&" not in text:
        return text
    return (
        text.replace("&nbsp;", "\u00a0")
        .replace("&lt;", "<")
        .replace("&gt;", ">")
        .replace("&quot;", '"')
        .replace("&amp;", "&")
    )
