"""HTML text -> token stream, chunks, blocks, links and images, once what no reader sees is taken out."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from selectolax.lexbor import LexborHTMLParser, LexborNode

from diglot.documents.html.chunks import Chunks, TextBlocks, find_blocks, fold_chunks
from diglot.documents.html.gaps import find_gaps
from diglot.documents.html.heading_anchors import without_heading_anchors
from diglot.documents.html.licence import read_licence
from diglot.documents.html.links import PageLinks, read_links
from diglot.documents.html.pieces import cut_pieces, find_elements, without_tags

_UNSEEN = ["script", "style", "template", "noscript", "noframes", "noembed"]
"""Elements without text a reader sees; their inside is not part of the page's text."""
_PICTURES = ["svg", "math", "iframe", "object"]
"""The same, but something is seen where they stand, and may divide words."""
_SOME_PICTURE = re.compile(rb"<(?:svg|math|iframe|object)\b", re.IGNORECASE)
"""To look for it costs less than to ask the tree."""

_NOSCRIPT = re.compile(
    rb"<noscript\b[^<>]*+>[^<]*+(?:<(?!/?(?:noscript|script|body)\b)[^<]*+)*+</noscript\s*>", re.IGNORECASE
)
_HINTS = (b"idden", b"IDDEN", b"isplay", b"ISPLAY", b"isibility", b"ISIBILITY", b"ont-size", b"ONT-SIZE")
"""Pages without any of these hide nothing; looking for them costs far less than asking the tree."""
_MAY_BE_HIDDEN = "[hidden], [aria-hidden], [style]"
"""One walk over the tree, where selectors that look into the values would walk it once each."""
_HIDING = {
    "display": re.compile("none"),
    "visibility": re.compile("hidden|collapse"),
    "font-size": re.compile(r"0(\.0*)?[a-z%]*"),
}
"""Values of style properties that hide an element."""
_INHERITED = frozenset(("visibility", "font-size"))
"""Properties that an element inside may set back, and be seen."""


@dataclass(frozen=True, slots=True)
class Linear:
    """A linearised page."""

    chunks: Chunks
    blocks: TextBlocks
    links: PageLinks
    licence: str
    """Address of the licence that the page says it is under, "" where it says none."""
    hidden_chars: int


class _Serialised(NamedTuple):
    """A page as its repaired tree reads."""

    markup: bytes
    """In UTF-8; ``<`` begins a tag or a comment and nothing else."""
    embedded: list[str]
    """What iframes and objects show, as the page writes the addresses."""
    hidden_chars: int


def linearise(html: str, url: str) -> Linear:
    """Linearise one decoded page; ``url`` is its address, against which links are resolved."""
    return linearise_all([html.encode("utf-8", "replace")], [url])[0]


def linearise_all(pages: Sequence[bytes], urls: Sequence[str]) -> list[Linear]:
    """Linearise pages in UTF-8 with these addresses.

    Every step is taken with all pages before the next: its code and tables then stay in the processor's cache.
    """
    serialised = [_serialise(html) for html in pages]
    markups = [page.markup for page in serialised]
    scanned = [np.frombuffer(markup, np.uint8) for markup in markups]
    pieces = [cut_pieces(markup) for markup in scanned]
    elements = list(map(find_elements, scanned, pieces))
    texts = list(map(without_heading_anchors, markups, pieces, elements, urls))
    gaps = list(map(find_gaps, markups, texts))
    chunks = list(map(fold_chunks, scanned, (without_tags(page, _PICTURES) for page in texts), gaps))
    embedded = (page.embedded for page in serialised)
    links = list(map(read_links, markups, elements, chunks, urls, embedded))
    blocks = [find_blocks(page.tokens, of_page.inside) for page, of_page in zip(chunks, links, strict=True)]
    of_pages = (page.urls for page in links)
    licences = map(read_licence, markups, elements, chunks, urls, of_pages)
    return list(map(Linear, chunks, blocks, links, licences, (page.hidden_chars for page in serialised)))


