"""Words without a counterpart in the translation, by what the other segments of a site and language pair show, and
words with their counterpart in another row of the page."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from diglot.arrays import Floats, Ints, Mask, distinct, offsets_of, run_places
from diglot.corpus.flags.codes import encode
from diglot.corpus.flags.counterparts_kernels import find_counterparts
from diglot.words import FOLDED_LETTERS, UNSPACED_SCRIPTS

MOST_FREQUENT, LEAST_FREQUENT = 0.1, 20
"""A word in more than this share of the texts, and in more texts than this, says nothing: articles stand beside all."""
DOUBTED_WORDS = 5
"""Words added to those of a segment, all with a counterpart: of three words one may well be a synonym."""
MOST_WORDS = 500
"""Words of a text that are looked at, more than a paragraph has: each is compared with all words of the other side."""
_UNSPACED = f"([{UNSPACED_SCRIPTS}])"
_BETWEEN_WORDS = r"[^\p{L}\p{M}]+"


class TextWords(NamedTuple):
    """Words of texts by number, text by text, once a text: text ``t`` has ``words[ends[t] - counts[t] : ends[t]]``."""

    words: Ints
    counts: Ints
    ends: Ints
    vocabulary: int
    is_character: Mask
    """Mask of the vocabulary: a character of a script without blanks, shape (vocabulary,)."""

    def of_texts(self, texts: Ints) -> tuple[Ints, Ints]:
        """Words of some texts, text by text, and the places of their texts in ``texts``."""
        counts = self.counts[texts]
        return self.words[run_places(self.ends[texts] - counts, counts)], np.repeat(np.arange(len(texts)), counts)

    def telling(self, texts: Ints) -> tuple[Ints, Ints]:
        """:meth:`of_texts` without frequent words of the texts."""
        words, places = self.of_texts(texts)
        most = max(LEAST_FREQUENT, MOST_FREQUENT * len(texts))
        is_telling = np.bincount(words, minlength=self.vocabulary)[words] <= most
        return words[is_telling], places[is_telling]


def words_of_texts(texts: pa.Array) -> TextWords:
    """Words of texts. A word is a run of letters, in lower case, to its fifth letter; without blanks, a character."""
    chunks = pc.utf8_split_whitespace(texts)
    # Words recur: each distinct one is cut and folded once.
    values, codes = encode(pa.chunked_array([chunks.flatten()]))
    runs = pc.split_pattern_regex(pc.replace_substring_regex(values, _UNSPACED, r" \1 "), _BETWEEN_WORDS)
    folds = pc.utf8_slice_codeunits(pc.utf8_lower(runs.flatten()), 0, FOLDED_LETTERS)
    folded, of_run = encode(pa.chunked_array([folds]))
    counts = pc.list_value_length(runs).to_numpy().astype(np.int64)
    words = of_run[run_places((np.cumsum(counts) - counts)[codes], counts[codes])]
    of_text = np.repeat(pc.list_parent_indices(chunks).to_numpy(), counts[codes])
    is_word = words != pc.index(folded, "").as_py()
    of_text, words = np.divmod(distinct(of_text[is_word] * len(folded) + words[is_word]), max(1, len(folded)))
    counts = np.bincount(of_text, minlength=len(texts))
    words = words[np.arange(len(words)) - np.repeat(np.cumsum(counts) - counts, counts) < MOST_WORDS]
    counts = np.minimum(counts, MOST_WORDS)
    is_character = pc.match_substring_regex(folded, _UNSPACED).to_numpy(zero_copy_only=False)
    return TextWords(words, counts, np.cumsum(counts), len(folded), np.asarray(is_character, bool))


def missing_shares(words: TextWords, srcs: Ints, tgts: Ints) -> Floats:
    """Share of the words of each pair of texts that lack a counterpart on the other side, both sides together; >= 0.

    Words are counterparts if they stand together in other pairs of texts (:func:`find_counterparts`). Thus a word that
    stands nowhere else lacks one. A missing word counts once, and more the oftener it has a counterpart elsewhere:
    -ln of the share of its texts without one. So the result may exceed 1. ``srcs``, ``tgts``: numbers of the texts of
    distinct pairs of one site and language pair.
    """
    (src_words, src_texts), (tgt_words, tgt_texts) = (words.telling(texts) for texts in (srcs, tgts))
    by_word = np.argsort(src_words, kind="stable")
    src_words, src_texts = src_words[by_word], src_texts[by_word]
    src_counts, tgt_counts = (np.bincount(side, minlength=words.vocabulary) for side in (src_words, tgt_words))
    tgt_sizes = np.bincount(tgt_texts, minlength=len(tgts))
    src_starts, tgt_starts = map(offsets_of, (src_counts, tgt_sizes))
    src_has, tgt_has = find_counterparts(src_starts, src_texts, tgt_starts, tgt_words, tgt_counts)
    missing, total = np.zeros(len(srcs)), np.full(len(srcs), float(DOUBTED_WORDS))
    for side, texts, counts, has in (
        (src_words, src_texts, src_counts, src_has),
        (tgt_words, tgt_texts, tgt_counts, tgt_has),
    ):
        lacking = np.bincount(side, ~has, minlength=words.vocabulary) / np.maximum(counts, 1)
        missing += np.bincount(texts[~has], 1 - np.log(lacking[side[~has]]), minlength=len(srcs))
        total += np.bincount(texts, minlength=len(srcs))
    return np.asarray(missing / total)


def crossed_shares(words: TextWords, sides: Ints, pages: Ints) -> Floats:
    """Share of the words of each row whose like stands in another row of the same two pages, in [0, 1].

    Each language sorts a table or a list anew. A name, a code or a loan word that is spelt alike in both languages, and
    stands once on each page, then has its counterpart in another row. Where this is so for words of both texts, the two
    do not belong together. For one text alone it says little: a translator may have taken another word. The characters
    of scripts without blanks are not looked at, as each stands in many words. ``sides``: numbers of the source and the
    target texts, int64 (2, rows). ``pages``: a code for the two pages of each row.
    """
    (src_words, src_rows), (tgt_words, tgt_rows) = (_words_once(words, texts, pages) for texts in sides)
    _, src_places, tgt_places = np.intersect1d(src_words, tgt_words, assume_unique=True, return_indices=True)
    src_rows, tgt_rows = src_rows[src_places], tgt_rows[tgt_places]
    is_crossed = src_rows != tgt_rows
    crossed = np.stack([np.bincount(rows[is_crossed], minlength=len(pages)) for rows in (src_rows, tgt_rows)])
    both = np.where(crossed.all(axis=0), crossed.sum(axis=0), 0)
    return np.asarray(both / np.maximum(words.counts[sides].sum(axis=0), 1))


def _words_once(words: TextWords, texts: Ints, pages: Ints) -> tuple[Ints, Ints]:
    """Words in a single row of their page pair, as numbers of word and pair, rising; and the row of each word."""
    found, rows = words.of_texts(texts)
    is_word = ~words.is_character[found]
    found, rows = found[is_word], rows[is_word]
    keys, first, times = np.unique(found + pages[rows] * words.vocabulary, return_index=True, return_counts=True)
    return keys[times == 1], rows[first[times == 1]]
