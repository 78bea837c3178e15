"""HTML text -> token stream, chunks, blocks, links and images of the visible page."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from html import unescape
from typing import NamedTuple
from unicodedata import category

import numpy as np
from selectolax.lexbor import LexborHTMLParser, LexborNode

from diglot.documents.html.box_rows import divide_box_rows
from diglot.documents.html.gaps import find_gaps
from diglot.documents.html.heading_anchors import without_heading_anchors
from diglot.documents.html.heading_lines import find_heading_breaks
from diglot.documents.html.icons import empty_icons
from diglot.documents.html.label_values import divide_labels
from diglot.documents.html.language_sides import without_other_sides
from diglot.documents.html.licence import read_licence
from diglot.documents.html.line_breaks import find_line_breaks
from diglot.documents.html.link_rows import divide_link_rows
from diglot.documents.html.links import PageLinks, read_links
from diglot.documents.html.mail_addresses import restore_addresses
from diglot.documents.html.page_text import PageText
from diglot.documents.html.pieces import (
    MAX_TAG_BYTES,
    Chunks,
    TextBlocks,
    cut_pieces,
    find_blocks,
    find_elements,
    fold_chunks,
    without_pieces,
    without_tags,
)
from diglot.documents.html.server_code import without_server_code
from diglot.documents.html.symbols import without_symbols

_UNSEEN = ["script", "style", "template", "noscript", "noframes", "noembed"]
"""Elements without visible text: their inside is not text of the page."""
_PICTURES = ["svg", "math", "iframe", "object"]
"""Elements without text, but shown in the line: they may divide words."""
_SOME_PICTURE = re.compile(rb"<(?:svg|math|iframe|object)\b", re.IGNORECASE)
"""Searching bytes costs less than asking the tree."""

_CURRENT = re.compile(rb'<span class="(?:sr-only|visually-hidden)">\(current\)</span>')
"""Bootstrap's note for screen readers at the entry of the menu that is open. Sites leave it in English."""
_POWER = re.compile("<sup>(?<=[0-9]<sup>)(?=(?:-|\N{MINUS SIGN})?[0-9]{1,3}</sup>)".encode())
"""A number raised behind another: 10 to the power of 18, not 1018. The number of a note is a link or has a class."""
_ESCAPED_TWICE = re.compile(
    # The literal first: the search for it leaps over all other text.
    rb"&amp;(?:(?<=[0-9A-Za-z\x80-\xff]&amp;)|(?=[#0-9A-Za-z]{2,8};[0-9A-Za-z\x80-\xff]))"
    rb"(#x?[0-9A-Fa-f]{2,5}|[A-Za-z]{2,8});"
)
"""An entity beside a letter or digit, which readers see as it is written: ``l&#39;eau``. Programs that make pages
escape texts, and some escape a text twice. Texts about markup name an entity by itself."""
NOSCRIPT = re.compile(
    rb"<noscript\b[^<>]*+>[^<]*+(?:<(?!/?(?:noscript|script|body)\b)[^<]*+)*</noscript\s*>", re.IGNORECASE
)
_HINTS = (b"idden", b"IDDEN", b"isplay", b"ISPLAY", b"isibility", b"ISIBILITY", b"ont-size", b"ONT-SIZE")
"""Pages without any of these bytes hide nothing; searching bytes costs far less than asking the tree."""
_MAY_BE_HIDDEN = "[hidden], [aria-hidden], [style]"
"""One walk over the tree; selectors on values would take a walk per selector."""
_HIDING = {
    "display": re.compile("none"),
    "visibility": re.compile("hidden|collapse"),
    "font-size": re.compile(r"0(\.0*)?[a-z%]*"),
}
"""Values of style properties that hide an element."""
_INHERITED = frozenset(("visibility", "font-size"))
"""Properties that a descendant may reset and so be visible."""


