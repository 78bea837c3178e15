"""Links by which a heading offers its own address (``#``, ``¶``, "Permalink") -> taken out of the text.

They name the heading's address and translate nothing. Entries of a table of contents, a heading that is a link to
itself and the marks of notes are text.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from diglot.documents.html.heading_anchors_kernels import short_links
from diglot.documents.html.links import Addresses, unescape
from diglot.documents.html.pieces import Elements, Pieces
from diglot.documents.html.tags import LITERAL, TAG_FLAGS, TEXT_PIECE, start_code

_A = start_code("a")
_MARKS = re.compile(
    "[#\N{PILCROW SIGN}\N{REVERSED PILCROW SIGN}\N{SECTION SIGN}\N{LINK SYMBOL}\N{ANCHOR}\N{INFINITY}]+"
)
"""What programs that write manuals and notebooks put there. ``*`` and arrows are those of notes, and of other signs a
manual may speak."""
_WORDS = re.compile(
    r"\W*(?:perma-?links?|perma(?:nent)? link( to this.*)?|link to this .+|direct link to .+|anchor link\b.*)\W*",
    re.IGNORECASE,
)
_NAMED = re.compile(
    rb' (?:class|title|aria-label)="[^"]*(?:perma-?link|permanent link|(?:header|hash|heading|self|anchor)-?link'
    rb"|(?:header|heading|doc)-?anchor|anchorjs|copiable|link to this)",
    re.IGNORECASE,
)
"""Classes and titles by which Sphinx, MkDocs, Docusaurus, VitePress, GitHub, rustdoc, Texinfo and AnchorJS know it."""


class _Link(NamedTuple):
    """A link with little text that leads to a fragment of its own page."""

    start: int
    """Its piece."""
    end: int
    """The piece of its end tag."""
    text: str
    fragment: bytes
    to_itself: bool
    """Whether what it leads to is its heading, the section that begins with it, or the link itself."""
    is_part: bool
    """Whether its block has other text."""


def without_heading_anchors(markup: bytes, pieces: Pieces, elements: Elements, url: str) -> Pieces:
    """The pieces with the text of heading anchors left out; ``url``: address of the page."""
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
                ends[piece] = start + markup[start : start + 1].isspace()  # what stands round it stays divided
    return pieces._replace(ends=ends)


def _is_heading_anchor(markup: bytes, pieces: Pieces, link: _Link, shared: str | None) -> bool:
    """``shared``: the text of all links that stand with other text and lead to where they stand, None if several."""
    inside = pieces.codes[link.start : link.end]
    if (TAG_FLAGS[(-inside[inside != TEXT_PIECE] - 1) >> 1] & LITERAL).any():
        return False  # an option or an operator that a manual describes
    if not link.text or _MARKS.fullmatch(link.text):
        return True
    if not _has_word(link.text):
        tag = markup[int(pieces.starts[link.start]) : int(pieces.ends[link.start])]
        return link.is_part and (link.to_itself or _NAMED.search(tag) is not None)
    return link.to_itself and (_WORDS.fullmatch(link.text) is not None or (link.is_part and link.text == shared))


def _has_word(text: str) -> bool:
    return any(map(str.isalnum, text))


def _links(markup: bytes, pieces: Pieces, elements: Elements, url: str) -> Iterator[_Link]:
    """The links that may be heading anchors, in order."""
    scanned, rows = np.frombuffer(markup, np.uint8), np.flatnonzero(elements.codes == _A)
    values = np.ascontiguousarray(elements.values[rows, 0])
    found = short_links(scanned, *pieces, elements.pieces[rows], values, TAG_FLAGS)
    addresses = Addresses(url)
    for start, end, value, sharp, behind, to_itself, is_part in found.tolist():
        if sharp > value and addresses.resolve(markup[value:sharp]) != url.partition("#")[0]:
            continue
        texts = zip(pieces.codes[start:end].tolist(), pieces.starts[start:end], pieces.ends[start:end], strict=True)
        text = unescape(b"".join(markup[first:last] for code, first, last in texts if code == TEXT_PIECE).decode())
        seen = "".join(char for char in text if unicodedata.category(char) != "Cf")
        yield _Link(start, end, " ".join(seen.split()), markup[sharp + 1 : behind], bool(to_itself), bool(is_part))
