"""Lengths of segments: one side far too long for the other, or both sides short."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from diglot.arrays import Floats, Ints, Mask, distinct, robust_sd, run_places
from diglot.corpus.flags.codes import both_sides, encode, rows_by_code
from diglot.words import COUNTED_WORD, UNSPACED_SCRIPTS, WORD_LETTERS

RATIO_LEAST_CHARS = 20
"""Least characters of both sides of a row to learn from or to judge; ratios of shorter texts vary too much."""
RATIO_LEAST_ROWS = 10
"""Least rows of a language pair to learn the typical length ratio from; with fewer, no row is flagged."""
RATIO_LEAST_BOUND = math.log(2.2)
"""Deviation from the usual log ratio up to which a row is never flagged."""
RATIO_DEVIATIONS = 3.0
"""Standard deviations, estimated by the median absolute deviation (Hampel 1974)."""
CHAR_VARIANCE = 6.8
"""Least variance of the number of letters that translate one letter (Gale and Church 1993). A site may show more."""

LEAST_WORDS = 3
"""A segment is short if both sides have fewer words."""
_UNSPACED = f"[{UNSPACED_SCRIPTS}]"
UNSPACED_LETTERS_PER_WORD = 2.0
"""Letters counted as one word in scripts without spaces: the mean of Chinese words is between 1.5 and 2."""
_NEXT_WORD = rf"[^{WORD_LETTERS}](?s:.)*?"
"""The text between a word and any later word (RE2)."""
_OTHER_SCRIPT, _BETWEEN_LATIN = r"[^\P{L}\p{Latin}]", r"[^\p{Latin}\p{N}]+"


class Lengths(NamedTuple):
    """Lengths of the texts of segments in characters, each shape (rows,)."""

    src: Floats
    tgt: Floats
    shared: Floats
    """Characters of the Latin words and numbers that stand on both sides, where a side has letters of another script;
    else 0. Names, code and addresses are as long in a Japanese text as in an English one, and the rest is half as long.
    """

    def shorter_side(self) -> Floats:
        """Characters of the shorter side without shared words."""
        return np.minimum(self.src, self.tgt) - self.shared

    def log_ratios(self) -> Floats:
        """Log ratios of both sides without shared words."""
        return np.log((self.tgt - self.shared) / (self.src - self.shared))

    def take(self, rows: Ints | Mask) -> Lengths:
        """The lengths of these rows."""
        return Lengths(*(chars[rows] for chars in self))

    def stretch(self, median: float) -> tuple[Floats, Floats]:
        """Lengths of both sides in letters of the language with longer texts.

        ``median``: the usual log ratio.
        """
        src, tgt = (
            self.shared + (chars - self.shared) * math.exp(max(sign * median, 0.0))
            for chars, sign in ((self.src, 1), (self.tgt, -1))
        )
        return src, tgt


def is_odd_length(lengths: Lengths, peers: Ints, *, usable: Mask) -> Mask:
    """Mask of rows with an unusual length ratio, in characters, for their site and language pair (``peers``).

    The usual ratio is learnt from the ``usable`` rows. A row is judged if both sides reach 20 characters, in fact or as
    expected from the other side: a heading of two Chinese characters passes, a paragraph against a word does not.
    Ratios of short texts vary more: the standard deviation falls with the square root of the length (Gale and Church
    1993), down to that of the site.
    """
    long_enough = lengths.shorter_side() >= RATIO_LEAST_CHARS
    odd = np.zeros(len(peers), dtype=bool)
    for rows in rows_by_code(peers):
        learnt = (usable & long_enough)[rows]
        if learnt.sum() < RATIO_LEAST_ROWS:
            continue
        here = lengths.take(rows)
        median = float(np.median(here.log_ratios()[learnt]))
        src, tgt = here.stretch(median)
        deviation, mean = np.log(tgt / src), (src + tgt) / 2
        bound = _bound(deviation[learnt], mean[learnt], mean)
        # The reach of a side: its characters, or those expected from the other side.
        reach = np.maximum(src, tgt) * math.exp(-abs(median))
        odd[rows] = (reach >= RATIO_LEAST_CHARS) & (np.abs(deviation) > bound)
    return odd


def _bound(residual: Floats, learnt_lengths: Floats, lengths: Floats) -> Floats:
    """Largest usual deviation of a log ratio at ``lengths``, learnt from the residuals at ``learnt_lengths``."""
    spread = math.sqrt(max(CHAR_VARIANCE, robust_sd(residual * np.sqrt(learnt_lengths)) ** 2))
    least = max(RATIO_DEVIATIONS * robust_sd(residual), RATIO_LEAST_BOUND)
    return np.maximum(RATIO_DEVIATIONS * spread / np.sqrt(lengths), least)


def lengths_of(values: pa.Array, sides: Ints) -> Lengths:
    """Lengths of the texts of segments; every side counts at least one character besides the shared words.

    ``sides``: places of both sides among the texts ``values``, shape (2, rows).
    """
    shared = _shared_chars(values, sides)
    chars = pc.utf8_length(values).to_numpy().astype(np.float64)
    src, tgt = (np.maximum(1.0 + shared, chars[side]) for side in sides)
    return Lengths(src, tgt, shared)


def _shared_chars(values: pa.Array, sides: Ints) -> Floats:
    """Characters of Latin words and numbers on both sides of rows with a side in another script, shape (rows,)."""
    is_other = np.asarray(pc.match_substring_regex(values, _OTHER_SCRIPT).to_numpy(zero_copy_only=False), bool)
    mixed = np.flatnonzero(is_other[sides].any(axis=0))
    texts, places = np.unique(sides[:, mixed], return_inverse=True)
    words = pc.split_pattern_regex(values.take(pa.array(texts)), _BETWEEN_LATIN)
    known, word = encode(pa.chunked_array([words.flatten()]))
    counts = pc.list_value_length(words).to_numpy().astype(np.int64)
    starts = np.cumsum(counts) - counts
    keys = []
    for side in places.reshape(2, -1):
        row = np.repeat(np.arange(len(mixed)), counts[side])
        keys.append(distinct(row * len(known) + word[run_places(starts[side], counts[side])]))
    row, both = np.divmod(np.intersect1d(keys[0], keys[1], assume_unique=True), max(1, len(known)))
    chars = pc.utf8_length(known).to_numpy(zero_copy_only=False)
    shared = np.zeros(sides.shape[1])
    shared[mixed] = np.bincount(row, chars[both], minlength=len(mixed))
    return shared


def is_too_short(segments: pa.Table) -> Mask:
    """Rows with fewer than ``LEAST_WORDS`` words on both sides."""
    return np.asarray(~has_words(both_sides(segments), LEAST_WORDS).reshape(2, -1).any(axis=0))


def has_words(texts: pa.ChunkedArray, least: int) -> Mask:
    """Mask of the texts with ``least`` words or more; in scripts without spaces, two letters are a word."""
    # A search that ends at the last word asked for takes a quarter of the time of counting all.
    found = np.array(pc.match_substring_regex(texts, _NEXT_WORD.join([COUNTED_WORD] * least)), bool)
    unspaced = np.flatnonzero(pc.match_substring_regex(texts, _UNSPACED).to_numpy())
    if len(unspaced):
        found[unspaced] = _word_counts(texts.take(pa.array(unspaced))) >= least
    return found


def _word_counts(texts: pa.ChunkedArray) -> Floats:
    """Words of each text, those of scripts without spaces estimated from the number of letters."""
    unspaced = pc.count_substring_regex(texts, _UNSPACED).to_numpy().astype(np.float64)
    spaced = pc.replace_substring_regex(texts, _UNSPACED, " ")
    words = pc.count_substring_regex(spaced, COUNTED_WORD).to_numpy().astype(np.float64)
    return np.asarray(words + np.ceil(unspaced / UNSPACED_LETTERS_PER_WORD))
