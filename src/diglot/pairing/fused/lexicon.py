"""A translation lexicon learnt from the site itself, by co-occurrence in the blocks of confident page pairs.

Method: Dice coefficients over aligned blocks of pages matched without a lexicon, as Fung & Cheung 2004 ("find one, get
more") bootstrap comparable corpora; no resource, two rounds.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from diglot.arrays import Floats, Ints, distinct
from diglot.features.sparse_rows import products
from diglot.pairing.fused.words import SiteWords, WordClass
from diglot.sparse import SparseMatrix, matrix_of_places

# Calibrated together: what a lexicon learnt from few hundred pairs of blocks keeps.
MIN_COUNT = 2
"""Least number of beads with both words: a single bead is chance."""
MIN_PAGE_PAIRS = 2
"""Least number of page pairs with both words: a single pair of twins would teach the twins' names as translations,
and then be confirmed by the names."""
MIN_DICE = 0.25
"""Least Dice coefficient of an entry: below it, words meet because both are common."""
TOP_TRANSLATIONS = 3
"""Most entries of each word on either side: inflected forms and a synonym."""
MAX_BEAD_TERMS = 60
"""Most words on a side of a bead: larger beads say too little about single translations."""
MAX_TERM_SHARE = 0.3
"""Largest share of beads that hold a word: commoner words co-occur with everything and are left out."""
MAX_BEADS = 60_000
"""Most beads to learn from, evenly spaced: more teach little and cost memory."""


def identity_lexicon(words: SiteWords, src_df: Floats, tgt_df: Floats) -> SparseMatrix:
    """Every word of both sides as its own translation."""
    same = np.flatnonzero((src_df > 0) & (tgt_df > 0))
    return matrix_of_places(same, same, np.ones(len(same), np.float32), (len(words.vocabulary),) * 2)


def learn_lexicon(words: SiteWords, beads: npt.NDArray[np.int64], src_df: Floats, tgt_df: Floats) -> SparseMatrix:
    """Lexicon (words, words) with values t in (0, 1] from beads of blocks, int64 (n, 2).

    Dice > .25 from at least two beads in two pairs of pages, the best three of either side. Numbers and codes on both
    sides translate only themselves; another word translates itself only if neither side has an entry.
    """
    src, tgt = _bead_terms(words, beads)
    together = src.T @ tgt
    keep = together.values >= MIN_COUNT
    x, y, count = together.row_numbers()[keep], together.columns[keep].astype(np.int64), together.values[keep]
    dice = 2 * count / (src.column_sums()[x] + tgt.column_sums()[y])
    shared = (src_df > 0) & (tgt_df > 0)
    fixed = np.isin(words.classes, (WordClass.NUMBER, WordClass.CODE)) & shared
    good = (dice > MIN_DICE) & ~fixed[x] & ~fixed[y]
    x, y, dice = x[good], y[good], dice[good]
    borne_out = _page_pairs_with(words, beads, x, y) >= MIN_PAGE_PAIRS
    x, y, dice = x[borne_out], y[borne_out], dice[borne_out]
    top = _is_top(x, y, dice) | _is_top(y, x, dice)
    size = len(words.vocabulary)
    has_entry = np.zeros(size, bool)
    has_entry[x[top]] = True
    has_entry[y[top]] = True
    same = np.flatnonzero(shared & (fixed | ~has_entry))
    values = np.concatenate([dice[top], np.ones(len(same))]).astype(np.float32)
    rows, columns = (np.concatenate([entry[top], same]) for entry in (x, y))
    return matrix_of_places(rows, columns, values, (size, size))


def _page_pairs_with(words: SiteWords, beads: npt.NDArray[np.int64], x: Ints, y: Ints) -> Floats:
    """Number of page pairs behind the beads, by entry (x, y), with x on the source page and y on the target page."""
    present = words.counts.as_ones()
    ends = np.searchsorted(words.block_offsets, beads, side="right") - 1
    pages = np.stack(np.divmod(distinct(ends[:, 0] * present.shape[0] + ends[:, 1]), max(present.shape[0], 1)), axis=1)
    src, tgt = (present[pages[:, side]].T for side in (0, 1))
    return products(src, tgt, np.stack([x, y], axis=1).astype(np.int32))


def _bead_terms(words: SiteWords, beads: npt.NDArray[np.int64]) -> tuple[SparseMatrix, SparseMatrix]:
    """Words of the source and the target block of each bead, 0 or 1, without beads of many words and common words."""
    lengths = words.blocks.lengths()
    small = (lengths[beads] <= MAX_BEAD_TERMS).all(axis=1) & (lengths[beads] > 0).all(axis=1)
    beads = beads[small]
    if len(beads) > MAX_BEADS:
        beads = beads[np.linspace(0, len(beads) - 1, MAX_BEADS).astype(np.int64)]
    size = (len(words.blocks), len(words.vocabulary))
    ones = np.ones(len(words.blocks.values), np.float32)
    blocks = SparseMatrix(words.blocks.offsets, words.blocks.values, ones, size)
    return _without_common(blocks[beads[:, 0]]), _without_common(blocks[beads[:, 1]])


def _without_common(matrix: SparseMatrix) -> SparseMatrix:
    # Of few beads, the share alone would leave out words in two or three of them.
    limit = max(MAX_TERM_SHARE * matrix.shape[0], 2 * MIN_COUNT)
    return matrix.keep_columns(matrix.column_sizes() <= limit)


def _is_top(key: npt.NDArray[np.int64], other: npt.NDArray[np.int64], value: Floats) -> npt.NDArray[np.bool_]:
    """Mask of the :data:`TOP_TRANSLATIONS` best entries of each key; of equal values, those with the lower other."""
    order = np.lexsort((other, -value, key))
    sorted_keys = key[order]
    first = np.searchsorted(sorted_keys, sorted_keys, side="left")
    top = np.zeros(len(key), bool)
    top[order] = np.arange(len(key)) - first < TOP_TRANSLATIONS
    return top
