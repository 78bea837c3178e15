"""The two dynamic programmes of alignment: beads by length, and edit distance of token streams.

Both fill a band of cells (see :mod:`diglot.alignment.bands`) with one byte a cell for the way back and rolling rows of
costs. The order of the operations decides ties, so the same input gives the same path everywhere.
"""

from __future__ import annotations

from typing import Any

import cython
import numpy as np
from cython.cimports.diglot.arrays import Bytes, BytesOut, FloatRows, FloatRowsOut, Floats, IntRowsOut, Ints
from cython.cimports.diglot.libm import INFINITY, fabs, log, sqrt

TEXT_CLASS = -1
"""Class of a text chunk in the arrays of :func:`token_path`; tags have classes from 0."""

_TEXT = cython.declare(cython.int, TEXT_CLASS)
_SUBSTITUTE = cython.declare(cython.int, 0)
_DELETE = cython.declare(cython.int, 1)
_INSERT = cython.declare(cython.int, 2)
_EDIT_ROWS = np.array([1, 1, 0], np.int64)
_EDIT_COLUMNS = np.array([1, 0, 1], np.int64)
"""Rows and columns of each of the three steps."""


def length_path(
    src_sums: Floats, tgt_sums: Floats, kinds: Any, band: Any, beads: Any, model: Any
) -> tuple[float, np.ndarray]:
    """Cheapest sequence of beads between two lists of lengths.

    ``src_sums``, ``tgt_sums``: cumulative lengths, (n + 1,) and (m + 1,), on one scale. ``kinds``: kind of block of
    each sentence, both sides. ``band``: a :class:`~diglot.alignment.bands.Band`. ``beads``: sentences a side and cost
    -log prior of every type. ``model``: variance a character, extra cost of a bead of several kinds, table and step of
    :func:`_fit_cost`. Returns the cost and the nodes, (k, 2), from (0, 0) to (n, m).
    """
    low: Ints = band.low
    high: Ints = band.high
    start: Ints = band.start
    bead_src: Ints = beads[0]
    bead_tgt: Ints = beads[1]
    bead_cost: Floats = beads[2]
    src_kinds: Ints = kinds[0]
    tgt_kinds: Ints = kinds[1]
    variance: cython.double = model[0]
    kind_cost: cython.double = model[1]
    table: Floats = model[2]
    table_step: cython.double = model[3]
    n: cython.Py_ssize_t = src_sums.shape[0] - 1
    m: cython.Py_ssize_t = tgt_sums.shape[0] - 1
    depth: cython.Py_ssize_t = beads[0].max() + 1
    costs: FloatRowsOut = np.full((depth, (band.high - band.low).max() + 1), np.inf)
    all_back = np.zeros(start[n + 1], np.uint8)
    back: BytesOut = all_back
    best: cython.double
    cost: cython.double
    choice: cython.int
    with cython.nogil:
        for i in range(n + 1):
            for j in range(low[i], high[i] + 1):
                best, choice = INFINITY, 0
                for kind in range(bead_src.shape[0]):
                    from_i, from_j = i - bead_src[kind], j - bead_tgt[kind]
                    if from_i < 0 or from_j < low[from_i] or from_j > high[from_i]:
                        continue
                    cost = costs[from_i % depth, from_j - low[from_i]] + bead_cost[kind]
                    # Fit costs are never negative: a type that is worse without needs no look at lengths.
                    if cost >= best:
                        continue
                    cost += _fit_cost(
                        src_sums[i] - src_sums[from_i], tgt_sums[j] - tgt_sums[from_j], variance, table, table_step
                    )
                    if kind_cost > 0 and _is_mixed(src_kinds, from_i, i, tgt_kinds, from_j, j):
                        cost += kind_cost
                    if cost < best:
                        best, choice = cost, kind
                costs[i % depth, j - low[i]] = 0.0 if i == 0 and j == 0 else best
                back[start[i] + j - low[i]] = choice
    return costs[n % depth, m - low[n]], _trace(all_back, low, high, start, bead_src, bead_tgt)


