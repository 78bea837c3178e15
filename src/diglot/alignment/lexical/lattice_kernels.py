"""Best paths through bands and through blocks, and sums over all paths of a band.

Records are those of :mod:`diglot.alignment.lexical.lattice`.
"""

from __future__ import annotations

from typing import Any

import cython
import numpy as np
from cython.cimports.diglot.arrays import (
    ByteRowsOut,
    Bytes,
    BytesOut,
    FloatRowsOut,
    Floats,
    FloatsOut,
    IntRowsOut,
    Ints,
    IntsOut,
    Mask,
    MaskOut,
    SingleRows,
    Singles,
)
from cython.cimports.diglot.libm import exp, log

from diglot.alignment.lexical.bead_scores_kernels import IMPOSSIBLE

_IMPOSSIBLE = cython.declare(cython.double, IMPOSSIBLE)
_MARGIN = cython.declare(cython.double, 30.0)
"""A cell is left out of the sums if its best path is worse than the best of all by more than this number of nats."""
_LEAST_EXPONENT = cython.declare(cython.double, -746.0)
"""exp is 0 from here down, which saves a call for most cells."""
_SIDE_STEP = cython.declare(cython.double, 0.5)
"""Share of the gain or cost of a diagonal step, for a step along one side."""
_MOST_LOST = cython.declare(cython.double, 1.0)
"""Most standard deviations that a side step costs, before the share: a long gap must not cost too much."""
_DIAGONAL = cython.declare(cython.int, 0)
_DOWN = cython.declare(cython.int, 1)
_RIGHT = cython.declare(cython.int, 2)
"""Steps of the path through blocks."""


def best_forward(scores: Singles, edges: Any, types: Any) -> tuple[np.ndarray, np.ndarray]:
    """Best score of a path from the first node to each cell, and its last bead; the first type wins a tie."""
    low: Ints = edges.low
    high: Ints = edges.high
    start: Ints = edges.start
    type_src: Ints = types.src
    type_tgt: Ints = types.tgt
    count: cython.Py_ssize_t = type_src.shape[0]
    cells: cython.Py_ssize_t = start[start.shape[0] - 1]
    all_best, all_back = np.full(cells, IMPOSSIBLE), np.zeros(cells, np.uint8)
    best: FloatsOut = all_best
    back: BytesOut = all_back
    score: cython.double
    best[0] = 0.0
    with cython.nogil:
        for i in range(low.shape[0]):
            here = start[i] - low[i]
            for k in range(count):
                from_i, b = i - type_src[k], type_tgt[k]
                if from_i < 0 or from_i == i:
                    continue
                before = start[from_i] - low[from_i] - b
                of_type = _column_zero(start, low, from_i, k, count) - b
                for j in range(max(low[i], low[from_i] + b), min(high[i], high[from_i] + b) + 1):
                    score = best[before + j] + scores[of_type + j]
                    if score > best[here + j]:
                        best[here + j] = score
                        back[here + j] = k
            # Steps along the row itself, from left to right.
            for j in range(low[i] + 1, high[i] + 1):
                for k in range(count):
                    b = type_tgt[k]
                    if type_src[k] == 0 and j - b >= low[i]:
                        of_type = _column_zero(start, low, i, k, count) - b
                        score = best[here + j - b] + scores[of_type + j]
                        if score > best[here + j] or (score == best[here + j] and k < back[here + j]):
                            best[here + j] = score
                            back[here + j] = k
    return all_best, all_back


def trace(back: Bytes, edges: Any, types: Any) -> np.ndarray:
    """The beads of the best path through the band: int64 (k, 3), row, column and type of each."""
    low: Ints = edges.low
    high: Ints = edges.high
    start: Ints = edges.start
    type_src: Ints = types.src
    type_tgt: Ints = types.tgt
    i: cython.Py_ssize_t = low.shape[0] - 1
    j: cython.Py_ssize_t = high[i]
    place: cython.Py_ssize_t = i + j
    all_path = np.zeros((place, 3), np.int64)
    path: IntRowsOut = all_path
    with cython.nogil:
        while i > 0 or j > 0:
            k = back[start[i] + j - low[i]]
            i, j, place = i - type_src[k], j - type_tgt[k], place - 1
            path[place, 0], path[place, 1], path[place, 2] = i, j, k
    return all_path[place:]


