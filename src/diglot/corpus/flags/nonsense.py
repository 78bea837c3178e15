"""Texts in which a translating machine got stuck: a syllable, a phrase or a sentence over and over."""

from __future__ import annotations

import re
import sys
from collections.abc import Sequence

import numpy as np
import pyarrow as pa

from diglot.arrays import Bytes, Indices, Ints, Mask
from diglot.corpus.flags.nonsense_kernels import LETTER, MARK, SPACE, are_periodic, count_parts, hash_words

LEAST_TIMES = 4
"""Least repetitions in a row: calls and songs repeat a syllable or a word three times (*ha ha ha*)."""
_UNIT_CHARS, _UNIT_WORDS = (2, 4), (1, 4)
# A unit has two different characters: one letter is drawn out by people (*nooooo*), and "xxxx" is a blank to fill in.
_UNIT = r"[^\W\d_][^\s\d_.,;:!?\-]{1,3}?"
_SYLLABLE = re.compile(rf"(?=(.)(?!\1))({_UNIT})\2{{{LEAST_TIMES - 1},}}")
_MARKS = re.compile(r"[.,;:!?]")
MOST_REPEATED, LEAST_REPEATED = 0.25, 0.45
"""Largest share of repeated parts in a sound side, and least share where a machine got stuck. A text of 21 letters
said twice has .45, a longer one nearly half, as the parts across the middle are new."""
LEAST_CHARS = 40
"""Least letters and blanks of a text with a share of repeated parts: names of functions say a word twice."""
_PART_CHARS = 4
"""Letters of a part: shorter ones repeat in any text (Welleck et al. 2020 count runs of four words)."""
_DRAWN_OUT = re.compile(r"(.)\1+")
_BETWEEN_WORDS = re.compile(r"[\W\d_]+")
_NUMBERS = re.compile(r"\d+")
_LETTERS = re.compile(r"[^\W\d_]+")
_SPACES = re.compile(r"\s+")
_PHRASE = re.compile(rf"(?<!\S)(?=\S*[^\W\d_])(\S+(?: \S+){{0,3}}?)(?: \1){{{LEAST_TIMES - 1},}}(?!\S)")
_BATCH_TEXTS = 10_000
"""Texts in one call of the kernels, to bound the memory."""


def are_nonsense(values: pa.Array, sides: Ints) -> Mask:
    """:func:`is_nonsense` of each pair of texts, shape (pairs,); it is asked only where a side :func:`may_repeat`.

    ``sides``: places of both sides among the texts ``values``, shape (2, pairs).
    """
    numbers, places = np.unique(sides, return_inverse=True)
    texts, (srcs, tgts) = values.take(pa.array(numbers)).to_pylist(), places.reshape(2, -1)
    repeats = may_repeat(texts)
    found = np.asarray(repeats[srcs] | repeats[tgts], bool)
    rows = np.flatnonzero(found)
    pairs = zip(srcs[rows].tolist(), tgts[rows].tolist(), strict=True)
    found[rows] = [is_nonsense(texts[src], texts[tgt]) for src, tgt in pairs]
    return found


def is_nonsense(src: str, tgt: str) -> bool:
    """Whether one side alone repeats a syllable, or up to four words, :data:`LEAST_TIMES` times in a row, or repeats
    half of its text and is no timetable or price list: these have :data:`LEAST_TIMES` numbers on either side.

    >>> is_nonsense("Begin today", "आरईसीसीसीसी असफल"), is_nonsense("Ha ha ha ha!", "Hahahaha !")
    (True, False)
    """
    if _repeats(src) != _repeats(tgt):
        return True
    if all(len(_NUMBERS.findall(text)) >= LEAST_TIMES for text in (src, tgt)):
        return False
    less, more = sorted(map(repeated_share, (src, tgt)))
    return less <= MOST_REPEATED and more >= LEAST_REPEATED


def repeated_share(text: str) -> float:
    """Share of the parts of four letters that repeat an earlier part, in [0, 1); 0 for a short text."""
    # A letter drawn out is one letter, as in a blank to fill in.
    text = _DRAWN_OUT.sub(r"\1", _BETWEEN_WORDS.sub(" ", text.casefold()))
    if len(text) < LEAST_CHARS:
        return 0.0
    parts = list(zip(*(text[place:] for place in range(_PART_CHARS)), strict=False))
    return 1 - len(set(parts)) / len(parts)


def _repeats(text: str) -> bool:
    return bool(_SYLLABLE.search(text.casefold()) or _PHRASE.search(_MARKS.sub("", text.casefold())))


def may_repeat(texts: Sequence[str]) -> Mask:
    """Mask of the texts that may repeat themselves as nonsense does, shape (texts,): all that do, and a few others."""
    looks = [_look_at(texts[start : start + _BATCH_TEXTS]) for start in range(0, len(texts), _BATCH_TEXTS)]
    return np.concatenate([np.zeros(0, bool), *looks])


def _look_at(texts: Sequence[str]) -> Mask:
    folded = [text.casefold() for text in texts]
    codes = np.frombuffer("".join(folded).encode("utf-32-le"), np.uint32)
    ends = np.cumsum([len(text) for text in folded], dtype=np.int64)
    kinds = _kinds(codes)
    chars, distinct = count_parts(codes, kinds, ends)
    parts = np.maximum(chars - _PART_CHARS + 1, 1)
    says_twice = (chars >= LEAST_CHARS) & (1 - distinct / parts >= LEAST_REPEATED)
    has_syllables = are_periodic(codes, ends, _UNIT_CHARS, LEAST_TIMES)
    has_phrases = are_periodic(*hash_words(codes, kinds, ends), _UNIT_WORDS, LEAST_TIMES)
    return np.asarray(says_twice | has_syllables | has_phrases, bool)


def _kinds(codes: Indices) -> Bytes:
    """Kind of every character, uint8; the patterns are searched once for each distinct character."""
    is_there = np.zeros(sys.maxunicode + 1, bool)
    is_there[codes] = True
    distinct = np.flatnonzero(is_there)
    kinds = np.zeros(len(is_there), np.uint8)
    for kind, pattern in ((LETTER, _LETTERS), (MARK, _MARKS), (SPACE, _SPACES)):
        for match in pattern.finditer("".join(map(chr, distinct))):
            kinds[distinct[match.start() : match.end()]] = kind
    return kinds[codes]
