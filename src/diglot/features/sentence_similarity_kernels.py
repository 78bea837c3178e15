"""How many words of sentences are translated in others."""

from __future__ import annotations

import cython
import numpy as np
from cython.cimports.diglot.arrays import FloatsOut, IntRows, Ints, IntsOut
from cython.cimports.diglot.libm import NAN

UNTRANSLATED_COST = 0.2
"""Taken off the count for a word without a translation on the other side (PWCC, section 4.2)."""

_COST = cython.declare(cython.double, UNTRANSLATED_COST)


def similarities(
    src_words: Ints,
    src_starts: Ints,
    tgt_words: Ints,
    tgt_starts: Ints,
    beads: IntRows,
    way_starts: Ints,
    word_starts: Ints,
    words: Ints,
    tgt_count: cython.Py_ssize_t,
) -> np.ndarray:
    """Similarity of both sides of each bead; see :func:`diglot.features.sentence_similarity.sentence_similarities`."""
    free: IntsOut = np.zeros(tgt_count, np.int64)
    all_out = np.empty(beads.shape[0])
    out: FloatsOut = all_out
    with cython.nogil:
        for b in range(beads.shape[0]):
            src: Ints = src_words[src_starts[beads[b, 0]] : src_starts[beads[b, 1]]]
            tgt: Ints = tgt_words[tgt_starts[beads[b, 2]] : tgt_starts[beads[b, 3]]]
            if src.shape[0] == 0 or tgt.shape[0] == 0:
                out[b] = NAN if src.shape[0] == tgt.shape[0] else 0.0
                continue
            found = _translated(src, tgt, way_starts, word_starts, words, free)
            out[b] = (found - _COST * (src.shape[0] - found)) / max(src.shape[0], tgt.shape[0])
    return all_out


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _translated(
    src: Ints, tgt: Ints, way_starts: Ints, word_starts: Ints, words: Ints, free: IntsOut
) -> cython.Py_ssize_t:
    """Source words with a translation; ``free`` counts the target words not yet used, and is all 0 again after."""
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
            for k in range(start, taken):
                free[words[k]] += 1
    for place in range(tgt.shape[0]):
        free[tgt[place]] = 0
    return found
