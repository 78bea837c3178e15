"""Step 2: IBM model 1, a translation table learnt from weighted beads, once without each fold of them.

Source: Brown et al. 1993, The Mathematics of Statistical Machine Translation, model 1; the folds are ours.
"""

from __future__ import annotations

from typing import NamedTuple

from diglot.alignment.lexical.model1_kernels import (
    beads_of_units,
    cooccurring,
    e_step,
    m_step,
    prune,
    start_values,
)
from diglot.arrays import Floats, Indices, Ints, Singles

TranslationTable = tuple[Ints, Indices, Singles]
"""Translations ``(offsets, ids, values)``, one row a unit. Unit s has the translations ``ids[offsets[s]:offsets[s +
1]]``; ``values`` (entries, folds) is how much likelier each is beside s than elsewhere, learnt without that fold."""


class UnitLists(NamedTuple):
    """Units of n sentences or beads, ``numbers[offsets[i]:offsets[i + 1]]`` for the i-th; or, inverted, the beads of n
    units."""

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
    """``iterations`` of EM. ``start``: initial probability of new pairs, as a share of an even spread. ``null``: mass
    of the null word. ``alike``: imagined count of the unit of the same spelling. ``unknown``: imagined count of unseen
    units. ``least``: value of a kept entry, at least. ``vocabulary``: number of target units."""

    iterations: int
    start: float
    null: float
    alike: float
    unknown: float
    least: float
    vocabulary: int


class Entries(NamedTuple):
    """Rows of a table in the making: source unit s has the target units ``ids[offsets[s]:offsets[s + 1]]``, the
    ``beads`` with s, and ``same[s]``, the target unit of the same spelling (-1: none)."""

    offsets: Indices
    ids: Indices
    beads: UnitLists
    same: Ints


def learn_translations(
    training: TrainingBeads, same: Ints, share: Floats, before: TranslationTable, settings: EMSettings
) -> TranslationTable:
    """Translation table of the source units of the beads, starting from the table ``before``.

    ``same``: see :func:`diglot.alignment.lexical.tokens.same_units`. ``share``: of every target unit among all.
    """
    beads = UnitLists(*beads_of_units(*training.src, len(same)))
    entries = Entries(*cooccurring(*beads, *training.tgt, same, len(share)), beads, same)
    values = start_values(entries, before, share, settings.start)
    for _ in range(settings.iterations):
        posteriors = e_step(training, entries, values, share, settings.null)
        m_step(training, entries, values, posteriors, settings)
    return prune(entries.offsets, entries.ids, values, share, settings.least)
