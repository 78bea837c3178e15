"""Lexical scores of sentences beside runs of sentences.

See :mod:`diglot.alignment.lexical.bead_scores` for the terms: sentences of the ``span`` side form runs, and the
translation table leads from their units to units of the ``other`` side.
"""

from __future__ import annotations

from typing import Any

import cython
import numpy as np
from cython.cimports.diglot.alignment.lexical.sizes import DEPTH, FOLDS
from cython.cimports.diglot.arrays import (
    ByteRows,
    Floats,
    FloatsOut,
    Indices,
    IndicesOut,
    IntRows,
    Ints,
    IntsOut,
    MaskOut,
    SingleRows,
    SingleRowsOut,
    Singles,
)
from cython.cimports.diglot.libm import log

SIZES = (FOLDS, DEPTH)
"""Number of folds, and most sentences of a bead: the functions are compiled for these sizes."""
ANY_FOLD = -1
"""Fold of a target sentence: only source sentences have folds."""

_ANY_FOLD = cython.declare(cython.int, ANY_FOLD)
_UNITS_A_LOG = cython.declare(cython.int, 12)
"""Factors multiplied before a logarithm is taken. A factor is below 1e20, so 12 of them stay within a double."""
_MOST_PRODUCT = cython.declare(cython.double, 1e200)
"""Product from which on a logarithm is taken; one more factor stays within a double."""


@cython.final
@cython.cclass
class _Words:
    """One :class:`~diglot.alignment.lexical.bead_scores.Direction`, and for every unit of the other side the sum over
    the entries of some span sentences, times the odds of that unit, (units, FOLDS)."""

    table_offsets: Ints
    table_ids: Indices
    table_values: SingleRows
    span_offsets: Indices
    span_numbers: Indices
    span_folds: Ints
    other_offsets: Indices
    other_numbers: Indices
    other_folds: Ints
    odds: Singles
    sums: SingleRowsOut

    def __init__(self, words: Any) -> None:
        self.table_offsets, self.table_ids, self.table_values = words.table
        self.span_offsets, self.span_numbers = words.span
        self.other_offsets, self.other_numbers = words.other
        self.span_folds, self.other_folds = words.span_folds, words.other_folds
        self.odds = ((1.0 - words.null) / words.null).astype(np.float32)
        self.sums = np.zeros((len(words.null), FOLDS), np.float32)


@cython.final
@cython.cclass
class _Runs:
    """Runs of 1 .. DEPTH sentences from one sentence on: sums of every unit beside them, (units, DEPTH), 1 / units of
    each run, and the log-likelihood ratios of the sentence beside them."""

    units: SingleRowsOut
    scale: cython.double[DEPTH]
    gains: cython.double[DEPTH]

    def __init__(self, units: SingleRowsOut) -> None:
        self.units = units


def word_scores(direction: Any, window: Any) -> np.ndarray:
    """How much likelier single sentences are beside runs of 1 .. DEPTH sentences of the other side, in nats.

    Returns: float32 (places, DEPTH); place k of run i is the sum over the first k sentences compared.
    """
    words: _Words = _Words(direction)
    other_offsets: Indices = words.other_offsets
    other_numbers: Indices = words.other_numbers
    other_folds: Ints = words.other_folds
    table_ids: Indices = words.table_ids
    null: Floats = direction.null
    low: Ints = window.low
    start: Ints = window.start
    count: cython.Py_ssize_t = words.span_offsets.shape[0] - 1
    nulls: FloatsOut = np.empty(null.shape[0])
    alone: FloatsOut = np.zeros(other_offsets.shape[0] - 1)
    known_offsets: IndicesOut = np.zeros(other_offsets.shape[0], np.uint32)
    known_numbers: IndicesOut = np.empty(other_numbers.shape[0], np.uint32)
    is_known: MaskOut = np.zeros(null.shape[0], np.bool_)
    runs: _Runs = _Runs(np.zeros((other_numbers.shape[0], DEPTH), np.float32))
    all_out = np.zeros((start[start.shape[0] - 1], DEPTH), np.float32)
    out: SingleRowsOut = all_out
    totals = cython.declare(cython.double[DEPTH])
    known: cython.Py_ssize_t
    units: cython.Py_ssize_t
    with cython.nogil:
        for u in range(null.shape[0]):
            nulls[u] = log(null[u])
        for e in range(table_ids.shape[0]):
            is_known[table_ids[e]] = True
        known = 0
        for j in range(alone.shape[0]):
            for q in range(other_offsets[j], other_offsets[j + 1]):
                alone[j] += nulls[other_numbers[q]]
                # A unit without any entry in the table says nothing beside any run.
                if is_known[other_numbers[q]]:
                    known_numbers[known] = other_numbers[q]
                    known += 1
            known_offsets[j + 1] = known
        for i in range(count - 1, -1, -1):  # backwards, as _move_runs makes runs longer at their front
            for a in range(DEPTH):
                units = words.span_offsets[min(i + a + 1, count)] - words.span_offsets[i]
                runs.scale[a] = 1.0 / units if units > 0 else 0.0
                totals[a] = 0.0
            _add_entries(words, i)
            # Also the sentences before low[i]: runs that start earlier hold this sentence and are compared with them.
            first = low[max(i - DEPTH + 1, 0)]
            for j in range(first, low[i] + start[i + 1] - start[i] - 1):
                _move_runs(runs, words, known_numbers, known_offsets[j], known_offsets[j + 1], max(other_folds[j], 0))
                if j >= low[i]:
                    place = start[i] + j - low[i] + 1
                    for a in range(DEPTH):
                        totals[a] += runs.gains[a] + (alone[j] if runs.scale[a] > 0 else 0.0)
                        out[place, a] = totals[a]
            _clear_entries(words, i)
    return all_out