def near_best(scores: Singles, edges: Any, types: Any, forward: Floats) -> np.ndarray:
    """Mask of the cells on a path nearly as good as the best."""
    low: Ints = edges.low
    high: Ints = edges.high
    start: Ints = edges.start
    type_src: Ints = types.src
    type_tgt: Ints = types.tgt
    count: cython.Py_ssize_t = type_src.shape[0]
    n: cython.Py_ssize_t = low.shape[0] - 1
    cells: cython.Py_ssize_t = start[n + 1]
    backward: FloatsOut = np.full(cells, IMPOSSIBLE)
    all_near = np.zeros(cells, np.bool_)
    near: MaskOut = all_near
    score: cython.double
    backward[cells - 1] = 0.0
    with cython.nogil:
        for i in range(n, -1, -1):
            here = start[i] - low[i]
            for k in range(count):
                to_i, b = i + type_src[k], type_tgt[k]
                if to_i > n or to_i == i:
                    continue
                after = start[to_i] - low[to_i] + b
                of_type = _column_zero(start, low, i, k, count)
                for j in range(max(low[i], low[to_i] - b), min(high[i], high[to_i] - b) + 1):
                    score = backward[after + j] + scores[of_type + j]
                    backward[here + j] = score if score > backward[here + j] else backward[here + j]
            # Steps along the row itself, from right to left.
            for j in range(high[i], low[i] - 1, -1):
                if forward[here + j] < _IMPOSSIBLE / 2:
                    backward[here + j] = _IMPOSSIBLE
                    continue
                for k in range(count):
                    b = type_tgt[k]
                    if type_src[k] == 0 and j + b <= high[i]:
                        of_type = _column_zero(start, low, i, k, count)
                        backward[here + j] = max(backward[here + j], backward[here + j + b] + scores[of_type + j])
                near[here + j] = forward[here + j] + backward[here + j] >= forward[cells - 1] - _MARGIN
    return all_near


def near_span(near: Mask, edges: Any) -> tuple[np.ndarray, np.ndarray]:
    """First and last near column of every row; a row without one has the last column of the band, and -1."""
    low: Ints = edges.low
    high: Ints = edges.high
    start: Ints = edges.start
    n: cython.Py_ssize_t = low.shape[0]
    all_first, all_last = np.full(n, high[n - 1], np.int64), np.full(n, -1, np.int64)
    first: IntsOut = all_first
    last: IntsOut = all_last
    column: cython.longlong
    with cython.nogil:
        for i in range(n):
            for cell in range(start[i], start[i + 1]):
                if near[cell]:
                    column = low[i] + cell - start[i]
                    first[i] = min(first[i], column)
                    last[i] = column
    return all_first, all_last


def forward_backward(
    scores: Singles, edges: Any, types: Any, near: Mask, inverse_temperature: cython.double
) -> tuple[np.ndarray, np.ndarray]:
    """Log sums over all paths from the first node to every near cell, and from every near cell to the last node;
    float64 (cells,).

    ``inverse_temperature`` multiplies the scores; a value below 1 makes the sums less sure of the best path.
    """
    return (
        _sums_before(scores, edges, types, near, inverse_temperature),
        _sums_after(scores, edges, types, near, inverse_temperature),
    )


def _sums_before(scores: Singles, edges: Any, types: Any, near: Mask, inverse_temperature: cython.double) -> np.ndarray:
    """Log sums over all paths from the first node to every near cell."""
    low: Ints = edges.low
    high: Ints = edges.high
    start: Ints = edges.start
    type_src: Ints = types.src
    type_tgt: Ints = types.tgt
    all_sums = np.full(start[low.shape[0]], IMPOSSIBLE)
    sums: FloatsOut = all_sums
    terms: FloatsOut = np.empty(type_src.shape[0])
    count: cython.Py_ssize_t
    score: cython.double
    sums[0] = 0.0
    with cython.nogil:
        for i in range(low.shape[0]):
            for here in range(start[i], start[i + 1]):
                if not near[here] or here == 0:
                    continue
                count, j = 0, low[i] + here - start[i]
                for k in range(type_src.shape[0]):
                    from_i, from_j = i - type_src[k], j - type_tgt[k]
                    if from_i >= 0 and low[from_i] <= from_j <= high[from_i]:
                        score = scores[_column_zero(start, low, from_i, k, type_src.shape[0]) + from_j]
                        terms[count] = sums[start[from_i] + from_j - low[from_i]] + inverse_temperature * score
                        count += 1
                sums[here] = _log_sum(terms, count)
    return all_sums


def _sums_after(scores: Singles, edges: Any, types: Any, near: Mask, inverse_temperature: cython.double) -> np.ndarray:
    """Log sums over all paths from every near cell to the last node."""
    low: Ints = edges.low
    high: Ints = edges.high
    start: Ints = edges.start
    type_src: Ints = types.src
    type_tgt: Ints = types.tgt
    n: cython.Py_ssize_t = low.shape[0] - 1
    all_sums = np.full(start[n + 1], IMPOSSIBLE)
    sums: FloatsOut = all_sums
    terms: FloatsOut = np.empty(type_src.shape[0])
    count: cython.Py_ssize_t
    score: cython.double
    sums[start[n + 1] - 1] = 0.0
    with cython.nogil:
        for i in range(n, -1, -1):
            for here in range(start[i + 1] - 1, start[i] - 1, -1):
                if not near[here] or here == start[n + 1] - 1:
                    continue
                count, j = 0, low[i] + here - start[i]
                for k in range(type_src.shape[0]):
                    to_i, to_j = i + type_src[k], j + type_tgt[k]
                    if to_i <= n and low[to_i] <= to_j <= high[to_i]:
                        score = scores[_column_zero(start, low, i, k, type_src.shape[0]) + j]
                        terms[count] = sums[start[to_i] + to_j - low[to_i]] + inverse_temperature * score
                        count += 1
                sums[here] = _log_sum(terms, count)
    return all_sums


