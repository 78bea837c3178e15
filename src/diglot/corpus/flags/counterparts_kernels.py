"""Words of texts that have a counterpart in the translation."""

from __future__ import annotations

import cython
import numpy as np
from cython.cimports.diglot.arrays import Ints, IntsOut, MaskOut
from cython.cimports.diglot.libm import log

LEAST_RATIO = 7.88
"""Log-likelihood ratio of counterparts, twice: chance alone exceeds it once in 200 pairs (chi squared, one degree of
freedom). Dunning 1993."""
LEAST_OTHERS = 2
"""Texts with both words of counterparts, beside the text that is looked at."""

_LEAST_RATIO = cython.declare(cython.double, LEAST_RATIO)
_LEAST_OTHERS = cython.declare(cython.longlong, LEAST_OTHERS)


def find_counterparts(
    src_starts: Ints, src_texts: Ints, tgt_starts: Ints, tgt_words: Ints, tgt_counts: Ints
) -> tuple[np.ndarray, np.ndarray]:
    """Masks of the source and the target places with a counterpart in their own text; a text has a word once.

    Two words are counterparts if they stand together in other texts oftener than chance explains: the text looked at
    does not count. Places of source word ``w``: ``src_starts[w]`` to ``src_starts[w + 1]``, with their texts,
    ``src_texts``. Places of target text ``t``: ``tgt_starts[t]`` to ``tgt_starts[t + 1]``, with their words,
    ``tgt_words``. ``tgt_counts``: texts with each target word.
    """
    all_src, all_tgt = np.zeros(src_texts.shape[0], np.bool_), np.zeros(tgt_words.shape[0], np.bool_)
    src_has: MaskOut = all_src
    tgt_has: MaskOut = all_tgt
    together: IntsOut = np.zeros(tgt_counts.shape[0], np.int64)
    is_counterpart: MaskOut = np.zeros(tgt_counts.shape[0], np.bool_)
    touched: IntsOut = np.empty(tgt_counts.shape[0] + 1, np.int64)
    others: cython.double = tgt_starts.shape[0] - 2
    with cython.nogil:
        for word in range(src_starts.shape[0] - 1):
            if src_starts[word + 1] - src_starts[word] <= _LEAST_OTHERS:
                continue
            count: cython.Py_ssize_t = 0
            for place in range(src_starts[word], src_starts[word + 1]):
                for at in range(tgt_starts[src_texts[place]], tgt_starts[src_texts[place] + 1]):
                    touched[count] = tgt_words[at]
                    count += together[tgt_words[at]] == 0
                    together[tgt_words[at]] += 1
            for each in range(count):
                other = touched[each]
                usual: cython.double = (src_starts[word + 1] - src_starts[word] - 1) * (tgt_counts[other] - 1) / others
                found: cython.double = together[other] - 1  # the text looked at does not count
                together[other] = 0
                if found >= _LEAST_OTHERS and found > usual:
                    ratio: cython.double = found * log(found / usual) - (found - usual)
                    is_counterpart[other] = 2 * ratio >= _LEAST_RATIO
            for place in range(src_starts[word], src_starts[word + 1]):
                for at in range(tgt_starts[src_texts[place]], tgt_starts[src_texts[place] + 1]):
                    if is_counterpart[tgt_words[at]]:
                        src_has[place] = tgt_has[at] = True
            for each in range(count):
                is_counterpart[touched[each]] = False
    return all_src, all_tgt
