"""The texts of a site and their words, as arrays of numbers."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from diglot.arrays import Floats, Ints, Mask, run_places
from diglot.words import UNSPACED_SCRIPTS

UNSPACED = f"[{UNSPACED_SCRIPTS}]"
_TEXTS_CUT = 1 << 14
"""Texts cut into words at a time; bounds memory."""
_CODE = r"\S*(?:[/_=@\\{}<>#$%~|^+*&0-9]|\pL[.:;(]+\pL)\S*|(?:^|\s)--?\pL\S*"
"""Runs of code between blanks: addresses, paths, variables, options, numbers with letters."""


class Texts(NamedTuple):
    """Distinct texts of one site, a row each."""

    text: pa.Array
    lang: Ints
    """Row of ``tags``, shape (texts,)."""
    tags: tuple[str, ...]
    """BCP 47."""
    judged: Mask
    """Sides of segments. The other texts are of pages in languages outside the run, and only teach."""


class Words(NamedTuple):
    """The words of texts, one after the other."""

    word: Ints
    """Row of ``known``, shape (words,)."""
    text: Ints
    """Row of the text, ascending, shape (words,)."""
    known: pa.Array
    texts: int

    def totals(self, of_word: Floats) -> Floats:
        """Sum over the words of each text; ``of_word`` is of shape (known,)."""
        return np.asarray(np.bincount(self.text, weights=of_word[self.word], minlength=self.texts), np.float64)

    def of(self, texts: Mask) -> Words:
        """The words of some texts."""
        taken = texts[self.text]
        return self._replace(word=self.word[taken], text=self.text[taken])

    def take(self, rows: Ints) -> Words:
        """The words of the texts ``rows``, numbered anew in this order; a text may occur more than once."""
        starts, ends = np.searchsorted(self.text, rows), np.searchsorted(self.text, rows, side="right")
        counts = ends - starts
        places = run_places(starts, counts)
        return Words(self.word[places], np.repeat(np.arange(len(rows)), counts), self.known, len(rows))

    def counts(self, member: Ints, classes: int) -> Floats:
        """Occurrences of each word in each class of texts, shape (classes, known); class -1 counts nowhere."""
        some = self.of(member >= 0)
        places = member[some.text] * len(self.known) + some.word
        return np.bincount(places, minlength=classes * len(self.known)).reshape(classes, -1).astype(np.float64)


def in_two_languages(texts: Texts, lang: Ints) -> Mask:
    """Mask of texts in two languages of the site."""
    number = texts.text.dictionary_encode().indices.to_numpy().astype(np.int64)
    return np.asarray(have_two(number, lang, len(texts.text))[number])


def words_of(texts: pa.Array) -> Words:
    """Words of texts in lower case, code left out; each letter of a script without blanks is a word."""
    starts = range(0, max(len(texts), 1), _TEXTS_CUT)
    cut = [_cut(texts.slice(start, _TEXTS_CUT)) for start in starts]
    codes = pa.chunked_array([words for words, _ in cut]).unify_dictionaries()
    known = codes.chunk(0).dictionary
    word = np.concatenate([chunk.indices.to_numpy() for chunk in codes.chunks]).astype(np.int64)
    text = np.concatenate([row + start for (_, row), start in zip(cut, starts, strict=True)])
    some = word != pc.index(known, "").as_py()
    return Words(word[some], text[some], known, len(texts))


def _cut(texts: pa.Array) -> tuple[pa.DictionaryArray, Ints]:
    """Words of some texts, "" among them where separators stand side by side or at an end of a text, and the row of the
    text of each."""
    apart = pc.utf8_lower(texts)
    if pc.any(pc.match_substring_regex(apart, UNSPACED)).as_py():
        apart = pc.replace_substring_regex(apart, rf"({UNSPACED})", r" \1 ")
    # Most separators are single blanks, and a split at a character takes half the time of one at a pattern.
    words = pc.replace_substring_regex(pc.replace_substring_regex(apart, _CODE, " "), r"[^\pL\pM ]+", " ")
    runs = pc.split_pattern(words, " ")
    return runs.flatten().dictionary_encode(), pc.list_parent_indices(runs).to_numpy().astype(np.int64)


def are_among(numbers: Ints, others: Ints) -> Mask:
    """Mask of numbers among the others; both ascending."""
    if not len(others):
        return np.zeros(len(numbers), bool)
    place = np.minimum(np.searchsorted(others, numbers), len(others) - 1)
    return np.asarray(others[place] == numbers)


def have_two(keys: Ints, values: Ints, size: int) -> Mask:
    """Mask of keys with two different values, shape (size,)."""
    first = np.full(size, -1)
    first[keys[::-1]] = values[::-1]
    found = np.zeros(size, bool)
    found[keys[values != first[keys]]] = True
    return found
