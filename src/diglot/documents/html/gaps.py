"""Elements side by side -> where a browser shows a gap between two texts that no white space divides.

Only what the markup of the page itself says counts: what is shown as an image or a control, links one after the other,
ARIA roles, and ``display`` where a style attribute or the name of a class says it. Style sheets are not read. Where
nothing tells, texts touch: ``un<b>believ</b>able``, ``H<sub>2</sub>O``, ruby.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable
from functools import cache
from typing import NamedTuple

import numpy as np

from diglot.arrays import Bytes, Ints32, Mask
from diglot.compiled import compiled
from diglot.documents.html.pieces import TEXT_PIECE, Pieces
from diglot.documents.html.tags import BLOCK, LITERAL, REPLACED, TAG_FLAGS, VOID, tag_index
from diglot.words import JOINED_WITHOUT_BLANK, SOUTH_EAST_ASIAN, is_within

_NONE = -1
_BEFORE, _AFTER, _LEFT, _RIGHT, _PARENT, _LINK_BEFORE, _LINK_AFTER, _REPLACED, _LITERAL = range(9)
"""Columns of a boundary: pieces of the two texts, start tags of the elements that meet there and of the one round them,
start tags of the links that end and begin there (-1 for none each), and whether a replaced element stands between and
the texts are code."""
_COLUMNS = 9
_A, _WBR = tag_index("a"), tag_index("wbr")
_WITHOUT_BLANKS = JOINED_WITHOUT_BLANK + SOUTH_EAST_ASIAN

_ATTRIBUTE = re.compile(rb' (href|style|class|role)="([^"]*)"')
_STYLE = re.compile(r"(?:^|;)\s*display\s*:\s*([a-z-]+)")
_CLASS = re.compile(
    r"(?:^|\s)(?:(?:sm|md|lg|xl|2xl):)?(?:d-(?:(?:sm|md|lg|xl|xxl)-)?)?"
    r"((?:inline-)?(?:block|flex|grid|table)|table-cell|list-item|flow-root)(?!\S)"
)
"""A class that is named as a value of ``display``, as Tailwind has it, or behind ``d-``, as Bootstrap has it; from some
width of the window on or always."""
_OUTSIDE = frozenset({"block", "flex", "grid", "table", "list-item", "flow-root"})
_OUTSIDE |= {"table-cell", "table-row", "table-caption"}
"""Values of ``display`` that put an element on lines, or into a cell, of its own."""
_ATOMIC = frozenset({"inline-block", "inline-flex", "inline-grid", "inline-table"})
"""Values that make a box in the line, which is styled to stand off from the next one."""
_CONTAINER = frozenset({"flex", "grid", "inline-flex", "inline-grid"})
"""Values that make boxes of the element's children."""
_ROLES = frozenset({"button", "checkbox", "link", "listitem", "option", "radio", "switch", "tab", "treeitem"})
_ROLES |= {"menuitem", "menuitemcheckbox", "menuitemradio", "row", "cell", "gridcell", "columnheader", "rowheader"}
"""ARIA roles of what stands in a row of its like, with a box each."""


def find_gaps(markup: bytes, pieces: Pieces) -> Mask:
    """Whether a gap is shown between the text of a piece and the text before it that it touches; shape (pieces,)."""
    gaps = np.zeros(len(pieces.codes), bool)
    scanned = np.frombuffer(markup, np.uint8)
    tag_of = cache(lambda piece: _tag(markup, pieces, piece))  # one element may be round all the others
    for boundary in _boundaries(scanned, pieces.codes, pieces.starts, pieces.ends, TAG_FLAGS).tolist():
        if _is_gap(markup, pieces, boundary, tag_of):
            gaps[boundary[_AFTER]] = True
    return gaps


class _Tag(NamedTuple):
    """Attributes of a start tag that tell something here, and values of ``display`` that its element has."""

    attributes: dict[str, str]
    displays: set[str]


def _is_gap(markup: bytes, pieces: Pieces, boundary: list[int], tag_of: Callable[[int], _Tag]) -> bool:
    before, after = _letters(markup, pieces, boundary)
    if boundary[_LITERAL] or not (_is_word(before[-1:]) and _is_word(after)):
        return False
    if _stand_apart(boundary, tag_of):
        return True
    if any(is_within(char, _WITHOUT_BLANKS) for char in (before[-1], after)):
        return False
    meet = boundary[_LEFT] != _NONE and boundary[_RIGHT] != _NONE
    if _are_links(boundary, tag_of):
        return True
    begins_anew = before.isalpha() and before.islower() and len(before) > 1 and after.isupper()
    return bool(boundary[_REPLACED]) or (meet and begins_anew)


def _letters(markup: bytes, pieces: Pieces, boundary: list[int]) -> tuple[str, str]:
    """The last two characters before the boundary and the first one behind it."""
    start, end = int(pieces.starts[boundary[_BEFORE]]), int(pieces.ends[boundary[_BEFORE]])
    behind = int(pieces.starts[boundary[_AFTER]])
    before = markup[max(start, end - 8) : end].decode(errors="ignore")[-2:]
    return before, markup[behind : behind + 4].decode(errors="ignore")[:1]


def _is_word(char: str) -> bool:
    """Whether a character is a letter, a mark on one, or a digit."""
    return bool(char) and unicodedata.category(char)[0] in "LMN"


