"""Elements of a page with their attributes -> links with anchors, images, declared language."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import compress
from urllib.parse import unquote, urljoin, urlsplit

import numpy as np

from diglot.arrays import Ints, Ints32, Mask
from diglot.documents.html.links_kernels import NO_ROW, join_spans, link_spans
from diglot.documents.html.pieces import Chunks, Elements
from diglot.documents.html.refresh import refresh_target
from diglot.documents.html.tags import start_code
from diglot.language_names import MOST_NAME_CHARS, names_any_language
from diglot.pages.address import MAX_ADDRESS_CHARS, is_web_address, normalise_address
from diglot.pages.media import may_be_page

_A, _IMG = start_code("a"), start_code("img")
_AREA, _BASE, _FRAME, _HTML, _LINK, _META = map(start_code, ("area", "base", "frame", "html", "link", "meta"))
_OPTION = start_code("option")

_BLANKS = r"\x00-\x20\x7f-\xa0\u2028\u2029\\"
_SEGMENT = rf"[\w%~][^:?;/{_BLANKS}]*"
_PLAIN_HREF = re.compile(rf"(/|\./|(?:\.\./)*){_SEGMENT}(?:/{_SEGMENT})*/?(?:\?[^{_BLANKS}]+)?")
_WHOLE_HREF = re.compile(rf"(?:https?:)?//[a-z0-9.-]+(?:/[^{_BLANKS}]*)?")
"""The most frequent relative and absolute addresses, resolvable without RFC 3986's full procedure."""
_NO_PAGE = re.compile(r"(?:mailto|javascript|tel|data):", re.IGNORECASE)
"""Link targets that are no page; see ``link_urls`` in :data:`diglot.records.DOCUMENT_SCHEMA`."""
_PLAIN_FOLDER = re.compile(r"/(?:(?!\.\.?/)[^/]+/)*")
_MENU_ADDRESS = re.compile(rb"\S*/\S*|\?\S+|\S+\.(?:html?|php|aspx?|jsp)(?:[?#]\S*)?", re.IGNORECASE)
"""An address as the value of an option. A form sends other values, such as ``fr_FR.UTF-8``."""
_KNOWN_ADDRESSES, _KNOWN_CHARS = 1 << 16, 2_000
"""Resolved addresses in the cache, since pages of a site share menus; characters of the longest, with their folder."""
MAX_LINK_CHARS = 1 << 25
"""Most characters of all addresses of a page; later links have the address "". A long ``<base>`` is in each of them."""


@dataclass(frozen=True, slots=True)
class PageLinks:
    """Links, images and declared language of a page, in order; the first six fields have one length."""

    urls: list[str]
    """Absolute addresses without fragment; "" for targets that are no web page."""
    anchors: list[str]
    hreflangs: list[str]
    alternate: list[bool]
    fragments: list[str]
    """Text behind the ``#`` of each link, unquoted; "" for none."""
    spans: Ints32
    """First chunk inside and first chunk behind every link; shape (links, 2)."""
    images: list[str]
    declared_lang: str
    leads_on_to: str
    """Address of another page to which the page leads on by itself, without delay; "" for none."""

    @property
    def inside(self) -> Ints32:
        """Spans of links with text, shape (n, 2)."""
        return self.spans[self.have_text]

    @property
    def have_text(self) -> Mask:
        """Mask of links with text."""
        has_text: Mask = self.spans[:, 0] < self.spans[:, 1]
        return has_text


def read_links(markup: bytes, elements: Elements, chunks: Chunks, url: str, embedded: Sequence[str] = ()) -> PageLinks:
    """Links of the page at ``url``; ``embedded``: addresses shown in iframes and objects."""
    codes, given, addresses = elements.codes, elements.values[:, :, 0] >= 0, Addresses(url)
    is_alternate = _alternates(markup, elements)
    before = chunks.before[elements.pieces]
    options = _language_options(markup, elements, chunks, before)
    is_link = (((codes == _A) | (codes == _AREA)) & given[:, 0]) | (codes == _FRAME) | is_alternate
    is_link[list(options)] = True
    is_image = _images(markup, elements)
    rows = np.flatnonzero(is_link | is_image | (codes == _BASE))
    resolved = _resolve(markup, elements, rows, addresses)
    links = np.flatnonzero(is_link)
    spans, closed, alts = link_spans(codes, is_link, np.ascontiguousarray(given[:, 1]), before)
    anchors = _anchors(markup, elements, chunks, np.where(closed, spans.T, spans[:, 0]).T, alts)
    for row, name in options.items():
        anchors[int(np.searchsorted(links, row))] = name
    return PageLinks(
        urls=list(compress(resolved, is_link[rows].tolist())),
        anchors=anchors,
        hreflangs=_hreflangs(markup, elements, links),
        alternate=is_alternate[links].tolist(),
        fragments=_fragments(markup, elements, links),
        spans=spans,
        images=[
            *compress(resolved, is_image[rows].tolist()),
            *(addresses.resolve(src.encode()) for src in embedded if src and not src.startswith("data:")),
        ],
        declared_lang=_declared_lang(markup, elements, given),
        leads_on_to=_leads_on_to(markup, elements, given, addresses),
    )