def _serialise(html: bytes) -> _Serialised:
    """Parse a page, take out what is not seen, and write what is left."""
    html = without_noscript(html)
    tree = LexborHTMLParser(html)
    embedded = _embedded(tree)
    hidden_chars = take_out_unseen(tree, html)
    if tree.tags("xmp") or tree.tags("plaintext"):
        _escape_verbatim(tree)
    markup = (tree.root and tree.root.html) or ""
    return _Serialised(markup.encode(), embedded, hidden_chars)


def _embedded(tree: LexborHTMLParser) -> list[str]:
    """Addresses of what iframes and objects show."""
    if not (tree.tags("iframe") or tree.tags("object")):
        return []
    found = tree.css("iframe[src], object[data]")
    return [node.attributes.get("src") or node.attributes.get("data") or "" for node in found]


def _escape_verbatim(tree: LexborHTMLParser) -> None:
    """Replace the elements whose text is serialised as it is, markup and all."""
    for node in tree.css("xmp, plaintext"):
        escaped = tree.create_node("pre")
        escaped.insert_child(node.text())
        node.replace_with(escaped)


def without_noscript(html: bytes) -> bytes:
    """Markup without its noscript elements, as a browser that runs scripts reads it.

    To a parser that runs none they are markup, and one with an open ``<p>`` swallows the rest of the page.
    """
    return _NOSCRIPT.sub(b"", html) if b"noscript" in html or b"NOSCRIPT" in html else html


def take_out_unseen(tree: LexborHTMLParser, html: bytes) -> int:
    """Remove from ``tree``, parsed from ``html``, what is not shown; how many characters were hidden.

    Elements that are never shown, such as scripts, are not counted; those that are hidden are: by
    ``hidden``, ``aria-hidden`` or their own style. Style sheets are not read. ``body`` is never taken out:
    pages hide it until they are loaded.
    """
    tree.strip_tags(_UNSEEN)
    if _SOME_PICTURE.search(html):
        for node in tree.css(", ".join(_PICTURES)):
            node.inner_html = ""
    if not any(hint in html for hint in _HINTS):
        return 0
    nodes = [node for node in tree.css(_MAY_BE_HIDDEN) if node.tag not in ("html", "body")]
    set_back = _set_back(nodes)
    hidden_chars = 0
    for node in nodes:
        if node.tag not in _PICTURES and _is_hidden(node, set_back):
            hidden_chars += len(node.text(deep=True).strip())
            node.decompose()
    return hidden_chars


def _is_hidden(node: LexborNode, set_back: set[tuple[int, str]]) -> bool:
    attributes = node.attributes
    if "hidden" in attributes or (attributes.get("aria-hidden") or "").lower() == "true":
        return True
    return any((node.mem_id, name) not in set_back for name in _hiding_properties(node))


def _set_back(nodes: list[LexborNode]) -> set[tuple[int, str]]:
    """Elements, with the property, inside which some element shows itself again."""
    found: set[tuple[int, str]] = set()
    for node in nodes:
        for name in _INHERITED & _declarations(node).keys() - set(_hiding_properties(node)):
            above = node.parent
            while above is not None and (above.mem_id, name) not in found:
                found.add((above.mem_id, name))
                above = above.parent
    return found


def _hiding_properties(node: LexborNode) -> list[str]:
    """Properties of an element's own style by which it is hidden."""
    values = _declarations(node)
    return [name for name, hiding in _HIDING.items() if name in values and hiding.fullmatch(values[name])]


def _declarations(node: LexborNode) -> dict[str, str]:
    """Properties of a style attribute; of several with one name the last counts."""
    pieces = (piece.partition(":") for piece in (node.attributes.get("style") or "").lower().split(";"))
    return {name.strip(): value.replace("!important", "").strip() for name, _, value in pieces}
