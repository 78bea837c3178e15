"""IBM model 1, compiled: a table of translations from weighted beads, once without each fold of them.

Source: Brown et al. 1993, The Mathematics of Statistical Machine Translation, model 1; the folds are ours.
Importing this module imports numba (about 0.8 s); see :mod:`diglot.compiled`.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from diglot.arrays import Floats, Indices, Ints, Singles
from diglot.compiled import compiled

FOLDS = 5
"""Each fifth of the beads is scored with what the others taught. Without it, pairs seen once confirm themselves."""
"""Unsigned: an index that cannot be negative is not checked for it, which is half the time of these loops."""
Table = tuple[Ints, Indices, Singles]
"""Translations, one row a unit: ``(offsets, ids, values)``. Unit s goes with the units
``ids[offsets[s]:offsets[s + 1]]``; ``values`` (entries, folds) says how much likelier each is beside s than elsewhere,
as learnt without each fold."""


class Units(NamedTuple):
    """Offsets (n + 1,) and unit numbers of n sentences or beads."""

    offsets: Indices
    numbers: Indices


class Taught(NamedTuple):
    """Beads to learn from: units of both sides, weight, and the folds of their first and last source sentence."""

    src: Units
    tgt: Units
    weights: Singles
    first_folds: Ints
    last_folds: Ints


class Terms(NamedTuple):
    """``iterations`` of EM; ``start``, share of an even spread that pairs unknown before start with;
    mass of the ``null`` word; ``alike``, imagined count of the unit written alike;
    ``unknown``, that of units never seen; ``least`` value of an entry that is kept; target units in the
    ``vocabulary``."""

    iterations: int
    start: float
    null: float
    alike: float
    unknown: float
    least: float
    vocabulary: int


class Entries(NamedTuple):
    """Rows of a table in the making, each row's beads, and the target unit written alike (-1: none)."""

    offsets: Indices
    ids: Indices
    where: Units
    same: Ints


@compiled
def inverted(units: Units, vocabulary: int) -> Units:
    """For each unit the beads that hold it."""
    starts = np.zeros(vocabulary + 1, np.int64)
    for unit in units.numbers:
        starts[unit + 1] += 1
    starts = np.cumsum(starts).astype(np.uint32)
    place = starts[:-1].copy()
    beads = np.empty(len(units.numbers), np.uint32)
    for bead in range(len(units.offsets) - 1):
        for k in range(units.offsets[bead], units.offsets[bead + 1]):
            beads[place[units.numbers[k]]] = bead
            place[units.numbers[k]] += 1
    return Units(starts, beads)  # type: ignore[arg-type]  # numpy forgets what astype made of a cumulated sum


@compiled
def together(where: Units, tgt: Units, same: Ints, vocabulary: int) -> Entries:
    """For each source unit the target units of its beads, and the one written alike."""
    seen = np.full(vocabulary, -1, np.int64)
    offsets = np.zeros(len(where.offsets), np.uint32)
    ids = np.empty(1024, np.uint32)
    count = 0
    for s in range(len(where.offsets) - 1):
        if count == len(ids):
            ids = np.concatenate((ids, np.empty(count, np.uint32)))
        if same[s] >= 0:
            seen[same[s]] = s
            ids[count] = same[s]
            count += 1
        for k in range(where.offsets[s], where.offsets[s + 1]):
            first, end = tgt.offsets[where.numbers[k]], tgt.offsets[where.numbers[k] + 1]
            if count + end - first > len(ids):
                ids = np.concatenate((ids, np.empty(len(ids) + end - first, np.uint32)))
            for q in range(first, end):
                t = tgt.numbers[q]
                if seen[t] != s:
                    seen[t] = s
                    ids[count] = t
                    count += 1
        offsets[s + 1] = count
    return Entries(offsets, ids[:count].copy(), where, same)


@compiled
def shared_out(taught: Taught, entries: Entries, values: Singles, share: Floats, null: float) -> Singles:
    """Weight of each target unit of each bead over all that explains it: the null word and the bead's source units.

    Returns: float32 (units, FOLDS), without the beads of each fold.
    """
    tgt, where = taught.tgt, entries.where
    mass = np.empty((len(tgt.numbers), FOLDS), np.float32)
    for bead in range(len(taught.weights)):
        size = taught.src.offsets[bead + 1] - taught.src.offsets[bead]
        for q in range(tgt.offsets[bead], tgt.offsets[bead + 1]):
            mass[q, :] = null / (1 - null) * size * share[tgt.numbers[q]]
    current = np.zeros((len(share), FOLDS), np.float32)
    for s in range(len(entries.same)):
        for e in range(entries.offsets[s], entries.offsets[s + 1]):
            for f in range(FOLDS):
                current[entries.ids[e], f] = values[e, f]
        for k in range(where.offsets[s], where.offsets[s + 1]):
            for q in range(tgt.offsets[where.numbers[k]], tgt.offsets[where.numbers[k] + 1]):
                for f in range(FOLDS):
                    mass[q, f] += current[tgt.numbers[q], f]
    for bead in range(len(taught.weights)):
        for q in range(tgt.offsets[bead], tgt.offsets[bead + 1]):
            for f in range(FOLDS):
                mass[q, f] = taught.weights[bead] / mass[q, f] if mass[q, f] > 0 else 0.0
            mass[q, taught.first_folds[bead]] = 0.0
            mass[q, taught.last_folds[bead]] = 0.0
    return mass


