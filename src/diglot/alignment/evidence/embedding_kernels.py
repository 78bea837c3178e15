"""Cosines of the vectors of beads."""

from __future__ import annotations

import cython
import numpy as np
from cython.cimports.diglot.arrays import FloatsOut, IntRows, SingleBlocks, SinglesOut
from cython.cimports.diglot.libm import NAN, sqrt


def run_cosines(src: SingleBlocks, tgt: SingleBlocks, beads: IntRows) -> np.ndarray:
    """Cosine of the vectors of both sides of every bead, (k,); NaN for a zero vector.

    Parameters: vectors of runs (length of the run less one, first sentence, dimension); a longer run is the sum of its
    longest parts; beads (k, 4), first sentence and end of both sides.
    """
    all_found = np.empty(beads.shape[0])
    found: FloatsOut = all_found
    left: SinglesOut = np.empty(src.shape[2], np.float32)
    right: SinglesOut = np.empty(src.shape[2], np.float32)
    before: cython.longlong = -1
    before_end: cython.longlong = -1
    across: cython.float
    own: cython.float
    other: cython.float
    with cython.nogil:
        for b in range(beads.shape[0]):
            if beads[b, 0] != before or beads[b, 1] != before_end:
                before, before_end = beads[b, 0], beads[b, 1]
                _add_parts(left, src, before, before_end)
            _add_parts(right, tgt, beads[b, 2], beads[b, 3])
            across, own, other = 0.0, 0.0, 0.0
            for k in range(left.shape[0]):
                across += left[k] * right[k]
                own += left[k] * left[k]
                other += right[k] * right[k]
            length = cython.cast(cython.float, sqrt(own * other))
            found[b] = across / length if length > 0 else NAN
    return all_found


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _add_parts(
    total: SinglesOut, vectors: SingleBlocks, first: cython.Py_ssize_t, end: cython.Py_ssize_t
) -> cython.void:
    """Set ``total`` to the sum of the vectors of the parts of a run."""
    length: cython.Py_ssize_t
    for k in range(total.shape[0]):
        total[k] = 0.0
    while first < end:
        length = min(end - first, vectors.shape[0])
        for k in range(total.shape[0]):
            total[k] += vectors[length - 1, first, k]
        first += length
