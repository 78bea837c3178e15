"""Step 2: IBM model 1, a table of translations learnt from weighted beads, once without each fold of them.

Source: Brown et al. 1993, The Mathematics of Statistical Machine Translation, model 1; the folds are ours.
"""

from __future__ import annotations

from typing import NamedTuple

from diglot.alignment.lexical.model1_kernels import (
    beads_of_units,
    cooccurring,
    e_step,
    m_step,
    pruned,
    start_values,
)
from diglot.arrays import Floats, Indices, Ints, Singles

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
    beads = UnitLists(*beads_of_units(*training.src, len(same)))
    entries = Entries(*cooccurring(*beads, *training.tgt, same, len(share)), beads, same)
    values = start_values(entries, before, share, settings.start)
    for _ in range(settings.iterations):
        posteriors = e_step(training, entries, values, share, settings.null)
        m_step(training, entries, values, posteriors, settings)
    return pruned(entries.offsets, entries.ids, values, share, settings.least)
