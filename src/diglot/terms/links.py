"""Step 2. Which words of a segment translate each other, by what all other segments teach."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from diglot.alignment.lexical.lexicon import MAX_TRAINING_BEADS, em_settings
from diglot.alignment.lexical.model1 import TrainingBeads, TranslationTable, UnitLists, learn_translations
from diglot.alignment.lexical.units import FOLDS, run_places
from diglot.arrays import Floats, Ints, Mask, Singles, distinct
from diglot.terms.tokens import Tokens, fold_numbers

_FOLD_SEGMENTS = 16
"""Neighbours are of one fold: they say the same things."""
_EMPTY = (np.zeros(0, np.uint32), np.zeros((0, FOLDS), np.float32))
_ITERATIONS, _START = 6, 1.0
"""Of EM: fewer than the aligner's own first table takes, whose other constants are taken."""
_NULL_RATIO = 2.0
"""What a word of the other side must be likelier by than elsewhere to be as good as none."""
_SLANT = 4.0
"""How fast a link loses with its distance from the diagonal: exp(-_SLANT * distance), as in Dyer et al. 2013."""
_BLOCK_CELLS = 4_000_000
"""Pairs of tokens looked at in one go: bounds the memory."""
MAX_CELLS = 40_000
"""Pairs of tokens of a segment at most: longer ones are lists, of which links tell little."""
_BOTH, _ONE = 0.15, 0.3
"""Least probability of a link, as the root of both ways where both sides prefer it, and of one way where one does."""


class Links(NamedTuple):
    """Pairs of linked tokens, by number over all segments, sorted by the source token; and their probability."""

    src: Ints
    tgt: Ints
    weights: Singles


def link_words(src: Tokens, tgt: Tokens) -> Links:
    """Links between the words of each segment. A segment is linked without what it taught itself, by folds.

    Both sides prefer each other, or one side prefers a neighbour of such a pair that is linked to nothing.
    """
    folds = np.arange(len(src.offsets) - 1) // _FOLD_SEGMENTS % FOLDS
    levels = [_level(src, tgt, folds, whole=whole) for whole in (True, False)]
    usable = src.counts() * tgt.counts()
    usable[usable > MAX_CELLS] = 0
    ends = np.searchsorted(
        np.cumsum(usable), np.arange(_BLOCK_CELLS, usable.sum() + _BLOCK_CELLS, _BLOCK_CELLS), "right"
    )
    blocks, first = [], 0
    for end in sorted({*ends.tolist(), len(usable)}):
        rows = first + np.flatnonzero(usable[first:end])
        if len(rows):
            blocks.append(_block(src, tgt, rows, folds, levels))
        first = end
    if not blocks:
        return Links(np.zeros(0, np.int64), np.zeros(0, np.int64), np.zeros(0, np.float32))
    return Links(*(np.concatenate(column) for column in zip(*blocks, strict=True)))


class _Level(NamedTuple):
    """What is known of pairs of units at one level, whole words or their beginnings.

    ``src`` and ``tgt``: unit of each word. ``keys``: source unit * ``size`` + target unit, rising; ``forward`` and
    ``backward`` (keys, FOLDS): how much likelier the one is beside the other than elsewhere.
    """

    src: Ints
    tgt: Ints
    size: int
    keys: Ints
    forward: Singles
    backward: Singles


def _level(src: Tokens, tgt: Tokens, folds: Ints, *, whole: bool) -> _Level:
    units, names = [], []
    for side in (src, tgt):
        own, forms = (np.arange(len(side.names)), side.names) if whole else fold_numbers(side.names)
        units.append(own)
        names.append(forms)
    sizes = len(names[0]), len(names[1])
    lists = [_lists(side, own, size) for side, own, size in zip((src, tgt), units, sizes, strict=True)]
    shares = [_shares(each, size) for each, size in zip(lists, sizes, strict=True)]
    of_tgt = {form: number for number, form in enumerate(names[1])}
    same = np.fromiter((of_tgt.get(form, -1) for form in names[0]), np.int64, sizes[0])
    back = np.full(sizes[1], -1, np.int64)
    back[same[same >= 0]] = np.flatnonzero(same >= 0)
    taught = folds[:: _step(len(folds))]
    ones = np.ones(len(taught), np.float32)
    tables: list[TranslationTable] = []
    for one, other, alike in ((0, 1, same), (1, 0, back)):
        training = TrainingBeads(lists[one], lists[other], ones, taught, taught)
        settings = em_settings(_ITERATIONS, _START, vocabulary=sizes[other])
        none = (np.zeros(sizes[one] + 1, np.int64), *_EMPTY)
        tables.append(learn_translations(training, alike, shares[other], none, settings))
    return _Level(units[0], units[1], sizes[1], *_merged(tables[0], tables[1], sizes[1]))