@compiled
def estimate(taught: Taught, entries: Entries, values: Singles, shares: Singles, terms: Terms) -> None:
    """One M-step, in place."""
    counts = np.zeros((terms.vocabulary, FOLDS), np.float32)
    held = np.empty(FOLDS, np.float32)
    tgt, where = taught.tgt, entries.where
    for s in range(len(entries.same)):
        first, end = entries.offsets[s], entries.offsets[s + 1]
        for e in range(first, end):
            for f in range(FOLDS):
                counts[entries.ids[e], f] = 0.0
        for k in range(where.offsets[s], where.offsets[s + 1]):
            for q in range(tgt.offsets[where.numbers[k]], tgt.offsets[where.numbers[k] + 1]):
                for f in range(FOLDS):
                    counts[tgt.numbers[q], f] += shares[q, f]
        seed = np.float32(terms.alike if entries.same[s] >= 0 else 0.0)
        held[:] = seed + terms.unknown
        for e in range(first, end):
            for f in range(FOLDS):
                values[e, f] *= counts[entries.ids[e], f]
                held[f] += values[e, f]
        for f in range(FOLDS):  # to give a slice takes the compiler longer than all the rest
            held[f] = np.float32(1.0) / held[f]
        for e in range(first, end):
            own = seed if entries.ids[e] == entries.same[s] else np.float32(0.0)
            for f in range(FOLDS):
                values[e, f] = (values[e, f] + own) * held[f]


@compiled
def pruned(entries: Entries, values: Singles, share: Floats, least: float) -> Table:
    """The entries over the share of their target units, small ones left out."""
    kept, offsets = 0, np.zeros(len(entries.offsets), np.int64)
    ids = entries.ids.copy()
    for s in range(len(entries.same)):
        for e in range(entries.offsets[s], entries.offsets[s + 1]):
            top = 0.0
            for f in range(FOLDS):
                values[kept, f] = values[e, f] / share[entries.ids[e]]
                top = max(top, values[kept, f])
            if top > least:
                ids[kept] = entries.ids[e]
                kept += 1
        offsets[s + 1] = kept
    return offsets, ids[:kept].copy(), values[:kept].copy()


@compiled
def begun(entries: Entries, before: Table, share: Floats, start: float) -> Singles:
    """Translations to start from: those of a table found before, a part of an even spread for the rest."""
    offsets, ids, found = before
    values = np.full((len(entries.ids), FOLDS), start / max(len(share), 1), np.float32)
    place = np.zeros(len(share), np.uint32)
    for s in range(len(entries.same)):
        first, end = entries.offsets[s], entries.offsets[s + 1]
        for e in range(first, end):
            place[entries.ids[e]] = e
            if entries.ids[e] == entries.same[s]:
                for f in range(FOLDS):
                    values[e, f] += np.float32(0.2)
        for k in range(offsets[s], offsets[s + 1]):
            e = place[ids[k]]
            if first <= e < end and entries.ids[e] == ids[k]:
                for f in range(FOLDS):
                    values[e, f] = found[k, f] * share[ids[k]]
    return values


def learn(taught: Taught, same: Ints, share: Floats, before: Table, terms: Terms) -> Table:
    """Table of translations of the source units of the beads, learnt further from one known ``before``.

    ``same``: see :func:`diglot.alignment.lexical.units.same_units`. ``share``: of each target unit among all.
    """
    entries = together(inverted(taught.src, len(same)), taught.tgt, same, len(share))
    values = begun(entries, before, share, terms.start)
    for _ in range(terms.iterations):
        shares = shared_out(taught, entries, values, share, terms.null)
        estimate(taught, entries, values, shares, terms)
    return pruned(entries, values, share, terms.least)


@compiled
def local_table(table: Table, rows: Ints, column_of: Ints, seeds: Ints, seed_values: Floats) -> Table:
    """Rows of a table, its columns renumbered.

    ``rows``: of the table, -1 for a unit it lacks. ``column_of``: new number of each column, -1 for one left out.
    ``seeds``: for each row a column to add with the value ``seed_values`` has for it; -1 for none.
    """
    offsets, ids, values = table
    new_offsets = np.zeros(len(rows) + 1, np.int64)
    count = 0
    for k in range(len(rows)):
        count += seeds[k] >= 0
        if rows[k] >= 0:
            for e in range(offsets[rows[k]], offsets[rows[k] + 1]):
                count += column_of[ids[e]] >= 0
        new_offsets[k + 1] = count
    new_ids = np.empty(count, np.uint32)
    new_values = np.empty((count, values.shape[1]), np.float32)
    for k in range(len(rows)):
        count = new_offsets[k]
        if seeds[k] >= 0:
            new_ids[count] = seeds[k]
            for f in range(values.shape[1]):
                new_values[count, f] = seed_values[k]
            count += 1
        if rows[k] >= 0:
            for e in range(offsets[rows[k]], offsets[rows[k] + 1]):
                if column_of[ids[e]] >= 0:
                    new_ids[count] = column_of[ids[e]]
                    for f in range(values.shape[1]):
                        new_values[count, f] = values[e, f]
                    count += 1
    return new_offsets, new_ids, new_values
