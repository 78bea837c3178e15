"""IBM model 1: steps of EM over a table in the making.

Records and shapes are those of :mod:`diglot.alignment.lexical.lexicon`.
"""

from __future__ import annotations

from typing import Any

import cython
import numpy as np
from cython.cimports.diglot.alignment.lexical.sizes import FOLDS
from cython.cimports.diglot.arrays import Floats, Indices, IndicesOut, Ints, IntsOut, SingleRows, SingleRowsOut, Singles

_ALIKE_START = cython.declare(cython.float, 0.2)
"""Initial probability of the unit of the same spelling, on top of an even spread. Our choice."""


def beads_of_units(offsets: Indices, numbers: Indices, vocabulary: cython.Py_ssize_t) -> tuple[np.ndarray, np.ndarray]:
    """Inverted lists: the beads of every unit, as offsets and numbers."""
    starts = np.zeros(vocabulary + 1, np.int64)
    np.cumsum(np.bincount(numbers, minlength=vocabulary), out=starts[1:])
    place: IntsOut = starts[:vocabulary].copy()
    all_beads = np.empty(numbers.shape[0], np.uint32)
    beads: IndicesOut = all_beads
    with cython.nogil:
        for bead in range(offsets.shape[0] - 1):
            for k in range(offsets[bead], offsets[bead + 1]):
                beads[place[numbers[k]]] = bead
                place[numbers[k]] += 1
    return starts.astype(np.uint32), all_beads


def cooccurring_units(
    bead_offsets: Indices,
    bead_numbers: Indices,
    tgt_offsets: Indices,
    tgt_numbers: Indices,
    same: Ints,
    vocabulary: cython.Py_ssize_t,
) -> tuple[np.ndarray, np.ndarray]:
    """For every source unit the target units that share a bead with it or its spelling: offsets and numbers."""
    seen: IntsOut = np.full(vocabulary, -1, np.int64)  # the last source unit that each target unit was listed for
    all_offsets, all_ids = np.zeros(bead_offsets.shape[0], np.uint32), np.empty(1024, np.uint32)
    offsets: IndicesOut = all_offsets
    ids: IndicesOut = all_ids
    count: cython.Py_ssize_t = 0
    room: cython.Py_ssize_t
    with cython.nogil:
        for s in range(bead_offsets.shape[0] - 1):
            room = count + 1
            for k in range(bead_offsets[s], bead_offsets[s + 1]):
                room += tgt_offsets[bead_numbers[k] + 1] - tgt_offsets[bead_numbers[k]]
            room = min(room, count + 1 + vocabulary)
            if room > ids.shape[0]:
                with cython.gil:
                    all_ids = np.concatenate((all_ids, np.empty(room, np.uint32)))
                    ids = all_ids
            if same[s] >= 0:
                seen[same[s]] = s
                ids[count] = same[s]
                count += 1
            for k in range(bead_offsets[s], bead_offsets[s + 1]):
                for q in range(tgt_offsets[bead_numbers[k]], tgt_offsets[bead_numbers[k] + 1]):
                    t = tgt_numbers[q]
                    if seen[t] != s:
                        seen[t] = s
                        ids[count] = t
                        count += 1
            offsets[s + 1] = count
    return all_offsets, all_ids[:count].copy()


