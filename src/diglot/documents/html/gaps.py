"""Gaps: places where a browser shows space between two texts without white space in the markup.

Evidence is the page's own markup: images and controls, consecutive links, ARIA roles, ``display`` in a style attribute
or the name of a class, classes named like a badge or a note, and the colon of a label. Style sheets are not read.
Instead, two neighbouring elements of different kinds (tag and class) count as apart if the pair recurs on the page with
at least three different texts and never with a blank between: ``<b class="key">Age</b><b class="value">21</b>``.
Without evidence texts touch: ``un<b>believ</b>able``, ``H<sub>2</sub>O``, ruby.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterator, Sequence
from functools import cache
from typing import NamedTuple

import numpy as np

from diglot.arrays import Mask
from diglot.documents.html.gaps_kernels import (
    AFTER,
    BEFORE,
    IS_BLANK,
    IS_LITERAL,
    IS_REPLACED,
    LEFT,
    LEFT_OF,
    LINK_AFTER,
    LINK_BEFORE,
    NONE,
    PARENT,
    RIGHT,
    RIGHT_OF,
    boundaries,
    meetings,
)
from diglot.documents.html.pieces import MAX_TAG_BYTES, Pieces
from diglot.documents.html.tags import TAG_FLAGS, end_code
from diglot.words import JOINED_WITHOUT_BLANK, SOUTH_EAST_ASIAN, is_small, is_within

_WITHOUT_BLANKS = JOINED_WITHOUT_BLANK + SOUTH_EAST_ASIAN

_ATTRIBUTE = re.compile(rb' (href|style|class|role|datetime|itemtype|typeof)="([^"]*)"')
_STYLE = re.compile(r"(?:^|;)\s*display\s*:\s*([a-z-]+)")
_NUMBER_AND_WORD = re.compile(r"\d+ [^\W\d_]")
_SIGNED_NUMBER = re.compile(r"\d[%+]$")
"""The end of ``100%`` or ``150+``: a figure that the next element explains. No word goes on behind such a sign."""
_WORD_ENDING = re.compile(r"in(?:nen)?\b|.\Z")
"""Ends of words behind a colon within a word: Schüler:innen, Lehrer:in, S:t."""
_ENDS_OF_BOLD = tuple(map(end_code, ("b", "strong")))
_SENTENCE_ENDS = frozenset(".!?:)")
"""Ends of a text beside a box, such as a button behind a sentence; between other texts they may be inside of a name."""
_CLASS = re.compile(
    r"(?:^|\s)(?:(?:sm|md|lg|xl|2xl):)?(?:d-(?:(?:sm|md|lg|xl|xxl)-)?)?"
    r"((?:inline-)?(?:block|flex|grid|table)|table-cell|list-item|flow-root)(?!\S)"
)
"""A class named like a value of ``display`` (Tailwind), also behind ``d-`` (Bootstrap), at any window width."""
_COMPONENT = re.compile(r"(?<![a-z])(?:badge|btn|button|chip|footnote|label|note|pill|tag|tooltip)(?![a-z])")
"""Words in names of classes for a small box beside a text, as in Bootstrap, Bulma, Material and DocBook."""
_TRAIL = re.compile(r"(?<![\w-])breadcrumb(?:s|list)?(?![\w-])")
"""The name of a trail of pages, *Home › Doctors*, as a class, and as a type in RDFa and in schema.org's microdata. Its
items are links but for the last one, the page itself, and a style sheet draws the signs between them."""
_OUTSIDE = frozenset({"block", "flex", "grid", "table", "list-item", "flow-root"})
_OUTSIDE |= {"table-cell", "table-row", "table-caption"}
"""Values of ``display`` for an element on lines, or in a cell, of its own."""
_ATOMIC = frozenset({"inline-block", "inline-flex", "inline-grid", "inline-table"})
"""Values for a box in the line, usually styled to stand apart from the next box."""
_CONTAINER = frozenset({"flex", "grid", "inline-flex", "inline-grid"})
"""Values that turn an element's children into boxes."""
_ROLES = frozenset({"button", "checkbox", "link", "listitem", "option", "radio", "switch", "tab", "treeitem"})
_ROLES |= {"menuitem", "menuitemcheckbox", "menuitemradio", "row", "cell", "gridcell", "columnheader", "rowheader"}
"""ARIA roles of elements in rows or lists, each in a box."""


