"""Step 2. The lexicon: translation tables in both directions, learnt from likely beads by IBM model 1, once without
each fold.

Source: Brown et al. 1993, The Mathematics of Statistical Machine Translation, model 1; the folds are ours.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from diglot.alignment.lexical.model1_kernels import (
    beads_of_units,
    cooccurring_units,
    e_step,
    local_table,
    m_step,
    prune,
    start_values,
)
from diglot.alignment.lexical.rates import LikelyBeads
from diglot.alignment.lexical.units import FOLDS, NumberedSide, NumberedText
from diglot.arrays import Floats, Indices, Ints, Singles, run_places, sampling_step
from diglot.threads import map_in_threads

MAX_TRAINING_BEADS = 60_000
"""Beads to learn from, evenly spaced; more beads teach little."""

# The constants of EM were chosen together, in some sixty runs on alpine yearbooks and chapters of a Chinese novel. The
# plateau is wide: half or twice one of them moves strict F1 by .01, which is also the noise of these sets.
_FIRST_ITERATIONS, _ITERATIONS = 8, 2
"""Iterations of EM in the first pass, and in every later pass, from the table before on. Half of the first number costs
short texts .003 and gains long texts nothing."""
_UNKNOWN_START = 0.3
"""Initial probability of pairs new to the table, as a share of an even spread; 1 in the first table."""
_NULL_MASS = 0.4
"""Share of the null word in the explanation of a target unit, for source units without an entry for the unit."""
_ALIKE = 1.0
"""Imagined count of a source unit with the target unit of the same spelling."""
_UNKNOWN = 0.1
"""Imagined count of a source unit with unseen units. Pairs seen once are kept in check by the folds: 3 costs .02 strict
F1 on texts of 30 to 130 sentences in thirteen language pairs, and gains nothing on long texts."""
_LEAST_RATIO = 2.0
"""Value of a kept entry at least: the target unit is twice as likely beside the source unit as elsewhere."""
_LEAST_TAUGHT = 0.3
"""Posterior of a bead to learn from; .6 is better for the yearbooks and worse for the novel, by .01 each."""
TranslationTable = tuple[Ints, Indices, Singles]
"""Translations ``(offsets, ids, values)``. Unit s has the translations ``ids[offsets[s]:offsets[s + 1]]``; ``values``
(entries, folds): ratio of the probability of the translation beside s and elsewhere, learnt without the fold."""


@dataclass(frozen=True, slots=True)
class TranslationTables:
    """The lexicon: a :data:`TranslationTable` in both directions, and the share of every unit among the units of its
    side."""

    forward: TranslationTable
    backward: TranslationTable
    src_share: Floats
    tgt_share: Floats


def shares(texts: Sequence[NumberedText], sizes: tuple[int, int]) -> tuple[Floats, Floats]:
    """Share of every unit of the lexicon among all units of its side."""
    found = []
    for side, size in enumerate(sizes):
        counts = np.zeros(size)
        for text in texts:
            counts += np.bincount(text.numbers[side][text.sides[side].units], minlength=size)
        found.append(counts / max(counts.sum(), 1.0))
    return found[0], found[1]


def empty_tables(src_share: Floats, tgt_share: Floats) -> TranslationTables:
    """A lexicon without entries: only units of the same spelling are translations."""
    nothing = (np.zeros(0, np.uint32), np.zeros((0, FOLDS), np.float32))
    src_rows, tgt_rows = (np.zeros(len(share) + 1, np.int64) for share in (src_share, tgt_share))
    return TranslationTables((src_rows, *nothing), (tgt_rows, *nothing), src_share, tgt_share)


def learn_tables(
    texts: Sequence[NumberedText],
    likely: Sequence[LikelyBeads],
    same: Ints,
    before: TranslationTables,
    *,
    threads: int = 1,
) -> TranslationTables:
    """Lexicon learnt from the likely beads of all texts.

    ``same``: target unit of the same spelling for every source unit, in numbers of the lexicon, -1 for none.
    ``before``: lexicon of the previous pass, empty in the first.
    """
    training = _training(texts, likely)
    is_first = not len(before.forward[1])
    iterations, start = (_FIRST_ITERATIONS, 1.0) if is_first else (_ITERATIONS, _UNKNOWN_START)
    known = np.flatnonzero(same >= 0)
    back = _inverse(known, same[known], len(before.tgt_share))
    # The folds stay those of source sentences in both directions.
    turned = training._replace(src=training.tgt, tgt=training.src)
    both = (
        (training, same, before.tgt_share, before.forward),
        (turned, back, before.src_share, before.backward),
    )

    def learn_one(side: tuple[TrainingBeads, Ints, Floats, TranslationTable]) -> TranslationTable:
        settings = em_settings(iterations, start, vocabulary=len(side[2]))
        return learn_translations(*side, settings)

    forward, backward = map_in_threads(learn_one, both, threads)
    return TranslationTables(forward, backward, before.src_share, before.tgt_share)


def em_settings(iterations: int, start: float, *, vocabulary: int) -> EMSettings:
    """EM with the constants of the lexicon.

    ``start``: initial probability of pairs new to the table, as a share of an even spread; ``vocabulary``: number of
    target units.
    """
    return EMSettings(iterations, start, _NULL_MASS, _ALIKE, _UNKNOWN, _LEAST_RATIO, vocabulary)


def text_tables(text: NumberedText, lexicon: TranslationTables) -> tuple[TranslationTable, TranslationTable]:
    """The lexicon for one text, in both directions, in the numbers of the text.

    Units of the same spelling are translations unless the lexicon knows both; an empty lexicon knows no unit.
    """
    src_numbers, tgt_numbers = text.numbers
    seeds = text.same.copy()
    is_seed = seeds >= 0
    if len(lexicon.forward[1]):
        # Known units need no seed: what they translate has been learnt.
        is_seed &= (src_numbers < 0) | (tgt_numbers[seeds] < 0)
    seeds[~is_seed] = -1
    back = _inverse(np.flatnonzero(is_seed), seeds[is_seed], len(tgt_numbers))
    return (
        _local(lexicon.forward, (src_numbers, tgt_numbers), seeds, lexicon.tgt_share),
        _local(lexicon.backward, (tgt_numbers, src_numbers), back, lexicon.src_share),
    )


def _inverse(src: Ints, tgt: Ints, size: int) -> Ints:
    """First source unit of every target unit, (size,); -1 for a target unit without a source unit."""
    back = np.full(size, -1, np.int64)
    back[tgt[::-1]] = src[::-1]
    return back


def _local(table: TranslationTable, numbers: tuple[Ints, Ints], seeds: Ints, share: Floats) -> TranslationTable:
    """The table renumbered for one text; ``numbers``: lexicon number of each unit, of rows and of columns."""
    rows, columns = numbers
    column_of = np.full(len(share), -1, np.int64)
    known = np.flatnonzero(columns >= 0)
    column_of[columns[known]] = known
    least = float(share[share > 0].min()) if np.any(share > 0) else 1.0
    of_column = np.full(len(columns), least)
    of_column[known] = np.maximum(share[columns[known]], least)
    seed_share = of_column[seeds] if len(columns) else np.ones(len(seeds))
    return local_table(table, rows, column_of, seeds, _ALIKE / (_ALIKE + _UNKNOWN) / seed_share)


def _training(texts: Sequence[NumberedText], likely: Sequence[LikelyBeads]) -> TrainingBeads:
    """The beads of all texts to learn from. A bead belongs to the folds of its first and its last source sentence."""
    chosen = [_teaching_beads(beads) for beads in likely]
    step = sampling_step(sum(map(len, chosen)), MAX_TRAINING_BEADS)
    sides: tuple[list[Ints], list[Ints]] = ([], [])
    lengths: tuple[list[Ints], list[Ints]] = ([], [])
    weights, folds, before = [np.zeros(0)], [np.zeros((2, 0), np.int64)], 0
    for text, beads, rows in zip(texts, likely, chosen, strict=True):
        # Counting goes on from text to text: otherwise short texts would give their first bead only.
        taken = rows[(np.arange(len(rows)) + before) % step == 0]
        before += len(rows)
        spans = [edge[taken] for edge in beads.spans()]
        for side, (first, end) in enumerate((spans[:2], spans[2:])):
            units, counts = _units_of_runs(text.sides[side], first, end)
            sides[side].append(text.numbers[side][units])
            lengths[side].append(counts)
        weights.append(beads.posteriors[taken])
        folds.append(text.folds[np.stack((spans[0], spans[1] - 1))])
    src, tgt = (
        UnitLists(
            _as_indices(np.concatenate(([0], np.cumsum(np.concatenate(counts))))), _as_indices(np.concatenate(units))
        )
        for counts, units in zip(lengths, sides, strict=True)
    )
    first_folds, last_folds = np.concatenate(folds, axis=1)
    # The same two texts teach once: otherwise a menu of all pages outweighs what each page says.
    _, bead, copies = np.unique(3 * _list_keys(src) + _list_keys(tgt), return_inverse=True, return_counts=True)
    weight = np.concatenate(weights) / copies[bead]
    return TrainingBeads(src, tgt, weight.astype(np.float32), first_folds, last_folds)


def _as_indices(numbers: Ints) -> Indices:
    return numbers.astype(np.uint32)


def _teaching_beads(likely: LikelyBeads) -> Ints:
    """Likely beads with two sides."""
    first, end, tgt_first, tgt_end = likely.spans()
    return np.flatnonzero((likely.posteriors >= _LEAST_TAUGHT) & (end > first) & (tgt_end > tgt_first))


def _units_of_runs(side: NumberedSide, first: Ints, end: Ints) -> tuple[Ints, Ints]:
    """Units of runs of sentences, one run after another, and their number a run."""
    begin, counts = side.offsets[first], side.offsets[end] - side.offsets[first]
    return side.units[run_places(begin, counts)], counts


def _list_keys(lists: UnitLists) -> Ints:
    """A number for every list, the same for lists of the same units."""
    of_unit = np.random.default_rng(0).integers(2**62, size=int(lists.numbers.max(initial=0)) + 1)
    sums = np.concatenate(([0], np.cumsum(of_unit[lists.numbers])))
    return np.diff(sums[lists.offsets])


class UnitLists(NamedTuple):
    """Units of n sentences or beads, ``numbers[offsets[i]:offsets[i + 1]]`` for the i-th; inverted, the beads of n
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
    ``beads`` with s, and ``same[s]``, the target unit of the same spelling (-1: no unit)."""

    offsets: Indices
    ids: Indices
    beads: UnitLists
    same: Ints


def learn_translations(
    training: TrainingBeads, same: Ints, share: Floats, before: TranslationTable, settings: EMSettings
) -> TranslationTable:
    """Translation table of the source units of the beads, from the table ``before`` on.

    ``same``: see :func:`diglot.alignment.lexical.tokens.same_units`. ``share``: of every target unit among all.
    """
    beads = UnitLists(*beads_of_units(*training.src, len(same)))
    entries = Entries(*cooccurring_units(*beads, *training.tgt, same, len(share)), beads, same)
    values = start_values(entries, before, share, settings.start)
    for _ in range(settings.iterations):
        posteriors = e_step(training, entries, values, share, settings.null)
        m_step(training, entries, values, posteriors, settings)
    return prune(entries.offsets, entries.ids, values, share, settings.least)