def explained_units(
    direction: Any, classes: Ints, beads: IntRows, class_count: cython.Py_ssize_t
) -> tuple[np.ndarray, np.ndarray]:
    """By class, how many units of the other side of beads the table explains, and how many units there are.

    ``beads``: int64 (k, 4), first and end of the run in the span side, first and end of the run in the other side.
    """
    words: _Words = _Words(direction)
    all_explained, all_units = np.zeros(class_count), np.zeros(class_count)
    explained: FloatsOut = all_explained
    units: FloatsOut = all_units
    size: cython.double
    value: cython.double
    with cython.nogil:
        for bead in range(beads.shape[0]):
            size = words.span_offsets[beads[bead, 1]] - words.span_offsets[beads[bead, 0]]
            if size == 0:
                continue
            for i in range(beads[bead, 0], beads[bead, 1]):
                _add_entries(words, i)
            for j in range(beads[bead, 2], beads[bead, 3]):
                fold = max(words.other_folds[j], 0)
                for q in range(words.other_offsets[j], words.other_offsets[j + 1]):
                    t = words.other_numbers[q]
                    value = words.sums[t, fold]
                    explained[classes[t]] += value / (size + value)
                    units[classes[t]] += 1
            for i in range(beads[bead, 0], beads[bead, 1]):
                _clear_entries(words, i)
    return all_explained, all_units


def word_support(direction: Any, speaks: ByteRows, beads: IntRows) -> tuple[np.ndarray, np.ndarray]:
    """How much likelier the units of the other side of beads are as translations than alone, in nats, and how many of
    them the table explains, more likely than not.

    ``speaks``: (units, FOLDS), units of the other side that count. ``beads``: as in :func:`explained_units`; equal runs
    of the span side one after the other cost less. Returns: float64 (k,), int64 (k,).
    """
    words: _Words = _Words(direction)
    all_gains, all_known = np.zeros(beads.shape[0]), np.zeros(beads.shape[0], np.int64)
    gains: FloatsOut = all_gains
    known: IntsOut = all_known
    null: Floats = direction.null
    size: cython.double
    value: cython.double
    begin: cython.Py_ssize_t = 0
    end: cython.Py_ssize_t = 0
    with cython.nogil:
        for bead in range(beads.shape[0]):
            size = words.span_offsets[beads[bead, 1]] - words.span_offsets[beads[bead, 0]]
            if size == 0:
                continue
            if beads[bead, 0] != begin or beads[bead, 1] != end:
                for i in range(begin, end):
                    _clear_entries(words, i)
                begin, end = beads[bead, 0], beads[bead, 1]
                for i in range(begin, end):
                    _add_entries(words, i)
            for j in range(beads[bead, 2], beads[bead, 3]):
                fold = max(words.other_folds[j], 0)
                for q in range(words.other_offsets[j], words.other_offsets[j + 1]):
                    t = words.other_numbers[q]
                    if speaks[t, max(words.span_folds[beads[bead, 0]], fold)]:
                        value = words.sums[t, fold]
                        gains[bead] += log(null[t] * (1.0 + value / size))
                        known[bead] += value >= size
    return all_gains, all_known


