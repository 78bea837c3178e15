"""Cosines of vectors of runs of sentences, compiled."""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt

from diglot.compiled import compiled

Ints = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]
Singles = npt.NDArray[np.float32]


@compiled
def run_cosines(src: Singles, tgt: Singles, beads: Ints) -> Floats:
    """Cosine of the vectors of both sides of each bead, (k,); NaN where one is zero.

    Parameters: vectors of runs (length of the run less one, first sentence, dimension), the longest runs that have
    one serving as parts of longer ones; beads (k, 4), first sentence and end of both sides.
    """
    found = np.empty(len(beads))
    left, right = np.empty(src.shape[2], np.float32), np.empty(src.shape[2], np.float32)
    before, before_end = -1, -1
    for b in range(len(beads)):
        i, i_end, j, j_end = beads[b]
        if i != before or i_end != before_end:
            add_parts(left, src, i, i_end)
            before, before_end = i, i_end
        add_parts(right, tgt, j, j_end)
        across, own, other = np.float32(0.0), np.float32(0.0), np.float32(0.0)
        for k in range(len(left)):
            across += left[k] * right[k]
            own += left[k] * left[k]
            other += right[k] * right[k]
        found[b] = across / math.sqrt(own * other) if own * other > 0 else np.nan
    return found


@compiled
def add_parts(total: Singles, vectors: Singles, first: int, end: int) -> None:
    """Set ``total`` to the sum of the vectors of the parts of a run."""
    total[:] = 0.0
    while first < end:
        length = min(end - first, len(vectors))
        for k in range(len(total)):
            total[k] += vectors[length - 1, first, k]
        first += length
