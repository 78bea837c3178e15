"""Scores of all beads of a band. Records are those of :mod:`diglot.alignment.lexical.bead_scores`."""

from __future__ import annotations

from typing import Any

import cython
import numpy as np
from cython.cimports.diglot.arrays import FloatRows, Floats, Ints, SingleRows, SinglesOut
from cython.cimports.diglot.libm import log

IMPOSSIBLE = -1e30
"""Score of an impossible bead."""
GAIN_RANGE = 16.0
"""Nats of length evidence covered by the table, either way."""
GAIN_STEPS = 32.0
"""Steps a nat of the table of length evidence; the error of linear interpolation is under 0.0002."""

_GAIN_RANGE = cython.declare(cython.double, GAIN_RANGE)
_GAIN_STEPS = cython.declare(cython.double, GAIN_STEPS)
_SURELY_BEYOND = cython.declare(cython.double, 0.01)
"""Safety margin in nats: a gain that is this far below the table without its log term gets the first value of the table
at once; the log term could only lower the gain."""
_MAX_GAIN = cython.declare(cython.double, 50.0)
"""Nats of length evidence at most."""
_PI = cython.declare(cython.double, np.pi)


def bead_scores(edges: Any, types: Any, prior: Floats, words: Any, lengths: Any, blocks: Any) -> np.ndarray:
    """Log-likelihood ratio of every bead that starts in a cell of the band, float32 (cells * types,).

    Row by row, and in a row type by type; see :func:`diglot.alignment.lexical.bead_scores.places`. ``prior``: log share
    of every type.
    """
    low: Ints = edges.low
    high: Ints = edges.high
    start: Ints = edges.start
    type_src: Ints = types.src
    type_tgt: Ints = types.tgt
    row_low: Ints = words.rows.low
    row_start: Ints = words.rows.start
    column_low: Ints = words.columns.low
    column_start: Ints = words.columns.start
    forward: SingleRows = words.forward
    backward: SingleRows = words.backward
    weight: cython.double = words.weight
    src_sums: Floats = lengths.src
    tgt_sums: Floats = lengths.tgt
    alone: FloatRows = lengths.alone
    variance: cython.double = lengths.variance
    stray: Floats = lengths.stray
    src_opens: Ints = blocks.src_opens
    tgt_opens: Ints = blocks.tgt_opens
    src_kinds: Ints = blocks.src_kinds
    tgt_kinds: Ints = blocks.tgt_kinds
    opening: FloatRows = blocks.opening
    kinds: FloatRows = blocks.kinds
    src_steps: Floats = blocks.src_steps
    tgt_steps: Floats = blocks.tgt_steps
    n: cython.Py_ssize_t = low.shape[0] - 1
    all_scores = np.full(prior.shape[0] * start[n + 1], IMPOSSIBLE, np.float32)
    scores: SinglesOut = all_scores
    words_gain: cython.float
    src_length: cython.double
    src_gain: cython.double
    blocks_gain: cython.double
    score: cython.double
    with cython.nogil:
        for i in range(n + 1):
            for k in range(prior.shape[0]):
                a, b = type_src[k], type_tgt[k]
                end = i + a
                if end > n:
                    continue
                first, last = max(low[i], low[end] - b), min(high[i], high[end] - b)
                cell = prior.shape[0] * start[i] + k * (start[i + 1] - start[i]) - low[i]
                if a == 0 or b == 0:
                    for j in range(first, last + 1):
                        scores[cell + j] = prior[k]
                    continue
                src_length = src_sums[end] - src_sums[i]
                src_gain = src_steps[end - 1] - src_steps[i]
                place = row_start[i] - row_low[i]
                for j in range(first, last + 1):
                    other = column_start[j] + i - column_low[j]
                    score = prior[k]
                    words_gain = forward[place + j + b, a - 1] - forward[place + j, a - 1]
                    words_gain += backward[other + a, b - 1] - backward[other, b - 1]
                    score += weight * words_gain
                    score += _length_gain(src_length, tgt_sums[j + b] - tgt_sums[j], alone[j, b - 1], variance, stray)
                    blocks_gain = opening[src_opens[i], tgt_opens[j]] + kinds[src_kinds[i], tgt_kinds[j]]
                    blocks_gain += src_gain + tgt_steps[j + b - 1] - tgt_steps[j]
                    score += blocks_gain
                    scores[cell + j] = score
    return all_scores


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
@cython.inline
def _length_gain(
    src_length: cython.double, tgt_length: cython.double, alone: cython.double, variance: cython.double, stray: Floats
) -> cython.double:
    """Evidence of the lengths of a bead, in nats: log(stray + (1 - stray) density ratio), from a table."""
    if src_length <= 0 or tgt_length <= 0:
        return stray[0] if src_length > 0 or tgt_length > 0 else 0.0
    spread = variance * (src_length + tgt_length) / 2
    squared = (tgt_length - src_length) * (tgt_length - src_length)
    if spread >= 1.0 and squared > (_GAIN_RANGE + _SURELY_BEYOND - alone) * 2 * spread:
        return stray[0]
    gain = -squared / (2 * spread) - log(2 * _PI * spread) / 2
    gain -= alone
    place = (gain + _GAIN_RANGE) * _GAIN_STEPS
    if place <= 0:
        return stray[0]
    cell = cython.cast(cython.Py_ssize_t, place)
    if cell + 1 >= stray.shape[0]:
        return min(gain, _MAX_GAIN)
    return stray[cell] + (place - cell) * (stray[cell + 1] - stray[cell])
