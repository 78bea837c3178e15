"""Step 4, compiled: what a table of translations says of sentences beside runs of sentences.

A unit of the other side is explained by the null word or by the units of the run. Beside a run of s units it is
``1 + odds / s * sum(values)`` times as likely as the null word alone makes it, where ``odds`` = (1 - null) / null and
``values`` are those of the table (see :data:`diglot.alignment.lexical.model1.TranslationTable`).
Importing this module imports numba; see :mod:`diglot.compiled`.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from diglot.alignment.lexical.model1 import TranslationTable, UnitLists
from diglot.alignment.lexical.rates import DEPTH, TYPE_SRC, TYPE_TGT, Rates, next_null
from diglot.alignment.lexical.units import FOLDS, NumberedText, UnitClass
from diglot.arrays import Floats, Ints, Singles
from diglot.compiled import compiled

CLASSES = len(UnitClass)
"""Classes of units, each with its rates."""
ANY_FOLD = -1
"""Fold of a target sentence: only source sentences have folds."""
_UNITS_A_LOG = 12
"""Factors multiplied before their logarithm is taken. A factor is under 1e20, so that 12 stay within a double."""


class RunSums(NamedTuple):
    """What :func:`run_products` works on: what the runs say of each unit of the other side, float32 (units, DEPTH); and
    a product, a sum of logarithms and 1 / units for each length of run, (DEPTH,)."""

    run: Singles
    product: Floats
    gains: Floats
    scale: Floats


class Direction(NamedTuple):
    """Units of a side in runs (``span``) and of the ``other``, the table from one to the other, the rate at which each
    unit of the other is no translation, and the fold of each sentence (:data:`ANY_FOLD` on the target side)."""

    span: UnitLists
    other: UnitLists
    table: TranslationTable
    null: Floats
    span_folds: Ints
    other_folds: Ints


class RunWindow(NamedTuple):
    """Run i is compared with the sentences from ``low[i]`` on, and its sums have the places ``start[i]`` to
    ``start[i + 1] - 1``, one more than sentences. Both rise."""

    low: Ints
    start: Ints


def directions(
    text: NumberedText, tables: tuple[TranslationTable, TranslationTable], rates: Rates
) -> tuple[Direction, Direction]:
    """The text as the functions below read it: source to target, and target to source."""
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
    """The rates with null rates of what these tables leave unexplained on paths, int64 (k, 3): row, column, type."""
    totals = np.zeros((2, 2, CLASSES))
    for text, both_tables, path in zip(texts, tables, paths, strict=True):
        i, j, kind = path.T
        i_end, j_end = i + TYPE_SRC[kind], j + TYPE_TGT[kind]
        both = (i_end > i) & (j_end > j)
        beads = np.stack((i[both], i_end[both], j[both], j_end[both]), axis=1)
        forward, backward = directions(text, both_tables, rates)
        totals[1] += explained_units(forward, text.classes[1], beads)
        totals[0] += explained_units(backward, text.classes[0], beads[:, [2, 3, 0, 1]].copy())
    return replace(rates, src_null=next_null(*totals[0]), tgt_null=next_null(*totals[1]))


@compiled
def add_entries(sums: Singles, words: Direction, odds: Singles, sentence: int) -> None:
    """Add what the units of a sentence go with, times the ``odds`` of the other unit: of one fold to the first column,
    or of all to a column each."""
    offsets, ids, values = words.table
    fold = words.span_folds[sentence]
    for u in range(words.span.offsets[sentence], words.span.offsets[sentence + 1]):
        unit = words.span.numbers[u]
        for e in range(offsets[unit], offsets[unit + 1]):
            if fold == ANY_FOLD:
                for f in range(FOLDS):
                    sums[ids[e], f] += values[e, f] * odds[ids[e]]
            else:
                sums[ids[e], 0] += values[e, fold] * odds[ids[e]]


@compiled
def clear_entries(sums: Singles, words: Direction, sentence: int) -> None:
    """Undo :func:`add_entries`."""
    offsets, ids, _ = words.table
    for u in range(words.span.offsets[sentence], words.span.offsets[sentence + 1]):
        unit = words.span.numbers[u]
        for e in range(offsets[unit], offsets[unit + 1]):
            for f in range(FOLDS):
                sums[ids[e], f] = 0.0


@compiled
def run_products(words: Direction, j: int, sums: Singles, state: RunSums) -> None:
    """Log of how much likelier sentence j is beside runs of 1 .. DEPTH sentences, into ``state.gains``.

    ``state.run`` holds what the runs that start one sentence later say of each unit of j. It is moved on by one
    sentence: the run of a + 1 sentences from here is this sentence, which says ``sums``, and the run of a after it.
    """
    run, product, gains, scale = state
    fold, factors = max(words.other_folds[j], 0), 0
    for a in range(DEPTH):
        product[a], gains[a] = 1.0, 0.0
    for q in range(words.other.offsets[j], words.other.offsets[j + 1]):
        own = sums[words.other.numbers[q], fold]
        for a in range(DEPTH - 1, 0, -1):
            run[q, a] = run[q, a - 1] + own
        run[q, 0] = own
        if run[q, DEPTH - 1] > 0:
            for a in range(DEPTH):
                product[a] *= 1.0 + scale[a] * run[q, a]
            factors += 1
            if factors % _UNITS_A_LOG == 0:
                for a in range(DEPTH):
                    gains[a] += math.log(product[a])
                    product[a] = 1.0
    if factors % _UNITS_A_LOG > 0:
        for a in range(DEPTH):
            gains[a] += math.log(product[a])


@compiled
def word_scores(words: Direction, window: RunWindow) -> Singles:
    """How much likelier single sentences are beside runs of 1 .. DEPTH sentences of the other side, in nats.

    Returns: float32 (places, DEPTH); place k of run i is the sum over the first k sentences compared.
    """
    count, low, start = len(words.span.offsets) - 1, window.low, window.start
    nulls = np.log(words.null)
    alone = np.zeros(len(words.other.offsets) - 1)
    for j in range(len(alone)):
        for q in range(words.other.offsets[j], words.other.offsets[j + 1]):
            alone[j] += nulls[words.other.numbers[q]]
    odds = ((1.0 - words.null) / words.null).astype(np.float32)
    sums = np.zeros((len(words.null), FOLDS), np.float32)
    run = np.zeros((len(words.other.numbers), DEPTH), np.float32)
    out, totals = np.zeros((start[-1], DEPTH), np.float32), np.zeros(DEPTH)
    state = RunSums(run, np.ones(DEPTH), np.zeros(DEPTH), np.zeros(DEPTH))
    scale, gains = state.scale, state.gains
    for i in range(count - 1, -1, -1):  # backwards, as run_products moves its runs
        for a in range(DEPTH):
            scale[a] = words.span.offsets[min(i + a + 1, count)] - words.span.offsets[i]
            scale[a] = 1.0 / scale[a] if scale[a] > 0 else 0.0
        add_entries(sums, words, odds, i)
        totals[:] = 0.0
        # Sentences before low[i] are passed as well: runs that start earlier are compared with them, and hold this one.
        for j in range(low[max(i - DEPTH + 1, 0)], low[i] + start[i + 1] - start[i] - 1):
            run_products(words, j, sums, state)
            if j >= low[i]:
                place = start[i] + j - low[i] + 1
                for a in range(DEPTH):
                    totals[a] += gains[a] + (alone[j] if scale[a] > 0 else 0.0)
                    out[place, a] = totals[a]
        clear_entries(sums, words, i)
    return out


@compiled
def explained_units(words: Direction, classes: Ints, beads: Ints) -> tuple[Floats, Floats]:
    """Of the units of the other side of beads, how many the table explains, and how many there are; by class.

    ``beads``: int64 (k, 4): first and end of the run in the span side, first and end of that in the other.
    """
    odds = ((1.0 - words.null) / words.null).astype(np.float32)
    sums = np.zeros((len(words.null), FOLDS), np.float32)
    explained, units = np.zeros(CLASSES), np.zeros(CLASSES)
    for bead in range(len(beads)):
        first, end, other_first, other_end = beads[bead]
        size = words.span.offsets[end] - words.span.offsets[first]
        if size == 0:
            continue
        for i in range(first, end):
            add_entries(sums, words, odds, i)
        for j in range(other_first, other_end):
            fold = max(words.other_folds[j], 0)
            for q in range(words.other.offsets[j], words.other.offsets[j + 1]):
                t = words.other.numbers[q]
                explained[classes[t]] += sums[t, fold] / (size + sums[t, fold])
                units[classes[t]] += 1
        for i in range(first, end):
            clear_entries(sums, words, i)
    return explained, units