def value_of(markup: bytes, elements: Elements, row: int, slot: int) -> str:
    """A value as serialised; "" for a missing attribute."""
    start, end = elements.values[row, slot].tolist()
    return markup[start:end].decode()


def _alternates(markup: bytes, elements: Elements) -> Mask:
    """Mask of ``<link rel=alternate hreflang=...>`` elements, without feeds and other types that are no page."""
    starts, ends = elements.values[:, 1].T
    is_alternate: Mask = (elements.codes == _LINK) & (starts < ends)
    is_alternate[is_alternate] = [
        b"alternate" in markup[rel[0] : rel[1]].lower().split() and may_be_page(markup[kind[0] : kind[1]].decode())
        for rel, kind in elements.values[is_alternate, 2:4].tolist()
    ]
    return is_alternate


def _language_options(markup: bytes, elements: Elements, chunks: Chunks, before: Ints32) -> dict[int, str]:
    """Rows of options that a script follows to a language version, with the name of its language.

    ``before``: number of chunks before each element.
    """
    found = {}
    for row in np.flatnonzero((elements.codes == _OPTION) & (elements.values[:, 0, 0] >= 0)).tolist():
        start, end = elements.values[row, 0].tolist()
        behind = int(before[row]) + 1
        is_empty = behind == len(chunks.offsets) or before[row : row + 2].tolist() == [behind - 1, behind - 1]
        if not is_empty and _MENU_ADDRESS.fullmatch(markup[start:end].strip()):
            name = chunks.beginning(behind - 1, behind, MOST_NAME_CHARS).strip()
            if names_any_language(name):
                found[row] = name
    return found


def _images(markup: bytes, elements: Elements) -> Mask:
    """Mask of images with an address."""
    starts, ends = elements.values[:, 0].T
    is_image: Mask = (elements.codes == _IMG) & (starts < ends)
    is_image[is_image] = [not markup.startswith(b"data:", start) for start in starts[is_image].tolist()]
    return is_image


def _resolve(markup: bytes, elements: Elements, rows: Ints, addresses: Addresses) -> list[str]:
    """Addresses in the first slot of the elements ``rows``, resolved against the preceding ``<base>``, if any."""
    starts, ends = elements.values[rows, 0].T.tolist()
    hrefs = [markup[start:end] for start, end in zip(starts, ends, strict=True)]
    resolved: list[str] = []
    bases = np.flatnonzero(elements.codes[rows] == _BASE).tolist()
    for base in bases:
        resolved += map(addresses.resolve, hrefs[len(resolved) : base + 1])
        if hrefs[base]:
            addresses.rebase(addresses.join(unescape(hrefs[base].decode())) or addresses.url)
    resolved += map(addresses.resolve, hrefs[len(resolved) :])
    return resolved


def _fragments(markup: bytes, elements: Elements, links: Ints) -> list[str]:
    """Fragments of the addresses of the elements ``links``."""
    places = elements.values[links, 0].tolist()
    return [
        unquote(unescape(markup[hash_at + 1 : end].decode()).strip()) if hash_at >= 0 else ""
        for start, end in places
        for hash_at in (markup.find(b"#", start, end) if start >= 0 else -1,)
    ]


def _hreflangs(markup: bytes, elements: Elements, links: Ints) -> list[str]:
    """hreflang of the elements ``links``, "" for none."""
    hreflangs = [""] * len(links)
    has_hreflang = (elements.values[links, 1, 0] >= 0) & (elements.codes[links] != _AREA)
    places = elements.values[links[has_hreflang], 1].tolist()
    for link, (start, end) in zip(np.flatnonzero(has_hreflang).tolist(), places, strict=True):
        hreflangs[link] = markup[start:end].decode().strip()
    return hreflangs


