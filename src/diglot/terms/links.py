"""Step 2. Links between the words of a segment and their translations, learnt from the rest of the segments."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from diglot.alignment.lexical.lexicon import (
    MAX_TRAINING_BEADS,
    TrainingBeads,
    TranslationTable,
    UnitLists,
    em_settings,
    learn_translations,
)
from diglot.alignment.lexical.units import FOLDS
from diglot.arrays import Floats, Ints, Mask, Singles, distinct, run_places, sampling_step
from diglot.terms.tokens import Tokens, fold_numbers

_FOLD_SEGMENTS = 16
"""Neighbouring segments in one fold: they often have the same text, and no fold learns from
its own text."""
_EMPTY = (np.zeros(0, np.uint32), np.zeros((0, FOLDS), np.float32))
_ITERATIONS, _START = 6, 1.0
"""Settings of EM: those of the aligner's first table, with fewer iterations."""
_NULL_RATIO = 2.0
"""Likelihood ratio of the null word in the sum over all words that may explain a word."""
_SLANT = 4.0
"""Decay of a link with its distance from the diagonal: exp(-_SLANT * distance), as in Dyer et al. 2013."""
_BLOCK_CELLS = 4_000_000
"""Pairs of tokens in one block; bounds memory."""
MAX_CELLS = 40_000
"""Most pairs of tokens in a segment: longer segments are lists, with few reliable links."""
_BOTH, _ONE = 0.15, 0.3
"""Least probability of a link: geometric mean of both directions if both words prefer the link, else probability of
one direction."""


class Links(NamedTuple):
    """Pairs of linked tokens, numbered over all segments and sorted by the source token, with a probability each."""

    src: Ints
    tgt: Ints
    weights: Singles


def link_words(src: Tokens, tgt: Tokens) -> Links:
    """Links between the words of each segment, by the probabilities learnt from segments of the other folds.

    Two words are linked if both prefer the link. A free word next to a linked pair is linked by its own preference.
    """
    folds = np.arange(len(src.offsets) - 1) // _FOLD_SEGMENTS % FOLDS
    levels = [_level(src, tgt, folds, whole=whole) for whole in (True, False)]
    cells = src.counts() * tgt.counts()
    # Too long segments are left out: a segment of 0 cells is in no block.
    cells[cells > MAX_CELLS] = 0
    ends = np.searchsorted(np.cumsum(cells), np.arange(_BLOCK_CELLS, cells.sum() + _BLOCK_CELLS, _BLOCK_CELLS), "right")
    blocks, first = [], 0
    for end in sorted({*ends.tolist(), len(cells)}):
        rows = first + np.flatnonzero(cells[first:end])
        if len(rows):
            blocks.append(_block_links(src, tgt, rows, folds, levels))
        first = end
    if not blocks:
        return Links(np.zeros(0, np.int64), np.zeros(0, np.int64), np.zeros(0, np.float32))
    return Links(*(np.concatenate(column) for column in zip(*blocks, strict=True)))


class _Level(NamedTuple):
    """Translation tables at one level: whole words, or their beginnings.

    ``src``, ``tgt``: code of each word at this level. ``keys``: source code * ``size`` + target code, ascending.
    ``forward``, ``backward`` (keys, FOLDS): likelihood ratio of a word in segments with its translation, against all
    segments.
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
    bead_folds = folds[:: sampling_step(len(folds), MAX_TRAINING_BEADS)]
    ones = np.ones(len(bead_folds), np.float32)
    tables: list[TranslationTable] = []
    for one, other, alike in ((0, 1, same), (1, 0, back)):
        training = TrainingBeads(lists[one], lists[other], ones, bead_folds, bead_folds)
        settings = em_settings(_ITERATIONS, _START, vocabulary=sizes[other])
        none = (np.zeros(sizes[one] + 1, np.int64), *_EMPTY)
        tables.append(learn_translations(training, alike, shares[other], none, settings))
    return _Level(units[0], units[1], sizes[1], *_merge_tables(tables[0], tables[1], sizes[1]))


def _shares(lists: UnitLists, size: int) -> Floats:
    """Relative frequency of each unit on its side."""
    return np.bincount(lists.numbers, minlength=size) / max(len(lists.numbers), 1)


def _merge_tables(forward: TranslationTable, backward: TranslationTable, size: int) -> tuple[Ints, Singles, Singles]:
    """The pairs of both tables as keys, and the values in each table; 0 if the pair is missing."""
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
    """Distinct units of each training segment."""
    count = len(side.offsets) - 1
    step = sampling_step(count, MAX_TRAINING_BEADS)
    taken = side.segments % step == 0
    # Segment and unit in one number, so that one sort finds the distinct pairs.
    keys = distinct(side.segments[taken] // step * size + units[side.words[taken]])
    offsets = np.searchsorted(keys // max(size, 1), np.arange(-(-count // step) + 1))
    return UnitLists(offsets.astype(np.uint32), (keys % max(size, 1)).astype(np.uint32))


def _block_links(src: Tokens, tgt: Tokens, rows: Ints, folds: Ints, levels: list[_Level]) -> Links:
    """Links of the segments ``rows``."""
    counts, tgt_counts = src.counts()[rows], tgt.counts()[rows]
    tokens = run_places(src.offsets[rows], counts)
    order = np.argsort(src.words[tokens], kind="stable")  # neighbours look up the same rows of a table: cache hits
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
    # Share of a word in the explanation of the other, beside all words of its segment and no word.
    explained = forward / (np.bincount(j - j.min(), forward)[j - j.min()] + _NULL_RATIO)
    explaining = backward / (np.bincount(i - i.min(), backward)[i - i.min()] + _NULL_RATIO)
    return _choose(i, j, explained.astype(np.float32), explaining.astype(np.float32))


def _choose(i: Ints, j: Ints, explained: Singles, explaining: Singles) -> Links:
    """Links among pairs of tokens, by the probabilities that i explains j and that j explains i."""
    both = np.sqrt(explained * explaining)
    best_of_j = _is_best(j, explained)
    best_of_i = _is_best(i, explaining)
    mutual = (best_of_i | best_of_j) & _is_best(i, both) & _is_best(j, both) & (both >= _BOTH)
    src_free = ~np.isin(i, i[mutual])
    tgt_free = ~np.isin(j, j[mutual])
    # Similar to the growing of Koehn et al. (2003): a one-sided link needs a sure link as neighbour.
    beside = _beside(i, j, mutual)
    grown = beside & ((src_free & best_of_i & (explaining >= _ONE)) | (tgt_free & best_of_j & (explained >= _ONE)))
    taken = np.flatnonzero(mutual | grown)
    order = taken[np.lexsort((j[taken], i[taken]))]
    return Links(i[order], j[order], both[order])


def _is_best(keys: Ints, values: Singles) -> Mask:
    """Mask of pairs with the largest value of their key, if above 0."""
    best = np.zeros(int(keys.max(initial=0)) + 1, np.float32)
    np.maximum.at(best, keys, values)
    return np.asarray((values > 0) & (values == best[keys]))


def _beside(i: Ints, j: Ints, linked: Mask) -> Mask:
    """Mask of pairs with a token of a linked pair, the other token being one or two places away."""
    # Two more columns than tokens, so that a step never wraps into the next row.
    size = int(j.max(initial=0)) + 3
    keys = i * size + j
    known = np.sort(keys[linked])
    found = np.zeros(len(i), bool)
    for step in (1, -1, 2, -2, size, -size, 2 * size, -2 * size):
        place = np.minimum(np.searchsorted(known, keys + step), max(len(known) - 1, 0))
        found |= known[place] == keys + step if len(known) else False
    return found