def e_step(training: Any, entries: Any, values: SingleRows, share: Floats, null: cython.double) -> np.ndarray:
    """Factors of the M step: a translation is expected as often as its probability times the factor of the target unit.

    A target unit is explained by the source units of its bead and by the null word, in proportion to their
    probabilities. Returns: float32 (target units of all beads, FOLDS), posterior of the bead over the sum of these
    probabilities, 0 in the folds of the bead.
    """
    src_offsets: Indices = training.src.offsets
    tgt_offsets: Indices = training.tgt.offsets
    tgt_numbers: Indices = training.tgt.numbers
    weights: Singles = training.weights
    first_folds: Ints = training.first_folds
    last_folds: Ints = training.last_folds
    offsets: Indices = entries.offsets
    ids: Indices = entries.ids
    bead_offsets: Indices = entries.beads.offsets
    bead_numbers: Indices = entries.beads.numbers
    all_mass = np.empty((tgt_numbers.shape[0], FOLDS), np.float32)
    mass: SingleRowsOut = all_mass
    current: SingleRowsOut = np.zeros((share.shape[0], FOLDS), np.float32)
    with cython.nogil:
        for bead in range(weights.shape[0]):
            by_null = null / (1 - null) * (src_offsets[bead + 1] - src_offsets[bead])
            for q in range(tgt_offsets[bead], tgt_offsets[bead + 1]):
                for f in range(FOLDS):
                    mass[q, f] = by_null * share[tgt_numbers[q]]
        for s in range(offsets.shape[0] - 1):
            for e in range(offsets[s], offsets[s + 1]):
                for f in range(FOLDS):
                    current[ids[e], f] = values[e, f]
            for k in range(bead_offsets[s], bead_offsets[s + 1]):
                for q in range(tgt_offsets[bead_numbers[k]], tgt_offsets[bead_numbers[k] + 1]):
                    _add(cython.address(mass[q, 0]), cython.address(current[tgt_numbers[q], 0]))
        for bead in range(weights.shape[0]):
            for q in range(tgt_offsets[bead], tgt_offsets[bead + 1]):
                for f in range(FOLDS):
                    mass[q, f] = weights[bead] / mass[q, f] if mass[q, f] > 0 else 0.0
                # A bead must not teach the folds by which it is scored.
                mass[q, first_folds[bead]] = mass[q, last_folds[bead]] = 0.0
    return all_mass


def m_step(training: Any, entries: Any, values: SingleRowsOut, posteriors: SingleRows, settings: Any) -> None:
    """Turn expected counts into probabilities; overwrites ``values``. ``posteriors``: result of :func:`e_step`."""
    tgt_offsets: Indices = training.tgt.offsets
    tgt_numbers: Indices = training.tgt.numbers
    offsets: Indices = entries.offsets
    ids: Indices = entries.ids
    bead_offsets: Indices = entries.beads.offsets
    bead_numbers: Indices = entries.beads.numbers
    same: Ints = entries.same
    alike_count: cython.double = settings.alike
    unknown: cython.double = settings.unknown
    sums: SingleRowsOut = np.zeros((settings.vocabulary, FOLDS), np.float32)
    total = cython.declare(cython.float[FOLDS])
    counts = cython.declare(cython.float[FOLDS])
    alike: cython.float
    own: cython.float
    with cython.nogil:
        for s in range(same.shape[0]):
            for e in range(offsets[s], offsets[s + 1]):
                for f in range(FOLDS):
                    sums[ids[e], f] = 0.0
            for k in range(bead_offsets[s], bead_offsets[s + 1]):
                for q in range(tgt_offsets[bead_numbers[k]], tgt_offsets[bead_numbers[k] + 1]):
                    _add(cython.address(sums[tgt_numbers[q], 0]), cython.address(posteriors[q, 0]))
            alike = alike_count if same[s] >= 0 else 0.0
            for f in range(FOLDS):
                total[f] = alike + unknown
            for e in range(offsets[s], offsets[s + 1]):
                for f in range(FOLDS):
                    counts[f] = values[e, f] * sums[ids[e], f]
                for f in range(FOLDS):
                    values[e, f] = counts[f]
                    total[f] += counts[f]
            for f in range(FOLDS):
                total[f] = cython.cast(cython.float, 1.0) / total[f]
            for e in range(offsets[s], offsets[s + 1]):
                own = alike if same[s] == ids[e] else 0.0
                for f in range(FOLDS):
                    values[e, f] = (values[e, f] + own) * total[f]


