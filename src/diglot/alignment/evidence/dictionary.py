"""A dictionary as evidence for beads: share of the words of every side with a translation on the other."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import lru_cache

from diglot.alignment.beads import Similarity
from diglot.arrays import Floats, Ints
from diglot.features.sentence_similarity import NumberedSentences, Translations, sentence_similarities, translations
from diglot.lexicons.lexicon import Lexicon
from diglot.words import shortened, words_of

STEM_LETTERS = 5
"""Letters of a word that are compared: dictionaries have base forms, texts inflected ones. Our choice."""


def dictionary_similarity(src: Sequence[str], tgt: Sequence[str], lexicon: Lexicon) -> Similarity:
    """Mean over both directions of :func:`diglot.features.sentence_similarity.sentence_similarities`, by stems.

    ``lexicon`` is read from the language of ``src`` to that of ``tgt``. A word is not its own translation here: the
    aligner sees equal spelling without a dictionary.
    """
    src_numbers: dict[str, int] = {}
    tgt_numbers: dict[str, int] = {}
    src_words = number_stems(src, lexicon.src_lang, src_numbers)
    tgt_words = number_stems(tgt, lexicon.tgt_lang, tgt_numbers)
    there = translations(_ways_of(src_numbers, lexicon, backward=False), src_numbers, tgt_numbers)
    back = translations(_ways_of(tgt_numbers, lexicon, backward=True), tgt_numbers, src_numbers)

    def similarity(beads: Ints) -> Floats:
        forward = sentence_similarities(src_words, tgt_words, beads, there)
        return (forward + sentence_similarities(tgt_words, src_words, beads[:, [2, 3, 0, 1]], back)) / 2

    return similarity


def number_stems(sentences: Sequence[str], lang: str, numbers: dict[str, int]) -> NumberedSentences:
    """Numbers of the word stems of every sentence; new stems join ``numbers``."""
    return NumberedSentences.of(
        [numbers.setdefault(stem, len(numbers)) for stem in _stems(sentence, lang)] for sentence in sentences
    )


def _stems(text: str, lang: str) -> list[str]:
    return [shortened(word, STEM_LETTERS) for word in words_of(text, lang)]


def _ways_of(numbers: dict[str, int], lexicon: Lexicon, *, backward: bool) -> Iterator[tuple[str, tuple[str, ...]]]:
    """Entries with one of these stems as headword."""
    ways = _ways(lexicon, backward)
    return ((stem, way) for stem in numbers for way in ways.get(stem, ()))


@lru_cache(maxsize=4)
def _ways(lexicon: Lexicon, backward: bool) -> dict[str, list[tuple[str, ...]]]:
    """Translations, as stems, of each one-word headword; computed once a lexicon, not once a pair of pages."""
    langs = (lexicon.tgt_lang, lexicon.src_lang) if backward else (lexicon.src_lang, lexicon.tgt_lang)
    ways: dict[str, list[tuple[str, ...]]] = {}
    for entry in lexicon.entries:
        phrase, translation = reversed(entry) if backward else entry
        head = _stems(phrase, langs[0])
        # A headword of several words would need all of them side by side.
        if len(head) == 1:
            ways.setdefault(head[0], []).append(tuple(_stems(translation, langs[1])))
    return ways


def same_words(numbers: dict[str, int]) -> Translations:
    """Every word as its own translation."""
    return translations(((word, (word,)) for word in numbers), numbers, numbers)
