"""Lengths of segments: one side far too long for the other, or both sides short."""

from __future__ import annotations

import math

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from diglot.arrays import Floats, Ints, Mask, robust_sd
from diglot.corpus.flags.codes import rows_by_code
from diglot.words import COUNTED_WORD, UNSPACED_SCRIPTS

RATIO_LEAST_CHARS = 20
"""Least characters of a text with a typical length ratio."""
RATIO_LEAST_ROWS = 10
"""Least rows of a language pair to learn the typical length ratio from; with fewer, no row is flagged."""
RATIO_LEAST_BOUND = math.log(2.2)
RATIO_DEVIATIONS = 3.0
"""Standard deviations, estimated by the median absolute deviation (Hampel 1974)."""
CHAR_VARIANCE = 6.8
"""Least variance of the number of letters that translate one letter (Gale and Church 1993). A site may show more."""

LEAST_WORDS = 3
"""A segment is short if both sides have fewer words."""
_UNSPACED = f"[{UNSPACED_SCRIPTS}]"
UNSPACED_LETTERS_PER_WORD = 2.0
"""Letters a word in scripts without spaces: the mean of Chinese words is between 1.5 and 2."""


def is_odd_length(segments: pa.Table, peers: Ints, *, usable: Mask) -> Mask:
    """Mask of rows with an unusual length ratio, in characters, for their site and language pair (``peers``).

    The usual ratio is learnt from the ``usable`` rows. A row is judged if both sides reach 20 characters, in fact or as
    expected from the other side: a heading of two Chinese characters passes, a paragraph against a word does not.
    Ratios of short texts vary more: the standard deviation falls with the square root of the length (Gale and Church
    1993), down to that of the site.
    """
    src_chars, tgt_chars = side_chars(segments)
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
    """Mean length of both sides, in letters of the language with longer texts."""
    return np.asarray((src * math.exp(max(median, 0.0)) + tgt * math.exp(max(-median, 0.0))) / 2)


def _bound(residual: Floats, length: Floats, lengths: Floats) -> Floats:
    """Largest usual deviation of a log ratio at ``lengths``, learnt from the residuals at ``length``."""
    spread = math.sqrt(max(CHAR_VARIANCE, robust_sd(residual * np.sqrt(length)) ** 2))
    least = max(RATIO_DEVIATIONS * robust_sd(residual), RATIO_LEAST_BOUND)
    return np.maximum(RATIO_DEVIATIONS * spread / np.sqrt(lengths), least)


def side_chars(segments: pa.Table) -> tuple[Floats, Floats]:
    """Characters of both sides, one at least."""
    src, tgt = (
        np.maximum(1.0, pc.utf8_length(segments[side]).to_numpy().astype(np.float64)) for side in ("src", "tgt")
    )
    return src, tgt


def is_too_short(segments: pa.Table) -> Mask:
    """Rows with fewer than ``LEAST_WORDS`` words on both sides."""
    return np.asarray(np.maximum(word_counts(segments["src"]), word_counts(segments["tgt"])) < LEAST_WORDS)


def word_counts(column: pa.ChunkedArray) -> Floats:
    """Words of each text; in scripts without spaces, estimated from the number of letters."""
    if not pc.any(pc.match_substring_regex(column, _UNSPACED)).as_py():
        return np.asarray(pc.count_substring_regex(column, COUNTED_WORD).to_numpy(), np.float64)
    unspaced = pc.count_substring_regex(column, _UNSPACED).to_numpy().astype(np.float64)
    spaced = pc.replace_substring_regex(column, _UNSPACED, " ")
    words = pc.count_substring_regex(spaced, COUNTED_WORD).to_numpy().astype(np.float64)
    return np.asarray(words + np.ceil(unspaced / UNSPACED_LETTERS_PER_WORD))
