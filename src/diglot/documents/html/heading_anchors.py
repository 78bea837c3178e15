"""Heading anchors, links from a heading to its own address (``#``, ``¶``, "Permalink") -> taken out of the text.

Heading anchors translate nothing. Entries of a table of contents, headings linked to themselves and marks of notes are
text and stay.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from diglot.documents.html.heading_anchors_kernels import short_links
from diglot.documents.html.links import Addresses, unescape
from diglot.documents.html.pieces import MAX_TAG_BYTES, Elements, Pieces
from diglot.documents.html.tags import LITERAL, TAG_FLAGS, TEXT_PIECE, indices_of_codes, start_code

_A = start_code("a")
_MARKS = re.compile(
    "[#\N{PILCROW SIGN}\N{REVERSED PILCROW SIGN}\N{SECTION SIGN}\N{LINK SYMBOL}\N{ANCHOR}\N{INFINITY}]+"
)
"""Signs that generators of manuals and notebooks write as heading anchors. ``*`` and arrows are left out, because they
mark notes, and further signs, because manuals may discuss them."""
_WORDS = re.compile(
    r"\W*(?:perma-?links?|perma(?:nent)? link( to this.*)?|link to this .+|direct link to .+|anchor link\b.*)\W*",
    re.IGNORECASE,
)
_NAMED = re.compile(
    rb' (?:class|title|aria-label)="[^"]*(?:perma-?link|permanent link|(?:header|hash|heading|self|anchor)-?link'
    rb"|(?:header|heading|doc)-?anchor|anchorjs|copiable|link to this)",
    re.IGNORECASE,
)
"""Classes and titles of the anchors of Sphinx, MkDocs, Docusaurus, VitePress, GitHub, rustdoc, Texinfo, AnchorJS."""


class _Link(NamedTuple):
    """A link with little text to a fragment of its own page."""

    start: int
    """Piece of the start tag."""
    end: int
    """Piece of the end tag."""
    text: str
    fragment: bytes
    to_itself: bool
    """Whether the target is the link's heading, the section begun by the heading, or the link."""
    is_part: bool
    """Whether the block has further text."""


def without_heading_anchors(markup: bytes, pieces: Pieces, elements: Elements, url: str) -> Pieces:
    """The pieces without the text of heading anchors; ``url``: address of the page."""
    links = list(_links(markup, pieces, elements, url))
    words = {(link.text, link.fragment) for link in links if link.to_itself and link.is_part and _has_word(link.text)}
    texts = {text for text, _ in words}
    shared = next(iter(texts)) if len(words) > len(texts) == 1 else None
    found = [link for link in links if _is_heading_anchor(markup, pieces, link, shared)]
    if not found:
        return pieces
    ends = pieces.ends.copy()
    for link in found:
        for piece in range(link.start, link.end):
            if pieces.codes[piece] == TEXT_PIECE:
                start = int(pieces.starts[piece])
                ends[piece] = start + markup[start : start + 1].isspace()  # the texts on both sides stay divided
    return pieces._replace(ends=ends)


def _is_heading_anchor(markup: bytes, pieces: Pieces, link: _Link, shared: str | None) -> bool:
    """Whether a link is a heading anchor; ``shared``: the one text of all self-links beside further text, if they lead
    to several fragments; None if texts differ."""
    inside = pieces.codes[link.start : link.end]
    if (TAG_FLAGS[indices_of_codes(inside[inside != TEXT_PIECE])] & LITERAL).any():
        return False  # an option or operator described by a manual
    if not link.text or _MARKS.fullmatch(link.text):
        return True
    if not _has_word(link.text):
        start = int(pieces.starts[link.start])
        tag = markup[start : min(int(pieces.ends[link.start]), start + MAX_TAG_BYTES)]
        return link.is_part and (link.to_itself or _NAMED.search(tag) is not None)
    return link.to_itself and (_WORDS.fullmatch(link.text) is not None or (link.is_part and link.text == shared))


def _has_word(text: str) -> bool:
    return any(map(str.isalnum, text))


def _links(markup: bytes, pieces: Pieces, elements: Elements, url: str) -> Iterator[_Link]:
    """Candidates for heading anchors, in order."""
    scanned, rows = np.frombuffer(markup, np.uint8), np.flatnonzero(elements.codes == _A)
    links = np.column_stack((elements.pieces[rows], elements.values[rows, 0])).astype(np.int32)
    found = short_links(scanned, *pieces, links, TAG_FLAGS)
    addresses = Addresses(url)
    for start, end, value, sharp, behind, to_itself, is_part in found.tolist():
        if sharp > value and addresses.resolve(markup[value:sharp]) != url.partition("#")[0]:
            continue
        texts = zip(pieces.codes[start:end].tolist(), pieces.starts[start:end], pieces.ends[start:end], strict=True)
        text = unescape(b"".join(markup[first:last] for code, first, last in texts if code == TEXT_PIECE).decode())
        seen = "".join(char for char in text if unicodedata.category(char) != "Cf")
        yield _Link(start, end, " ".join(seen.split()), markup[sharp + 1 : behind], bool(to_itself), bool(is_part))