def _anchors(markup: bytes, elements: Elements, chunks: Chunks, spans: Ints32, alts: Ints32) -> list[str]:
    """Text of each span; for a span without text the ``alt`` of its element in ``alts``."""
    if not len(spans):
        return []
    anchors = join_spans(chunks.text, chunks.offsets, np.ascontiguousarray(spans)).tobytes().decode().split("\n")
    for place in np.flatnonzero(alts != NO_ROW).tolist():
        anchors[place] = anchors[place] or unescape(value_of(markup, elements, alts[place], 1))
    return anchors


def _declared_lang(markup: bytes, elements: Elements, given: Mask) -> str:
    """Declared language: of the ``html`` element, or of the first ``meta`` for Content-Language."""
    codes = elements.codes
    for row in np.flatnonzero((codes == _HTML) | (codes == _META) & given[:, 1]).tolist():
        first, second = (value_of(markup, elements, row, slot) for slot in (0, 1))
        is_language = codes[row] == _HTML or second.lower() == "content-language"
        lang = (first or second) if codes[row] == _HTML else first
        if is_language and lang.strip():
            return lang.strip()
    return ""


def _leads_on_to(markup: bytes, elements: Elements, given: Mask, addresses: Addresses) -> str:
    """Address of another page in the first ``meta`` for a refresh without delay, "" for none."""
    for row in np.flatnonzero((elements.codes == _META) & given[:, 1]).tolist():
        if value_of(markup, elements, row, 1).strip().lower() == "refresh":
            target = refresh_target(unescape(value_of(markup, elements, row, 0)), at_once=True)
            resolved = addresses.join(target.partition("#")[0])
            return "" if resolved == addresses.page else resolved
    return ""


class Addresses:
    """Resolves addresses against the page's address, or against its ``<base>`` once met."""

    def __init__(self, url: str) -> None:
        self._left_chars = MAX_LINK_CHARS
        self.page = url
        self.rebase(url)

    def rebase(self, url: str) -> None:
        """Resolve against ``url`` from now on."""
        self.url = url
        try:
            parts = urlsplit(url)
        except ValueError:
            parts = urlsplit("")
        self._origin = f"{parts.scheme}://{parts.netloc}"
        self._path = f"{parts.path.rpartition('/')[0]}/"

    def join(self, href: str) -> str:
        """Absolute address of ``href`` by RFC 3986, in normal form, "" for no web address."""
        if self._left_chars < 0:
            return ""
        try:
            joined = normalise_address(urljoin(self.url, href))
        except ValueError:
            return ""
        self._left_chars -= len(joined)
        return joined if is_web_address(joined) else ""

    def resolve(self, href: bytes) -> str:
        """Absolute address of a serialised attribute value, without fragment; "" for a fragment alone or no page."""
        if self._left_chars < 0:
            return ""
        is_short = len(href) + len(self._path) <= _KNOWN_CHARS
        resolve = _resolve_plain if is_short else _resolve_plain.__wrapped__
        resolved = resolve(href, self._origin, self._path)
        if resolved is None:
            return self.join(_bare(href))
        self._left_chars -= len(resolved)
        return resolved


def _bare(href: bytes) -> str:
    """An attribute's value with entities resolved, without fragment."""
    return unescape(href.decode()).strip().partition("#")[0]


@lru_cache(_KNOWN_ADDRESSES)
def _resolve_plain(value: bytes, origin: str, path: str) -> str | None:
    """Absolute form of an address by the folder of its page; None where the folder is not enough."""
    if len(value) > MAX_ADDRESS_CHARS:  # no server takes such an address
        return ""
    href = _bare(value)
    if not href or _NO_PAGE.match(href):
        return ""
    plain = _PLAIN_HREF.fullmatch(href)
    if plain is None:
        if _WHOLE_HREF.fullmatch(href) is None:
            return None
        return normalise_address(href if href.startswith("http") else f"{origin.partition('/')[0]}{href}")
    climb = plain[1]
    if climb == "/":
        return normalise_address(origin + href)
    if not _PLAIN_FOLDER.fullmatch(path):
        return None
    folders = path[1:-1].split("/") if len(path) > 1 else []
    kept = max(0, len(folders) - len(climb) // 3)
    return normalise_address("/".join([origin, *folders[:kept], href[len(climb) :]]))


def unescape(text: str) -> str:
    """Resolve the entities written by the serialiser."""
    if "&" not in text:
        return text
    return (
        text.replace("&nbsp;", "\u00a0")
        .replace("&lt;", "<")
        .replace("&gt;", ">")
        .replace("&quot;", '"')
        .replace("&amp;", "&")
    )
