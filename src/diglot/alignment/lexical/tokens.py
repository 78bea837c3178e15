"""Step 1. Text -> tokens -> units.

A *unit* is an entry of the lexicon: the first letters of a word, a number, a single character of a script without
blanks, a punctuation mark, or a link. Only the aligner has units; users see segments.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping
from enum import IntEnum
from functools import cache, lru_cache
from itertools import filterfalse

import numpy as np
from anyascii import anyascii

from diglot.alignment.lexical.cutting_kernels import BLANK, DIGIT, END, LETTER, MARK, SINGLE, cut_tokens
from diglot.arrays import Bytes, Indices, Ints
from diglot.words import EAST_ASIAN, SOUTH_EAST_ASIAN, is_within, without_marks

PREFIX_LETTERS = 4
"""Letters of a word in its unit: a stem for most inflecting languages (5 letters cost .01 F1, whole words .03)."""
PIECE_LETTERS = 3
"""Letters of the overlapping pieces of words in alphabets without blanks (Thai, Lao, Khmer, Burmese)."""
PUNCTUATION_MARK, LINK_MARK = "P", "L"
"""Prefixes of the units of punctuation marks and of links, so that no word has the same unit."""

_KNOWN_TOKENS = 1 << 16
"""Tokens kept with their units: the pages of a site share most tokens."""
_ROMAN_LETTERS = 3
"""Least letters of a unit that is compared in Latin letters; shorter units would be equal by chance."""

_LOOK_ALIKES = {
    ord(mark): plain
    for marks, plain in (
        ("。．・।॥۔", "."),
        ("，、،", ","),
        ("؟", "?"),
        ("؛", ";"),
        ("：", ":"),
        ("「」『』“”„«»‹›《》〈〉＂", '"'),
        ("‘’‚‛`´", "'"),
        ("–—―−‐‑", "-"),
        ("【〔［", "["),
        ("】〕］", "]"),
        ("…", "."),
    )
    for mark in marks
}
"""Punctuation of all scripts -> the English mark of the same use, so that both are the same unit."""

SENTENCE_END = "\n"
"""Character between the sentences of a side: the whole side is cut into tokens at once."""
_SEPARATORS = np.array(list(map(ord, ".,'’\u00a0\u202f ")), np.uint32)
"""Separators of thousands: "12.500", "1’000’000", "3 000"."""
_MAY_HOLD_MARKS = re.compile("[\u0300-\u1fff\u20d0-\u20ff\u2c00-\U0010ffff]")
"""Possible combining marks and East Asian characters; in a text without them, joiners join nothing."""
_JOINERS = "\N{ZERO WIDTH NON-JOINER}\N{ZERO WIDTH JOINER}"
_MARKS = "\u0300", "\U0001f000"
"""First combining mark, and the end of the range of marks: those behind it only choose a glyph."""
_LAST_OF_PLANE = 0xFFFF
_KIND_PATTERNS = {
    LETTER: re.compile(rf"[^\W\d_{EAST_ASIAN}]"),
    DIGIT: re.compile(r"\d"),
    BLANK: re.compile(r"\s"),
    END: re.compile(SENTENCE_END),
}
"""Characters of every kind; all remaining characters are single tokens."""


class UnitClass(IntEnum):
    """Most frequent use of a unit; every class has a null rate of its own (share of untranslated units)."""

    NUMBER = 0
    NAME = 1
    """A capitalised word inside a sentence."""
    WORD = 2
    PUNCTUATION = 3
    CHARACTER = 4
    """A piece of a script without blanks."""
    LINK = 5
    """The link of a block."""


@lru_cache(maxsize=_KNOWN_TOKENS)
def token_units(token: str) -> tuple[UnitClass, tuple[str, ...]]:
    """Class and units of a token.

    >>> token_units("Häuser"), token_units("12.500")
    ((<UnitClass.NAME: 1>, ('haus',)), (<UnitClass.NUMBER: 0>, ('12500',)))
    """
    first = token[0]
    # Most tokens of most languages end here, without the slower tests of Unicode.
    if token.isascii() and token.isalpha():
        return (UnitClass.NAME if first.isupper() else UnitClass.WORD), (token[:PREFIX_LETTERS].lower(),)
    if first.isdecimal():
        return UnitClass.NUMBER, ("".join(str(unicodedata.decimal(c)) for c in token if c.isdecimal()),)
    if is_within(first, EAST_ASIAN):
        return UnitClass.CHARACTER, (token,)
    if not first.isalpha():
        return UnitClass.PUNCTUATION, (PUNCTUATION_MARK + token,)
    # No blanks between words: with overlapping pieces, a piece begins wherever a word does.
    if is_within(first, SOUTH_EAST_ASIAN):
        starts = range(max(1, len(token) - PIECE_LETTERS + 1))
        return UnitClass.CHARACTER, tuple(token[i : i + PIECE_LETTERS] for i in starts)
    plain = without_marks(token.casefold())
    return (UnitClass.NAME if first.isupper() else UnitClass.WORD), (plain[:PREFIX_LETTERS],)


@lru_cache(maxsize=_KNOWN_TOKENS)
def roman(unit: str) -> str:
    """The unit in Latin letters, cut to the length of a unit; unchanged if it is too short.

    >>> roman("иван"), roman("шекс"), roman("王"), roman("1945")
    ('ivan', 'shek', '王', '1945')
    """
    if unit.isascii() or len(unit) < _ROMAN_LETTERS:
        return unit
    return anyascii(unit).lower()[:PREFIX_LETTERS] or unit


def same_units(src: Mapping[str, int], tgt: Mapping[str, int]) -> Ints:
    """Target unit of the same spelling for every source unit, or of the same spelling in Latin letters; -1 for no
    unit."""
    # Most units are their own Latin reading, and need not be asked for it.
    by_roman: dict[str, int] = {}
    for unit in filterfalse(str.isascii, tgt):
        by_roman.setdefault(roman(unit), tgt[unit])
    found = list(map(tgt.get, src))
    for place, unit in enumerate(src):
        # Equal spelling wins over an equal Latin reading, which several units may share.
        if found[place] is None and (unit in by_roman or not unit.isascii()):
            latin = unit if unit.isascii() else roman(unit)
            found[place] = min((own[latin] for own in (by_roman, tgt) if latin in own), default=None)
    return np.array([-1 if number is None else number for number in found], np.int64)


def cut_text(text: str) -> tuple[Ints, list[str]]:
    """Tokens of a text as numbers: words, numbers, marks and ends of sentences (:data:`SENTENCE_END`).

    Number 0 is the end of a sentence. The distinct tokens are numbered from 1, in order of first occurrence, and
    returned.

    >>> cut_text("1’000 Hüte; Hüte?")[1]
    ["1'000", 'Hüte', ';', '?']
    """
    # Full-width letters and digits, ligatures and the like become ordinary characters.
    plain = unicodedata.normalize("NFKC", _without_look_alikes(text))
    codes = _codes(plain)
    tokens, starts, ends = cut_tokens(codes, _kinds(plain, codes), _SEPARATORS)
    return tokens, [plain[start:end] for start, end in zip(starts[1:].tolist(), ends[1:].tolist(), strict=True)]


def _codes(text: str) -> Indices:
    return np.frombuffer(text.encode("utf-32-le", "surrogatepass"), np.uint32)


def _without_look_alikes(text: str) -> str:
    """The text with English punctuation."""
    if text.isascii():
        return text.replace("`", "'")
    codes = _codes(text)
    if codes.max() <= _LAST_OF_PLANE:
        plain = _plain_marks()[codes]
    else:
        plain = np.where(codes > _LAST_OF_PLANE, codes, _plain_marks()[np.minimum(codes, _LAST_OF_PLANE)])
    return plain.tobytes().decode("utf-32-le", "surrogatepass")


def _kinds(text: str, codes: Indices) -> Bytes:
    """Kind of every character of a text, for :func:`cut_tokens`."""
    last = codes.max(initial=0)
    with_marks = last >= ord(_MARKS[0]) and bool(_MAY_HOLD_MARKS.search(text))
    if last <= _LAST_OF_PLANE:
        return _plane_kinds(with_marks)[codes]
    kinds = _plane_kinds(with_marks)[np.minimum(codes, _LAST_OF_PLANE)]
    others = codes > _LAST_OF_PLANE
    distinct, place = np.unique(codes[others], return_inverse=True)
    kinds[others] = _kinds_of(distinct.tobytes().decode("utf-32-le"), with_marks=True)[place]
    return kinds


@cache
def _plain_marks() -> Indices:
    """All characters of the first plane, look-alikes replaced."""
    codes = np.arange(_LAST_OF_PLANE + 1, dtype=np.uint32)
    codes[list(_LOOK_ALIKES)] = list(map(ord, _LOOK_ALIKES.values()))
    return codes


@cache
def _plane_kinds(with_marks: bool) -> Bytes:
    """Kind of every character of the first plane; ``with_marks``: in a text with possible combining marks."""
    return _kinds_of("".join(map(chr, range(_LAST_OF_PLANE + 1))), with_marks=with_marks)


def _kinds_of(characters: str, *, with_marks: bool) -> Bytes:
    kinds = np.full(len(characters), SINGLE, np.uint8)
    for kind, pattern in _KIND_PATTERNS.items():
        kinds[[found.start() for found in pattern.finditer(characters)]] = kind
    if with_marks:
        kinds[[place for place, char in enumerate(characters) if char in _JOINERS or _is_mark(char)]] = MARK
    return kinds


def _is_mark(char: str) -> bool:
    return _MARKS[0] <= char < _MARKS[1] and unicodedata.category(char)[0] == "M"
