"""The banded edit distance of two sequences of tags and lengths."""

from __future__ import annotations

from typing import Any

import cython
import numpy as np
from cython.cimports.diglot.arrays import FloatRowsOut, Floats, Int32Rows, Int32RowsOut, Ints, Ints32, SinglesOut
from cython.cimports.diglot.libm import INFINITY, ceil, floor

_FIRST_ASIDE = cython.declare(cython.Py_ssize_t, 128)
_WIDER = cython.declare(cython.Py_ssize_t, 4)
"""Width of the corridor on either side at the first try, and factor of its growth until the answer is proven."""
_CHECK_EVERY = cython.declare(cython.Py_ssize_t, 32)
"""Antidiagonals between two checks of the cells that can still lead to an answer within the limit."""


@cython.final
@cython.cclass
class _Work:
    """Two sequences and the cells of three antidiagonals, reused from pair to pair.

    ``symbols``: the ``m`` symbols of the first sequence, and the ``n`` symbols of the second, backwards. ``cells``:
    three rows. ``threshold``: relative difference above which a replacement of texts costs 1, else 0; if negative, a
    replacement costs the relative difference itself.
    """

    symbols: FloatRowsOut
    cells: FloatRowsOut
    m: cython.Py_ssize_t
    n: cython.Py_ssize_t
    threshold: cython.double

    def __init__(self, longest: cython.Py_ssize_t) -> None:
        self.symbols, self.cells = np.empty((2, longest + 1)), np.empty((3, longest + 3))


def bag_of_symbols(values: Ints32, offsets: Ints, tag_count: cython.int) -> np.ndarray:
    """Counts of tags, and of texts (last column), by sequence: int32 (n, tag_count + 1)."""
    all_bags = np.zeros((offsets.shape[0] - 1, tag_count + 1), np.int32)
    bags: Int32RowsOut = all_bags
    with cython.nogil:
        for row in range(offsets.shape[0] - 1):
            for k in range(offsets[row], offsets[row + 1]):
                bags[row, -1 - values[k] if values[k] < 0 else tag_count] += 1
    return all_bags


