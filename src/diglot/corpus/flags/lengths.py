"""Segments whose lengths speak against them: one side far too long for the other, or both too short to say much."""

from __future__ import annotations

import math

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from diglot.arrays import Floats, Ints, Mask
from diglot.features.robust import MAD_TO_SD
from diglot.words import COUNTED_WORD, UNSPACED_SCRIPTS

RATIO_LEAST_CHARS = 20
"""Shorter texts have no typical length ratio."""
RATIO_LEAST_ROWS = 10
"""Rows of a language pair below which its typical length ratio is not known, and no row is flagged."""
RATIO_LEAST_BOUND = math.log(2.2)
RATIO_DEVIATIONS = 3 * MAD_TO_SD
"""Median absolute deviations that make three standard deviations (Hampel 1974)."""

LEAST_WORDS = 3
"""A segment with fewer words on both sides is short."""
_UNSPACED = f"[{UNSPACED_SCRIPTS}]"
UNSPACED_LETTERS_PER_WORD = 2.0
"""Letters a word in scripts without spaces: the mean of Chinese words is between 1.5 and 2."""


def is_odd_length(segments: pa.Table, lang_pair: Ints, *, usable: Mask) -> Mask:
    """Length ratio in characters beyond what is usual for the language pair, learnt from the ``usable`` rows.

    A row is judged where both sides reach 20 characters, or would if they were as long as the other side
    leads one to expect: a heading of two Chinese characters passes, a paragraph against a word does not.
    """
    src_chars, tgt_chars = (
        np.maximum(1.0, pc.utf8_length(segments[side]).to_numpy().astype(np.float64)) for side in ("src", "tgt")
    )
    log_ratio = np.log(tgt_chars / src_chars)
    long_enough = np.minimum(src_chars, tgt_chars) >= RATIO_LEAST_CHARS
    odd = np.zeros(len(log_ratio), dtype=bool)
    for number in range(int(lang_pair.max()) + 1):
        rows = lang_pair == number
        known = log_ratio[rows & usable & long_enough]
        if len(known) < RATIO_LEAST_ROWS:
            continue
        median = float(np.median(known))
        bound = max(RATIO_DEVIATIONS * float(np.median(np.abs(known - median))), RATIO_LEAST_BOUND)
        src_reach = np.maximum(src_chars, tgt_chars / math.exp(median))
        tgt_reach = np.maximum(tgt_chars, src_chars * math.exp(median))
        judged = rows & (np.minimum(src_reach, tgt_reach) >= RATIO_LEAST_CHARS)
        odd |= judged & (np.abs(log_ratio - median) > bound)
    return odd


def is_too_short(segments: pa.Table) -> Mask:
    """Rows with fewer than ``LEAST_WORDS`` words on both sides."""
    return np.asarray(np.maximum(word_counts(segments["src"]), word_counts(segments["tgt"])) < LEAST_WORDS)


def word_counts(column: pa.ChunkedArray) -> Floats:
    """Words of each text; where words are not divided by spaces, as many as the letters make on average."""
    unspaced = pc.count_substring_regex(column, _UNSPACED).to_numpy().astype(np.float64)
    spaced = pc.replace_substring_regex(column, _UNSPACED, " ")
    words = pc.count_substring_regex(spaced, COUNTED_WORD).to_numpy().astype(np.float64)
    return np.asarray(words + np.ceil(unspaced / UNSPACED_LETTERS_PER_WORD))
