"""Markup built to exhaust a parser, seen before it is parsed."""

from __future__ import annotations

import re

import numpy as np

from diglot.documents.html.hostile_kernels import CELL, NAMES, OPTION, PART, SELECT, TABLE, deepest, name_place, regrown

MAX_ATTRIBUTES_PER_TAG = 2_000
"""No real page comes near; parsers need time quadratic in this number."""
_LONG_TAG_BYTES = 20_000
MAX_NESTING = 10_000
"""Elements open at one time. Real pages have some dozens, or hundreds where end tags are forgotten; parsers need time
quadratic in this number."""
MAX_STEPS = 1_000_000_000
"""Tags times elements open at one time: at every tag a parser may look at all that is open, a nanosecond each."""
MAX_TAGS = 300_000
"""Time and memory go by tags: 10 MiB of paragraphs of one letter take 1.1 GiB. The page with most among 8,000 real ones
has 14,000."""
MAX_OPTIONS = 15_000
"""Parsers need time quadratic in the options of a select: 80,000 take over 40 s."""
MAX_REGROWN_BYTES = 1 << 28
"""Where a text grows piece by piece, between tags that make no element, parsers keep a quarter of the copies: half a
megabyte of comments in a table, outside its cells, takes 1.7 GiB. Of 9,900 real pages none copies more than 2 bytes."""
_NO_DEPTH = (
    "area base br col embed frame hr img input link meta param source track wbr "
    "a body button caption colgroup dd dt head html li nobr option p tbody td tfoot th thead tr"
)
"""Elements that are empty, that the next of their kind closes, or that stand in no other of their kind."""
_OPTION = re.compile(rb"<option", re.IGNORECASE)
_TAG_START = re.compile(rb"<[a-zA-Z]")
_WORD = re.compile(rb"[^\s=\"'<>]+")
_MANY_VALUES = re.compile(
    rb"""<[a-zA-Z](?:[^<>=]*+=\s*+(?:"[^"]*+"|'[^']*+'|[^"'\s<>][^\s<>]*+)){%d}""" % (MAX_ATTRIBUTES_PER_TAG + 1)
)


def hostile_markup(html: bytes) -> str:
    """What of a page no real one has, "" where nothing is."""
    if _has_crowded_tag(html):
        return f"a tag with more than {MAX_ATTRIBUTES_PER_TAG} attributes"
    tags = html.count(b"<")
    crowd = _crowd(html, tags) if tags > min(MAX_NESTING, MAX_OPTIONS) else ""
    if crowd or tags * len(html) <= MAX_REGROWN_BYTES or regrown_bytes(html) <= MAX_REGROWN_BYTES:
        return crowd
    return "a text in very many pieces, between tags that make no element"


def _crowd(html: bytes, tags: int) -> str:
    """What there is too much of in a page with many tags."""
    if tags > MAX_TAGS:
        return f"more than {MAX_TAGS} tags"
    if len(_OPTION.findall(html)) > MAX_OPTIONS:
        return f"more than {MAX_OPTIONS} options"
    depth = deepest_nesting(html)
    if depth > MAX_NESTING:
        return f"more than {MAX_NESTING} elements nested"
    return f"{depth} elements nested and {tags} tags" if depth * tags > MAX_STEPS else ""


def deepest_nesting(html: bytes) -> int:
    """How many elements are open at most, as their start and end tags tell."""
    return int(deepest(html, _HAS_DEPTH, _PLACES))


def regrown_bytes(html: bytes) -> int:
    """Bytes that are copied while texts grow between tags that make no element, about; counted up to the bound."""
    return int(regrown(html, _KIND_OF, MAX_REGROWN_BYTES))


def _has_crowded_tag(html: bytes) -> bool:
    """Whether some tag has more attributes than any real page's, with values (which may hold ">") or without."""
    tags: list[bytes] = []
    if html.count(b"=") > MAX_ATTRIBUTES_PER_TAG:
        tags += [match[0] for match in _MANY_VALUES.finditer(html)]
    if _has_long_tag(html):
        for piece in html.split(b">"):
            start = _TAG_START.search(piece) if len(piece) > _LONG_TAG_BYTES else None
            if start:
                tags.append(piece[start.start() :])
    # Code with a "<" in it looks like a tag, but repeats its words.
    return any(len(set(_WORD.findall(tag))) > MAX_ATTRIBUTES_PER_TAG for tag in tags)


def _has_long_tag(html: bytes) -> bool:
    """Whether somewhere no tag ends for long; looks at few places."""
    place = 0
    while place + _LONG_TAG_BYTES < len(html):
        end = html.rfind(b">", place, place + _LONG_TAG_BYTES)
        if end < 0:
            return True
        place = end + 1
    return False


def _place(name: str) -> int:
    """Place of an element's name among names."""
    return name_place(name.encode())


_SPECIAL = "svg math ruby rt rp template form"
_PLACES = np.array([*map(_place, _SPECIAL.split())], np.int64)
_HAS_DEPTH = np.ones(NAMES, np.bool_)
_HAS_DEPTH[[_place(name) for name in _NO_DEPTH.split()]] = False
_KINDS = {
    TABLE: "table",
    PART: "colgroup col tbody thead tfoot tr",
    CELL: "td th caption",
    SELECT: "select",
    OPTION: "option optgroup script template input textarea hr",
}
_KIND_OF = np.zeros(NAMES, np.uint8)
for _kind, _names in _KINDS.items():
    _KIND_OF[[_place(name) for name in _names.split()]] = _kind