LEAST_ROWS = 3
"""Least number of different texts in a repeated pair of elements. One name set in two styles recurs with the same text
and is no row."""


def find_gaps(markup: bytes, pieces: Pieces) -> Mask:
    """Mask of pieces with a gap before their text, where two texts touch; shape (pieces,)."""
    gaps = np.zeros(len(pieces.codes), bool)
    scanned = np.frombuffer(markup, np.uint8)
    tag_of = cache(lambda piece: _tag(markup, pieces, piece))  # one element may enclose all texts
    touching: dict[_Row, list[list[int]]] = {}
    for boundary in boundaries(scanned, pieces.codes, pieces.starts, pieces.ends, TAG_FLAGS).tolist():
        if _is_gap(markup, pieces, boundary, tag_of):
            gaps[boundary[AFTER]] = True
        elif row := _row(markup, pieces, boundary, tag_of):
            touching.setdefault(row, []).append(boundary)
    repeated = {row: found for row, found in touching.items() if len(found) >= LEAST_ROWS}
    for boundary in _in_rows(markup, pieces, repeated, tag_of) if repeated else ():
        gaps[boundary[AFTER]] = True
    return gaps


_Row = tuple[tuple[int, str], ...]
"""Element and class of a parent and of two neighbours in it."""


def _kinds(pieces: Pieces, tags: Sequence[int], tag_of: Callable[[int], _Tag]) -> _Row:
    return tuple((int(pieces.codes[piece]), tag_of(piece).attributes.get("class", "")) for piece in tags)


def _row(markup: bytes, pieces: Pieces, boundary: list[int], tag_of: Callable[[int], _Tag]) -> _Row | None:
    """The row that two elements at a boundary may be in, None for texts of which a browser may show one word."""
    if boundary[IS_LITERAL] or NONE in (boundary[LEFT], boundary[RIGHT], boundary[PARENT]):
        return None
    row = _kinds(pieces, (boundary[PARENT], boundary[LEFT], boundary[RIGHT]), tag_of)
    if row[1] == row[2] or not (row[1][1] or row[2][1]):
        return None
    before, after = (_text(markup, pieces, boundary[side]) for side in (BEFORE, AFTER))
    if not (_is_word(before[-1:]) and _is_word(after[:1])) or any(
        is_within(char, _WITHOUT_BLANKS) for char in (before[-1], after[0])
    ):
        return None
    # A first letter may have a style of its own.
    return None if any(len(text) == 1 and text.isalpha() for text in (before, after)) else row


def _text(markup: bytes, pieces: Pieces, piece: int) -> str:
    return markup[int(pieces.starts[piece]) : int(pieces.ends[piece])].decode(errors="ignore")


def _in_rows(
    markup: bytes, pieces: Pieces, repeated: dict[_Row, list[list[int]]], tag_of: Callable[[int], _Tag]
) -> Iterator[list[int]]:
    """Boundaries in rows: of at least :data:`LEAST_ROWS` different texts, and none with a blank between its elements.

    An editor that cuts sentences into pieces cuts most of them beside a blank.
    """
    scanned = np.frombuffer(markup, np.uint8)
    found = meetings(scanned, pieces.codes, pieces.starts, pieces.ends, TAG_FLAGS)
    met = set(map(tuple, found[:, [LEFT_OF, RIGHT_OF]].tolist()))
    beside_blanks = found[found[:, IS_BLANK] > 0, :IS_BLANK].tolist()
    in_pieces = {_kinds(pieces, tags, tag_of) for tags in beside_blanks}
    for row, touching in repeated.items():
        if row not in in_pieces:
            alone = [each for each in touching if (each[LEFT], each[RIGHT]) in met]
            texts = {tuple(_text(markup, pieces, each[side]) for side in (BEFORE, AFTER)) for each in alone}
            yield from alone if len(texts) >= LEAST_ROWS else ()