@dataclass(frozen=True, slots=True)
class Linear:
    """A linearised page."""

    chunks: Chunks
    blocks: TextBlocks
    links: PageLinks
    licence: str
    """Address of the page's licence, "" for none."""
    hidden_chars: int


class _Serialised(NamedTuple):
    """A page serialised from its repaired tree."""

    markup: bytes
    """In UTF-8; every ``<`` begins a tag or a comment."""
    embedded: list[str]
    """Addresses shown in iframes and objects, as written."""
    hidden_chars: int


def linearise_all(pages: Sequence[bytes], urls: Sequence[str], *, with_hidden: bool = False) -> list[Linear]:
    """Linearise pages in UTF-8 with these addresses; ``with_hidden``: hidden elements are read as shown ones are."""
    # All pages take a step before the next: the step's code and tables stay in the processor's cache.
    serialised = [_serialise(html, with_hidden=with_hidden) for html in pages]
    markups = [page.markup for page in serialised]
    scanned = [np.frombuffer(markup, np.uint8) for markup in markups]
    pieces = [cut_pieces(markup) for markup in scanned]
    elements = list(map(find_elements, scanned, pieces))
    texts = list(map(without_heading_anchors, markups, pieces, elements, urls))
    breaks = list(map(find_line_breaks, markups, texts))
    texts = list(map(without_pieces, texts, breaks))
    in_headings = list(map(find_heading_breaks, markups, texts))
    texts = [without_pieces(page, places) for page, (places, _) in zip(texts, in_headings, strict=True)]
    gaps = list(map(find_gaps, markups, texts))
    for of_page, places, (_, behind) in zip(gaps, breaks, in_headings, strict=True):
        of_page[places + 1] = True
        of_page[behind] = True
    chunks = list(map(fold_chunks, scanned, (without_tags(page, _PICTURES) for page in texts), gaps))
    embedded = (page.embedded for page in serialised)
    links = list(map(read_links, markups, elements, chunks, urls, embedded))
    blocks = [find_blocks(page.tokens, of_page.inside) for page, of_page in zip(chunks, links, strict=True)]
    shown = map(without_symbols, map(PageText, chunks, blocks, links))
    divided = map(divide_box_rows, map(divide_link_rows, shown), markups, texts)
    # A page that holds all its languages is divided by language later.
    divided = divided if with_hidden else map(without_other_sides, divided, markups, texts)
    divided = map(divide_labels, divided, markups, texts)
    of_pages = (page.urls for page in links)
    licences = map(read_licence, markups, elements, chunks, urls, of_pages)
    hidden_chars = (page.hidden_chars for page in serialised)
    return [
        Linear(*page, licence, hidden) for page, licence, hidden in zip(divided, licences, hidden_chars, strict=True)
    ]


def _serialise(html: bytes, *, with_hidden: bool) -> _Serialised:
    """Parse a page, take out invisible elements (``with_hidden``: only those never shown), serialise the rest."""
    html = without_noscript(without_server_code(html))
    tree = LexborHTMLParser(html)
    embedded = _embedded_addresses(tree)
    take_out_never_shown(tree, html)
    restore_addresses(tree, html)
    hidden_chars = 0 if with_hidden else take_out_hidden(tree, html)
    is_verbatim = bool(tree.tags("xmp") or tree.tags("plaintext"))
    if is_verbatim:
        _escape_verbatim(tree)
    markup = ((tree.root and tree.root.html) or "").encode()
    if b"(current)" in markup:
        markup = _CURRENT.sub(b"", markup)
    if b"<sup>" in markup:
        markup = _POWER.sub(b"<sup>^", markup)
    if b"&amp;" in markup and not is_verbatim:
        markup = _ESCAPED_TWICE.sub(_escape_once, markup)
    return _Serialised(markup, embedded, hidden_chars)


