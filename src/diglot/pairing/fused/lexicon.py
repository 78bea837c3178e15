"""A translation lexicon learnt from the site itself: confident page pairs, their blocks, and what recurs together.

Method: Dice coefficients over aligned blocks of pages matched without a lexicon, as Fung & Cheung 2004
("find one, get more") bootstrap comparable corpora; no resource, two rounds.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from diglot import sparse
from diglot.arrays import Floats, Ints, distinct
from diglot.features.sparse_rows import products
from diglot.pairing.fused.words import SiteWords, WordClass

# Calibrated together: what a lexicon learnt from few hundred pairs of blocks keeps.
MIN_COUNT = 2
"""Times that two terms must stand in one bead: what meets once is chance."""
MIN_PAGE_PAIRS = 2
"""From one pair of pages alone the names of twins are learnt as translations of each other, which then bear it out."""
MIN_DICE = 0.25
"""Least Dice coefficient of an entry: below it, terms meet because both are common."""
TOP_TRANSLATIONS = 3
"""Entries kept of each term on either side: inflected forms and a synonym."""
MAX_BEAD_TERMS = 60
"""Beads with more terms on a side say too little of which translates which."""
MAX_TERM_SHARE = 0.3
"""Terms in more than this share of the beads go with everything and are left out."""
MAX_BEADS = 60_000
"""Beads to learn from, taken evenly spaced: more teach little and cost memory."""


def identity_lexicon(words: SiteWords, src_df: Floats, tgt_df: Floats) -> sparse.csr_array:
    """Every term that stands on both sides translates itself."""
    both = ((src_df > 0) & (tgt_df > 0)).astype(np.float32)
    return sparse.csr_array(sparse.diags_array(both, dtype=np.float32))


def learn_lexicon(words: SiteWords, beads: npt.NDArray[np.int64], src_df: Floats, tgt_df: Floats) -> sparse.csr_array:
    """Lexicon (terms, terms) with values t in (0, 1] from beads of blocks, int64 (n, 2).

    Dice > .25 from at least two beads in two pairs of pages, the best three of either side. Numbers and codes
    that stand on both sides translate only themselves; another word translates itself only where
    neither side has an entry.
    """
    src, tgt = _bead_terms(words, beads)
    together = sparse.coo_array(src.T @ tgt)
    keep = together.data >= MIN_COUNT
    x, y, count = together.coords[0][keep], together.coords[1][keep], together.data[keep]
    dice = 2 * count / (_column_sums(src)[x] + _column_sums(tgt)[y])
    shared = (src_df > 0) & (tgt_df > 0)
    fixed = np.isin(words.classes, (WordClass.NUMBER, WordClass.CODE)) & shared
    good = (dice > MIN_DICE) & ~fixed[x] & ~fixed[y]
    x, y, dice = x[good], y[good], dice[good]
    borne_out = _page_pairs_with(words, beads, x, y) >= MIN_PAGE_PAIRS
    x, y, dice = x[borne_out], y[borne_out], dice[borne_out]
    top = _is_top(x, y, dice) | _is_top(y, x, dice)
    size = len(words.vocabulary)
    learnt = sparse.coo_array((dice[top].astype(np.float32), (x[top], y[top])), shape=(size, size))
    has_entry = np.zeros(size, bool)
    has_entry[x[top]] = True
    has_entry[y[top]] = True
    same = np.flatnonzero(shared & (fixed | ~has_entry))
    itself = sparse.coo_array((np.ones(len(same), np.float32), (same, same)), shape=(size, size))
    return sparse.csr_array(learnt + itself)


def _page_pairs_with(words: SiteWords, beads: npt.NDArray[np.int64], x: Ints, y: Ints) -> Floats:
    """On how many of the page pairs the beads come from stand both terms of each entry, one on either page."""
    present = sparse.csr_array((words.counts > 0).astype(np.float32))
    ends = np.searchsorted(words.block_offsets, beads, side="right") - 1
    pages = np.stack(np.divmod(distinct(ends[:, 0] * present.shape[0] + ends[:, 1]), max(present.shape[0], 1)), axis=1)
    src, tgt = (sparse.csr_array(present[pages[:, side]].T) for side in (0, 1))
    return products(src, tgt, np.stack([x, y], axis=1).astype(np.int32))


def _bead_terms(words: SiteWords, beads: npt.NDArray[np.int64]) -> tuple[sparse.csr_array, sparse.csr_array]:
    """Which terms stand in the source and the target block of each bead, 0 or 1; common terms left out."""
    lengths = words.blocks.lengths()
    small = (lengths[beads] <= MAX_BEAD_TERMS).all(axis=1) & (lengths[beads] > 0).all(axis=1)
    beads = beads[small]
    if len(beads) > MAX_BEADS:
        beads = beads[np.linspace(0, len(beads) - 1, MAX_BEADS).astype(np.int64)]
    size = (len(words.blocks), len(words.vocabulary))
    blocks = sparse.csr_array(
        (np.ones(len(words.blocks.values), np.float32), words.blocks.values, words.blocks.offsets), shape=size
    )
    return _without_common(blocks[beads[:, 0]]), _without_common(blocks[beads[:, 1]])


def _without_common(matrix: sparse.csr_array) -> sparse.csr_array:
    limit = max(MAX_TERM_SHARE * matrix.shape[0], 2 * MIN_COUNT)
    keep = (_column_sums(matrix) <= limit).astype(np.float32)
    kept = sparse.csr_array(matrix @ sparse.diags_array(keep))
    kept.eliminate_zeros()
    return kept


def _column_sums(matrix: sparse.csr_array) -> Floats:
    return np.asarray(matrix.sum(axis=0), np.float64).ravel()


def _is_top(key: npt.NDArray[np.int64], other: npt.NDArray[np.int64], value: Floats) -> npt.NDArray[np.bool_]:
    """Whether each entry is among the best of its key; ties by the other's number."""
    order = np.lexsort((other, -value, key))
    sorted_keys = key[order]
    first = np.searchsorted(sorted_keys, sorted_keys, side="left")
    top = np.zeros(len(key), bool)
    top[order] = np.arange(len(key)) - first < TOP_TRANSLATIONS
    return top