class _Tag(NamedTuple):
    """Attributes of a start tag that bear on gaps, and the element's values of ``display``."""

    attributes: dict[str, str]
    displays: set[str]

    @property
    def is_component(self) -> bool:
        """Whether the element is a button, a badge, a note, or the like."""
        named = _COMPONENT.search(self.attributes.get("class", ""))
        return self.attributes.get("role") == "button" or named is not None

    @property
    def is_trail(self) -> bool:
        """Whether the element is a trail of pages, or an item of one."""
        return any(_TRAIL.search(self.attributes.get(name, "")) for name in ("class", "itemtype", "typeof"))


def _is_gap(markup: bytes, pieces: Pieces, boundary: list[int], tag_of: Callable[[int], _Tag]) -> bool:
    before, after = _letters(markup, pieces, boundary)
    is_number = bool(_SIGNED_NUMBER.match(before)) and after[:1].isalpha()
    is_end = before[-1:] in _SENTENCE_ENDS and after[:1].isalpha()
    if boundary[IS_LITERAL] or not ((is_number or is_end or _is_word(before[-1:])) and _is_word(after[:1])):
        return False
    stand_apart = _stand_apart(boundary, tag_of)
    if stand_apart or is_end:
        return stand_apart or _is_behind_colon(markup, pieces, boundary, tag_of)
    # In scripts without blanks consecutive links may be words of one sentence.
    if any(is_within(char, _WITHOUT_BLANKS) for char in (before[-1], after[0])):
        return False
    meet = boundary[LEFT] != NONE and boundary[RIGHT] != NONE
    return (
        _are_links(boundary, tag_of)
        or bool(boundary[IS_REPLACED])
        or (meet and (is_number or _begins_anew(before, after)))
        or ("href" in tag_of(boundary[LINK_AFTER]).attributes and _is_capital_behind(before, after))
        or _is_counter(markup, pieces, boundary, after)
    )


def _is_behind_colon(markup: bytes, pieces: Pieces, boundary: list[int], tag_of: Callable[[int], _Tag]) -> bool:
    """Whether a word follows the colon of a label at the end of an element, or in one that begins there.

    A colon may stand within a word as well: S:t, Schüler:innen, xml:lang. Two colons stand in names of programs.
    """
    before, after = _letters(markup, pieces, boundary)
    if boundary[LEFT] == boundary[RIGHT] == NONE or before[-1:] != ":" or before == "::":
        return False
    if any(is_within(char, _WITHOUT_BLANKS) for char in (*before[:-1], after[0])):
        return False
    return not is_small(after[0]) or _is_label(markup, pieces, boundary, after, tag_of)


def _is_label(markup: bytes, pieces: Pieces, boundary: list[int], after: str, tag_of: Callable[[int], _Tag]) -> bool:
    """Whether the text before a colon is a label of the text behind, and no part of its word.

    It is bold (``<b>Note:</b>read it``), has several words (``Write to us:<a>here</a>``), or a mail address follows.
    """
    if _WORD_ENDING.match(after):
        return False
    between = pieces.codes[boundary[BEFORE] + 1 : boundary[AFTER]]
    words = _text(markup, pieces, boundary[BEFORE]).split()
    is_mail = tag_of(boundary[LINK_AFTER]).attributes.get("href", "").startswith("mailto:")
    return len(words) > 1 or is_mail or bool(np.isin(between, _ENDS_OF_BOLD).any())


def _is_capital_behind(before: str, after: str) -> bool:
    """Whether a capitalised word follows a small letter or a number, as a link behind an address: *Baker St. 2Map*.

    A link takes all of a word, but for names in two styles, which have few small letters before the capital: iPhone.
    ``before``, ``after``: as in :func:`_begins_anew`.
    """
    is_end = before[-1].isdecimal() or (len(before) > 1 and before.isalpha() and before.islower())
    return is_end and after[0].isupper() and after[1:2].islower()


