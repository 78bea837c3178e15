"""What a table of translations says of sentences beside runs of sentences.

Records and words are those of :mod:`diglot.alignment.lexical.run_scores`: the sentences of the ``span`` side are in
runs, and the table says what their units go with among those of the ``other`` side.
"""

from __future__ import annotations

from typing import Any

import cython
import numpy as np
from cython.cimports.diglot.alignment.lexical.sizes import DEPTH, FOLDS
from cython.cimports.diglot.arrays import (
    Floats,
    FloatsOut,
    Indices,
    IndicesOut,
    IntRows,
    Ints,
    MaskOut,
    SingleRows,
    SingleRowsOut,
    Singles,
)
from cython.cimports.diglot.libm import log

SIZES = (FOLDS, DEPTH)
"""Folds and sentences of a bead that these functions are compiled for."""
ANY_FOLD = -1
"""Fold of a target sentence: only source sentences have folds."""

_ANY_FOLD = cython.declare(cython.int, ANY_FOLD)
_UNITS_A_LOG = cython.declare(cython.int, 12)
"""Factors multiplied before their logarithm is taken. A factor is under 1e20, so that 12 stay within a double."""
_MOST_PRODUCT = cython.declare(cython.double, 1e200)
"""Factors are multiplied up to here before their logarithm is taken; one more stays within a double."""


def word_scores(words: Any, window: Any) -> np.ndarray:
    """How much likelier single sentences are beside runs of 1 .. DEPTH sentences of the other side, in nats.

    Returns: float32 (places, DEPTH); place k of run i is the sum over the first k sentences compared.
    """
    table_offsets: Ints = words.table[0]
    table_ids: Indices = words.table[1]
    table_values: SingleRows = words.table[2]
    span_offsets: Indices = words.span.offsets
    span_numbers: Indices = words.span.numbers
    span_folds: Ints = words.span_folds
    other_offsets: Indices = words.other.offsets
    other_numbers: Indices = words.other.numbers
    other_folds: Ints = words.other_folds
    null: Floats = words.null
    low: Ints = window.low
    start: Ints = window.start
    odds: Singles = _odds(words.null)
    count: cython.Py_ssize_t = span_offsets.shape[0] - 1
    nulls: FloatsOut = np.empty(null.shape[0])
    alone: FloatsOut = np.zeros(other_offsets.shape[0] - 1)
    sums: SingleRowsOut = np.zeros((null.shape[0], FOLDS), np.float32)
    # Units that no unit of the runs goes with say nothing beside any of them.
    known_offsets: IndicesOut = np.zeros(other_offsets.shape[0], np.uint32)
    known_numbers: IndicesOut = np.empty(other_numbers.shape[0], np.uint32)
    is_known: MaskOut = np.zeros(null.shape[0], np.bool_)
    run: SingleRowsOut = np.zeros((other_numbers.shape[0], DEPTH), np.float32)
    all_out = np.zeros((start[start.shape[0] - 1], DEPTH), np.float32)
    out: SingleRowsOut = all_out
    totals: FloatsOut = np.zeros(DEPTH)
    gains: FloatsOut = np.zeros(DEPTH)
    scale: FloatsOut = np.zeros(DEPTH)
    i: cython.Py_ssize_t
    first: cython.Py_ssize_t
    place: cython.Py_ssize_t
    known: cython.Py_ssize_t
    with cython.nogil:
        for u in range(null.shape[0]):
            nulls[u] = log(null[u])
        for e in range(table_ids.shape[0]):
            is_known[table_ids[e]] = True
        known = 0
        for j in range(alone.shape[0]):
            for q in range(other_offsets[j], other_offsets[j + 1]):
                alone[j] += nulls[other_numbers[q]]
                if is_known[other_numbers[q]]:
                    known_numbers[known] = other_numbers[q]
                    known += 1
            known_offsets[j + 1] = known
        for i in range(count - 1, -1, -1):  # backwards, as _run_products moves its runs
            for a in range(DEPTH):
                scale[a] = span_offsets[min(i + a + 1, count)] - span_offsets[i]
                scale[a] = 1.0 / scale[a] if scale[a] > 0 else 0.0
                totals[a] = 0.0
            _add_entries(
                sums, table_offsets, table_ids, table_values, span_offsets, span_numbers, span_folds[i], odds, i
            )
            # Sentences before low[i] are passed as well: runs that start earlier are compared with them, and hold
            # this one.
            first = low[max(i - DEPTH + 1, 0)]
            for j in range(first, low[i] + start[i + 1] - start[i] - 1):
                _run_products(
                    known_numbers,
                    known_offsets[j],
                    known_offsets[j + 1],
                    run,
                    max(other_folds[j], 0),
                    sums,
                    cython.address(gains[0]),
                    cython.address(scale[0]),
                )
                if j >= low[i]:
                    place = start[i] + j - low[i] + 1
                    for a in range(DEPTH):
                        totals[a] += gains[a] + (alone[j] if scale[a] > 0 else 0.0)
                        out[place, a] = totals[a]
            _clear_entries(sums, table_offsets, table_ids, span_offsets, span_numbers, i)
    return all_out


