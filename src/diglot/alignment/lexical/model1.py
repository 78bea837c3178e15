"""Step 2, compiled: IBM model 1, a table of translations learnt from weighted beads, once without each fold of them.

Source: Brown et al. 1993, The Mathematics of Statistical Machine Translation, model 1; the folds are ours.
Importing this module imports numba (about 0.8 s); see :mod:`diglot.compiled`. Arrays of unit numbers are unsigned: an
index that cannot be negative is not checked for it, which saves half the time of these loops.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from diglot.alignment.lexical.units import FOLDS
from diglot.arrays import Floats, Indices, Ints, Singles
from diglot.compiled import compiled

_ALIKE_START = 0.2
"""Probability that EM gives at its start to the unit written alike, on top of an even spread. Our choice."""

TranslationTable = tuple[Ints, Indices, Singles]
"""Translations, one row a unit: ``(offsets, ids, values)``. Unit s goes with the units
``ids[offsets[s]:offsets[s + 1]]``; ``values`` (entries, folds) says how much likelier each is beside s than elsewhere,
as learnt without each fold."""


class UnitLists(NamedTuple):
    """Units of n sentences or beads: those of the i-th are ``numbers[offsets[i]:offsets[i + 1]]``; or the other way
    round the beads of n units."""

    offsets: Indices
    numbers: Indices


class TrainingBeads(NamedTuple):
    """Beads to learn from: units of both sides, posterior, and the folds of their first and last source sentence."""

    src: UnitLists
    tgt: UnitLists
    weights: Singles
    first_folds: Ints
    last_folds: Ints


class EMSettings(NamedTuple):
    """``iterations`` of EM. ``start``: share of an even spread that pairs unknown before start with. ``null``: mass of
    the null word. ``alike``: imagined count of the unit written alike. ``unknown``: that of units never seen.
    ``least``: value of an entry that is kept. ``vocabulary``: number of target units."""

    iterations: int
    start: float
    null: float
    alike: float
    unknown: float
    least: float
    vocabulary: int


class Entries(NamedTuple):
    """Rows of a table in the making: ``ids[offsets[s]:offsets[s + 1]]`` are the target units of source unit s,
    ``beads`` the beads that hold it, and ``same[s]`` the target unit written alike (-1: none)."""

    offsets: Indices
    ids: Indices
    beads: UnitLists
    same: Ints


def learn_translations(
    training: TrainingBeads, same: Ints, share: Floats, before: TranslationTable, settings: EMSettings
) -> TranslationTable:
    """Table of translations of the source units of the beads, learnt further from one known ``before``.

    ``same``: see :func:`diglot.alignment.lexical.units.same_units`. ``share``: of each target unit among all.
    """
    entries = cooccurring(beads_of_units(training.src, len(same)), training.tgt, same, len(share))
    values = start_values(entries, before, share, settings.start)
    for _ in range(settings.iterations):
        posteriors = e_step(training, entries, values, share, settings.null)
        m_step(training, entries, values, posteriors, settings)
    return pruned(entries, values, share, settings.least)


@compiled
def beads_of_units(units: UnitLists, vocabulary: int) -> UnitLists:
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
    return UnitLists(starts, beads)  # type: ignore[arg-type]  # numpy forgets what astype made of a cumulated sum


@compiled
def cooccurring(beads: UnitLists, tgt: UnitLists, same: Ints, vocabulary: int) -> Entries:
    """For each source unit the target units of its beads, and the one written alike; ``beads`` as in Entries."""
    seen = np.full(vocabulary, -1, np.int64)  # the last source unit that each target unit was listed for
    offsets = np.zeros(len(beads.offsets), np.uint32)
    ids = np.empty(1024, np.uint32)
    count = 0
    for s in range(len(beads.offsets) - 1):
        if count == len(ids):
            ids = np.concatenate((ids, np.empty(count, np.uint32)))
        if same[s] >= 0:
            seen[same[s]] = s
            ids[count] = same[s]
            count += 1
        for k in range(beads.offsets[s], beads.offsets[s + 1]):
            first, end = tgt.offsets[beads.numbers[k]], tgt.offsets[beads.numbers[k] + 1]
            if count + end - first > len(ids):
                ids = np.concatenate((ids, np.empty(len(ids) + end - first, np.uint32)))
            for q in range(first, end):
                t = tgt.numbers[q]
                if seen[t] != s:
                    seen[t] = s
                    ids[count] = t
                    count += 1
        offsets[s + 1] = count
    return Entries(offsets, ids[:count].copy(), beads, same)


@compiled
def e_step(training: TrainingBeads, entries: Entries, values: Singles, share: Floats, null: float) -> Singles:
    """What to multiply a translation's probability by for its expected count, by target unit of a bead.

    A target unit is explained by the source units of its bead and by the null word, each by its probability of that
    unit. Returns: float32 (target units of all beads, FOLDS), posterior of the bead over the sum of these
    probabilities, 0 in the folds that the bead touches.
    """
    tgt, beads = training.tgt, entries.beads
    mass = np.empty((len(tgt.numbers), FOLDS), np.float32)
    for bead in range(len(training.weights)):
        size = training.src.offsets[bead + 1] - training.src.offsets[bead]
        for q in range(tgt.offsets[bead], tgt.offsets[bead + 1]):
            mass[q, :] = null / (1 - null) * size * share[tgt.numbers[q]]
    current = np.zeros((len(share), FOLDS), np.float32)
    for s in range(len(entries.same)):
        for e in range(entries.offsets[s], entries.offsets[s + 1]):
            for f in range(FOLDS):
                current[entries.ids[e], f] = values[e, f]
        for k in range(beads.offsets[s], beads.offsets[s + 1]):
            for q in range(tgt.offsets[beads.numbers[k]], tgt.offsets[beads.numbers[k] + 1]):
                for f in range(FOLDS):
                    mass[q, f] += current[tgt.numbers[q], f]
    for bead in range(len(training.weights)):
        for q in range(tgt.offsets[bead], tgt.offsets[bead + 1]):
            for f in range(FOLDS):
                mass[q, f] = training.weights[bead] / mass[q, f] if mass[q, f] > 0 else 0.0
            mass[q, training.first_folds[bead]] = 0.0
            mass[q, training.last_folds[bead]] = 0.0
    return mass


@compiled
def m_step(
    training: TrainingBeads, entries: Entries, values: Singles, posteriors: Singles, settings: EMSettings
) -> None:
    """Expected counts to probabilities, in place of ``values``; ``posteriors`` as :func:`e_step` gives them."""
    sums = np.zeros((settings.vocabulary, FOLDS), np.float32)
    total = np.empty(FOLDS, np.float32)
    tgt, beads = training.tgt, entries.beads
    for s in range(len(entries.same)):
        first, end = entries.offsets[s], entries.offsets[s + 1]
        for e in range(first, end):
            for f in range(FOLDS):
                sums[entries.ids[e], f] = 0.0
        for k in range(beads.offsets[s], beads.offsets[s + 1]):
            for q in range(tgt.offsets[beads.numbers[k]], tgt.offsets[beads.numbers[k] + 1]):
                for f in range(FOLDS):
                    sums[tgt.numbers[q], f] += posteriors[q, f]
        alike = np.float32(settings.alike if entries.same[s] >= 0 else 0.0)
        total[:] = alike + settings.unknown
        for e in range(first, end):
            for f in range(FOLDS):
                values[e, f] *= sums[entries.ids[e], f]
                total[f] += values[e, f]
        for f in range(FOLDS):  # assigning a slice here would make numba compile far longer than the loop does
            total[f] = np.float32(1.0) / total[f]
        for e in range(first, end):
            own = alike if entries.ids[e] == entries.same[s] else np.float32(0.0)
            for f in range(FOLDS):
                values[e, f] = (values[e, f] + own) * total[f]


@compiled
def pruned(entries: Entries, values: Singles, share: Floats, least: float) -> TranslationTable:
    """Probabilities over the shares of their target units; an entry that is small in every fold is left out."""
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
def start_values(entries: Entries, before: TranslationTable, share: Floats, start: float) -> Singles:
    """Probabilities to start from: those of a table found before, a part of an even spread for the rest."""
    offsets, ids, found = before
    values = np.full((len(entries.ids), FOLDS), start / max(len(share), 1), np.float32)
    place = np.zeros(len(share), np.uint32)
    for s in range(len(entries.same)):
        first, end = entries.offsets[s], entries.offsets[s + 1]
        for e in range(first, end):
            place[entries.ids[e]] = e
            if entries.ids[e] == entries.same[s]:
                for f in range(FOLDS):
                    values[e, f] += np.float32(_ALIKE_START)
        for k in range(offsets[s], offsets[s + 1]):
            e = place[ids[k]]
            if first <= e < end and entries.ids[e] == ids[k]:
                for f in range(FOLDS):
                    values[e, f] = found[k, f] * share[ids[k]]
    return values


@compiled
def local_table(
    table: TranslationTable, rows: Ints, column_of: Ints, seeds: Ints, seed_values: Floats
) -> TranslationTable:
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
