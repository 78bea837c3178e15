"""HTML text -> token stream, chunks, blocks, links and images.

*Linearise* is STRAND's word (Resnik & Smith 2003): a page becomes a line of tags and text chunks.
selectolax repairs the markup as a browser would; its own serialisation, regular by construction, is
then cut into pieces by compiled scans over its bytes, some ten times faster than visiting nodes from Python.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import pyarrow as pa
from selectolax.lexbor import LexborHTMLParser

from diglot.documents.chunks import Chunks, find_blocks, fold_chunks
from diglot.documents.links import Links, read_links
from diglot.documents.pieces import Ints, cut_pieces, find_elements
from diglot.documents.visible import take_out_unseen, without_noscript

_EMBEDS = ("<iframe", "<IFRAME", "<object", "<OBJECT")
_VERBATIM = ("<xmp", "<plaintext")
"""Elements whose text is serialised as it is, markup and all."""


@dataclass(frozen=True, slots=True)
class Linear:
    """A linearised page; the columns of :data:`diglot.records.DOCUMENT_SCHEMA` of the same names.

    ``chunks`` keep one space at an end where the page has white space there, so that chunks joined
    over an irrelevant tag read as the page does; token lengths are those of the stripped text.
    The blocks' other columns are those of :class:`diglot.documents.chunks.Blocks`.
    """

    tokens: Ints
    chunks: pa.StringArray
    block_ends: Ints
    block_kinds: npt.NDArray[np.int8]
    block_aside: npt.NDArray[np.bool_]
    block_chars: Ints
    block_link_chars: Ints
    link_urls: list[str]
    link_anchors: list[str]
    link_hreflangs: list[str]
    link_alternate: list[bool]
    images: list[str]
    declared_lang: str
    hidden_chars: int


def linearise(html: str, url: str) -> Linear:
    """Linearise one decoded page; ``url`` is its address, against which links are resolved."""
    html = without_noscript(html)
    tree = LexborHTMLParser(html)
    embedded = _embedded(tree) if any(hint in html for hint in _EMBEDS) else []
    hidden_chars = take_out_unseen(tree, html)
    markup = _markup(tree).encode()
    scanned = np.frombuffer(markup, np.uint8)
    pieces = cut_pieces(scanned)
    chunks = fold_chunks(scanned, pieces)
    links = read_links(markup, find_elements(scanned, pieces), chunks, url)
    for address in embedded:
        links.show(address)
    return _linear(chunks, links, hidden_chars)


def _embedded(tree: LexborHTMLParser) -> list[str]:
    """What iframes and objects show, as the page writes the addresses."""
    found = tree.css("iframe[src], object[data]")
    return [node.attributes.get("src") or node.attributes.get("data") or "" for node in found]


def _markup(tree: LexborHTMLParser) -> str:
    """The tree's serialisation, in which ``<`` begins a tag or a comment and nothing else."""
    markup = (tree.root and tree.root.html) or ""
    if any(name in markup for name in _VERBATIM):
        for node in tree.css("xmp, plaintext"):
            escaped = tree.create_node("pre")
            escaped.insert_child(node.text())
            node.replace_with(escaped)
        markup = (tree.root and tree.root.html) or ""
    return markup


def _linear(chunks: Chunks, links: Links, hidden_chars: int) -> Linear:
    blocks = find_blocks(chunks.tokens, np.array(links.inside, np.int32).reshape(-1, 2))
    return Linear(
        tokens=chunks.tokens,
        chunks=_texts(chunks),
        block_ends=blocks.ends,
        block_kinds=blocks.kinds,
        block_aside=blocks.aside,
        block_chars=blocks.chars,
        block_link_chars=blocks.link_chars,
        link_urls=links.urls,
        link_anchors=links.anchors,
        link_hreflangs=links.hreflangs,
        link_alternate=links.alternate,
        images=links.images,
        declared_lang=links.declared_lang,
        hidden_chars=hidden_chars,
    )


def _texts(chunks: Chunks) -> pa.StringArray:
    buffers = pa.py_buffer(chunks.offsets), pa.py_buffer(chunks.text)
    return pa.StringArray.from_buffers(len(chunks.offsets) - 1, *buffers)
