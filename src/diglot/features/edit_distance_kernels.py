"""The banded edit distance of two sequences of tags and lengths."""

from __future__ import annotations

import cython
import numpy as np
from cython.cimports.diglot.arrays import (
    FloatRowsOut,
    Floats,
    Int32Rows,
    Int32RowsOut,
    Ints,
    Ints32,
    SinglesOut,
)
from cython.cimports.diglot.libm import INFINITY

_FIRST_BAND = cython.declare(cython.Py_ssize_t, 32)
"""Half-width tried first where no limit bounds it; doubled until the answer is proven."""


def bag_of_symbols(values: Ints32, offsets: Ints, tag_count: cython.int) -> np.ndarray:
    """How often each tag, and any text (last column), occurs in each sequence: int32 (n, tag_count + 1)."""
    all_bags = np.zeros((offsets.shape[0] - 1, tag_count + 1), np.int32)
    bags: Int32RowsOut = all_bags
    with cython.nogil:
        for row in range(offsets.shape[0] - 1):
            for k in range(offsets[row], offsets[row + 1]):
                bags[row, -1 - values[k] if values[k] < 0 else tag_count] += 1
    return all_bags


def distances(
    out: SinglesOut,
    pairs: Int32Rows,
    thresholds: Floats,
    limits: Floats,
    values: Ints32,
    offsets: Ints,
    bags: Int32Rows,
) -> None:
    """Fill ``out``; see :func:`diglot.features.edit_distance.banded_distances`."""
    longest: cython.Py_ssize_t = 0
    with cython.nogil:
        for k in range(pairs.shape[0]):
            longest = max(longest, offsets[pairs[k, 0] + 1] - offsets[pairs[k, 0]])
            longest = max(longest, offsets[pairs[k, 1] + 1] - offsets[pairs[k, 1]])
    rows: FloatRowsOut = np.empty((2, 2 * longest + 3))
    with cython.nogil:
        for k in range(pairs.shape[0]):
            i, j = pairs[k, 0], pairs[k, 1]
            if _bag_distance(bags[i], bags[j]) > limits[k]:
                out[k] = INFINITY
            else:
                a: Ints32 = values[offsets[i] : offsets[i + 1]]
                b: Ints32 = values[offsets[j] : offsets[j + 1]]
                out[k] = _distance(a, b, thresholds[k], limits[k], rows)


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _bag_distance(first: Ints32, second: Ints32) -> cython.longlong:
    """Lower bound of the edit distance: symbols that one side has too many of."""
    more: cython.longlong = 0
    less: cython.longlong = 0
    for k in range(first.shape[0]):
        difference = first[k] - second[k]
        if difference > 0:
            more += difference
        else:
            less -= difference
    return max(more, less)


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
@cython.inline
def _substitution(a: cython.int, b: cython.int, threshold: cython.double) -> cython.double:
    """Cost of writing ``b`` for ``a``; a negative threshold asks for the direct cost."""
    if a == b:
        return 0.0
    if a < 0 or b < 0:
        return 1.0 if a < 0 and b < 0 else INFINITY
    difference = cython.cast(cython.double, abs(a - b)) / max(a, b)
    if threshold < 0:
        return difference
    return 1.0 if difference > threshold else 0.0


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _band_distance(
    a: Ints32,
    b: Ints32,
    threshold: cython.double,
    limit: cython.double,
    half: cython.Py_ssize_t,
    rows: FloatRowsOut,
) -> cython.double:
    """Edit distance within ``half`` cells of the diagonal; inf once it must exceed ``limit``.

    Cell ``c`` of row ``i`` stands for the first ``i`` symbols of ``a`` and ``i + c - 1 - half`` of ``b``.
    """
    m, n = a.shape[0], b.shape[0]
    if max(m, n) - min(m, n) > half:
        return INFINITY
    width = 2 * half + 1
    previous: cython.p_double = cython.address(rows[0, 0])
    current: cython.p_double = cython.address(rows[1, 0])
    for c in range(width + 2):
        previous[c] = current[c] = INFINITY
    for c in range(half + 1, min(width, n + half + 1) + 1):
        previous[c] = c - 1 - half
    for i in range(1, m + 1):
        first, last = max(1, half + 1 - i), min(width, n - i + half + 1)
        symbol = a[i - 1]
        lowest = INFINITY
        if i + first - 1 - half == 0:
            current[first] = i
            lowest = i
            first += 1
        left = current[first - 1]
        for c in range(first, last + 1):
            best = previous[c] + _substitution(symbol, b[i + c - 2 - half], threshold)
            step = min(left, previous[c + 1]) + 1.0
            left = min(best, step)
            current[c] = left
            lowest = min(lowest, left)
        if lowest > limit:
            return INFINITY
        previous, current = current, previous
    answer = previous[n - m + half + 1]
    return answer if answer <= limit else INFINITY


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _distance(
    a: Ints32, b: Ints32, threshold: cython.double, limit: cython.double, rows: FloatRowsOut
) -> cython.double:
    """A path with k insertions or deletions strays at most k from the diagonal: a band as wide as the
    answer proves it."""
    widest: cython.Py_ssize_t = max(a.shape[0], b.shape[0])
    needed: cython.Py_ssize_t = widest - min(a.shape[0], b.shape[0])
    if limit < widest:
        widest = cython.cast(cython.Py_ssize_t, limit)
    half: cython.Py_ssize_t = min(max(_FIRST_BAND, needed), widest)
    while True:
        proven: cython.double = limit if half >= widest else min(limit, half)
        answer = _band_distance(a, b, threshold, proven, half, rows)
        if answer <= half or half >= widest:
            return answer
        half = min(2 * half, widest)
