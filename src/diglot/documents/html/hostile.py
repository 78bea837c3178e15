"""Markup built to exhaust a parser, detected before parsing."""

from __future__ import annotations

import re

import numpy as np

from diglot.documents.html.hostile_kernels import (
    CELL,
    NAMES,
    OPTION,
    PART,
    SELECT,
    TABLE,
    count_regrown,
    count_reopened,
    deepest,
    name_place,
)

MAX_ATTRIBUTES_PER_TAG = 2_000
"""Far above any real page; parsers need time quadratic in this number."""
CROWDED_TAG = f"a tag with more than {MAX_ATTRIBUTES_PER_TAG} attributes"
_LONG_TAG_BYTES = 20_000
_LONG_VALUE_BYTES = MAX_ATTRIBUTES_PER_TAG
MAX_NESTING = 10_000
"""Elements open at a time. Real pages have dozens, or hundreds if end tags are forgotten; parsers need time quadratic
in this number."""
MAX_STEPS = 1_000_000_000
"""Tags times open elements: at every tag a parser may visit all open elements, a nanosecond each."""
MAX_TAGS = 300_000
"""Time and memory grow with tags: 10 MiB of one-letter paragraphs take 1.1 GiB. The largest of 8,000 real pages has
14,000 tags."""
MAX_OPTIONS = 15_000
"""Parsers need time quadratic in the options of a select: 80,000 take over 40 s."""
MAX_REGROWN_BYTES = 1 << 28
"""A text that grows piece by piece, between tags that make no element, is copied every time, and parsers keep a quarter
of the copies: half a megabyte of comments in a table, outside cells, takes 1.7 GiB. No page of 9,900 real ones copies
more than 2 bytes."""
MAX_REOPENED_BYTES = 1 << 28
"""Parsers repeat an open formatting element, such as a link without an end, in each block: 10,000 paragraphs behind a
link of 100 kB take 1 GiB."""
LONG_FORMATTING_BYTES = 1_000
"""Bytes of the tag of such an element that count. Real tags have a hundred; a link to an image in its own address is
longer, and has an end."""
_FORMATTING = "a b big code em font i nobr s small strike strong tt u"
_NO_DEPTH = (
    "area base br col embed frame hr img input link meta param source track wbr "
    "a body button caption colgroup dd dt head html li nobr option p tbody td tfoot th thead tr"
)
"""Elements never inside their own kind: empty elements, and elements closed by the next of the kind."""
_OPTION = re.compile(rb"<option", re.IGNORECASE)
_TAG_START = re.compile(rb"<[a-zA-Z]")
_WORD_ENDS = bytes.maketrans(b"=\"'<>", b"     ")
_MANY_VALUES = re.compile(
    rb"""<[a-zA-Z](?:[^<>=]*+=\s*+(?:"[^"]*+"|'[^']*+'|[^"'\s<>][^\s<>]*+)){%d}""" % (MAX_ATTRIBUTES_PER_TAG + 1)
)
_LONG_VALUES = re.compile(rb"""(=\s*+)(?:"[^"<>]{%d,}+"|'[^'<>]{%d,}+')""" % (_LONG_VALUE_BYTES, _LONG_VALUE_BYTES))


def without_long_values(html: bytes) -> bytes:
    """The page with long quoted values emptied, such as the path of a traced logo: their words are no attributes.

    A ">" or quote before them may mean that the words are attributes after all; then a parser gets none of them.
    """
    return _LONG_VALUES.sub(rb'\1""', html)


def hostile_markup(html: bytes) -> str:
    """Why a page must not be parsed: a property that no real page has; "" for a page without such a property."""
    if _has_crowded_tag(html):
        return CROWDED_TAG
    tags = html.count(b"<")
    crowd = _crowd(html, tags) if tags > min(MAX_NESTING, MAX_OPTIONS) else ""
    if crowd or tags * len(html) <= min(MAX_REGROWN_BYTES, MAX_REOPENED_BYTES):
        return crowd
    if regrown_bytes(html) > MAX_REGROWN_BYTES:
        return "a text in very many pieces, between tags that make no element"
    return (
        "a long tag without an end, repeated in very many blocks" if reopened_bytes(html) > MAX_REOPENED_BYTES else ""
    )


def _crowd(html: bytes, tags: int) -> str:
    """Too many tags or options, or too deep nesting, in words; "" for neither."""
    if tags > MAX_TAGS:
        return f"more than {MAX_TAGS} tags"
    if len(_OPTION.findall(html)) > MAX_OPTIONS:
        return f"more than {MAX_OPTIONS} options"
    depth = deepest_nesting(html)
    if depth > MAX_NESTING:
        return f"more than {MAX_NESTING} elements nested"
    return f"{depth} elements nested and {tags} tags" if depth * tags > MAX_STEPS else ""


def deepest_nesting(html: bytes) -> int:
    """Most elements open at a time, by start and end tags."""
    return int(deepest(html, _HAS_DEPTH, _PLACES))


def regrown_bytes(html: bytes) -> int:
    """Approximate bytes copied while texts grow between tags that make no element; counted up to the bound."""
    return int(count_regrown(html, _KIND_OF, MAX_REGROWN_BYTES))


def reopened_bytes(html: bytes) -> int:
    """Approximate bytes of formatting elements without an end, repeated in each block; counted up to the bound."""
    return int(count_reopened(html, _IS_FORMATTING, LONG_FORMATTING_BYTES, MAX_REOPENED_BYTES))


def _has_crowded_tag(html: bytes) -> bool:
    """Whether a tag has more attributes than on any real page, with values (which may hold ">") or without.

    Words of a value count too, as nothing near them tells them from attributes (:func:`without_long_values`).
    """
    tags: list[bytes] = []
    if html.count(b"=") > MAX_ATTRIBUTES_PER_TAG:
        tags += [match[0] for match in _MANY_VALUES.finditer(html)]
    if _has_long_tag(html):
        for piece in html.split(b">"):
            start = _TAG_START.search(piece) if len(piece) > _LONG_TAG_BYTES else None
            if start:
                tags.append(piece[start.start() :])
    # Code with a "<" looks like a tag, but repeats its words.
    return any(len(set(tag.translate(_WORD_ENDS).split())) > MAX_ATTRIBUTES_PER_TAG for tag in tags)


def _has_long_tag(html: bytes) -> bool:
    """Whether a stretch of ``_LONG_TAG_BYTES`` has no end of a tag; visits few places."""
    place = 0
    while place + _LONG_TAG_BYTES < len(html):
        end = html.rfind(b">", place, place + _LONG_TAG_BYTES)
        if end < 0:
            return True
        place = end + 1
    return False


def _place(name: str) -> int:
    """Hash of an element's name, below :data:`NAMES`."""
    return name_place(name.encode())


_SPECIAL = "svg math ruby rt rp template form"
_PLACES = np.array([*map(_place, _SPECIAL.split())], np.int64)
_HAS_DEPTH = np.ones(NAMES, np.bool_)
_HAS_DEPTH[[_place(name) for name in _NO_DEPTH.split()]] = False
_IS_FORMATTING = np.zeros(NAMES, np.bool_)
_IS_FORMATTING[[_place(name) for name in _FORMATTING.split()]] = True
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
