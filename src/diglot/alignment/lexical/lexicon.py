"""The lexicon that the lexical aligner learns: IBM model 1 both ways, once without each fold of the beads.

Source: Brown et al. 1993, The Mathematics of Statistical Machine Translation, model 1; the folds are ours.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from diglot.alignment.lexical import model1 as kernels
from diglot.alignment.lexical.model1 import FOLDS, Taught, Units, local_table
from diglot.alignment.lexical.rates import Likely
from diglot.alignment.lexical.units import Side
from diglot.arrays import Floats, Indices, Ints, Singles

Table = tuple[Ints, Indices, Singles]

FOLD_SENTENCES = 16
"""Consecutive source sentences of one fold."""
MAX_BEADS = 60_000
"""Beads to learn from; more teach little. They are taken evenly spaced."""

_FIRST_ITERATIONS, _ITERATIONS = 4, 2
"""Of EM: to begin with, and to learn on with each pass from where the one before ended."""
_START = 0.3
_NULL_MASS = 0.4
_ALIKE = 1.0
_UNKNOWN = 3.0
_LEAST_RATIO = 2.0
_LEAST_POSTERIOR = 0.3


@dataclass(frozen=True, slots=True)
class Text:
    """Two sides of a text, with how their units stand in the lexicon.

    ``numbers``: for each side the number in the lexicon of each of its units, -1 for an unknown one. ``classes``: of
    each unit. ``same``: for each source unit the target unit written alike, -1 for none. ``first_fold``: of its first
    sentence.
    """

    src: Side
    tgt: Side
    numbers: tuple[Ints, Ints]
    classes: tuple[Ints, Ints]
    same: Ints
    first_fold: int

    @property
    def sides(self) -> tuple[Side, Side]:
        return self.src, self.tgt

    def folds(self) -> Ints:
        """Fold of each source sentence."""
        return (np.arange(len(self.src)) // FOLD_SENTENCES + self.first_fold) % FOLDS


@dataclass(frozen=True, slots=True)
class Lexicon:
    """Tables from source to target and back (see :data:`diglot.alignment.lexical.model1.Table`), and the share of each
    unit of a side among all of that side."""

    forward: Table
    backward: Table
    src_share: Floats
    tgt_share: Floats


def shares(texts: Sequence[Text], sizes: tuple[int, int]) -> tuple[Floats, Floats]:
    """Share of each unit of the lexicon among all units of its side."""
    found = []
    for side, size in enumerate(sizes):
        counts = np.zeros(size)
        for text in texts:
            counts += np.bincount(text.numbers[side][text.sides[side].units], minlength=size)
        found.append(counts / max(counts.sum(), 1.0))
    return found[0], found[1]


def empty_lexicon(src_share: Floats, tgt_share: Floats) -> Lexicon:
    """A lexicon that knows nothing: units written alike are all there is."""
    nothing = (np.zeros(0, np.uint32), np.zeros((0, FOLDS), np.float32))
    src_rows, tgt_rows = (np.zeros(len(share) + 1, np.int64) for share in (src_share, tgt_share))
    return Lexicon((src_rows, *nothing), (tgt_rows, *nothing), src_share, tgt_share)


def learn_lexicon(texts: Sequence[Text], found: Sequence[Likely], same: Ints, before: Lexicon) -> Lexicon:
    """Lexicon learnt from the likely beads of all texts; ``same`` in numbers of the lexicon."""

    taught = _training(texts, found)
    back = np.full(len(before.tgt_share), -1, np.int64)
    known = np.flatnonzero(same >= 0)
    back[same[known][::-1]] = known[::-1]
    is_first = not len(before.forward[1])
    iterations, start = (_FIRST_ITERATIONS, 1.0) if is_first else (_ITERATIONS, _START)
    terms = kernels.Terms(iterations, start, _NULL_MASS, _ALIKE, _UNKNOWN, _LEAST_RATIO, len(back))
    forward = kernels.learn(taught, same, before.tgt_share, before.forward, terms)
    taught = taught._replace(src=taught.tgt, tgt=taught.src)
    backward = kernels.learn(taught, back, before.src_share, before.backward, terms._replace(vocabulary=len(same)))
    return Lexicon(forward, backward, before.src_share, before.tgt_share)


def text_tables(text: Text, lexicon: Lexicon) -> tuple[Table, Table]:
    """What the lexicon says of the units of one text, both ways, in the numbers of the text."""
    src_numbers, tgt_numbers = text.numbers
    seeds = text.same.copy()
    known = seeds >= 0
    if len(lexicon.forward[1]):
        known &= (src_numbers < 0) | (tgt_numbers[seeds] < 0)
    seeds[~known] = -1
    back = np.full(len(tgt_numbers), -1, np.int64)
    back[seeds[known][::-1]] = np.flatnonzero(known)[::-1]
    return (
        _local(lexicon.forward, src_numbers, tgt_numbers, seeds, lexicon.tgt_share),
        _local(lexicon.backward, tgt_numbers, src_numbers, back, lexicon.src_share),
    )


def _local(table: Table, rows: Ints, columns: Ints, seeds: Ints, share: Floats) -> Table:

    column_of = np.full(len(share), -1, np.int64)
    known = np.flatnonzero(columns >= 0)
    column_of[columns[known]] = known
    least = float(share[share > 0].min()) if np.any(share > 0) else 1.0
    of_column = np.full(len(columns), least)
    of_column[known] = np.maximum(share[columns[known]], least)
    seed_share = of_column[seeds] if len(columns) else np.ones(len(seeds))
    return local_table(table, rows, column_of, seeds, _ALIKE / (_ALIKE + _UNKNOWN) / seed_share)


def _training(texts: Sequence[Text], found: Sequence[Likely]) -> Taught:
    """The beads to learn from. A bead is kept from the folds of all its sentences."""

    chosen = [_teaching(likely) for likely in found]
    step = max(1, -(-sum(map(len, chosen)) // MAX_BEADS))
    sides: tuple[list[Ints], list[Ints]] = ([], [])
    lengths: tuple[list[Ints], list[Ints]] = ([], [])
    weights, folds, before = [np.zeros(0)], [np.zeros((2, 0), np.int64)], 0
    for text, likely, rows in zip(texts, found, chosen, strict=True):
        take = rows[(np.arange(len(rows)) + before) % step == 0]
        before += len(rows)
        spans = [edge[take] for edge in likely.spans()]
        for side, (first, end) in enumerate((spans[:2], spans[2:])):
            units, counts = _units(text.sides[side], first, end)
            sides[side].append(text.numbers[side][units])
            lengths[side].append(counts)
        weights.append(likely.posteriors[take])
        folds.append(text.folds()[np.stack((spans[0], spans[1] - 1))])
    src, tgt = (
        Units(_unsigned(np.concatenate(([0], np.cumsum(np.concatenate(counts))))), _unsigned(np.concatenate(units)))
        for counts, units in zip(lengths, sides, strict=True)
    )
    first_folds, last_folds = np.concatenate(folds, axis=1)
    return Taught(src, tgt, np.concatenate(weights).astype(np.float32), first_folds, last_folds)


def _unsigned(numbers: Ints) -> Indices:
    return numbers.astype(np.uint32)


def _teaching(likely: Likely) -> Ints:
    """The beads to learn from: likely ones with two sides."""
    first, end, tgt_first, tgt_end = likely.spans()
    return np.flatnonzero((likely.posteriors >= _LEAST_POSTERIOR) & (end > first) & (tgt_end > tgt_first))


def _units(side: Side, first: Ints, end: Ints) -> tuple[Ints, Ints]:
    """Units of runs of sentences one after the other, and their number a run."""
    begin, counts = side.offsets[first], side.offsets[end] - side.offsets[first]
    ends = np.cumsum(counts)
    places = np.arange(int(ends[-1]) if len(ends) else 0) + np.repeat(begin - (ends - counts), counts)
    return side.units[places], counts