def _step(segments: int) -> int:
    """Every how manyth segment is learnt from."""
    return max(1, -(-segments // MAX_TRAINING_BEADS))


def _shares(lists: UnitLists, size: int) -> Floats:
    """Share of each unit among all of its side."""
    return np.bincount(lists.numbers, minlength=size) / max(len(lists.numbers), 1)


def _merged(forward: TranslationTable, backward: TranslationTable, size: int) -> tuple[Ints, Singles, Singles]:
    """The pairs of both tables as keys, and the values of each; 0 where a table says nothing."""
    keys: list[Ints] = []
    for offsets, ids, _ in (forward, backward):
        rows = np.repeat(np.arange(len(offsets) - 1), np.diff(offsets))
        keys.append(rows * size + ids if not keys else ids.astype(np.int64) * size + rows)
    known = distinct(np.concatenate(keys))
    values = []
    for own, (_, _, table) in zip(keys, (forward, backward), strict=True):
        values.append(np.zeros((len(known), FOLDS), np.float32))
        values[-1][np.searchsorted(known, own)] = table
    return known, values[0], values[1]


def _lists(side: Tokens, units: Ints, size: int) -> UnitLists:
    """Units of each segment that is learnt from, each once."""
    count = len(side.offsets) - 1
    step = _step(count)
    taken = side.segments % step == 0
    keys = distinct(side.segments[taken] // step * size + units[side.words[taken]])
    offsets = np.searchsorted(keys // max(size, 1), np.arange(-(-count // step) + 1))
    return UnitLists(offsets.astype(np.uint32), (keys % max(size, 1)).astype(np.uint32))


def _block(src: Tokens, tgt: Tokens, rows: Ints, folds: Ints, levels: list[_Level]) -> Links:
    """The links of some segments."""
    counts, tgt_counts = src.counts()[rows], tgt.counts()[rows]
    tokens = run_places(src.offsets[rows], counts)
    order = np.argsort(src.words[tokens], kind="stable")  # a word's row of a table is then at hand
    tokens, width = tokens[order], np.repeat(tgt_counts, counts)[order]
    i = np.repeat(tokens, width)
    j = run_places(tgt.offsets[src.segments[tokens]], width)
    fold = folds[src.segments[i]]
    forward = np.zeros(len(i), np.float32)
    backward = np.zeros(len(i), np.float32)
    for level in levels:
        sought = level.src[src.words[i]] * level.size + level.tgt[tgt.words[j]]
        place = np.minimum(np.searchsorted(level.keys, sought), max(len(level.keys) - 1, 0))
        found = np.flatnonzero(level.keys[place] == sought) if len(level.keys) else np.zeros(0, np.int64)
        forward[found] += level.forward[place[found], fold[found]]
        backward[found] += level.backward[place[found], fold[found]]
    src_place = (i - src.offsets[src.segments[i]] + 0.5) / src.counts()[src.segments[i]]
    tgt_place = (j - tgt.offsets[tgt.segments[j]] + 0.5) / tgt.counts()[tgt.segments[j]]
    slant = np.exp(-_SLANT * np.abs(src_place - tgt_place)).astype(np.float32)
    forward *= slant / len(levels)
    backward *= slant / len(levels)
    known = np.flatnonzero((forward > 0) | (backward > 0))
    i, j, forward, backward = i[known], j[known], forward[known], backward[known]
    if not len(i):
        return Links(i, j, forward)
    explained = forward / (np.bincount(j - j.min(), forward)[j - j.min()] + _NULL_RATIO)
    explaining = backward / (np.bincount(i - i.min(), backward)[i - i.min()] + _NULL_RATIO)
    return _chosen(i, j, explained.astype(np.float32), explaining.astype(np.float32))


def _chosen(i: Ints, j: Ints, explained: Singles, explaining: Singles) -> Links:
    """Links of pairs of tokens by the probability that i explains j, and j i."""
    both = np.sqrt(explained * explaining)
    best_of_j = _is_best(j, explained)
    best_of_i = _is_best(i, explaining)
    mutual = (best_of_i | best_of_j) & _is_best(i, both) & _is_best(j, both) & (both >= _BOTH)
    src_free = ~np.isin(i, i[mutual])
    tgt_free = ~np.isin(j, j[mutual])
    beside = _beside(i, j, mutual)
    grown = beside & ((src_free & best_of_i & (explaining >= _ONE)) | (tgt_free & best_of_j & (explained >= _ONE)))
    taken = np.flatnonzero(mutual | grown)
    order = taken[np.lexsort((j[taken], i[taken]))]
    return Links(i[order], j[order], both[order])


def _is_best(keys: Ints, values: Singles) -> Mask:
    """Which pairs have the largest value, above 0, of those with their key; the first of equal ones."""
    best = np.zeros(int(keys.max(initial=0)) + 1, np.float32)
    np.maximum.at(best, keys, values)
    return np.asarray((values > 0) & (values == best[keys]))


def _beside(i: Ints, j: Ints, linked: Mask) -> Mask:
    """Which pairs share a token with a linked pair and are at most one token from it on the other side."""
    size = int(j.max(initial=0)) + 3
    keys = i * size + j
    known = np.sort(keys[linked])
    found = np.zeros(len(i), bool)
    for step in (1, -1, 2, -2, size, -size, 2 * size, -2 * size):
        place = np.minimum(np.searchsorted(known, keys + step), max(len(known) - 1, 0))
        found |= known[place] == keys + step if len(known) else False
    return found
