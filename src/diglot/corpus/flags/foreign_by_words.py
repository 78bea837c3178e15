"""Foreign texts by words that are far commoner in another language of the site."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from diglot.arrays import Floats, Mask
from diglot.corpus.flags.foreign_by_identifier import Reading
from diglot.corpus.flags.site_texts import Words, have_two
from diglot.documents.language_tags import are_close

PRIOR_COUNT = 1.0
"""Shape of the gamma prior on the ratio of the rate of a word in one language to its rate in all (DuMouchel 1999): the
prior belief in equal rates is worth this many occurrences."""
LEAST_FOREIGN, MOST_FOREIGN = 0.005, 0.5
"""Bounds of the prior share of foreign texts: never 0, never a majority."""
SURENESS = 0.9
"""Least probability of a foreign text, by its words."""
ROUNDS = 3
"""Rounds of counting; after two, hardly any verdict changes."""


class WordStatistics(NamedTuple):
    """Statistics of words in the languages of a site."""

    langs: tuple[str, ...]
    """Primary subtags: languages of the segments, then further languages found."""
    log_ratio: Floats
    """Log ratio of the rate of each word in a language to its rate in all, shape (languages, known words)."""
    threshold: Floats
    """Least log odds of a foreign text in each language, shape (languages,)."""

    def against(self, words: Words, lang: int, weight: Floats | None = None) -> Floats:
        """Log odds of the likeliest other language against ``lang``, for each text; shape (texts,).

        ``weight``: of each word, shape (words,).
        """
        others = [other for other in range(len(self.langs)) if not are_close(self.langs[lang], self.langs[other])]
        found = np.full(words.texts, -np.inf)
        for other in others:
            odds = (self.log_ratio[other] - self.log_ratio[lang])[words.word]
            odds = odds if weight is None else odds * weight
            found = np.maximum(found, np.bincount(words.text, weights=odds, minlength=words.texts))
        return found


def find_by_words(words: Words, reading: Reading, lacking: Mask) -> tuple[WordStatistics, Mask]:
    """Statistics of words after all rounds, and the mask of texts foreign by words."""
    classes, member = reading.classes()
    known, is_other = member == reading.lang, reading.is_other()
    in_two_texts = have_two(words.word, words.text, len(words.known))
    share = np.full(len(reading.langs), LEAST_FOREIGN)
    foreign = lacking | is_other
    for _ in range(ROUNDS):
        teaches = np.where(foreign | (~reading.judged & ~known) | reading.shared, -1, reading.lang)
        counts = words.counts(np.where(is_other | (reading.shared & (member >= 0)), member, teaches), len(classes))
        statistics = WordStatistics(classes, _log_ratio(counts) * in_two_texts, _threshold(share))
        for number in reading.judged_langs:
            mine = (reading.lang == number) & reading.judged
            odds = statistics.against(_candidates(words.of(mine & ~known), statistics, number), number)
            foreign[mine] = ((odds > statistics.threshold[number]) | lacking | is_other)[mine]
            share[number] = np.clip(foreign[mine].mean(), LEAST_FOREIGN, MOST_FOREIGN)
    return statistics, foreign & ~lacking & ~is_other


def _log_ratio(counts: Floats) -> Floats:
    expected = counts.sum(axis=1, keepdims=True) * counts.sum(axis=0) / max(1.0, counts.sum())
    return np.asarray(np.log((counts + PRIOR_COUNT) / (expected + PRIOR_COUNT)))


def _threshold(share: Floats) -> Floats:
    return np.asarray(math.log(SURENESS / (1 - SURENESS)) + np.log((1 - share) / share))


def _candidates(words: Words, statistics: WordStatistics, lang: int) -> Words:
    """Words of possibly foreign texts: an upper bound, with each word in its likeliest language."""
    bound = statistics.log_ratio.max(axis=0) - statistics.log_ratio[lang]
    return words.of(words.totals(bound) > statistics.threshold[lang])
