"""Segments whose lengths speak against them: one side far too long for the other, or both too short to say much."""

from __future__ import annotations

import math

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from diglot.arrays import Floats, Ints, Mask
from diglot.corpus.flags.codes import rows_by_code
from diglot.features.robust import robust_sd
from diglot.words import COUNTED_WORD, UNSPACED_SCRIPTS

RATIO_LEAST_CHARS = 20
"""Shorter texts have no typical length ratio."""
RATIO_LEAST_ROWS = 10
"""Rows of a language pair below which its typical length ratio is not known, and no row is flagged."""
RATIO_LEAST_BOUND = math.log(2.2)
RATIO_DEVIATIONS = 3.0
"""Standard deviations, as the median absolute deviation has them (Hampel 1974)."""
CHAR_VARIANCE = 6.8
"""Variance of the letters that translate one letter (Gale and Church 1993): that of a ratio falls with the length.
It is the least that is assumed; a site may show more."""

LEAST_WORDS = 3
"""A segment with fewer words on both sides is short."""
_UNSPACED = f"[{UNSPACED_SCRIPTS}]"
UNSPACED_LETTERS_PER_WORD = 2.0
"""Letters a word in scripts without spaces: the mean of Chinese words is between 1.5 and 2."""


def is_odd_length(segments: pa.Table, peers: Ints, *, usable: Mask) -> Mask:
    """Length ratio in characters beyond what is usual among the peers, learnt from their ``usable`` rows.

    ``peers``: the number of the site and language pair of each row, shape (rows,). A row is judged where both sides
    reach 20 characters, or would if they were as long as the other side leads one to expect: a heading of two
    Chinese characters passes, a paragraph against a word does not. Ratios of short texts vary more: the standard
    deviation falls with the square root of the length (Gale and Church 1993), until the site's own is reached.
    """
    src_chars, tgt_chars = (
        np.maximum(1.0, pc.utf8_length(segments[side]).to_numpy().astype(np.float64)) for side in ("src", "tgt")
    )
    log_ratio = np.log(tgt_chars / src_chars)
    long_enough = np.minimum(src_chars, tgt_chars) >= RATIO_LEAST_CHARS
    odd = np.zeros(len(log_ratio), dtype=bool)
    for rows in rows_by_code(peers):
        learnt = (usable & long_enough)[rows]
        if learnt.sum() < RATIO_LEAST_ROWS:
            continue
        median = float(np.median(log_ratio[rows][learnt]))
        src_reach = np.maximum(src_chars[rows], tgt_chars[rows] / math.exp(median))
        tgt_reach = np.maximum(tgt_chars[rows], src_chars[rows] * math.exp(median))
        length = _mean_length(src_chars[rows], tgt_chars[rows], median)
        bound = _bound(log_ratio[rows][learnt] - median, length[learnt], length)
        judged = np.minimum(src_reach, tgt_reach) >= RATIO_LEAST_CHARS
        odd[rows] = judged & (np.abs(log_ratio[rows] - median) > bound)
    return odd


def _mean_length(src: Floats, tgt: Floats, median: float) -> Floats:
    """Mean length of the two sides in letters of the language that writes more of them."""
    return np.asarray((src * math.exp(max(median, 0.0)) + tgt * math.exp(max(-median, 0.0))) / 2)


def _bound(residual: Floats, length: Floats, lengths: Floats) -> Floats:
    """Largest usual deviation of a log ratio at ``lengths``, learnt from the residuals at ``length``."""
    spread = math.sqrt(max(CHAR_VARIANCE, robust_sd(residual * np.sqrt(length)) ** 2))
    least = max(RATIO_DEVIATIONS * robust_sd(residual), RATIO_LEAST_BOUND)
    return np.maximum(RATIO_DEVIATIONS * spread / np.sqrt(lengths), least)


def is_too_short(segments: pa.Table) -> Mask:
    """Rows with fewer than ``LEAST_WORDS`` words on both sides."""
    return np.asarray(np.maximum(word_counts(segments["src"]), word_counts(segments["tgt"])) < LEAST_WORDS)


def word_counts(column: pa.ChunkedArray) -> Floats:
    """Words of each text; where words are not divided by spaces, as many as the letters make on average."""
    if not pc.any(pc.match_substring_regex(column, _UNSPACED)).as_py():
        return np.asarray(pc.count_substring_regex(column, COUNTED_WORD).to_numpy(), np.float64)
    unspaced = pc.count_substring_regex(column, _UNSPACED).to_numpy().astype(np.float64)
    spaced = pc.replace_substring_regex(column, _UNSPACED, " ")
    words = pc.count_substring_regex(spaced, COUNTED_WORD).to_numpy().astype(np.float64)
    return np.asarray(words + np.ceil(unspaced / UNSPACED_LETTERS_PER_WORD))
