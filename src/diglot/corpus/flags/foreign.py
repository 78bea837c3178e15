"""The foreign texts of a site, by their script, by an identifier of languages, and by their words.

Words are learnt from the texts of the site, which may themselves be mixed. Hence four steps:

1. A text without a letter in the scripts of its language is foreign, however short, and a text in another script than
   its tag names (``sr-Latn``, ``zh-TW``). A text in Latin letters is foreign where the site writes its language in
   another script, if it is likeliest in another language of the site.
2. The identifier reads a sample of the long texts of each language. Texts surely in another language teach the words of
   that language; the other texts teach the own words, common here and rarer in all other languages.
3. The identifier also reads all long texts with hardly an own word; those surely in another language are foreign.
4. Any text with words far commoner in another language of the site is foreign. Words are counted again without these
   texts, a few times.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
import pyarrow as pa

from diglot.arrays import Ints, Mask, distinct
from diglot.corpus.flags.foreign_by_identifier import (
    Reading,
    has_own_words,
    identify_texts,
    is_long,
    is_of_site,
)
from diglot.corpus.flags.foreign_by_words import SURENESS, WordStatistics, find_by_words
from diglot.corpus.flags.site_texts import Texts, Words, are_among, in_two_languages, words_of
from diglot.corpus.flags.variants import has_other_ideographs
from diglot.documents.language import is_identifiable
from diglot.documents.language_tags import language_of
from diglot.scripts import is_in_other_script, lacks_own_script, lacks_usual_script

SAMPLE = 500
"""Long texts of each language for the identifier: enough to see a language of one text in a hundred."""
COPIED_ODDS = math.log(SURENESS / (1 - SURENESS))
"""Least log odds of a third language for shared words, if they are half of each side. The prior is even, because sides
with so much in common are hardly translations."""
COPIED_WEIGHT = 1 / 3
"""Weight of a word on both sides: it may be a name or a title, or untranslated."""


class Verdicts(NamedTuple):
    """Verdicts on texts; masks of shape (texts,)."""

    foreign: Mask
    lacking: Mask
    """Foreign by script: the language of the text has other letters."""
    latin: Mask
    """Foreign in Latin letters where the site writes another script, but for names that stand on the other side, too
    (:func:`diglot.corpus.flags.names.shares_a_name`)."""
    by_words: Mask
    """Foreign by words, to be weighed again beside the other side."""
    words: Words
    statistics: WordStatistics
    lang: Ints
    """Row of ``statistics.langs``, shape (texts,)."""

    def stays(self, text: Ints, other: Ints) -> Mask:
        """Mask of texts still foreign by words beside the text of their other side; shape of ``text``.

        Each distinct word counts once, a word of both sides for less.
        """
        known = len(self.words.known)
        sides = (self.words.take(rows) for rows in (text, other))
        keys, copied = (distinct(side.text * known + side.word) for side in sides)
        mine = Words(keys % known, keys // known, self.words.known, len(text))
        weight = np.where(are_among(keys, copied), COPIED_WEIGHT, 1.0)
        stays = np.zeros(len(text), bool)
        for lang in np.unique(self.lang[text]).tolist():
            odds = self.statistics.against(mine, lang, weight)
            stays |= (self.lang[text] == lang) & (odds > self.statistics.threshold[lang])
        return stays

    def shared_words(self, src: Ints, tgt: Ints) -> Words:
        """The distinct words of both texts, if they are half of each; numbered as ``src``."""
        known = len(self.words.known)
        sides = [self.words.take(rows) for rows in (src, tgt)]
        mine, others = (distinct(side.text * known + side.word) for side in sides)
        copied = mine[are_among(mine, others)]
        most = np.maximum(*(np.bincount(side // known, minlength=len(src)) for side in (mine, others)))
        half = 2 * np.bincount(copied // known, minlength=len(src)) >= np.maximum(most, 1)
        return Words(copied % known, copied // known, self.words.known, len(src)).of(half)

    def are_third(self, copied: Words, src: Ints, tgt: Ints) -> Mask:
        """Mask of pairs with shared words in a third language, as of a title kept beside its translation in every
        language version; shape of ``src``."""
        third = np.ones(len(src), bool)
        for side in (src, tgt):
            for lang in np.unique(self.lang[side]).tolist():
                odds = self.statistics.against(copied, lang)
                third = third & ((self.lang[side] != lang) | (odds > COPIED_ODDS))
        return third


def foreign_texts(texts: Texts) -> Verdicts:
    """Verdicts on the judged texts."""
    lacking, latin = np.zeros((2, len(texts.text)), bool)
    langs = tuple(sorted(set(map(language_of, texts.tags))))
    for number, tag in enumerate(texts.tags):
        rows = np.flatnonzero(texts.lang == number)
        of_tag = texts.text.take(pa.array(rows))
        lacking[rows] = (
            lacks_own_script(of_tag, tag) | is_in_other_script(of_tag, tag) | has_other_ideographs(of_tag, tag)
        )
        for row in rows[lacks_usual_script(of_tag, tag) & ~lacking[rows]].tolist():
            latin[row] = is_of_site(texts.text[row].as_py(), langs, language_of(tag))
    words = words_of(texts.text)
    lang = np.array([langs.index(language_of(tag)) for tag in texts.tags], np.int64)[texts.lang]
    shared = in_two_languages(texts, lang)
    reading = Reading(langs, lang, np.full(len(lang), "", object), texts.judged, shared)
    readable = is_long(words) & ~lacking & ~latin & np.array(list(map(is_identifiable, langs)))[lang]
    for number in range(len(langs)):
        rows = np.flatnonzero(readable & (lang == number))
        identify_texts(texts, rows[:: math.ceil(len(rows) / SAMPLE) or 1], reading)
    doubtful = readable & texts.judged & ~has_own_words(words, reading)
    identify_texts(texts, np.flatnonzero(doubtful), reading)
    statistics, by_words = find_by_words(words, reading, lacking | latin)
    sure = (lacking | (reading.is_other() & doubtful)) & texts.judged
    return Verdicts(sure, lacking, latin & texts.judged, by_words & ~sure, words, statistics, lang)
