"""Similarity of sentences by the words of one that have a translation in the other (PWCC, section 4.2, equation 4)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from diglot.arrays import Ints
from diglot.features.sentence_similarity_kernels import similarities


@dataclass(frozen=True, eq=False)
class Translations:
    """Translations of each source word, all words as numbers: way ``w`` of word ``s`` is one or more target words.

    Ways of ``s``: ``way_starts[s]`` to ``way_starts[s + 1]``; words of ``w``: ``words[word_starts[w] : word_starts[w +
    1]]``. Target words are below ``tgt_count``.
    """

    way_starts: Ints
    word_starts: Ints
    words: Ints
    tgt_count: int


def translations(
    ways: Iterable[tuple[str, tuple[str, ...]]], src_numbers: Mapping[str, int], tgt_numbers: Mapping[str, int]
) -> Translations:
    """Translations between two numbered vocabularies; ways with unknown words are left out."""
    by_word: list[dict[tuple[int, ...], None]] = [{} for _ in src_numbers]
    for word, way in ways:
        number = src_numbers.get(word)
        if number is not None and way and all(part in tgt_numbers for part in way):
            # A dict keeps the order of the lexicon, which decides the way that is tried first.
            by_word[number][tuple(tgt_numbers[part] for part in way)] = None
    flat = [way for known in by_word for way in known]
    return Translations(
        way_starts=np.cumsum([0, *map(len, by_word)], dtype=np.int64),
        word_starts=np.cumsum([0, *map(len, flat)], dtype=np.int64),
        words=np.array([number for way in flat for number in way], np.int64),
        tgt_count=len(tgt_numbers),
    )


@dataclass(frozen=True, slots=True)
class NumberedSentences:
    """The words of a page as numbers; sentence ``s`` is ``words[starts[s] : starts[s + 1]]``."""

    words: Ints
    starts: Ints

    @classmethod
    def of(cls, sentences: Iterable[Iterable[int]]) -> NumberedSentences:
        """Sentences given as lists of numbers."""
        rows = [list(sentence) for sentence in sentences]
        flat = [number for row in rows for number in row]
        return cls(np.array(flat, np.int64), np.cumsum([0, *map(len, rows)], dtype=np.int64))


def sentence_similarities(
    src: NumberedSentences, tgt: NumberedSentences, beads: Ints, known: Translations
) -> npt.NDArray[np.float64]:
    """Similarity of both sides of each bead: +1 for a source word with a translation on the target side, -0.2 for a
    source word without, over the number of words of the longer side.

    A target word counts for one source word, the first; a way of several words needs all of them.

    ``beads``: int64 (n, 4), first sentence and end on the source side, then on the target side.
    Returns: float64 (n,), in [-0.2, 1]; 0 where one side has no words, NaN where neither has.
    """
    result: npt.NDArray[np.float64] = similarities(src, tgt, np.ascontiguousarray(beads, np.int64), known)
    return result
