"""Names that one side of a segment has and the other lacks, told from words that are translated by what the site does.

A name is a capitalised word, or a word in Latin letters inside a text in a script without capitals. Most names
are kept, or carried over into the other script; some are translated (Germany, Allemagne), and so are all
capitalised words that are no names. The site itself says which: how often a word, or a word of its kind, has
one like it on the other side. A row is suspect where a name that is normally kept is missing while another,
which nothing explains, stands there.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

import numpy as np
import numpy.typing as npt
from anyascii import anyascii
from rapidfuzz import process
from rapidfuzz.distance import Indel

Mask = npt.NDArray[np.bool_]

LEAST_LETTERS = 3
SAMPLE_ROWS = 1_000
"""Rows that tell the script of a side."""
LEAST_ROWS = 50
"""Rows from which a language pair says how names behave in it."""
LIKE = 0.72
LIKE_SKELETON = 0.8
"""Indel similarity of two romanised words, or of their consonants, from which one may be the other inflected or
carried over into another script."""
STEM_CHARS, ENDING_CHARS = 4, 4
PRIOR_ROWS = 2.0
"""Weight, in rows, of what words of a kind do beside what the word itself does."""
RARE_ROWS = 3
"""Words in at most so many rows tell what rare words of a kind do."""
MOST_CHANCE = 0.05
"""Chance that the names of a row are both without counterpart in a good translation, up to which it is flagged."""
MOST_CHANCE_ALONE = 0.005
"""The same where only one side has such a name."""
MOST_SHARE = 0.01
"""Of more rows than this share, only the most suspect are flagged."""

_WORD = re.compile(r"[A-Za-z\u00c0-\u024f]{3,}|[^\W\d_A-Za-z\u00c0-\u024f]{3,}")
_SENTENCE_START = re.compile(r"(?:^|[.!?:;。…])[\W_]*$")
_NOT_ASCII_LETTER = re.compile("[^a-z]")
_VOWELS = re.compile("[aeiouyw]")
_CONTEXT_CHARS = 8
_LAST_LATIN = "\u024f"

Kind = tuple[bool, bool, bool]
"""Of a name: whether it begins a sentence, is all capitals, and is also written small on the site."""


@dataclass(frozen=True, slots=True)
class Words:
    """Romanised words of a text; ``stems`` are the first letters of all.

    ``skeletons``: their consonants, where the other side is in another script and may not write the vowels.
    """

    names: dict[str, Kind]
    all: frozenset[str]
    stems: frozenset[str]
    skeletons: frozenset[str]


def differing_names(src: Sequence[str], tgt: Sequence[str]) -> Mask:
    """Rows whose two sides name something different, shape (rows,).

    Give distinct rows of one language pair that nothing else speaks against: all of them are evidence.
    """
    suspect = np.zeros(len(src), bool)
    if len(src) < LEAST_ROWS:
        return suspect
    across = _is_latin(src) != _is_latin(tgt)
    sides = (_words_of(src, across=across), _words_of(tgt, across=across))
    lone = [
        [_without_counterpart(a, b) for a, b in zip(mine, other, strict=True)] for mine, other in (sides, sides[::-1])
    ]
    chances = [_chances(words, names) for words, names in zip(sides, lone, strict=True)]
    together = Counter((a, b) for row in zip(*lone, strict=True) for a in row[0] for b in row[1])
    scores = np.ones(len(src))
    for row, (left, right) in enumerate(zip(*lone, strict=True)):
        alone = [chances[0][row].get(a, 1.0) for a in left] + [chances[1][row].get(b, 1.0) for b in right]
        both = [chances[0][row][a] * chances[1][row][b] for a in left for b in right if together[a, b] == 1]
        scores[row] = min(*both, *(chance * MOST_CHANCE / MOST_CHANCE_ALONE for chance in alone), 1.0, 1.0)
    bound = np.quantile(scores, MOST_SHARE, method="lower")
    return np.asarray((scores <= MOST_CHANCE) & (scores <= bound))


def _words_of(texts: Sequence[str], *, across: bool) -> list[Words]:
    """Words of the texts of one side; capitals say nothing in a script that has none."""
    sample = "".join(texts[:SAMPLE_ROWS])
    letters = sum(map(str.isalpha, sample))
    without_case = 2 * sum(char.islower() or char.isupper() for char in sample) < letters
    found = [frozenset(_WORD.findall(text)) for text in texts]
    small = {word for words in found for word in words if word.islower()}
    every = [_words(text, words, small, without_case=without_case) for text, words in zip(texts, found, strict=True)]
    return [replace(each, skeletons=_skeletons(each.all)) for each in every] if across else every


def _is_latin(texts: Sequence[str]) -> bool:
    letters = [char for char in "".join(texts[:SAMPLE_ROWS]) if char.isalpha()]
    return 2 * sum(char <= _LAST_LATIN for char in letters) > len(letters)


def _words(text: str, words: frozenset[str], small: set[str], *, without_case: bool) -> Words:
    keys = {word: _romanised(word) for word in words}
    names: dict[str, Kind] = {}
    for word, key in keys.items():
        is_name = word[0] <= _LAST_LATIN if without_case else word[0].isupper()
        if not is_name or len(key) < LEAST_LETTERS:
            continue
        place = text.find(word)
        starts = _SENTENCE_START.search(text[max(0, place - _CONTEXT_CHARS) : place]) is not None
        common = not without_case and word.lower() in small
        if not (starts and common):
            names[key] = (starts, word.isupper(), common)
    every = frozenset(keys.values())
    return Words(dict(sorted(names.items())), every, frozenset(key[:STEM_CHARS] for key in every), frozenset())


def _without_counterpart(mine: Words, other: Words) -> list[str]:
    return [
        name
        for name in mine.names
        if name not in other.all
        and not (name[:STEM_CHARS] in other.stems and _has_stem(name, other.all))
        and not _has_like(name, other)
    ]


def _has_stem(name: str, words: frozenset[str]) -> bool:
    """Whether one of the words may be a name with another ending."""
    stem = name[:STEM_CHARS]
    return len(stem) == STEM_CHARS and any(
        word[:STEM_CHARS] == stem and abs(len(name) - len(word)) <= ENDING_CHARS for word in words
    )


def _has_like(name: str, other: Words) -> bool:
    """Whether one of the words may be a name inflected, or carried over from another script."""
    if process.extractOne(name, other.all, scorer=Indel.normalized_similarity, score_cutoff=LIKE) is not None:
        return True
    short = _skeleton(name)
    if len(short) < LEAST_LETTERS or not other.skeletons:
        return False
    found = process.extractOne(short, other.skeletons, scorer=Indel.normalized_similarity, score_cutoff=LIKE_SKELETON)
    return found is not None


def _chances(words: list[Words], lone: list[list[str]]) -> list[dict[str, float]]:
    """For each row, chance that each of its lone names is without counterpart, as all other rows have it."""
    rows = Counter(name for each in words for name in each.names)
    missing = Counter(name for each in lone for name in each)
    of_kind: dict[Kind, list[int]] = defaultdict(lambda: [1, 2])
    for each, names in zip(words, lone, strict=True):
        for name, kind in each.names.items():
            if rows[name] <= RARE_ROWS:
                of_kind[kind][0] += name in names
                of_kind[kind][1] += 1
    found = []
    for each, names in zip(words, lone, strict=True):
        prior = {name: of_kind[each.names[name]] for name in names}
        found.append(
            {
                name: (missing[name] - 1 + PRIOR_ROWS * part / whole) / (rows[name] - 1 + PRIOR_ROWS)
                for name, (part, whole) in prior.items()
            }
        )
    return found


@lru_cache(maxsize=1 << 18)
def _romanised(word: str) -> str:
    return _NOT_ASCII_LETTER.sub("", anyascii(word).lower())


def _skeletons(words: frozenset[str]) -> frozenset[str]:
    return frozenset(short for word in words if len(short := _skeleton(word)) >= LEAST_LETTERS)


@lru_cache(maxsize=1 << 18)
def _skeleton(key: str) -> str:
    return _VOWELS.sub("", key)
