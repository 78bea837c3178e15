"""Markup built to exhaust a parser, seen before it is parsed."""

from __future__ import annotations

import re

import numpy as np

from diglot.arrays import Bytes, Mask
from diglot.compiled import compiled

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
_NAMES = 4096
"""Places for names of elements; two that fall on one count as the same."""
_LESS, _GREATER, _SLASH, _MARK, _QUESTION = (ord(char) for char in "<>/!?")
_TABLE, _PART, _CELL, _SELECT, _OPTION_TAG = range(1, 6)
"""Kinds of elements; 0 for all others."""
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
    return int(_deepest(np.frombuffer(html, np.uint8), _HAS_DEPTH, _PLACES))


def regrown_bytes(html: bytes) -> int:
    """Bytes that are copied while texts grow between tags that make no element, about; counted up to the bound."""
    return int(_regrown(np.frombuffer(html, np.uint8), _KIND_OF, MAX_REGROWN_BYTES))


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


@compiled
def _name(markup: Bytes, place: int) -> tuple[int, int]:
    """Place among names of the one that begins here, -1 where none does, and where it ends."""
    number, start = 0, place
    while place < len(markup):
        letter = markup[place] | 0x20
        if not (97 <= letter <= 122 or (place > start and (48 <= letter <= 58 or letter == 45))):
            break
        number = (31 * number + letter) % _NAMES
        place += 1
    return (number if place > start else -1), place


@compiled
def _deepest(markup: Bytes, has_depth: Mask, places: tuple[int, ...]) -> int:
    """Most elements open at one time; ``has_depth``: whether a name counts; ``places``: of the names in _SPECIAL.

    Inside svg and math an element may close itself. Inside ruby the next rt or rp closes the one before, elsewhere
    nothing does; inside a template forms stand in one another.
    """
    svg, math, ruby, rt, rp, template, form = places
    open_count = np.zeros(_NAMES, np.int32)
    depth = deepest = place = 0
    while place + 1 < len(markup):
        if markup[place] != _LESS:
            place += 1
            continue
        is_end = markup[place + 1] == _SLASH
        name, place = _name(markup, place + 1 + is_end)
        if name < 0 or not has_depth[name]:
            continue
        if is_end:
            change = -1 if open_count[name] > 0 else 0
        else:
            while place < len(markup) and markup[place] != _GREATER:
                place += 1
            foreign = open_count[svg] + open_count[math] > 0
            closed = foreign and markup[place - 1] == _SLASH
            closed |= name in (rt, rp) and open_count[ruby] > 0
            closed |= name == form and open_count[template] == 0
            change = 0 if closed else 1
        open_count[name] += change
        depth += change
        deepest = max(deepest, depth)
    return deepest


@compiled
def _regrown(markup: Bytes, kind_of: Bytes, enough: int) -> int:
    """The bytes of a text so far, summed over what comes in it and makes no element but takes memory: tags with
    attributes inside a select, parts of tables outside them, comments in a table outside its cells."""
    tables = selects = place = run = cost = 0
    in_cell = True
    while place + 1 < len(markup) and cost <= enough:
        if markup[place] != _LESS:
            place, run = place + 1, run + 1
            continue
        is_end = markup[place + 1] == _SLASH
        name, end = _name(markup, place + 1 + is_end)
        if name < 0:
            is_comment = markup[place + 1] in (_MARK, _QUESTION)
            run = run if (is_comment and tables and not in_cell) or not is_comment else 0
            cost, place = cost + run * is_comment, place + 1
            while is_comment and place < len(markup) and markup[place] != _GREATER:
                place += 1
            place += is_comment
            continue
        has_attributes = end < len(markup) and markup[end] != _GREATER
        while end < len(markup) and markup[end] != _GREATER:
            end += 1
        place, kind = end + 1, kind_of[name]
        if selects and kind != _SELECT and kind != _OPTION_TAG:
            cost += run * has_attributes
            continue
        if kind in (_PART, _CELL) and not tables:
            cost += run * has_attributes
            continue
        run = 0
        if kind == _TABLE:
            tables = max(0, tables - 1) if is_end else tables + 1
            in_cell = is_end
        elif kind == _SELECT:
            selects = 0 if is_end or selects else 1
        elif kind in (_PART, _CELL):
            in_cell = kind == _CELL and not is_end
    return cost


def _place(name: str) -> int:
    """Place of an element's name among names."""
    return int(_name(np.frombuffer(name.encode(), np.uint8), 0)[0])


_SPECIAL = "svg math ruby rt rp template form"
_PLACES = tuple(map(_place, _SPECIAL.split()))
_HAS_DEPTH = np.ones(_NAMES, np.bool_)
_HAS_DEPTH[[_place(name) for name in _NO_DEPTH.split()]] = False
_KINDS = {
    _TABLE: "table",
    _PART: "colgroup col tbody thead tfoot tr",
    _CELL: "td th caption",
    _SELECT: "select",
    _OPTION_TAG: "option optgroup script template input textarea hr",
}
_KIND_OF = np.zeros(_NAMES, np.uint8)
for _kind, _names in _KINDS.items():
    _KIND_OF[[_place(name) for name in _names.split()]] = _kind