def _is_counter(markup: bytes, pieces: Pieces, boundary: list[int], after: str) -> bool:
    """Whether a number alone in an element counts the word behind: ``<span>01</span>Method``.

    A small letter or a lone capital may belong to the number: ``<b>10</b>km``, ``<b>3</b>D``.
    """
    if boundary[LEFT] == NONE or not after[0].isalpha() or is_small(after[0]):
        return False
    # The word may have one letter if it stands in an element as well: "O projektu", "A company".
    goes_on = (after[1:2].isalpha() and not after[1].isupper()) or (boundary[RIGHT] != NONE and after[1:2] == " ")
    return goes_on and _text(markup, pieces, boundary[BEFORE]).strip().isdecimal()


def _begins_anew(before: str, after: str) -> bool:
    """Whether the next element begins a word by its capital, or with a number and a word ("Research", "4 families").

    ``before``, ``after``: the last two characters of a text and the first ones of the next.
    """
    if len(before) < 2 or not before.isalpha():
        return False
    if before.isupper():
        return after[:1].isupper() and after[1:2].islower()
    return before.islower() and (after[0].isupper() or bool(_NUMBER_AND_WORD.match(after)))


def _letters(markup: bytes, pieces: Pieces, boundary: list[int]) -> tuple[str, str]:
    """The last two characters before the boundary and the first two to eight characters behind."""
    start, end = int(pieces.starts[boundary[BEFORE]]), int(pieces.ends[boundary[BEFORE]])
    behind, stop = int(pieces.starts[boundary[AFTER]]), int(pieces.ends[boundary[AFTER]])
    before = markup[max(start, end - 8) : end].decode(errors="ignore")[-2:]
    return before, markup[behind : min(behind + 8, stop)].decode(errors="ignore")


def _is_word(char: str) -> bool:
    """Whether a character is a letter, a combining mark or a digit."""
    return bool(char) and unicodedata.category(char)[0] in "LMN"


def _are_links(boundary: list[int], tag_of: Callable[[int], _Tag]) -> bool:
    """Whether one link ends at a boundary and the next begins, as in a menu."""
    return all("href" in tag_of(boundary[column]).attributes for column in (LINK_BEFORE, LINK_AFTER))


def _stand_apart(boundary: list[int], tag_of: Callable[[int], _Tag]) -> bool:
    """Whether the elements at a boundary are boxes by their own markup."""
    left, right, parent = (tag_of(boundary[column]) for column in (LEFT, RIGHT, PARENT))
    meet = boundary[LEFT] != NONE and boundary[RIGHT] != NONE
    displays = left.displays | right.displays
    if displays & _OUTSIDE or (meet and displays & _ATOMIC) or parent.displays & _CONTAINER:
        return True
    if any(tag.is_component for tag in (left, right)) or any(tag.is_trail for tag in (left, right, parent)):
        return True
    # The dates when an article was published and changed: the style of the page hides one of the two.
    if meet and "datetime" in left.attributes and "datetime" in right.attributes:
        return True
    return meet and left.attributes.get("role") in _ROLES and right.attributes.get("role") in _ROLES


def _tag(markup: bytes, pieces: Pieces, piece: int) -> _Tag:
    """Attributes of a start tag; none for the piece ``NONE``."""
    if piece == NONE:
        return _Tag({}, set())
    start = int(pieces.starts[piece])
    tag = markup[start : min(int(pieces.ends[piece]), start + MAX_TAG_BYTES)]
    attributes = {name.decode(): value.decode().lower() for name, value in _ATTRIBUTE.findall(tag)}
    return _Tag(attributes, _displays(attributes))


def _displays(attributes: dict[str, str]) -> set[str]:
    """Values of ``display`` by an element's style or, without any, by its classes at any window width."""
    stated = _STYLE.findall(attributes.get("style", ""))
    return set(stated[-1:] or _CLASS.findall(attributes.get("class", "")))