def prune(
    offsets: Indices, ids: Indices, values: SingleRowsOut, share: Floats, least: cython.double
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The table: probabilities over the shares of their target units, without entries that are small in every fold.

    Overwrites ``values``.
    """
    all_offsets, all_ids = np.zeros(offsets.shape[0], np.int64), np.empty(ids.shape[0], np.uint32)
    kept_offsets: IntsOut = all_offsets
    kept_ids: IndicesOut = all_ids
    kept: cython.Py_ssize_t = 0
    top: cython.double
    with cython.nogil:
        for s in range(offsets.shape[0] - 1):
            for e in range(offsets[s], offsets[s + 1]):
                top = 0.0
                for f in range(FOLDS):
                    values[kept, f] = values[e, f] / share[ids[e]]
                    top = max(top, values[kept, f])
                if top > least:
                    kept_ids[kept] = ids[e]
                    kept += 1
            kept_offsets[s + 1] = kept
    return all_offsets, all_ids[:kept].copy(), np.asarray(values)[:kept].copy()


def start_values(entries: Any, before: Any, share: Floats, start: cython.double) -> np.ndarray:
    """Initial probabilities: those of the last table, and for new pairs ``start`` times an even spread."""
    offsets: Indices = entries.offsets
    ids: Indices = entries.ids
    same: Ints = entries.same
    old_offsets: Ints = before[0]
    old_ids: Indices = before[1]
    found: SingleRows = before[2]
    all_values = np.full((ids.shape[0], FOLDS), start / max(share.shape[0], 1), np.float32)
    values: SingleRowsOut = all_values
    place: IndicesOut = np.zeros(share.shape[0], np.uint32)
    with cython.nogil:
        for s in range(same.shape[0]):
            for e in range(offsets[s], offsets[s + 1]):
                place[ids[e]] = e
                if same[s] == ids[e]:
                    for f in range(FOLDS):
                        values[e, f] += _ALIKE_START
            for k in range(old_offsets[s], old_offsets[s + 1]):
                at = place[old_ids[k]]
                if offsets[s] <= at < offsets[s + 1] and ids[at] == old_ids[k]:
                    for f in range(FOLDS):
                        values[at, f] = found[k, f] * share[old_ids[k]]
    return all_values


def local_table(
    table: Any, rows: Ints, column_of: Ints, seeds: Ints, seed_values: Floats
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Rows of a table, with new column numbers.

    ``rows``: row of the table, -1 for an unknown unit. ``column_of``: new number of each column, -1 for none.
    ``seeds``: for every row a column to add with the value in ``seed_values``; -1 for none.
    """
    offsets: Ints = table[0]
    ids: Indices = table[1]
    values: SingleRows = table[2]
    all_offsets = np.zeros(rows.shape[0] + 1, np.int64)
    new_offsets: IntsOut = all_offsets
    count: cython.Py_ssize_t = 0
    with cython.nogil:
        for k in range(rows.shape[0]):
            count += 1 if seeds[k] >= 0 else 0
            if rows[k] >= 0:
                for e in range(offsets[rows[k]], offsets[rows[k] + 1]):
                    count += 1 if column_of[ids[e]] >= 0 else 0
            new_offsets[k + 1] = count
    all_ids, all_values = np.empty(count, np.uint32), np.empty((count, FOLDS), np.float32)
    new_ids: IndicesOut = all_ids
    new_values: SingleRowsOut = all_values
    with cython.nogil:
        for k in range(rows.shape[0]):
            count = new_offsets[k]
            if seeds[k] >= 0:
                new_ids[count] = seeds[k]
                for f in range(FOLDS):
                    new_values[count, f] = seed_values[k]
                count += 1
            if rows[k] >= 0:
                for e in range(offsets[rows[k]], offsets[rows[k] + 1]):
                    if column_of[ids[e]] >= 0:
                        new_ids[count] = column_of[ids[e]]
                        for f in range(FOLDS):
                            new_values[count, f] = values[e, f]
                        count += 1
    return all_offsets, all_ids, all_values


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
@cython.inline
def _add(to: cython.p_float, given: cython.pointer[cython.const[cython.float]]) -> cython.void:
    """Add to the value of every fold; reading all values before the first write lets the compiler use vectors."""
    sums = cython.declare(cython.float[FOLDS])
    for f in range(FOLDS):
        sums[f] = to[f] + given[f]
    for f in range(FOLDS):
        to[f] = sums[f]