def _are_links(boundary: list[int], tag_of: Callable[[int], _Tag]) -> bool:
    """Whether one link ends at a boundary and the next begins: entries of a menu; without blanks between words, words
    of one sentence as well may be."""
    return all("href" in tag_of(boundary[column]).attributes for column in (_LINK_BEFORE, _LINK_AFTER))


def _stand_apart(boundary: list[int], tag_of: Callable[[int], _Tag]) -> bool:
    """Whether the elements at a boundary say of themselves that they are not words of one line."""
    left, right, parent = (tag_of(boundary[column]) for column in (_LEFT, _RIGHT, _PARENT))
    meet = boundary[_LEFT] != _NONE and boundary[_RIGHT] != _NONE
    displays = left.displays | right.displays
    if displays & _OUTSIDE or (meet and displays & _ATOMIC) or parent.displays & _CONTAINER:
        return True
    return meet and left.attributes.get("role") in _ROLES and right.attributes.get("role") in _ROLES


def _tag(markup: bytes, pieces: Pieces, piece: int) -> _Tag:
    """What a start tag says; nothing where there is none."""
    if piece == _NONE:
        return _Tag({}, set())
    tag = markup[int(pieces.starts[piece]) : int(pieces.ends[piece])]
    attributes = {name.decode(): value.decode().lower() for name, value in _ATTRIBUTE.findall(tag)}
    return _Tag(attributes, _displays(attributes))


def _displays(attributes: dict[str, str]) -> set[str]:
    """Values of ``display`` that an element has by its style, or by its classes at some width of the window."""
    stated = _STYLE.findall(attributes.get("style", ""))
    return set(stated[-1:] or _CLASS.findall(attributes.get("class", "")))


@compiled
def _may_be_word(byte: int) -> bool:
    """Whether a byte is an ASCII letter or digit, or of a character beyond ASCII."""
    return byte >= 0x80 or 97 <= (byte | 0x20) <= 122 or 48 <= byte <= 57


@compiled
def _nest(codes: Ints32, flags: Bytes) -> tuple[Ints32, Ints32, Mask]:
    """Of every piece the start tag that it ends (-1 for none), that of the element round it, and whether it is in code.

    What an end tag ends is the element that was begun last of those of its name.
    """
    ended, around = np.full(len(codes), _NONE, np.int32), np.full(len(codes), _NONE, np.int32)
    in_code, stack = np.zeros(len(codes), np.bool_), np.empty(len(codes), np.int32)
    depth = literal = 0
    for piece in range(len(codes)):
        code = codes[piece]
        if code != TEXT_PIECE and not code & 1:
            place = depth - 1
            while place >= 0 and codes[stack[place]] != code + 1:
                place -= 1
            if place >= 0:
                ended[piece] = stack[place]
                for below in range(place, depth):
                    literal -= flags[(-codes[stack[below]] - 1) >> 1] & LITERAL > 0
                depth = place
        around[piece] = stack[depth - 1] if depth > 0 else _NONE
        in_code[piece] = literal > 0
        if code & 1 and not flags[(-code - 1) >> 1] & VOID:
            stack[depth] = piece
            depth += 1
            literal += flags[(-code - 1) >> 1] & LITERAL > 0
    return ended, around, in_code


@compiled
def _boundaries(markup: Bytes, codes: Ints32, starts: Ints32, ends: Ints32, flags: Bytes) -> Ints32:
    """Where two texts touch over tags that end no block, shape (n, 9); ``flags``: of every tag."""
    found, count = np.empty((len(codes), _COLUMNS), np.int32), 0
    ended, around, in_code = _nest(codes, flags)
    last = _NONE
    for piece in range(len(codes)):
        if codes[piece] != TEXT_PIECE:
            tag = (-codes[piece] - 1) >> 1
            last = _NONE if flags[tag] & BLOCK or tag == _WBR else last
        elif ends[piece] > starts[piece]:
            if last != _NONE and _may_be_word(markup[starts[piece]]):
                row = found[count]
                row[_BEFORE], row[_AFTER], row[_LITERAL] = last, piece, in_code[last] or in_code[piece]
                _meet(codes, ended, around, flags, row)
                count += 1
            last = piece if _may_be_word(markup[ends[piece] - 1]) else _NONE
    return found[:count]


@compiled
def _meet(codes: Ints32, ended: Ints32, around: Ints32, flags: Bytes, row: Ints32) -> None:
    """Fill in what the tags between two texts tell of their boundary."""
    before, left, right, link_before, link_after, replaced = row[_BEFORE], _NONE, _NONE, _NONE, _NONE, False
    parent = around[before]
    for piece in range(before + 1, row[_AFTER]):
        if codes[piece] == TEXT_PIECE:
            continue
        tag, begun = (-codes[piece] - 1) >> 1, ended[piece]
        replaced |= flags[tag] & REPLACED > 0
        if codes[piece] & 1:
            right = piece if around[piece] == parent and not flags[tag] & VOID else right
            link_after = piece if tag == _A else link_after
        elif begun != _NONE and begun < before:
            left, right, parent = begun, _NONE, around[begun]
            link_before = begun if tag == _A else link_before
        elif begun != _NONE:
            right = _NONE if begun == right else right
            link_after = _NONE if begun == link_after else link_after
    row[_LEFT], row[_RIGHT], row[_PARENT], row[_REPLACED] = left, right, parent, replaced
    row[_LINK_BEFORE], row[_LINK_AFTER] = link_before, link_after
