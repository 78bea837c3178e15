"""The flag ``gibberish``: the words of one side look like no others of its language on the site.

A translating machine that fails spells letters out, or puts pieces of words together at random. Such words are made of
parts (four letters, or two Korean syllables) that no other text of the site has. Parts of real words stand in many
texts.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from diglot.arrays import Floats, Ints, Mask, distinct
from diglot.corpus.flags.codes import rows_by_code
from diglot.corpus.flags.context import Context
from diglot.corpus.flags.site_texts import Words, are_among, words_of
from diglot.words import UNSPACED_SCRIPTS

PART_LETTERS, PART_SYLLABLES = 4, 2
"""Characters of a part of a word, a blank before and after the word included: letters, or Korean syllables."""
LEAST_PARTS = 16
"""Least number of parts on each side, about that of three words: a single rare word or name has fewer."""
MOST_NEW = 0.2
"""Largest share of new parts in a language. A part is new if it stands in a single text. With a larger share, the site
has too little text for its words to stand in several texts."""
LEAST_EXCESS, LEAST_GAP = 0.5, 0.4
"""Least excess of new parts on one side, and least difference from the excess of the other side: a new subject brings
new words to both sides. Excess 0: the usual share of the language; 1: all parts are new."""

_MIX = np.uint64(0x9E3779B97F4A7C15)
_UNSPACED, _HANGUL, _LATIN = f"[{UNSPACED_SCRIPTS}]", r"\p{Hangul}", r"^\p{Latin}[\p{Latin}\pM]*$"


class Vocabulary(NamedTuple):
    """The words of texts, and their parts: the parts of word ``k`` are ``part[starts[k]:starts[k + 1]]``."""

    words: Words
    part: Ints
    """Number of each part. Words of scripts without blanks between words have no parts."""
    starts: Ints
    is_latin: Mask
    """Shape (known words,)."""

    def counts(self) -> Ints:
        """Number of parts of each word, shape (known words,)."""
        return np.diff(self.starts)


def is_gibberish(context: Context) -> Mask:
    """Mask of rows where the words of one side are gibberish, shape (rows,). Each site and language pair is judged by
    itself."""
    found = np.zeros(context.segments.num_rows, bool)
    rows = np.flatnonzero(context.usable)
    texts, places = np.unique(context.texts.sides[:, rows], return_inverse=True)
    vocabulary = _vocabulary(words_of(context.texts.values.take(pa.array(texts))))
    sides = places.reshape(2, -1)
    for group in rows_by_code(context.peers[rows]):
        found[rows[group]] = _are_gibberish(vocabulary, *sides[:, group])
    return found


def _vocabulary(words: Words) -> Vocabulary:
    known = words.known
    unspaced, hangul, latin = (
        pc.match_substring_regex(known, pattern).to_numpy(zero_copy_only=False)
        for pattern in (_UNSPACED, _HANGUL, _LATIN)
    )
    # A short word has one part.
    padded = [f" {word} ".ljust(PART_LETTERS) for word in known.to_pylist()]
    codes = np.frombuffer("".join(padded).encode("utf-32-le"), np.uint32).astype(np.uint64)
    ends = np.cumsum([len(word) for word in padded], dtype=np.int64)
    word = np.repeat(np.arange(len(padded)), np.diff(ends, prepend=0))
    length = np.where(hangul, PART_SYLLABLES, PART_LETTERS)[word]
    is_part = (np.arange(len(codes)) + length <= ends[word]) & ~unspaced[word]
    mixed = np.zeros(len(codes), np.uint64)
    for letter in range(PART_LETTERS):
        mixed = np.where(letter < length, (mixed ^ np.roll(codes, -letter)) * _MIX, mixed)
    # A part counts once in a word.
    distinct_parts, part = np.unique(mixed[is_part], return_inverse=True)
    keys = distinct(word[is_part] * len(distinct_parts) + part)
    starts = np.searchsorted(keys, np.arange(len(padded) + 1) * len(distinct_parts))
    return Vocabulary(words, keys % max(len(distinct_parts), 1), starts, latin)


def _are_gibberish(vocabulary: Vocabulary, src: Ints, tgt: Ints) -> Mask:
    """Mask of pairs of texts, of one site and language pair, shape (pairs,); ``src``, ``tgt``: numbers of the texts."""
    known, counts = len(vocabulary.words.known), vocabulary.counts()
    sides = [vocabulary.words.take(texts) for texts in (src, tgt)]
    keys = [distinct(side.text * known + side.word) for side in sides]
    excess, parts = np.zeros((2, len(src))), np.zeros((2, len(src)))
    for side, texts in enumerate((src, tgt)):
        new, usual = _new_parts(vocabulary, texts)
        if usual > MOST_NEW:
            return np.zeros(len(src), bool)
        # A word on both sides is a name or untranslated text, which other flags cover.
        only_here = keys[side][~are_among(keys[side], keys[1 - side])]
        row, word = only_here // known, only_here % known
        parts[side] = np.bincount(row, counts[word] * (new[word] >= 0), len(src))
        share = np.bincount(row, np.maximum(new[word], 0), len(src)) / np.maximum(parts[side], 1)
        excess[side] = (share - usual) / (1 - usual)
    is_odd = (excess.max(axis=0) >= LEAST_EXCESS) & (np.abs(excess[0] - excess[1]) >= LEAST_GAP)
    return np.asarray(is_odd & (parts.min(axis=0) >= LEAST_PARTS), bool)


def _new_parts(vocabulary: Vocabulary, texts: Ints) -> tuple[Floats, float]:
    """Number of new parts of each word, (known words,), and the share of new parts in all texts; -1 for words that do
    not count: words of no text, and Latin words where most words are of other scripts."""
    words = vocabulary.words.take(np.unique(texts))
    is_latin = vocabulary.is_latin[words.word]
    counted = ~is_latin | (2 * is_latin.sum() >= len(is_latin))
    word, text = words.word[counted], words.text[counted]
    first, last = (np.full(len(vocabulary.is_latin), -1) for _ in range(2))
    first[word[::-1]], last[word] = text[::-1], text
    counts = vocabulary.counts()
    of_part = np.repeat(np.arange(len(counts)), counts)
    is_used = first[of_part] >= 0
    part, of_part = vocabulary.part[is_used], of_part[is_used]
    one_text = np.full(vocabulary.part.max(initial=0) + 1, -1)
    one_text[part] = first[of_part]
    is_shared = np.zeros(len(one_text), bool)
    is_shared[part[(one_text[part] != first[of_part]) | (first[of_part] != last[of_part])]] = True
    new = np.where(first >= 0, np.bincount(of_part, ~is_shared[part], len(counts)), -1.0)
    return new, float(new[word].sum() / max(counts[word].sum(), 1))
