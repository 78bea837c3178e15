"""Sentences as sets of units: numbers, first letters of words, single characters of scripts without blanks."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import IntEnum
from functools import cache, lru_cache

import numpy as np
import numpy.typing as npt
from anyascii import anyascii

from diglot.alignment.gale_church import text_length
from diglot.arrays import Floats, Ints

PREFIX_LETTERS = 4
"""Letters of a word that count: a stem for most inflecting languages (words of 5 cost .01 F1, whole ones .03)."""
UNSPACED_LETTERS = 3
"""Letters of the overlapping pieces that stand for words in alphabets without blanks (Thai, Lao, Khmer, Burmese)."""
PUNCTUATION_MARK = "P"
"""Before a punctuation mark, so that it is no word."""


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
_END = "\n"
"""Between the sentences of a side, which are cut into tokens together."""
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
    _seen: list[Ints] = field(default_factory=list)

    def __len__(self) -> int:
        return len(self.numbers)

    def side(self, sentences: Sequence[str], opens: Sequence[int] = (), kinds: Sequence[int] = ()) -> Side:
        """The sentences as numbers; new units join the vocabulary."""
        count = len(sentences)
        place, units = self._units(sentences)
        return Side(
            np.searchsorted(place, np.arange(count + 1)),
            units,
            np.array([text_length(sentence) for sentence in sentences], np.float64),
            np.array(opens, np.int64) if len(opens) else np.zeros(count, np.int64),
            np.array(kinds, np.int64) if len(kinds) else np.zeros(count, np.int64),
        )

    def class_counts(self) -> Ints:
        """How often each unit was of each :class:`UnitClass`, (units, classes)."""
        size = len(self.numbers) * len(UnitClass)
        counts = sum((np.bincount(seen, minlength=size) for seen in self._seen), np.zeros(size, np.int64))
        return counts.reshape(-1, len(UnitClass))

    def _units(self, sentences: Sequence[str]) -> tuple[Ints, Ints]:
        """Sentence and number of each unit, each once a sentence, in their order."""
        tokens = _tokens(_END.join(sentence.replace(_END, " ") for sentence in sentences))
        distinct = {token: number for number, token in enumerate(dict.fromkeys([_END, *tokens]))}
        ids = np.fromiter(map(distinct.__getitem__, tokens), np.int64, len(tokens))
        rows = [(UnitClass.PUNCTUATION, ()), *(token_units(token) for token in list(distinct)[1:])]
        numbers = [[self.numbers.setdefault(unit, len(self.numbers)) for unit in units] for _, units in rows]
        place = np.cumsum(ids == 0)
        kinds = _without_opening_names(np.array([kind for kind, _ in rows], np.int64)[ids], ids == 0, place)
        counts = np.array([len(row) for row in numbers], np.int64)
        flat = np.fromiter((number for row in numbers for number in row), np.int64, int(counts.sum()))
        repeats, starts = counts[ids], (np.cumsum(counts) - counts)[ids]
        ends = np.cumsum(repeats)
        units = flat[np.arange(int(repeats.sum())) + np.repeat(starts - (ends - repeats), repeats)]
        place = np.repeat(place, repeats)
        self._seen.append(units * len(UnitClass) + np.repeat(kinds, repeats))
        _, first = np.unique(place * len(self.numbers) + units, return_index=True)
        first.sort()
        return place[first], units[first]


def _without_opening_names(kinds: Ints, is_end: npt.NDArray[np.bool_], place: Ints) -> Ints:
    """The classes of tokens, where the word that opens a sentence is no name for its capital."""
    is_word = ~is_end & (kinds != UnitClass.NUMBER) & (kinds != UnitClass.PUNCTUATION)
    words = np.cumsum(is_word)
    before = np.concatenate(([0], words[is_end]))[place]
    opening = is_word & (words - before == 1) & (kinds == UnitClass.NAME)
    return np.where(opening, UnitClass.WORD, kinds)


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


def _tokens(text: str) -> list[str]:
    plain = text if text.isascii() else text.translate(_LOOK_ALIKES)
    if plain.isascii():
        return _ASCII_TOKENS.findall(plain.replace("`", "'"))
    plain = unicodedata.normalize("NFKC", plain)
    return (_token_pattern() if _WITH_MARKS.search(plain) else _LATIN_TOKENS).findall(plain)


@cache
def _token_pattern() -> re.Pattern[str]:
    marks = [code for code in range(0x300, 0x1F000) if unicodedata.category(chr(code))[0] == "M"]
    runs = "".join(f"{chr(code)}" for code in marks)
    letters, joined = rf"[^\W\d_{_CJK}]+", rf"[{re.escape(runs)}\u200c\u200d]+"
    return re.compile(rf"{letters}(?:{joined}(?:{letters})?)*|{_GROUPED}|\d+|[{_CJK}]|[^\w\s]|_|{_END}")


_WITH_MARKS = re.compile("[\u0300-\u1fff\u20d0-\u20ff\u2c00-\U0010ffff]")
"""What may be a combining mark or a Chinese, Japanese or Korean character; a text without needs no look for them."""
_LATIN_TOKENS = re.compile(rf"[^\W\d_]+|{_GROUPED}|\d+|[^\w\s]|_|\n")
_ASCII_TOKENS = re.compile(r"[A-Za-z]+|\d{1,3}(?:[.,' ]\d{3})+(?!\d)|\d+|[^\w\s]|_|\n")


@cache
def _is_within(char: str, ranges: str) -> bool:
    return any(ranges[k] <= char <= ranges[k + 2] for k in range(0, len(ranges), 3))