def _escape_once(entity: re.Match[bytes]) -> bytes:
    """The character of an entity escaped twice; the entity itself if it is unknown, or a character of markup.

    A number is resolved only for a punctuation mark or a blank: programs write letters by name, and texts about
    characters write them by number.
    """
    char = unescape(f"&{entity[1].decode()};")
    is_meant = len(char) != 1 or char in '<>&"\ufffd' or (entity[1][:1] == b"#" and category(char)[0] not in "PZ")
    return entity[0] if is_meant else char.replace("\xa0", "&nbsp;").encode()


def _embedded_addresses(tree: LexborHTMLParser) -> list[str]:
    """Addresses shown in iframes and objects."""
    if not (tree.tags("iframe") or tree.tags("object")):
        return []
    found = tree.css("iframe[src], object[data]")
    return [node.attributes.get("src") or node.attributes.get("data") or "" for node in found]


def _escape_verbatim(tree: LexborHTMLParser) -> None:
    """Replace elements with text that the serialiser would write unescaped."""
    for node in tree.css("xmp, plaintext"):
        escaped = tree.create_node("pre")
        escaped.insert_child(node.text())
        node.replace_with(escaped)


def without_noscript(html: bytes) -> bytes:
    """Markup without noscript elements: a browser that runs scripts shows none."""
    # To a parser without scripts they are markup, and an open ``<p>`` inside swallows the rest of the page.
    return NOSCRIPT.sub(b"", html) if b"noscript" in html or b"NOSCRIPT" in html else html


def take_out_never_shown(tree: LexborHTMLParser, html: bytes) -> None:
    """Remove elements without visible text (scripts) from ``tree``, parsed from ``html``, and empty the pictures."""
    tree.strip_tags(_UNSEEN)
    empty_icons(tree, html)
    if _SOME_PICTURE.search(html):
        for node in tree.css(", ".join(_PICTURES)):
            node.inner_html = ""


def take_out_hidden(tree: LexborHTMLParser, html: bytes) -> int:
    """Remove hidden elements from ``tree``, parsed from ``html``; return the number of hidden characters.

    Elements are hidden by ``hidden``, ``aria-hidden`` or their own style. Style sheets are not read. ``body`` always
    stays: pages hide it until they are loaded.
    """
    if not any(hint in html for hint in _HINTS):
        return 0
    nodes = [node for node in tree.css(_MAY_BE_HIDDEN) if node.tag not in ("html", "body")]
    shown_again = _properties_shown_again(nodes)
    hidden_chars = 0
    for node in nodes:
        if node.tag not in _PICTURES and _is_hidden(node, shown_again):
            hidden_chars += len(node.text(deep=True).strip())
            node.decompose()
    return hidden_chars


def _is_hidden(node: LexborNode, shown_again: set[tuple[int, str]]) -> bool:
    attributes = node.attributes
    if "hidden" in attributes or (attributes.get("aria-hidden") or "").lower() == "true":
        return True
    return any((node.mem_id, name) not in shown_again for name in _hiding_properties(node))


def _properties_shown_again(nodes: list[LexborNode]) -> set[tuple[int, str]]:
    """Elements, by id, with a property that a descendant resets to be visible."""
    found: set[tuple[int, str]] = set()
    for node in nodes:
        for name in _INHERITED & _declarations(node).keys() - set(_hiding_properties(node)):
            above = node.parent
            while above is not None and (above.mem_id, name) not in found:
                found.add((above.mem_id, name))
                above = above.parent
    return found


def _hiding_properties(node: LexborNode) -> list[str]:
    """Properties of an element's own style that hide it."""
    values = _declarations(node)
    return [name for name, hiding in _HIDING.items() if name in values and hiding.fullmatch(values[name])]


def _declarations(node: LexborNode) -> dict[str, str]:
    """Properties of a style attribute; the last of one name counts."""
    pieces = (piece.partition(":") for piece in (node.attributes.get("style") or "")[:MAX_TAG_BYTES].lower().split(";"))
    return {name.strip(): value.replace("!important", "").strip() for name, _, value in pieces}
