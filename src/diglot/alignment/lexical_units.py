"""Sentences as sets of units: numbers, first letters of words, single characters of unspaced scripts, marks."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import IntEnum
from functools import cache, lru_cache

import numpy as np
import numpy.typing as npt
from anyascii import anyascii

from diglot.alignment.gale_church import text_length

PREFIX_LETTERS = 4
"""Letters of a word that count: a stem for most inflecting languages (words of 5 cost .01 F1, whole ones .03)."""
UNSPACED_LETTERS = 3
"""Letters of the overlapping pieces that stand for words in alphabets without blanks (Thai, Lao, Khmer, Burmese)."""
PUNCTUATION_MARK = "P"
"""Before a punctuation mark, so that it is no word."""

Ints = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]

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
_GROUPED = r"\d{1,3}(?:[.,'’\u00a0\u202f ]\d{3})+(?!\d)"
_CJK = (
    "\u1100-\u11ff\u3040-\u30ff\u3130-\u318f\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff"
    "\uac00-\ud7af\uf900-\ufaff\U00020000-\U0003ffff"
)
_UNSPACED = "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff"
_KNOWN_TOKENS = 1 << 16
"""Tokens whose units are kept at hand: pages of a site share most of theirs."""
_ROMAN_LETTERS = 3
"""Least letters of a unit that is compared in Latin letters."""


class UnitClass(IntEnum):
    """What a unit mostly is; each class has a rate of its own at which it goes untranslated."""

    NUMBER = 0
    NAME = 1
    """A word with a capital that does not open its sentence."""
    WORD = 2
    PUNCTUATION = 3
    CHARACTER = 4
    """A piece of a script that is written without blanks."""


@dataclass(frozen=True, slots=True)
class Side:
    """Sentences of one side of a text, as numbers.

    ``offsets``: int64 (n + 1,); sentence i has the units ``units[offsets[i]:offsets[i + 1]]`` (int64, each once).
    ``lengths``: characters that are not white space, float64 (n,). ``opens``: int64 (n,), 1 where the sentence
    opens a block, 0 elsewhere and everywhere in a text without blocks. ``kinds``: int64 (n,), kind of its block.
    """

    offsets: Ints
    units: Ints
    lengths: Floats
    opens: Ints
    kinds: Ints

    def __len__(self) -> int:
        return len(self.lengths)


@dataclass(slots=True)
class Vocabulary:
    """Numbers of the units of one side of a set of texts, in order of their first sight."""

    numbers: dict[str, int] = field(default_factory=dict)
    _known: dict[str, tuple[tuple[int, ...], int]] = field(default_factory=dict)
    _classes: list[list[int]] = field(default_factory=list)

    def __len__(self) -> int:
        return len(self.numbers)

    def side(self, sentences: Sequence[str], opens: Sequence[int] = (), kinds: Sequence[int] = ()) -> Side:
        """The sentences as numbers; new units join the vocabulary."""
        rows = [self._sentence(sentence) for sentence in sentences]
        flat = np.fromiter((unit for row in rows for unit in row), np.int64)
        offsets = np.zeros(len(rows) + 1, np.int64)
        np.cumsum([len(row) for row in rows], out=offsets[1:])
        count = len(sentences)
        return Side(
            offsets,
            flat,
            np.array([text_length(sentence) for sentence in sentences], np.float64),
            np.array(opens, np.int64) if len(opens) else np.zeros(count, np.int64),
            np.array(kinds, np.int64) if len(kinds) else np.zeros(count, np.int64),
        )

    def class_counts(self) -> Ints:
        """How often each unit was of each :class:`UnitClass`, (units, classes)."""
        return np.array(self._classes, np.int64).reshape(-1, len(UnitClass))

    def _sentence(self, sentence: str) -> dict[int, None]:
        units: dict[int, None] = {}
        classes = self._classes
        is_first = True
        for token in _tokens(sentence):
            found = self._known.get(token)
            if found is None:
                found = self._known[token] = self._numbered(token)
            numbers, kind = found
            if is_first:
                is_first = kind == UnitClass.NUMBER or kind == UnitClass.PUNCTUATION
                kind = UnitClass.WORD if kind == UnitClass.NAME else kind
            for number in numbers:
                units[number] = None
                classes[number][kind] += 1
        return units

    def _numbered(self, token: str) -> tuple[tuple[int, ...], int]:
        kind, units = token_units(token)
        numbers = []
        for unit in units:
            number = self.numbers.setdefault(unit, len(self.numbers))
            if number == len(self._classes):
                self._classes.append([0] * len(UnitClass))
            numbers.append(number)
        return tuple(numbers), kind


@lru_cache(maxsize=_KNOWN_TOKENS)
def token_units(token: str) -> tuple[UnitClass, tuple[str, ...]]:
    """Class and units of one token.

    >>> token_units("Häuser"), token_units("12.500")
    ((<UnitClass.NAME: 1>, ('haus',)), (<UnitClass.NUMBER: 0>, ('12500',)))
    """
    first = token[0]
    if token.isascii() and token.isalpha():
        return (UnitClass.NAME if first.isupper() else UnitClass.WORD), (token[:PREFIX_LETTERS].lower(),)
    if first.isdecimal():
        return UnitClass.NUMBER, ("".join(str(unicodedata.decimal(c)) for c in token if c.isdecimal()),)
    if _is_within(first, _CJK):
        return UnitClass.CHARACTER, (token,)
    if not first.isalpha():
        return UnitClass.PUNCTUATION, (PUNCTUATION_MARK + token,)
    if _is_within(first, _UNSPACED):
        pieces = range(max(1, len(token) - UNSPACED_LETTERS + 1))
        return UnitClass.CHARACTER, tuple(token[i : i + UNSPACED_LETTERS] for i in pieces)
    plain = "".join(c for c in unicodedata.normalize("NFKD", token.casefold()) if not unicodedata.combining(c))
    return (UnitClass.NAME if first.isupper() else UnitClass.WORD), (plain[:PREFIX_LETTERS],)


@lru_cache(maxsize=_KNOWN_TOKENS)
def roman(unit: str) -> str:
    """The unit in Latin letters, cut to the length of a unit; itself where that says too little.

    >>> roman("иван"), roman("шекс"), roman("王"), roman("1945")
    ('ivan', 'shek', '王', '1945')
    """
    if unit.isascii() or len(unit) < _ROMAN_LETTERS:
        return unit
    return anyascii(unit).lower()[:PREFIX_LETTERS] or unit


def same_units(src: Mapping[str, int], tgt: Mapping[str, int]) -> Ints:
    """For each source unit the target unit that is written alike, or alike in Latin letters; -1 for none."""
    by_roman: dict[str, int] = {}
    for unit, number in tgt.items():
        by_roman.setdefault(roman(unit), number)
    found = (tgt.get(unit, by_roman.get(roman(unit), -1)) for unit in src)
    return np.fromiter(found, np.int64, len(src))


def _tokens(sentence: str) -> Iterator[str]:
    text = sentence if sentence.isascii() else sentence.translate(_LOOK_ALIKES)
    if text.isascii():
        return iter(_ASCII_TOKENS.findall(text.replace("`", "'")))
    return iter(_token_pattern().findall(unicodedata.normalize("NFKC", text)))


@cache
def _token_pattern() -> re.Pattern[str]:
    marks = [code for code in range(0x300, 0x1F000) if unicodedata.category(chr(code))[0] == "M"]
    runs = "".join(f"{chr(code)}" for code in marks)
    letters, joined = rf"[^\W\d_{_CJK}]+", rf"[{re.escape(runs)}\u200c\u200d]+"
    return re.compile(rf"{letters}(?:{joined}(?:{letters})?)*|{_GROUPED}|\d+|[{_CJK}]|[^\w\s]|_")


_ASCII_TOKENS = re.compile(r"[A-Za-z]+|\d{1,3}(?:[.,' ]\d{3})+(?!\d)|\d+|[^\w\s]|_")


@cache
def _is_within(char: str, ranges: str) -> bool:
    return any(ranges[k] <= char <= ranges[k + 2] for k in range(0, len(ranges), 3))