def likely_beads(
    scores: Singles, edges: Any, types: Any, forward: Floats, backward: Floats, least: cython.double
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Beads with a posterior of at least ``least``: int64 (k, 3) row, column, type; their posteriors; and the expected
    number of beads of every type."""
    low: Ints = edges.low
    high: Ints = edges.high
    start: Ints = edges.start
    type_src: Ints = types.src
    type_tgt: Ints = types.tgt
    rows: cython.Py_ssize_t = low.shape[0]
    whole: cython.double = forward[forward.shape[0] - 1]
    all_expected = np.zeros(type_src.shape[0])
    expected: FloatsOut = all_expected
    all_beads, all_posteriors = np.empty((1024, 3), np.int64), np.empty(1024)
    beads: IntRowsOut = all_beads
    posteriors: FloatsOut = all_posteriors
    count: cython.Py_ssize_t = 0
    posterior: cython.double
    with cython.nogil:
        for i in range(rows):
            for j in range(low[i], high[i] + 1):
                cell = start[i] + j - low[i]
                if forward[cell] + backward[cell] < whole - _MARGIN:
                    continue
                for k in range(type_src.shape[0]):
                    to_i, to_j = i + type_src[k], j + type_tgt[k]
                    if to_i >= rows or to_j < low[to_i] or to_j > high[to_i]:
                        continue
                    place = _column_zero(start, low, i, k, type_src.shape[0]) + j
                    posterior = forward[cell] + scores[place] + backward[start[to_i] + to_j - low[to_i]] - whole
                    if posterior < _LEAST_EXPONENT:
                        continue
                    posterior = exp(min(0.0, posterior))
                    expected[k] += posterior
                    if posterior >= least:
                        if count == beads.shape[0]:
                            with cython.gil:
                                all_beads = np.concatenate((all_beads, np.empty_like(all_beads)))
                                all_posteriors = np.concatenate((all_posteriors, np.empty_like(all_posteriors)))
                                beads = all_beads
                                posteriors = all_posteriors
                        beads[count, 0], beads[count, 1], beads[count, 2] = i, j, k
                        posteriors[count] = posterior
                        count += 1
    return all_beads[:count].copy(), all_posteriors[:count].copy(), all_expected


def block_path(gains: SingleRows) -> np.ndarray:
    """Cells of the best path from the first to the last, int64 (k, 2).

    A diagonal step is worth the gain of the cell that it enters, a step along one side :data:`_SIDE_STEP` times that.
    """
    rows: cython.Py_ssize_t = gains.shape[0]
    columns: cython.Py_ssize_t = gains.shape[1]
    best: FloatRowsOut = np.full((rows, columns), IMPOSSIBLE)
    back: ByteRowsOut = np.zeros((rows, columns), np.uint8)
    i: cython.Py_ssize_t
    j: cython.Py_ssize_t
    place: cython.Py_ssize_t = rows + columns - 2
    all_path = np.zeros((rows + columns - 1, 2), np.int64)
    path: IntRowsOut = all_path
    aside: cython.double
    best[0, 0] = 0.0
    with cython.nogil:
        for i in range(rows):
            for j in range(columns):
                aside = _SIDE_STEP * max(gains[i, j], -_MOST_LOST)
                if i > 0 and j > 0 and best[i - 1, j - 1] + gains[i, j] > best[i, j]:
                    best[i, j], back[i, j] = best[i - 1, j - 1] + gains[i, j], _DIAGONAL
                if i > 0 and best[i - 1, j] + aside > best[i, j]:
                    best[i, j], back[i, j] = best[i - 1, j] + aside, _DOWN
                if j > 0 and best[i, j - 1] + aside > best[i, j]:
                    best[i, j], back[i, j] = best[i, j - 1] + aside, _RIGHT
        i, j = rows - 1, columns - 1
        path[place, 0], path[place, 1] = i, j
        while i > 0 or j > 0:
            step = back[i, j]
            i, j, place = i - (1 if step != _RIGHT else 0), j - (1 if step != _DOWN else 0), place - 1
            path[place, 0], path[place, 1] = i, j
    return all_path[place:]


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
@cython.inline
def _log_sum(terms: FloatsOut, count: cython.Py_ssize_t) -> cython.double:
    """log of the sum of exp of the first ``count`` terms."""
    top: cython.double = _IMPOSSIBLE
    total: cython.double = 0.0
    for k in range(count):
        top = max(top, terms[k])
    if top <= _IMPOSSIBLE:
        return _IMPOSSIBLE
    for k in range(count):
        if terms[k] - top > _LEAST_EXPONENT:
            total += exp(terms[k] - top)
    return top + log(total)


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
@cython.inline
def _column_zero(
    start: Ints, low: Ints, row: cython.Py_ssize_t, kind: cython.Py_ssize_t, kinds: cython.Py_ssize_t
) -> cython.Py_ssize_t:
    """Place of column 0 of a row among the scores of a type; see
    :func:`diglot.alignment.lexical.bead_scores.places`."""
    return kinds * start[row] + kind * (start[row + 1] - start[row]) - low[row]
