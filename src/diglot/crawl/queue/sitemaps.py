"""Sitemaps -> addresses and their language versions: urlset, index, RSS, Atom, RDF, plain lists, all also .gz.

Sources: the sitemaps.org protocol 0.9 and Google's xhtml:link annotation of language versions. A file is read as a
stream, without document type, declared entities or network, and within the limits of the protocol.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from urllib.parse import urljoin

from lxml import etree

from diglot.errors import in_ascii
from diglot.pages.address import is_web_address, tidy_address
from diglot.pages.http_response import MAX_CODINGS, coding_names, decoded_pieces
from diglot.records import Refused

MAX_BYTES = 50 << 20
"""Decoded size that the protocol allows."""
MAX_ADDRESSES = 50_000
MAX_ELEMENTS = 600_000
"""Elements in 50 MiB of the shortest useful annotations; a file with more holds something else."""
MAX_GAP_BYTES = 1 << 20
"""Bytes without an address after which reading stops; an entry takes hundreds, its versions some thousand."""
MAX_DEPTH = 3
"""Steps from the first sitemap through indexes. The protocol has one; real sites have two."""
MAX_ADDRESS_CHARS = 2048

_PLAIN = re.compile(r"https?://[a-z0-9.-]+(?:/[!\"$-;=?-~]*)?")
"""An address that needs no normalisation."""
_TO_LINE_END = re.compile(rb"https?://[^\r\n]+")
_NOTHING = frozenset((b"", b"\xef\xbb\xbf"))
_FEED_BYTES = 1 << 14
_FEEDS = frozenset(("rss", "feed", "RDF"))
_ENTRIES = {"url": "urlset", "sitemap": "sitemapindex", "item": "", "entry": ""}


@dataclass(frozen=True, slots=True)
class SitemapEntry:
    """A page in a sitemap. ``alternates``: pairs of hreflang value and address, the page itself often among them."""

    url: str
    alternates: tuple[tuple[str, str], ...] = ()


@dataclass(slots=True)
class Sitemap:
    """Contents of a sitemap: pages, or further sitemaps; ``problem``: why reading ended early, "" otherwise."""

    entries: list[SitemapEntry] = field(default_factory=list)
    sitemaps: list[str] = field(default_factory=list)
    problem: str = ""


class _Enough(Exception):
    """Stops reading a sitemap, for the given reason."""


def read_sitemap(body: bytes, *, url: str, content_encoding: str = "") -> Sitemap:
    """Read a sitemap as sent. ``url``: its own address, the base of relative addresses.

    Never raises for the contents of a file: entries before a problem are kept and the problem is named.
    """
    sitemap = Sitemap()
    try:
        pieces = _pieces(body, content_encoding)
        first = next(pieces, b"")
        pieces = _without_gaps(itertools.chain([first], pieces), sitemap)
        if first.lstrip(b"\xef\xbb\xbf \t\r\n").startswith(b"<") or b"\0" in first[:4]:
            _read_xml(pieces, _Collector(sitemap, url))
        else:
            _read_lines(pieces, sitemap)
    except _Enough as enough:
        sitemap.problem = str(enough)
    except Refused as refused:
        sitemap.problem = refused.detail
    except (etree.LxmlError, UnicodeDecodeError) as error:  # the latter for half a surrogate pair, such as &#xD800;
        sitemap.problem = f"broken XML ({in_ascii(error)[:100]})"
    return sitemap


def _pieces(body: bytes, content_encoding: str) -> Iterator[bytes]:
    """The decoded file; a gzip file inside, as in ``sitemap.xml.gz``, is unpacked too."""
    names = coding_names(content_encoding)
    return decoded_pieces(body, ["gzip", *names] if len(names) < MAX_CODINGS else names, max_bytes=MAX_BYTES)


def _read_lines(pieces: Iterator[bytes], sitemap: Sitemap) -> None:
    """Read a list of addresses, one a line, UTF-8."""
    rest = b""
    for piece in pieces:
        whole, _, rest = (rest + piece).rpartition(b"\n")
        _add_lines(whole, sitemap)
        # A line without end must not fill the memory.
        rest = rest[: 2 * MAX_ADDRESS_CHARS]
    _add_lines(rest, sitemap)


def _add_lines(lines: bytes, sitemap: Sitemap) -> None:
    end = 0
    # A search for addresses, not for the beginnings of lines, is fast on a file of line ends alone.
    for found in _TO_LINE_END.finditer(lines):
        before, end = lines[end : found.start()].replace(b"\r", b"\n").rpartition(b"\n")[2], found.end()
        address = _absolute(found[0].decode("utf-8", "replace").strip(), "") if before.strip(b" \t") in _NOTHING else ""
        if address:
            _add(sitemap, SitemapEntry(address))


def _without_gaps(pieces: Iterator[bytes], sitemap: Sitemap) -> Iterator[bytes]:
    """Split the file into small pieces. Raises :class:`_Enough` when :data:`MAX_GAP_BYTES` bring no address."""
    addresses, gap_bytes = 0, 0
    for piece in pieces:
        # Small pieces, so that the parser stops soon after a limit.
        for at in range(0, len(piece), _FEED_BYTES):
            yield piece[at : at + _FEED_BYTES]
            found = len(sitemap.entries) + len(sitemap.sitemaps)
            gap_bytes = gap_bytes + _FEED_BYTES if found == addresses else 0
            addresses = found
            if gap_bytes > MAX_GAP_BYTES:
                raise _Enough(f"{MAX_GAP_BYTES:,} bytes without an address")


def _add(sitemap: Sitemap, entry: SitemapEntry) -> None:
    if len(sitemap.entries) >= MAX_ADDRESSES:
        raise _Enough(f"more than {MAX_ADDRESSES:,} addresses")
    sitemap.entries.append(entry)


def _read_xml(pieces: Iterator[bytes], collector: _Collector) -> None:
    # recover: entries around a broken one are kept. internal: &amp; in an attribute would arrive as &#38;. Entities of
    # the file itself are declared in its document type, at which the collector ends the reading.
    parser = etree.XMLParser(
        target=collector, resolve_entities="internal", no_network=True, load_dtd=False, huge_tree=False, recover=True
    )
    for piece in pieces:
        parser.feed(piece)
    parser.close()


class _Collector:
    """Parser target for lxml: receives elements as they are read and keeps addresses only."""

    def __init__(self, sitemap: Sitemap, base: str) -> None:
        self._sitemap = sitemap
        self._base = base
        self._elements = 0
        self._root = ""
        self._kind = ""
        self._text: list[str] | None = None
        self._found: dict[str, str] = {}
        self._alternates: list[tuple[str, str]] = []

    def doctype(self, name: str, public: str, system: str) -> None:
        """A document type could name files, addresses and entities; no sitemap needs one."""
        html = (name or "").lower() == "html"
        raise _Enough("a page of HTML, no sitemap" if html else "has a document type declaration")

    def start(self, tag: str, attributes: dict[str, str]) -> None:
        """An element opens."""
        self._elements += 1
        if self._elements > MAX_ELEMENTS:
            raise _Enough(f"more than {MAX_ELEMENTS:,} elements")
        name = tag.rpartition("}")[2]
        if not self._root:
            self._root = name
            if name not in ("urlset", "sitemapindex", *_FEEDS):
                raise _Enough(f"{in_ascii(name[:40])} is no root of a sitemap")
        elif not self._kind and name in _ENTRIES and (_ENTRIES[name] == self._root or self._root in _FEEDS):
            self._kind, self._found, self._alternates = name, {}, []
        elif self._kind and name == "link" and attributes.get("href"):
            self._link(attributes)
        elif self._kind and name in ("loc", "link"):
            self._text = []

    def data(self, text: str) -> None:
        """Text inside an element."""
        if self._text is not None and len(self._text) < MAX_ADDRESS_CHARS:
            self._text.append(text[: MAX_ADDRESS_CHARS + 1])

    def end(self, tag: str) -> None:
        """An element closes."""
        name = tag.rpartition("}")[2]
        if self._text is not None:
            self._found.setdefault(name, "".join(self._text).strip())
            self._text = None
        elif name == self._kind:
            self._close_entry()
            self._kind = ""

    def close(self) -> None:
        """Nothing to do at the end."""

    def _link(self, attributes: dict[str, str]) -> None:
        if attributes.get("rel", "alternate") != "alternate":
            return
        address = _absolute(attributes["href"], self._base)
        if self._root == "urlset":
            if address and attributes.get("hreflang"):
                self._alternates.append((attributes["hreflang"].strip()[:40], address))
        elif address:
            self._found.setdefault("link", address)

    def _close_entry(self) -> None:
        address = _absolute(self._found.get("loc") or self._found.get("link", ""), self._base)
        if not address:
            return
        if self._kind != "sitemap":
            _add(self._sitemap, SitemapEntry(address, tuple(self._alternates)))
        elif len(self._sitemap.sitemaps) >= MAX_ADDRESSES:
            raise _Enough(f"more than {MAX_ADDRESSES:,} sitemaps")
        else:
            self._sitemap.sitemaps.append(address)


def _absolute(text: str, base: str) -> str:
    """The absolute web address of a text, "" for none."""
    if not text or len(text) > MAX_ADDRESS_CHARS:
        return ""
    if _PLAIN.fullmatch(text):
        return text
    try:
        address = tidy_address(urljoin(base, tidy_address(text)))
    except ValueError:  # the bracket of an IPv6 host left open
        return ""
    return address if is_web_address(address) else ""