def token_path(
    src: Any, tgt: Any, substitute: FloatRows, text_weight: cython.double, band: Any
) -> tuple[float, np.ndarray]:
    """Cheapest edit of one token stream into another (Bitextor 2010, equations 6-9).

    A stream is (code, class, length, cost of leaving the token out), each of shape (n,); ``substitute`` holds the cost
    by pair of classes, inf for a forbidden one; two texts cost ``text_weight`` a unit of their difference in length.
    Substitution wins a tie with deletion, deletion a tie with insertion. Returns the cost and the nodes, (k, 2), from
    (0, 0) to (n, m).
    """
    src_code: Ints = src[0]
    src_class: Ints = src[1]
    src_length: Floats = src[2]
    delete: Floats = src[3]
    tgt_code: Ints = tgt[0]
    tgt_class: Ints = tgt[1]
    tgt_length: Floats = tgt[2]
    insert: Floats = tgt[3]
    low: Ints = band.low
    high: Ints = band.high
    start: Ints = band.start
    n: cython.Py_ssize_t = src_code.shape[0]
    m: cython.Py_ssize_t = tgt_code.shape[0]
    # Rows are stored one place to the right, inf around them: no step need be checked against the band.
    width = (band.high - np.concatenate((band.low[:1], band.low[:n]))).max() + 3
    costs: FloatRowsOut = np.full((2, width), np.inf)
    all_back = np.zeros(start[n + 1], np.uint8)
    back: BytesOut = all_back
    is_text: cython.bint
    is_other: cython.bint
    change: cython.double
    best: cython.double
    choice: cython.int
    with cython.nogil:
        for i in range(n + 1):
            row, above = i % 2, (i + 1) % 2
            for place in range(costs.shape[1]):
                costs[row, place] = INFINITY
            shift = low[i] - low[max(i - 1, 0)]
            is_text = i > 0 and src_class[i - 1] == _TEXT
            for j in range(low[i], high[i] + 1):
                place = j - low[i] + 1
                best, choice = INFINITY, _SUBSTITUTE
                if i > 0 and j > 0:
                    is_other = tgt_class[j - 1] == _TEXT
                    if is_text != is_other:
                        change = INFINITY
                    elif is_text:
                        change = text_weight * fabs(src_length[i - 1] - tgt_length[j - 1])
                    elif src_code[i - 1] == tgt_code[j - 1]:
                        change = 0.0
                    else:
                        change = substitute[src_class[i - 1], tgt_class[j - 1]]
                    best = costs[above, place + shift - 1] + change
                if i > 0 and costs[above, place + shift] + delete[i - 1] < best:
                    best, choice = costs[above, place + shift] + delete[i - 1], _DELETE
                if j > 0 and costs[row, place - 1] + insert[j - 1] < best:
                    best, choice = costs[row, place - 1] + insert[j - 1], _INSERT
                costs[row, place] = 0.0 if i == 0 and j == 0 else best
                back[start[i] + place - 1] = choice
    return costs[n % 2, m - low[n] + 1], _trace(all_back, low, high, start, _EDIT_ROWS, _EDIT_COLUMNS)


def _trace(back: Bytes, low: Ints, high: Ints, start: Ints, rows: Ints, columns: Ints) -> np.ndarray:
    """Nodes of a path from the last step into each cell (``back``); step k is rows[k] down and columns[k] right."""
    i: cython.Py_ssize_t = low.shape[0] - 1
    j: cython.Py_ssize_t = high[i]
    place: cython.Py_ssize_t = i + j
    all_nodes = np.zeros((place + 1, 2), np.int64)
    nodes: IntRowsOut = all_nodes
    with cython.nogil:
        nodes[place, 0], nodes[place, 1] = i, j
        while i > 0 or j > 0:
            step = back[start[i] + j - low[i]]
            i, j, place = i - rows[step], j - columns[step], place - 1
            nodes[place, 0], nodes[place, 1] = i, j
    return all_nodes[place:]


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
@cython.inline
def _fit_cost(
    src_length: cython.double,
    tgt_length: cython.double,
    variance: cython.double,
    table: Floats,
    step: cython.double,
) -> cython.double:
    """-log(2 (1 - Phi(abs(delta)))) of two lengths on one scale; the table holds it at multiples of ``step``.

    delta = (tgt - src) / sqrt(variance * mean length), as in the programme printed by Gale & Church; beyond the table
    the first terms of the asymptotic series (error under 0.001 from delta = 32 on).
    """
    mean = (src_length + tgt_length) / 2
    if mean <= 0:
        return 0.0
    delta = fabs(tgt_length - src_length) / sqrt(variance * mean)
    place = delta / step
    cell = cython.cast(cython.Py_ssize_t, place)
    if cell + 1 < table.shape[0]:
        return table[cell] + (place - cell) * (table[cell + 1] - table[cell])
    return delta * delta / 2 + log(delta) + 0.2257913526447274  # log(sqrt(pi / 2))


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _is_mixed(
    src_kinds: Ints,
    src_first: cython.Py_ssize_t,
    src_end: cython.Py_ssize_t,
    tgt_kinds: Ints,
    tgt_first: cython.Py_ssize_t,
    tgt_end: cython.Py_ssize_t,
) -> cython.bint:
    """Whether a two-sided bead has several kinds of block."""
    if src_first == src_end or tgt_first == tgt_end:
        return False
    others: cython.Py_ssize_t = 0
    for place in range(src_first, src_end):
        others += 1 if src_kinds[place] != src_kinds[src_first] else 0
    for place in range(tgt_first, tgt_end):
        others += 1 if tgt_kinds[place] != src_kinds[src_first] else 0
    return others > 0