def explained_units(
    words: Any, classes: Ints, beads: IntRows, class_count: cython.Py_ssize_t
) -> tuple[np.ndarray, np.ndarray]:
    """Of the units of the other side of beads, how many the table explains, and how many there are; by class.

    ``beads``: int64 (k, 4): first and end of the run in the span side, first and end of that in the other.
    """
    table_offsets: Ints = words.table[0]
    table_ids: Indices = words.table[1]
    table_values: SingleRows = words.table[2]
    span_offsets: Indices = words.span.offsets
    span_numbers: Indices = words.span.numbers
    span_folds: Ints = words.span_folds
    other_offsets: Indices = words.other.offsets
    other_numbers: Indices = words.other.numbers
    other_folds: Ints = words.other_folds
    odds: Singles = _odds(words.null)
    sums: SingleRowsOut = np.zeros((odds.shape[0], FOLDS), np.float32)
    all_explained, all_units = np.zeros(class_count), np.zeros(class_count)
    explained: FloatsOut = all_explained
    units: FloatsOut = all_units
    size: cython.double
    value: cython.double
    with cython.nogil:
        for bead in range(beads.shape[0]):
            size = span_offsets[beads[bead, 1]] - span_offsets[beads[bead, 0]]
            if size == 0:
                continue
            for i in range(beads[bead, 0], beads[bead, 1]):
                _add_entries(
                    sums, table_offsets, table_ids, table_values, span_offsets, span_numbers, span_folds[i], odds, i
                )
            for j in range(beads[bead, 2], beads[bead, 3]):
                fold = max(other_folds[j], 0)
                for q in range(other_offsets[j], other_offsets[j + 1]):
                    t = other_numbers[q]
                    value = sums[t, fold]
                    explained[classes[t]] += value / (size + value)
                    units[classes[t]] += 1
            for i in range(beads[bead, 0], beads[bead, 1]):
                _clear_entries(sums, table_offsets, table_ids, span_offsets, span_numbers, i)
    return all_explained, all_units


