"""Step 4: scores of sentences beside runs of sentences, by a translation table.

A unit of the other side is explained by the null word or by the units of the run. Beside a run of s units it is ``1 +
odds / s * sum(values)`` times as likely as by the null word alone, with ``odds`` = (1 - null) / null and the ``values``
of the table (see :data:`diglot.alignment.lexical.model1.TranslationTable`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from diglot.alignment.lexical.model1 import TranslationTable, UnitLists
from diglot.alignment.lexical.rates import TYPE_SRC, TYPE_TGT, Rates, next_null
from diglot.alignment.lexical.run_scores_kernels import ANY_FOLD, explained_units
from diglot.alignment.lexical.tokens import UnitClass
from diglot.alignment.lexical.units import NumberedText
from diglot.arrays import Floats, Ints

CLASSES = len(UnitClass)
"""Number of classes of units; each has a null rate."""


class Direction(NamedTuple):
    """One direction of a text: units of the side in runs (``span``) and of the ``other`` side, the table from span to
    other, the null rate of every unit of the other side, and the fold of every sentence (:data:`ANY_FOLD` for target
    sentences)."""

    span: UnitLists
    other: UnitLists
    table: TranslationTable
    null: Floats
    span_folds: Ints
    other_folds: Ints


class RunWindow(NamedTuple):
    """Run i is compared with the sentences from ``low[i]`` on; its sums have the places ``start[i]`` to ``start[i + 1]
    - 1``, one more than sentences. Both arrays rise."""

    low: Ints
    start: Ints


def directions(
    text: NumberedText, tables: tuple[TranslationTable, TranslationTable], rates: Rates
) -> tuple[Direction, Direction]:
    """Both directions of a text: source to target, and target to source."""
    src, tgt = (UnitLists(side.offsets.astype(np.uint32), side.units.astype(np.uint32)) for side in text.sides)
    src_null, tgt_null = rates.src_null[text.classes[0]], rates.tgt_null[text.classes[1]]
    folds, none = text.folds(), np.full(len(text.tgt), ANY_FOLD)
    return Direction(src, tgt, tables[0], tgt_null, folds, none), Direction(tgt, src, tables[1], src_null, none, folds)


def with_null(
    rates: Rates,
    texts: Sequence[NumberedText],
    tables: Sequence[tuple[TranslationTable, TranslationTable]],
    paths: Sequence[Ints],
) -> Rates:
    """Rates with null rates estimated from the units that the tables leave unexplained on the paths, int64 (k, 3): row,
    column, type."""
    totals = np.zeros((2, 2, CLASSES))
    for text, both_tables, path in zip(texts, tables, paths, strict=True):
        i, j, kind = path.T
        i_end, j_end = i + TYPE_SRC[kind], j + TYPE_TGT[kind]
        both = (i_end > i) & (j_end > j)
        beads = np.stack((i[both], i_end[both], j[both], j_end[both]), axis=1)
        forward, backward = directions(text, both_tables, rates)
        totals[1] += explained_units(forward, text.classes[1], beads, CLASSES)
        totals[0] += explained_units(backward, text.classes[0], beads[:, [2, 3, 0, 1]].copy(), CLASSES)
    return replace(rates, src_null=next_null(*totals[0]), tgt_null=next_null(*totals[1]))
