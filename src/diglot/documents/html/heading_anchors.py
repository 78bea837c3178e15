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

from diglot.arrays import Bytes, Ints, Ints32
from diglot.compiled import compiled
from diglot.documents.html.links import Addresses, unescape
from diglot.documents.html.pieces import TEXT_PIECE, Elements, Pieces
from diglot.documents.html.tags import BLOCK, LITERAL, TAG_FLAGS, end_code, start_code

_A, _A_END = start_code("a"), end_code("a")
_SHARP, _BLANK, _PERCENT, _QUOTE, _EQUALS = (ord(char) for char in '# %"=')
_I, _D, _A_LETTER, _M, _E = (ord(char) for char in "idame")
_MAX_TEXT_BYTES = 120
"""Longest text of such a link: "Permanent link to this heading" has 30 letters, of up to four bytes each."""
_MAX_PIECES, _MAX_BYTES = 200, 20_000
"""How far round a link its heading is looked for, in pieces and in bytes."""
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
    found = _short_links(scanned, *pieces, elements.pieces[rows], values, TAG_FLAGS)
    addresses = Addresses(url)
    for start, end, value, sharp, behind, to_itself, is_part in found.tolist():
        if sharp > value and addresses.resolve(markup[value:sharp]) != url.partition("#")[0]:
            continue
        texts = zip(pieces.codes[start:end].tolist(), pieces.starts[start:end], pieces.ends[start:end], strict=True)
        text = unescape(b"".join(markup[first:last] for code, first, last in texts if code == TEXT_PIECE).decode())
        seen = "".join(char for char in text if unicodedata.category(char) != "Cf")
        yield _Link(start, end, " ".join(seen.split()), markup[sharp + 1 : behind], bool(to_itself), bool(is_part))


@compiled
def _visible_bytes(markup: Bytes, start: int, end: int, most: int) -> int:
    """Bytes of a text but for white space in ASCII, at most so many."""
    count = 0
    for place in range(start, end):
        count += markup[place] > _BLANK
        if count == most:
            break
    return count


@compiled
def _has_letter(markup: Bytes, start: int, end: int) -> bool:
    """Whether a text has a letter or digit of ASCII, or a character of a stretch of Unicode that is mostly letters."""
    for place in range(start, end):
        byte = markup[place]
        if 97 <= (byte | 0x20) <= 122 or 48 <= byte <= 57 or (0xC3 <= byte < 0xEF and byte != 0xE2):
            return True
    return False


@compiled
def _names(markup: Bytes, low: int, high: int, start: int, end: int) -> bool:
    """Whether between two places an ``id`` or ``name`` has the value of a fragment, which may be percent-encoded."""
    for place in range(low + 5, high):
        if markup[place] != _QUOTE or markup[place - 1] != _EQUALS:
            continue
        is_id = markup[place - 2] == _D and markup[place - 3] == _I and markup[place - 4] <= _BLANK
        if not is_id and not (markup[place - 2] == _E and markup[place - 3] == _M and markup[place - 4] == _A_LETTER):
            continue
        here, there = place + 1, start
        while there < end and here < high:
            byte, size = markup[there], 1
            if byte == _PERCENT and there + 2 < end and markup[here] != byte:
                byte, size = 16 * _hex(markup[there + 1]) + _hex(markup[there + 2]), 3
            if byte != markup[here]:
                break
            here += 1
            there += size
        if there == end and here < high and markup[here] == _QUOTE:
            return True
    return False


@compiled
def _hex(byte: int) -> int:
    """Value of a hexadecimal digit; of anything else some number."""
    return (byte & 0x0F) + 9 * (byte >> 6)


@compiled
def _short_links(
    markup: Bytes, codes: Ints32, starts: Ints32, ends: Ints32, links: Ints, values: Ints32, flags: Bytes
) -> Ints32:
    """Links to a fragment with little text that have no letter or lead to where they stand, shape (n, 7): the pieces of
    both tags, where the address, ``#`` and the end of the address are, whether it leads to where it stands, and whether
    its block has other text.

    ``links``: pieces of the start tags; ``values``: where the address of each starts and ends, -1 for none.
    """
    found, count = np.empty((len(links), 7), np.int32), 0
    for link in range(len(links)):
        sharp, behind = values[link, 0], values[link, 1]
        while 0 <= sharp < behind and markup[sharp] != _SHARP:
            sharp += 1
        if sharp < 0 or sharp >= behind:
            continue
        start = end = links[link]
        size, has_letter = 0, False
        while size <= _MAX_TEXT_BYTES and end + 1 < len(codes) and codes[end] != _A_END:
            end += 1
            if codes[end] == TEXT_PIECE:
                size += _visible_bytes(markup, starts[end], ends[end], _MAX_TEXT_BYTES + 1)
                has_letter |= _has_letter(markup, starts[end], ends[end])
        if size == 0 or size > _MAX_TEXT_BYTES or codes[end] != _A_END:
            continue
        low, is_before = _reach_back(markup, codes, starts, ends, start, flags)
        high, is_behind = _reach_on(markup, codes, starts, ends, end, flags)
        low, high = max(low, sharp - _MAX_BYTES), min(high, sharp + _MAX_BYTES)
        to_itself = _names(markup, low, high, sharp + 1, behind)
        if to_itself or not has_letter:
            row = found[count]
            row[0], row[1], row[2], row[3], row[4] = start, end, values[link, 0], sharp, behind
            row[5], row[6] = to_itself, is_before or is_behind
            count += 1
    return found[:count]


@compiled
def _reach_back(
    markup: Bytes, codes: Ints32, starts: Ints32, ends: Ints32, start: int, flags: Bytes
) -> tuple[int, bool]:
    """Where the block with text before a link begins, with the tags that open it, and whether it is the link's own."""
    is_text = is_own = is_over = False
    blocks = 0
    for piece in range(start - 1, max(-1, start - _MAX_PIECES), -1):
        if codes[piece] == TEXT_PIECE:
            if _visible_bytes(markup, starts[piece], ends[piece], 1) > 0:
                if is_over:
                    return ends[piece], is_own
                is_text, is_own = True, is_own or blocks == 0
        elif flags[(-codes[piece] - 1) >> 1] & BLOCK:
            blocks += 1
            is_over = is_text
    return starts[max(0, start - _MAX_PIECES)], is_own


@compiled
def _reach_on(markup: Bytes, codes: Ints32, starts: Ints32, ends: Ints32, end: int, flags: Bytes) -> tuple[int, bool]:
    """Where the block of a link ends, with the next tag, and whether it has text behind the link."""
    is_text = False
    for piece in range(end + 1, min(len(codes), end + _MAX_PIECES)):
        if codes[piece] == TEXT_PIECE:
            is_text |= _visible_bytes(markup, starts[piece], ends[piece], 1) > 0
        elif flags[(-codes[piece] - 1) >> 1] & BLOCK:
            return ends[piece], is_text
    return ends[min(len(codes), end + _MAX_PIECES) - 1], is_text
