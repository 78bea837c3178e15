"""The words of the texts of one side of a language pair as arrays, with those marked that may be names."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import chain
from typing import Any

import numpy as np
import numpy.typing as npt
from anyascii import anyascii

Numbers = npt.NDArray[np.int64]
Mask = npt.NDArray[np.bool_]
Chances = npt.NDArray[np.float64]

LEAST_LETTERS = 3
SAMPLE_ROWS = 1_000
"""Rows that tell the script of a side."""
KINDS = 8
STARTS, CAPITALS, SMALL = 4, 2, 1
"""Kinds of names, sums of: it begins a sentence, is all capitals, is also written small on the site."""

_LAST_LATIN = "\u024f"
_KATAKANA = "\u30a1-\u30fa\u30fc"
_WORD = re.compile(
    rf"[A-Za-z\u00c0-{_LAST_LATIN}]{{3,}}|[{_KATAKANA}]{{3,}}|[^\W\d_A-Za-z\u00c0-{_LAST_LATIN}{_KATAKANA}]{{3,}}"
)
_FOREIGN = re.compile(f"[A-Za-z\u00c0-{_LAST_LATIN}{_KATAKANA}]")
_SENTENCE_START = re.compile(r"(?:^|[.!?:;。…])[\W_]*$")
_NOT_ASCII_LETTER = re.compile("[^a-z]")
_CONTEXT_CHARS = 8


@dataclass(frozen=True, slots=True)
class Words:
    """Distinct words of each text, as numbers of their romanised forms, by row and then by number.

    ``rows`` and ``keys`` of shape (words,); ``is_name`` says which may be names and ``kinds`` (0 to 7) of what
    kind; ``before`` and ``after`` are the keys of the words beside it in the text, -1 at its ends, and ``places`` go
    from 0, its first word, to 1, its last. The words of row r are those from ``starts[r]`` to ``starts[r + 1]``.
    """

    rows: Numbers
    keys: Numbers
    is_name: Mask
    kinds: Numbers
    before: Numbers
    after: Numbers
    places: Chances
    starts: Numbers


def is_latin(texts: Sequence[str]) -> bool:
    """Whether most letters of the first texts are Latin."""
    letters = [char for char in "".join(texts[:SAMPLE_ROWS]) if char.isalpha()]
    return 2 * sum(char <= _LAST_LATIN for char in letters) > len(letters)


def read_words(texts: Sequence[str], numbers: dict[str, int]) -> Words:
    """Words of the texts of one side; romanised forms that are new get the next of ``numbers``.

    A name begins with a capital, and is not a common word that only begins a sentence. In a script without
    capitals it is a word in Latin letters or katakana.
    """
    found = [list(dict.fromkeys(words)) for words in map(_WORD.findall, texts)]
    vocabulary = {word: number for number, word in enumerate(dict.fromkeys(chain.from_iterable(found)))}
    word = np.fromiter(map(vocabulary.__getitem__, chain.from_iterable(found)), np.int64)
    rows = np.repeat(np.arange(len(texts)), list(map(len, found)))
    keys, may_be_name, kinds = _of_vocabulary(list(vocabulary), numbers, has_case=_has_case(texts))
    starting = np.zeros(len(word), bool)
    candidates = np.flatnonzero(may_be_name[word])
    spelt = list(vocabulary)
    starting[candidates] = [
        _starts_sentence(texts[row], spelt[number])
        for row, number in zip(rows[candidates].tolist(), word[candidates].tolist(), strict=True)
    ]
    is_name = may_be_name[word] & ~(starting & (kinds[word] & SMALL > 0))
    before, after, places = _surroundings(rows, keys[word])
    kinds = kinds[word] + STARTS * starting
    return _distinct(
        rows, len(texts), keys=keys[word], is_name=is_name, kinds=kinds, before=before, after=after, places=places
    )


def _starts_sentence(text: str, word: str) -> bool:
    place = text.find(word)
    return place == 0 or _SENTENCE_START.search(text[max(0, place - _CONTEXT_CHARS) : place]) is not None


def _has_case(texts: Sequence[str]) -> bool:
    sample = "".join(texts[:SAMPLE_ROWS])
    return 2 * sum(char.islower() or char.isupper() for char in sample) >= sum(map(str.isalpha, sample))


def _of_vocabulary(words: list[str], numbers: dict[str, int], *, has_case: bool) -> tuple[Numbers, Mask, Numbers]:
    """Number of the romanised form, whether it may be a name, and kind without place, of each word."""
    romanised = list(map(_romanised, words))
    keys = np.array([numbers.setdefault(form, len(numbers)) for form in romanised], np.int64)
    named = [word[0].isupper() if has_case else _FOREIGN.match(word) is not None for word in words]
    long = [len(form) >= LEAST_LETTERS for form in romanised]
    small = {word for word in words if word.islower()} if has_case else set()
    kinds = [CAPITALS * word.isupper() + SMALL * (word.lower() in small) for word in words]
    return keys, np.array(named, bool) & np.array(long, bool), np.array(kinds, np.int64)


def _surroundings(rows: Numbers, keys: Numbers) -> tuple[Numbers, Numbers, Chances]:
    """Keys before and after each word of a text, -1 at its ends, and its place from 0 to 1."""
    first, last = np.searchsorted(rows, rows), np.searchsorted(rows, rows, side="right") - 1
    numbers = np.arange(len(rows))
    before = np.where(numbers > first, np.roll(keys, 1), -1)
    after = np.where(numbers < last, np.roll(keys, -1), -1)
    return before, after, (numbers - first) / np.maximum(last - first, 1)


def _distinct(rows: Numbers, count: int, **of_words: npt.NDArray[Any]) -> Words:
    """One word of each key and row, a name if there is one; ``of_words`` as in :class:`Words`, ``count`` rows."""
    order = np.lexsort((~of_words["is_name"], of_words["keys"], rows))
    rows, keys = rows[order], of_words["keys"][order]
    first = np.ones(len(order), bool)
    first[1:] = (rows[1:] != rows[:-1]) | (keys[1:] != keys[:-1])
    starts = np.searchsorted(rows[first], np.arange(count + 1))
    return Words(rows=rows[first], starts=starts, **{name: values[order[first]] for name, values in of_words.items()})


@lru_cache(maxsize=1 << 18)
def _romanised(word: str) -> str:
    return _NOT_ASCII_LETTER.sub("", anyascii(word).lower())