def block_scores(direction: Any, size: cython.Py_ssize_t) -> np.ndarray:
    """How much likelier the units of every block of the other side are for those of every block of the span side.

    A block is ``size`` sentences. Returns: float32 (blocks of the span side, blocks of the other side), nats.
    """
    words: _Words = _Words(direction)
    other_offsets: Indices = words.other_offsets
    other_numbers: Indices = words.other_numbers
    sums: SingleRows = words.sums
    rows: cython.Py_ssize_t = words.span_offsets.shape[0] - 1
    columns: cython.Py_ssize_t = other_offsets.shape[0] - 1
    all_scores = np.zeros(((rows + size - 1) // size, (columns + size - 1) // size), np.float32)
    scores: SingleRowsOut = all_scores
    scale: cython.double
    product: cython.double
    with cython.nogil:
        for block in range(scores.shape[0]):
            end = min(rows, (block + 1) * size)
            for i in range(block * size, end):
                _add_entries(words, i)
            scale = 1.0 / max(words.span_offsets[end] - words.span_offsets[block * size], 1)
            for j in range(columns):
                fold = max(words.other_folds[j], 0)
                product = 1.0
                for q in range(other_offsets[j], other_offsets[j + 1]):
                    product *= 1.0 + scale * sums[other_numbers[q], fold]
                    if product > _MOST_PRODUCT:
                        scores[block, j // size] += log(product)
                        product = 1.0
                scores[block, j // size] += log(product)
            for i in range(block * size, end):
                _clear_entries(words, i)
    return all_scores


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _add_entries(words: _Words, sentence: cython.Py_ssize_t) -> cython.void:
    """Add the table entries of the units of a span sentence to the sums.

    A sentence with a fold adds the entries of that fold to the first column. A sentence of :data:`ANY_FOLD` adds the
    entries of each fold to its column.
    """
    fold: cython.longlong = words.span_folds[sentence]
    unit: cython.Py_ssize_t
    t: cython.Py_ssize_t
    for u in range(words.span_offsets[sentence], words.span_offsets[sentence + 1]):
        unit = words.span_numbers[u]
        for e in range(words.table_offsets[unit], words.table_offsets[unit + 1]):
            t = words.table_ids[e]
            if fold == _ANY_FOLD:
                for f in range(FOLDS):
                    words.sums[t, f] += words.table_values[e, f] * words.odds[t]
            else:
                words.sums[t, 0] += words.table_values[e, fold] * words.odds[t]


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _clear_entries(words: _Words, sentence: cython.Py_ssize_t) -> cython.void:
    """Undo :func:`_add_entries`."""
    unit: cython.Py_ssize_t
    for u in range(words.span_offsets[sentence], words.span_offsets[sentence + 1]):
        unit = words.span_numbers[u]
        for e in range(words.table_offsets[unit], words.table_offsets[unit + 1]):
            for f in range(FOLDS):
                words.sums[words.table_ids[e], f] = 0.0


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _move_runs(
    runs: _Runs,
    words: _Words,
    units: Indices,
    begin: cython.Py_ssize_t,
    end: cython.Py_ssize_t,
    fold: cython.Py_ssize_t,
) -> cython.void:
    """Make the runs one sentence longer at their front, and set their gains for a sentence of ``units[begin:end]``.

    Before, ``runs.units`` are sums of the runs that start one sentence later. The run of a + 1 sentences from here is
    this sentence, with ``words.sums``, and the run of a sentences behind it.
    """
    factors: cython.int = 0
    product = cython.declare(cython.double[DEPTH])
    gains = cython.declare(cython.double[DEPTH])
    scale = cython.declare(cython.double[DEPTH])
    moved = cython.declare(cython.float[DEPTH])
    # Locals, because the C compiler reads members of a record anew after every store.
    sums: cython.p_float = cython.address(words.sums[0, fold])
    row: cython.p_float = cython.address(runs.units[begin, 0])
    for a in range(DEPTH):
        product[a], gains[a], scale[a] = 1.0, 0.0, runs.scale[a]
    for q in range(begin, end):
        own: cython.float = sums[units[q] * FOLDS]
        moved[0] = own
        for a in range(1, DEPTH):
            moved[a] = row[a - 1] + own
        for a in range(DEPTH):
            row[a] = moved[a]
        row += DEPTH
        # A unit that no run explains multiplies by 1; asking first would cost more.
        for a in range(DEPTH):
            product[a] *= 1.0 + scale[a] * moved[a]
        factors += moved[DEPTH - 1] > 0
        if factors == _UNITS_A_LOG:
            for a in range(DEPTH):
                gains[a] += log(product[a])
                product[a] = 1.0
            factors = 0
    for a in range(DEPTH):
        if factors > 0:
            gains[a] += log(product[a])
        runs.gains[a] = gains[a]