def block_scores(words: Any, size: cython.Py_ssize_t) -> np.ndarray:
    """How much likelier the units of each block of the other side are for those of each block of the span side.

    A block is ``size`` sentences. Returns: float32 (blocks of the span side, blocks of the other), nats.
    """
    table_offsets: Ints = words.table[0]
    table_ids: Indices = words.table[1]
    table_values: SingleRows = words.table[2]
    span_offsets: Indices = words.span.offsets
    span_numbers: Indices = words.span.numbers
    span_folds: Ints = words.span_folds
    other_offsets: Indices = words.other.offsets
    other_numbers: Indices = words.other.numbers
    other_folds: Ints = words.other_folds
    rows: cython.Py_ssize_t = span_offsets.shape[0] - 1
    columns: cython.Py_ssize_t = other_offsets.shape[0] - 1
    odds: Singles = _odds(words.null)
    sums: SingleRowsOut = np.zeros((odds.shape[0], FOLDS), np.float32)
    all_scores = np.zeros(((rows + size - 1) // size, (columns + size - 1) // size), np.float32)
    scores: SingleRowsOut = all_scores
    end: cython.Py_ssize_t
    scale: cython.double
    product: cython.double
    with cython.nogil:
        for block in range(scores.shape[0]):
            end = min(rows, (block + 1) * size)
            for i in range(block * size, end):
                _add_entries(
                    sums, table_offsets, table_ids, table_values, span_offsets, span_numbers, span_folds[i], odds, i
                )
            scale = 1.0 / max(span_offsets[end] - span_offsets[block * size], 1)
            for j in range(columns):
                fold = max(other_folds[j], 0)
                product = 1.0
                for q in range(other_offsets[j], other_offsets[j + 1]):
                    product *= 1.0 + scale * sums[other_numbers[q], fold]
                    if product > _MOST_PRODUCT:
                        scores[block, j // size] += log(product)
                        product = 1.0
                scores[block, j // size] += log(product)
            for i in range(block * size, end):
                _clear_entries(sums, table_offsets, table_ids, span_offsets, span_numbers, i)
    return all_scores


def _odds(null: Any) -> np.ndarray:
    return ((1.0 - null) / null).astype(np.float32)


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _add_entries(
    sums: SingleRowsOut,
    table_offsets: Ints,
    table_ids: Indices,
    table_values: SingleRows,
    span_offsets: Indices,
    span_numbers: Indices,
    fold: cython.longlong,
    odds: Singles,
    sentence: cython.Py_ssize_t,
) -> cython.void:
    """Add what the units of a sentence go with, times the ``odds`` of the other unit: of one fold to the first column,
    or of all to a column each."""
    for u in range(span_offsets[sentence], span_offsets[sentence + 1]):
        for e in range(table_offsets[span_numbers[u]], table_offsets[span_numbers[u] + 1]):
            if fold == _ANY_FOLD:
                for f in range(FOLDS):
                    sums[table_ids[e], f] += table_values[e, f] * odds[table_ids[e]]
            else:
                sums[table_ids[e], 0] += table_values[e, fold] * odds[table_ids[e]]


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _clear_entries(
    sums: SingleRowsOut,
    table_offsets: Ints,
    table_ids: Indices,
    span_offsets: Indices,
    span_numbers: Indices,
    sentence: cython.Py_ssize_t,
) -> cython.void:
    """Undo :func:`_add_entries`."""
    for u in range(span_offsets[sentence], span_offsets[sentence + 1]):
        for e in range(table_offsets[span_numbers[u]], table_offsets[span_numbers[u] + 1]):
            for f in range(FOLDS):
                sums[table_ids[e], f] = 0.0


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _run_products(
    units: Indices,
    begin: cython.Py_ssize_t,
    end: cython.Py_ssize_t,
    run: SingleRowsOut,
    fold: cython.longlong,
    sums: SingleRowsOut,
    gains: cython.p_double,
    scale: cython.p_double,
) -> cython.void:
    """Log of how much likelier a sentence, units from ``begin`` to ``end``, is beside runs of 1 .. DEPTH sentences.

    It is put into ``gains``. ``run`` holds what the runs that start one sentence later say of each unit; it is moved on
    by one sentence: the run of a + 1 sentences from here is this sentence, which says ``sums``, and the run of a after
    it. ``scale``: 1 / units for each length of run.
    """
    factors: cython.int = 0
    product = cython.declare(cython.double[DEPTH])
    moved = cython.declare(cython.float[DEPTH])
    for a in range(DEPTH):
        product[a], gains[a] = 1.0, 0.0
    for q in range(begin, end):
        own = sums[units[q], fold]
        row: cython.p_float = cython.address(run[q, 0])
        moved[0] = own
        for a in range(1, DEPTH):
            moved[a] = row[a - 1] + own
        for a in range(DEPTH):
            row[a] = moved[a]
        # A unit that goes with none of the runs multiplies by 1: to ask before is dearer.
        for a in range(DEPTH):
            product[a] *= 1.0 + scale[a] * moved[a]
        factors += moved[DEPTH - 1] > 0
        if factors == _UNITS_A_LOG:
            for a in range(DEPTH):
                gains[a] += log(product[a])
                product[a] = 1.0
            factors = 0
    if factors > 0:
        for a in range(DEPTH):
            gains[a] += log(product[a])