def distances(out: SinglesOut, pairs: Int32Rows, thresholds: Floats, limits: Floats, sequences: Any) -> None:
    """Fill ``out``; see :func:`diglot.features.fingerprint.banded_distances`."""
    values: Ints32 = sequences.values
    offsets: Ints = sequences.offsets
    bags: Int32Rows = sequences.bags
    longest: cython.Py_ssize_t = 0
    with cython.nogil:
        for k in range(pairs.shape[0]):
            longest = max(longest, offsets[pairs[k, 0] + 1] - offsets[pairs[k, 0]])
            longest = max(longest, offsets[pairs[k, 1] + 1] - offsets[pairs[k, 1]])
    work: _Work = _Work(longest)
    with cython.nogil:
        for k in range(pairs.shape[0]):
            i, j = pairs[k, 0], pairs[k, 1]
            # The bound by counts costs a fraction of the distance and rules most pairs out.
            if _bag_distance(bags[i], bags[j]) > limits[k]:
                out[k] = INFINITY
            else:
                work.m, work.n = offsets[i + 1] - offsets[i], offsets[j + 1] - offsets[j]
                work.threshold = thresholds[k]
                for place in range(work.m):
                    work.symbols[0, place] = values[offsets[i] + place]
                for place in range(work.n):
                    work.symbols[1, place] = values[offsets[j + 1] - 1 - place]
                out[k] = _distance(work, limits[k])


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _bag_distance(first: Ints32, second: Ints32) -> cython.longlong:
    """Lower bound of the edit distance, from the counts of tags and texts."""
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
def _distance(work: _Work, limit: cython.double) -> cython.double:
    """Edit distance of two sequences; inf beyond ``limit``."""
    apart: cython.Py_ssize_t = max(work.m, work.n) - min(work.m, work.n)
    if apart > limit:
        return INFINITY
    most: cython.double = min(limit, cython.cast(cython.double, work.m + work.n))
    widest: cython.Py_ssize_t = cython.cast(cython.Py_ssize_t, (most - apart) / 2)
    aside: cython.Py_ssize_t = min(_FIRST_ASIDE, widest)
    while True:
        # A path that strays aside + 1 has as many insertions and deletions more: so wide a corridor proves the answer.
        proven: cython.double = most if aside >= widest else min(most, apart + 2.0 * (aside + 1))
        answer = _corridor_distance(work, proven, aside)
        if answer <= proven or aside >= widest:
            return answer
        aside = min(_WIDER * aside, widest)


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _corridor_distance(work: _Work, limit: cython.double, aside: cython.Py_ssize_t) -> cython.double:
    """Edit distance by paths within ``aside`` of the diagonals of both corners; inf once beyond ``limit``.

    Cell ``i`` of antidiagonal ``s`` stands for the first ``i`` symbols of the first sequence and ``s - i`` of the
    second, is stored at ``i + 1``, and has the offset ``s - 2 i``. Finite limits only.
    """
    m, n = work.m, work.n
    a: cython.p_double = cython.address(work.symbols[0, 0])
    backwards: cython.p_double = cython.address(work.symbols[1, 0])
    before: cython.p_double = cython.address(work.cells[0, 0])
    last_cells: cython.p_double = cython.address(work.cells[1, 0])
    cells: cython.p_double = cython.address(work.cells[2, 0])
    low: cython.Py_ssize_t = min(0, n - m) - aside
    high: cython.Py_ssize_t = max(0, n - m) + aside
    last_first: cython.Py_ssize_t = 0
    last_last: cython.Py_ssize_t = 0
    first: cython.Py_ssize_t
    last: cython.Py_ssize_t
    start: cython.Py_ssize_t
    end: cython.Py_ssize_t
    for k in range(m + 3):
        before[k] = last_cells[k] = cells[k] = INFINITY
    last_cells[1] = 0.0
    for s in range(1, m + n + 1):
        first = max(max(0, s - n), -((high - s) >> 1))  # a shift rounds down where a division in C rounds to 0
        last = min(min(m, s), (s - low) >> 1)
        cells[first] = cells[last + 2] = INFINITY
        start, end = first, last
        if first == 0:
            cells[1] = s
            start = 1
        if last == s:
            cells[s + 1] = s
            end = s - 1
        # All cells of an antidiagonal come from the two before it, none from another: the loop can be vectorised.
        if end >= start:
            _fill_cells(
                cells + start + 1,
                before + start,
                last_cells + start,
                a + start - 1,
                backwards + (n - s + start),
                end - start + 1,
                work.threshold,
            )
        if s % _CHECK_EVERY == 0:
            here = _reach(cells, first, last, s, n - m, limit)
            there = _reach(last_cells, last_first, last_last, s - 1, n - m, limit)
            least, most = min(here[0], there[0]), max(here[1], there[1])
            if least > most:
                return INFINITY
            low = max(low, cython.cast(cython.Py_ssize_t, ceil(least)))
            high = min(high, cython.cast(cython.Py_ssize_t, floor(most)))
        before, last_cells, cells = last_cells, cells, before
        last_first, last_last = first, last
    answer = last_cells[m + 1]
    return answer if answer <= limit else INFINITY


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _fill_cells(
    cells: cython.p_double,
    before: cython.p_double,
    beside: cython.p_double,
    first: cython.p_double,
    second: cython.p_double,
    count: cython.Py_ssize_t,
    threshold: cython.double,
) -> cython.void:
    """Fill ``count`` cells from the cells ``before`` them on the diagonal and two ``beside`` them.

    ``first``, ``second``: the symbols of the cells, below 0 for tags. A tag replaces a tag, never a text.
    """
    for k in range(count):
        a, b = first[k], second[k]
        smaller = a if a < b else b
        larger = b if a < b else a
        cost = (larger - smaller) / (larger if larger > 0.0 else 1.0)
        if threshold >= 0:
            cost = 1.0 if cost > threshold else 0.0
        either = 1.0 if larger < 0.0 else INFINITY
        cost = cost if smaller >= 0.0 else either
        cost = 0.0 if a == b else cost
        step = (beside[k] if beside[k] < beside[k + 1] else beside[k + 1]) + 1.0
        best = before[k] + cost
        cells[k] = best if best < step else step


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _reach(
    cells: cython.p_double,
    first: cython.Py_ssize_t,
    last: cython.Py_ssize_t,
    number: cython.Py_ssize_t,
    difference: cython.Py_ssize_t,
    limit: cython.double,
) -> tuple[cython.double, cython.double]:
    """Least and greatest final offset of a path through an antidiagonal within ``limit``; least > greatest if none."""
    low: cython.double = INFINITY
    high: cython.double = -INFINITY
    for i in range(first, last + 1):
        left = limit - cells[i + 1]
        offset = number - 2 * i
        if left >= (difference - offset if difference > offset else offset - difference):
            low = min(low, (offset + difference - left) / 2)
            high = max(high, (offset + difference + left) / 2)
    return low, high
