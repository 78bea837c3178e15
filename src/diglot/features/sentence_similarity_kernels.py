"""Number of a sentence's words with a translation in a second sentence."""

from __future__ import annotations

from typing import Any

import cython
import numpy as np
from cython.cimports.diglot.arrays import FloatsOut, IntRows, Ints, IntsOut
from cython.cimports.diglot.libm import NAN

UNTRANSLATED_COST = 0.2
"""Taken off the count for a word without a translation on the other side (PWCC, section 4.2)."""

_COST = cython.declare(cython.double, UNTRANSLATED_COST)


def similarities(src: Any, tgt: Any, beads: IntRows, known: Any) -> np.ndarray:
    """Similarity of both sides of each bead; see :func:`diglot.features.sentence_similarity.sentence_similarities`."""
    src_words: Ints = src.words
    src_starts: Ints = src.starts
    tgt_words: Ints = tgt.words
    tgt_starts: Ints = tgt.starts
    way_starts: Ints = known.way_starts
    word_starts: Ints = known.word_starts
    words: Ints = known.words
    free: IntsOut = np.zeros(known.tgt_count, np.int64)
    all_out = np.empty(beads.shape[0])
    out: FloatsOut = all_out
    with cython.nogil:
        for b in range(beads.shape[0]):
            mine: Ints = src_words[src_starts[beads[b, 0]] : src_starts[beads[b, 1]]]
            other: Ints = tgt_words[tgt_starts[beads[b, 2]] : tgt_starts[beads[b, 3]]]
            if mine.shape[0] == 0 or other.shape[0] == 0:
                out[b] = NAN if mine.shape[0] == other.shape[0] else 0.0
                continue
            found = _count_translated(mine, other, way_starts, word_starts, words, free)
            out[b] = (found - _COST * (mine.shape[0] - found)) / max(mine.shape[0], other.shape[0])
    return all_out


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _count_translated(
    src: Ints, tgt: Ints, way_starts: Ints, word_starts: Ints, words: Ints, free: IntsOut
) -> cython.Py_ssize_t:
    """Number of source words with a translation; ``free``: uses left of each target word, all 0 before and after."""
    found: cython.Py_ssize_t = 0
    for place in range(tgt.shape[0]):
        free[tgt[place]] += 1
    for place in range(src.shape[0]):
        for way in range(way_starts[src[place]], way_starts[src[place] + 1]):
            start, end = word_starts[way], word_starts[way + 1]
            taken = start
            while taken < end and free[words[taken]] > 0:
                free[words[taken]] -= 1
                taken += 1
            if taken == end:
                found += 1
                break
            # The way needs all of its words: those used so far are free again.
            for k in range(start, taken):
                free[words[k]] += 1
    for place in range(tgt.shape[0]):
        free[tgt[place]] = 0
    return found
